package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

func small() Options {
	return Options{Rows: 20_000, Groups: 500, Threads: 2, Runs: 2, Strategies: colagg.Strategies(), Seed: 1}
}

func ignore(int64, int64, string) {}

func measured(t *testing.T, o Options, figures []*Figure) []*Figure {
	t.Helper()
	if err := Run(context.Background(), o, figures, ignore); err != nil {
		t.Fatal(err)
	}
	return figures
}

// TestAnswer compares what is kept of an answer with one computed by a map.
func TestAnswer(t *testing.T) {
	for _, state := range []State{Fixed, Variable} {
		tab := makeTable(t, &maker{rows: 3000, groups: 100, seed: 3}, EightyTwenty(), state, 1)
		eng, err := colagg.New(colagg.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		p := &Point{State: state, Aggregates: 1}
		got, err := ask(context.Background(), eng, tab, p, "serial")
		if err != nil {
			t.Fatal(err)
		}
		want := naive(t, tab, state)
		if want.stats = got.stats; want.differs(got) != nil || got.groups < 90 || got.took <= 0 || got.stats.Rows != 3000 {
			t.Errorf("%s: %v: %+v, want %+v", state, want.differs(got), got, want)
		}
	}
}

func naive(t *testing.T, tab *table, state State) answer {
	t.Helper()
	sums, mins := map[int64]int64{}, map[int64]string{}
	for _, rec := range tab.records {
		for i, k := range rec.Column(0).(*array.Int64).Int64Values() {
			if state == Fixed {
				sums[k] += rec.Column(1).(*array.Int64).Value(i)
			} else if s := rec.Column(1).(*array.String).Value(i); mins[k] == "" || s < mins[k] {
				mins[k] = s
			}
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, tab.schema)
	for k, v := range sums {
		b.Field(0).(*array.Int64Builder).Append(k)
		b.Field(1).(*array.Int64Builder).Append(v)
	}
	for k, v := range mins {
		b.Field(0).(*array.Int64Builder).Append(k)
		b.Field(1).(*array.StringBuilder).Append(v)
	}
	a := answer{strategy: "map"}
	if err := a.add(b.NewRecord()); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestDifferentAnswers changes an answer in each way that must be noticed.
func TestDifferentAnswers(t *testing.T) {
	tab := makeTable(t, &maker{rows: 100, groups: 100, seed: 3}, Sorted(), Variable, 1)
	rec := tab.records[0]
	of := func(keys []int64, texts []string) answer {
		b := array.NewRecordBuilder(memory.DefaultAllocator, tab.schema)
		b.Field(0).(*array.Int64Builder).AppendValues(keys, nil)
		b.Field(1).(*array.StringBuilder).AppendValues(texts, nil)
		a := answer{strategy: "other"}
		if err := a.add(b.NewRecord()); err != nil {
			t.Fatal(err)
		}
		return a
	}
	keys := slices.Clone(rec.Column(0).(*array.Int64).Int64Values())
	var texts []string
	for i := range len(keys) {
		texts = append(texts, rec.Column(1).(*array.String).Value(i))
	}
	right := of(keys, texts)
	turned, turnedTexts := slices.Clone(keys), slices.Clone(texts)
	slices.Reverse(turned)
	if err := right.differs(of(turned, texts)); err == nil {
		t.Error("keys with the values of others are not noticed")
	}
	slices.Reverse(turnedTexts)
	if err := right.differs(of(turned, turnedTexts)); err != nil {
		t.Errorf("another order: %v", err)
	}
	if err := right.differs(of(keys[1:], texts[1:])); err == nil || !strings.Contains(err.Error(), "99 groups where other gave 100") {
		t.Error(err)
	}
	for i := range texts {
		changed := slices.Clone(texts)
		for _, s := range []string{changed[i] + "a", changed[i][1:], changed[i][1:] + changed[i][:1], ""} {
			if changed[i] = s; s != texts[i] && right.differs(of(keys, changed)) == nil {
				t.Errorf("%q for %q is not noticed", s, texts[i])
			}
		}
	}
	fewer := right
	fewer.stats.Rows--
	if err := right.differs(fewer); err == nil || !strings.Contains(err.Error(), "rows") {
		t.Error(err)
	}
}

func TestRun(t *testing.T) {
	o := small()
	figures := Scale(o)
	var steps, last, total int64
	names := map[string]bool{}
	err := Run(context.Background(), o, figures, func(done, of int64, figure string) {
		if done != steps {
			t.Errorf("step %d after %d", done, steps)
		}
		steps, last, total = steps+1, done, of
		names[figure] = true
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != total-1 || len(names) != 2 || !names["uniform"] || !names["80-20"] {
		t.Errorf("told %d of %d, %v", last, total, names)
	}
	for _, f := range figures {
		for _, p := range f.Points {
			for i, s := range p.Samples {
				if s.Strategy != o.Strategies[i] || len(s.Times) != o.Runs || !slices.IsSorted(s.Times) || s.Times[0] <= 0 || s.Groups < 490 || s.Groups > 500 || s.Workers < 1 || s.Workers > p.Threads {
					t.Errorf("%s %s: %+v", f.Name, p.Label, s)
				}
				if !slices.Contains(o.Strategies, s.Used) || s.Used == "auto" {
					t.Errorf("%s used %s", s.Strategy, s.Used)
				}
			}
		}
	}
}

func TestRunFails(t *testing.T) {
	o := small()
	o.Strategies = []string{"serial", "nonsense"}
	err := Run(context.Background(), o, Aggregates(o), ignore)
	var e *colagg.Error
	if !errors.As(err, &e) || e.Kind != colagg.BadQuery || !strings.HasPrefix(err.Error(), "bench: aggregates 1, strategy nonsense: ") {
		t.Error(err)
	}
}

func TestRunIsInterrupted(t *testing.T) {
	o := small()
	for at := range int64(12) {
		ctx, cancel := context.WithCancel(context.Background())
		after := 0
		err := Run(ctx, o, Skew(o), func(done, _ int64, _ string) {
			if done == at {
				cancel()
			}
			if done > at {
				after++
			}
		})
		if !errors.Is(err, context.Canceled) || after > 0 {
			t.Errorf("at step %d: %v, %d steps after it", at, err, after)
		}
		cancel()
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		want  time.Duration
	}{{nil, 0}, {[]time.Duration{5}, 5}, {[]time.Duration{1, 2, 9}, 2}, {[]time.Duration{1, 2, 4, 9}, 3}} {
		if got := (Sample{Times: c.times}).Median(); got != c.want {
			t.Errorf("%v: %d", c.times, got)
		}
	}
}

// fixed returns a figure with known times.
func fixed(o Options, times ...time.Duration) []*Figure {
	f := &Figure{Name: "f", Title: "A figure", XTitle: "x"}
	p := &Point{X: 1, Label: "1", Shape: Uniform(), Aggregates: 2, Threads: 4}
	for i, name := range o.Strategies {
		p.Samples = append(p.Samples, Sample{Strategy: name, Used: name, Workers: 3, Groups: 77, Times: []time.Duration{times[i], times[i], 10 * times[i]}})
	}
	f.Points = []*Point{p}
	return []*Figure{f}
}

func TestCSV(t *testing.T) {
	o := Options{Rows: 3_000_000, Strategies: []string{"shared", "serial"}}
	var b strings.Builder
	if err := WriteCSV(&b, o, fixed(o, time.Second, 2*time.Second)); err != nil {
		t.Fatal(err)
	}
	want := "figure,x,strategy,distribution,state,aggregates,threads,used,workers,rows,groups,runs,seconds,fastest,slowest,million_rows_per_second,times_serial\n" +
		"f,1,shared,uniform,fixed,2,4,shared,3,3000000,77,3,1.000000,1.000000,10.000000,3.000,2.000\n" +
		"f,1,serial,uniform,fixed,2,4,serial,3,3000000,77,3,2.000000,2.000000,20.000000,1.500,1.000\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
	o.Strategies = []string{"shared"}
	b.Reset()
	if err := WriteCSV(&b, o, fixed(o, time.Second)); err != nil || !strings.HasSuffix(b.String(), ",3.000,\n") {
		t.Errorf("without serial: %s, %v", b.String(), err)
	}
}

func TestPage(t *testing.T) {
	o := Options{Rows: 3_000_000, Strategies: []string{"shared", "serial"}}
	p := Page("t", "d", o, fixed(o, time.Second, 2*time.Second))
	if len(p.Panels) != 2 || p.Columns != 2 || p.Panels[0].Values[0][0] != 3 || p.Panels[0].Values[1][0] != 1.5 || p.Panels[1].Values[0][0] != 2 || p.Panels[1].Rule != 1 {
		t.Errorf("%+v", p)
	}
	o.Strategies = []string{"shared"}
	if p = Page("t", "d", o, fixed(o, time.Second)); len(p.Panels) != 1 || p.Columns != 1 {
		t.Errorf("without serial: %+v", p)
	}
}

// TestFigures checks what is asked against the list of questions, and the CSV
// of real figures against arithmetic.
func TestFigures(t *testing.T) {
	o := small()
	o.Runs, o.Threads = 1, 6
	for name, c := range map[string]struct {
		figures []*Figure
		labels  []string
	}{
		"skew": {Skew(o), []string{"0 2 5 10 20 50 75 95", "uniform 80-20 zipf 0.5 zipf 1.0 zipf 1.5 heavy hitter 50 % sorted waves",
			"uniform 80-20 zipf 0.5 zipf 1.0 zipf 1.5 heavy hitter 50 % sorted waves"}},
		"scale":      {Scale(o), []string{"1 2 4 6", "1 2 4 6"}},
		"aggregates": {Aggregates(o), []string{"1 2 4 8 12 16 32"}},
	} {
		points := 0
		for i, f := range c.figures {
			var labels []string
			for k, p := range f.Points {
				labels = append(labels, p.Label)
				if k > 0 && p.X <= f.Points[k-1].X {
					t.Errorf("%s %s: %g after %g", name, f.Name, p.X, f.Points[k-1].X)
				}
			}
			if got := strings.Join(labels, " "); got != c.labels[i] {
				t.Errorf("%s %s: %s", name, f.Name, got)
			}
			points += len(f.Points)
		}
		var b strings.Builder
		if err := WriteCSV(&b, o, measured(t, o, c.figures)); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || len(rows) != 1+points*len(o.Strategies) {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for _, row := range rows[1:] {
			seconds, _ := strconv.ParseFloat(row[12], 64)
			speed, _ := strconv.ParseFloat(row[15], 64)
			if want := 0.02 / seconds; math.Abs(speed-want) > 0.02*want+0.001 {
				t.Errorf("%q: want %.3f", row, want)
			}
			if row[2] == "serial" && row[16] != "1.000" {
				t.Errorf("%q", row)
			}
		}
	}
}

func TestBytes(t *testing.T) {
	o := Options{Rows: 1000, Groups: 10, Threads: 1}
	if got := o.Bytes(Scale(o)); got != 16*1000+160 {
		t.Error(got)
	}
	if got := o.Bytes(Skew(o)); got != 36*1000+160 {
		t.Error(got)
	}
}
