package main

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
)

// timed makes a cell from seconds: auto's with all threads and with one, then
// the fixed strategies'.
func timed(c cell, seconds ...float64) *cellResult {
	out := &cellResult{cell: c}
	for i, t := range seconds {
		s := &sample{Strategy: "auto", Threads: 2, Seconds: []float64{t}, Time: t, Chose: "serial"}
		if i == 1 {
			s.Threads = 1
		}
		if i > 1 {
			s.Strategy = []string{"serial", "shared"}[i-2]
		}
		if t == 0 {
			s.Error, s.Seconds = "broken", nil
		}
		out.Samples = append(out.Samples, s)
	}
	return out
}

// known is a report whose arithmetic is easy to follow.
func known() *matrixReport {
	at := func(dist string, aggs int) cell {
		return cell{Groups: 10, Dist: dist, Keys: "dense", Aggs: aggs, Width: "fixed"}
	}
	r := &matrixReport{Threads: 2, Strategies: []string{"serial", "shared"}, Cells: 7}
	r.Results = []*cellResult{
		timed(at("uniform", 1), 1.0, 2.0, 1.6, 1.0), // exactly the best
		timed(at("uniform", 4), 2.2, 2.0, 2.0, 3.0), // 1.10, slower than one thread
		timed(at("hh95", 1), 1.2, 3.0, 1.0, 4.0),    // 1.20, slower than uniform
		timed(at("hh95", 4), 1.3, 1.3, 1.0, 1.0),    // 1.30, faster than uniform
		timed(at("sorted", 1), 0, 1.0, 1.0, 2.0),    // auto failed
		timed(at("sorted", 4), 1.0, 1.0, 0, 2.0),    // 0.50, a strategy failed
		timed(at("waves", 1), 0, 0, 0, 0),           // too large for the machine
	}
	for _, s := range r.Results[6].Samples {
		s.OverMemory = true
	}
	return r
}

func TestMatrixArithmetic(t *testing.T) {
	r := known()
	var ratios []float64
	for _, c := range r.measured() {
		ratios = append(ratios, math.Round(c.ratio()*1000)/1000)
	}
	if want := []float64{math.Inf(1), 1.3, 1.2, 1.1, 1, 0.5}; !slices.Equal(ratios, want) {
		t.Errorf("ratios %v, want %v", ratios, want)
	}
	s := r.summary()
	if s.Worst = math.Round(s.Worst*1000) / 1000; s != (matrixSummary{Measured: 6, Within110: 3, Within125: 4, Worst: 1.3,
		Slower: 1, HeavyPairs: 2, HeavySlower: 1, OverMemory: 1, Failures: 2}) {
		t.Errorf("summary %+v", s)
	}
	if slow := r.slowest(); len(slow) != 1 || slow[0].Aggs != 4 || slow[0].Dist != "uniform" {
		t.Errorf("slower with more threads: %v", slow)
	}
	if p := r.heavyPairs(); p[0].heavy.Aggs != 1 || math.Abs(p[0].ratio()-1.2) > 1e-12 || math.Abs(p[1].ratio()-1.3/2.2) > 1e-12 {
		t.Errorf("pairs %v", p)
	}
	serial, shared := r.standings()["serial"], r.standings()["shared"]
	mean := math.Pow(1.6*1*1*1*1, 1.0/5) // of the five cells that serial answered
	if serial.wins != 4 || serial.max != 1.6 || math.Abs(serial.mean-mean) > 1e-12 || shared.wins != 2 || shared.max != 4 {
		t.Errorf("standings %+v and %+v", serial, shared)
	}
	for i, want := range []bool{false, true, true, true, true, false} {
		if got := r.Results[i].doubtful(); got != want {
			t.Errorf("%s: doubtful is %v", r.Results[i], got)
		}
	}
}

func TestMatrixReportText(t *testing.T) {
	var out strings.Builder
	known().print(&out)
	for _, want := range []string{
		"6 of 7 cells measured; 1 too large for this machine's memory",
		"within 1.10 of the best fixed strategy: 3 of 6 cells (50.0 %)",
		"within 1.25 of the best fixed strategy: 4 of 6 cells (66.7 %)",
		"slower with 2 threads than with 1: 1 of 6 cells\n  10 groups, uniform, dense keys, 4 fixed: 1.10 times",
		"slower than uniform keys: 1 of 2 pairs; the worst takes 1.20 times\n  10 groups, hh95, dense keys, 1 fixed: 1200 against 1000 ms",
		"FAILED 10 groups, sorted, dense keys, 1 fixed: auto, 2 threads: broken",
		"FAILED 10 groups, sorted, dense keys, 4 fixed: serial, 2 threads: broken",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "FAILED 10 groups, waves") {
		t.Error("a cell that is too large for the machine counts as a failure")
	}
}

// drawn returns the numbers of the keys of all rows.
func drawn(t *testing.T, s keySpec) []int64 {
	t.Helper()
	var out []int64
	if err := s.eachKey(func(k int64) { out = append(out, k) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestKeyShapes checks what the distributions promise.
func TestKeyShapes(t *testing.T) {
	const rows, groups = 40_000, 1000
	zeta := 0.0
	for k := 1.0; k <= groups; k++ {
		zeta += math.Pow(k, -1.5)
	}
	top := map[string]float64{"uniform": 0.001, "zipf1.5": 1 / zeta, "hh10": 0.1, "hh50": 0.5, "hh95": 0.95, "80-20": 0.004, "sorted": 0.001, "waves": 0.001}
	for _, dist := range distributions {
		count := map[int64]int{}
		for _, k := range drawn(t, keySpec{rows: rows, groups: groups, dist: dist, keys: "dense"}) {
			if k < 0 || k >= groups {
				t.Fatalf("%s: key %d of %d groups", dist, k, groups)
			}
			count[k]++
		}
		most := 0
		for _, n := range count {
			most = max(most, n)
		}
		want, known := top[dist]
		if got := float64(most) / rows; known && (got < 0.9*want || got > 1.1*want+0.001) {
			t.Errorf("%s: the largest group has %.4f of the rows, want about %.4f", dist, got, want)
		}
		if len(count) < 600 {
			t.Errorf("%s: only %d groups", dist, len(count))
		}
	}
	if k := drawn(t, keySpec{rows: rows, groups: groups, dist: "sorted", keys: "sparse"}); !slices.IsSorted(k) {
		t.Error("sorted keys are not sorted")
	}
	k := drawn(t, keySpec{rows: rows, groups: groups, dist: "waves", keys: "dense"})
	for w := range waves {
		part := k[w*rows/waves : (w+1)*rows/waves]
		if lo, hi := slices.Min(part), slices.Max(part); lo < int64(w*groups/waves) || hi >= int64((w+1)*groups/waves) {
			t.Errorf("wave %d has keys from %d to %d", w, lo, hi)
		}
	}
	if _, err := (keySpec{rows: 1, groups: 10, dist: "flat"}).keyArrays(); err == nil {
		t.Error("an unknown distribution was taken")
	}
}

// naive answers sum(f00), min(v01) or the like row by row.
func naive(in *input, c cell) *answer {
	type state struct {
		sums  []int64
		least []string
	}
	groups := map[any]*state{}
	for _, rec := range in.records {
		for i := range int(rec.NumRows()) {
			var key any
			switch k := rec.Column(0).(type) {
			case *array.Int64:
				key = k.Value(i)
			case *array.String:
				key = k.Value(i)
			}
			s := groups[key]
			first := s == nil
			if first {
				s = &state{make([]int64, c.Aggs), make([]string, c.Aggs)}
				groups[key] = s
			}
			for j := range c.Aggs {
				col := rec.Column(in.schema.FieldIndices(valueName(c.Width, j))[0])
				if c.Width == "fixed" {
					s.sums[j] += col.(*array.Int64).Value(i)
				} else if v := col.(*array.String).Value(i); first || v < s.least[j] {
					s.least[j] = v
				}
			}
		}
	}
	out := &answer{}
	for key, s := range groups {
		var columns []arrow.Array
		text := func(v string) arrow.Array {
			t := &textColumn{bytes: []byte(v)}
			t.end()
			return t.array()
		}
		switch k := key.(type) {
		case int64:
			columns = append(columns, int64Array([]int64{k}))
		case string:
			columns = append(columns, text(k))
		}
		for j := range c.Aggs {
			if c.Width == "fixed" {
				columns = append(columns, int64Array(s.sums[j:j+1]))
			} else {
				columns = append(columns, text(s.least[j]))
			}
		}
		fields := make([]arrow.Field, len(columns))
		for i := range columns {
			fields[i] = arrow.Field{Name: "c", Type: columns[i].DataType()}
		}
		if err := out.add(array.NewRecord(arrow.NewSchema(fields, nil), columns, 1)); err != nil {
			panic(err)
		}
	}
	return out
}

// TestMatrixAnswers compares every strategy's groups and checksum with those of
// a map, over records that end where others go on.
func TestMatrixAnswers(t *testing.T) {
	const rows = 2 * recordRows
	values := &valueColumns{rows: rows}
	for _, keys := range keyTypes {
		in, err := newInput(keySpec{rows: rows, groups: 100, dist: "zipf1.0", keys: keys}, values, widths, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range widths {
			c := &cellResult{cell: cell{Groups: 100, Dist: "zipf1.0", Keys: keys, Aggs: 10, Width: width}}
			if c.reference = naive(in, c.cell); c.reference.groups != 100 {
				t.Fatalf("%s: %d groups", c, c.reference.groups)
			}
			for _, strategy := range colagg.Strategies() {
				s := &sample{Strategy: strategy, Threads: 2}
				if err := c.warmUp(t.Context(), in, s); err != nil || s.Error != "" {
					t.Errorf("%s: %s: %v %s", c, strategy, err, s.Error)
				}
			}
			c.reference.checksum++
			s := &sample{Strategy: "auto", Threads: 2}
			if err := c.warmUp(t.Context(), in, s); err != nil || !strings.Contains(s.Error, "differs") {
				t.Errorf("another answer was not seen: %v %q", err, s.Error)
			}
		}
	}
}

func TestChecksum(t *testing.T) {
	of := func(k, v []int64) answer {
		var a answer
		fields := []arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: arrow.PrimitiveTypes.Int64}}
		if err := a.add(array.NewRecord(arrow.NewSchema(fields, nil), []arrow.Array{int64Array(k), int64Array(v)}, int64(len(k)))); err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := of([]int64{1, 2, 3}, []int64{7, 8, 9})
	if b := of([]int64{3, 1, 2}, []int64{9, 7, 8}); a != b {
		t.Error("the order of rows counts")
	}
	for _, b := range []answer{of([]int64{1, 2, 3}, []int64{8, 7, 9}), of([]int64{7, 8, 9}, []int64{1, 2, 3}), of([]int64{1, 2}, []int64{7, 8}),
		of([]int64{1, 2, math.MinInt64 + 3}, []int64{7, 8, 9})} {
		if a == b {
			t.Errorf("another result has the checksum %x too", a.checksum)
		}
	}
}

// TestMatrixCommand runs a few small cells from the command line to the files.
func TestMatrixCommand(t *testing.T) {
	dir := t.TempDir()
	csvFile, jsonFile := filepath.Join(dir, "m.csv"), filepath.Join(dir, "m.json")
	var out strings.Builder
	err := command(t.Context(), []string{"matrix", "-rows", "2000", "-groups", "10,1e3,1e6", "-dist", "uniform,hh95", "-aggs", "1,3", "-runs", "1",
		"-keys", "dense,string", "-csv", csvFile, "-json", jsonFile}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "32 of 32 cells measured; 16 more need more rows") {
		t.Errorf("%s", out.String())
	}
	text, err := os.ReadFile(csvFile)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if want := 1 + 32*(1+len(colagg.Strategies())); err != nil || len(lines) != want {
		t.Errorf("%d lines of CSV, want %d: %v", len(lines), want, err)
	}
	text, err = os.ReadFile(jsonFile)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		matrixReport
		Summary matrixSummary
	}
	if err := json.Unmarshal(text, &back); err != nil || len(back.Results) != 32 || back.Summary != back.summary() {
		t.Errorf("the figures do not come back: %v", err)
	}
	for _, args := range []string{"-dist flat", "-groups 5", "-groups x", "-stat mean", "-strategies auto", "-aggs 0", "-rows 0", "-rows 1e3,1e4"} {
		if err := command(t.Context(), append([]string{"matrix"}, strings.Fields(args)...), io.Discard); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}

func TestMatrixPlan(t *testing.T) {
	p, err := parseMatrix(flag.NewFlagSet("matrix", flag.ContinueOnError), strings.Fields("-all -rows 20e6 -keys dense"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.inputs()); n != len(matrixGroups)*len(distributions) || p.limit != 0 || p.rows < 20_000_000 || p.rows%recordRows != 0 {
		t.Errorf("%d inputs of %d rows within %s", n, p.rows, p.limit)
	}
	if _, err := numbers[int64]("1e3, 20", nil); err != nil {
		t.Error(err)
	}
}
