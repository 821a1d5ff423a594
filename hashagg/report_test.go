package hashagg

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// reportOf counts rows by the key columns of in, and returns what was expected
// and what was done.
func reportOf(t *testing.T, in testInput, cfg Config) (expected, done Report, flow operators.Flow) {
	t.Helper()
	count, err := Bind("count", nil, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Calls = []Call{{Agg: count, Name: "n"}}
	for i := range in.schema.NumFields() - 1 {
		cfg.Keys = append(cfg.Keys, i)
	}
	sink, err := NewSink(in.schema, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	expected = sink.Expect()
	_, flow, err = operators.Drain(context.Background(), &batches{schema: in.schema, rest: slices.Clone(in.all)}, sink, sink.Workers())
	if err != nil {
		t.Fatal(err)
	}
	return expected, sink.Report(), flow
}

// TestReport holds the figures of every configuration to those of the driver.
func TestReport(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	in := makeInput(r, []arrow.DataType{arrow.PrimitiveTypes.Int64}, 3000, true, "flat")
	var rows int64
	for _, b := range in.all {
		rows += int64(b.Rows())
	}
	var handed int64
	defer func() {
		if handed == 0 {
			t.Error("no groups were handed over")
		}
	}()
	for _, cfg := range testConfigs(1, r) {
		_, got, flow := reportOf(t, in, cfg)
		handed += got.HandedGroups
		if got.HandedGroups > 0 && (got.Partitions == 0 || got.Strategy == Serial) {
			t.Errorf("handed over to no partitions: %+v", got)
		}
		sum := flow.Sum()
		if got.Rows != rows || sum.Rows != rows || got.Batches > sum.Batches || got.Workers > flow.Used() || got.Workers < 1 {
			t.Errorf("%d rows: %+v, %+v", rows, got, sum)
		}
		if got.Group <= 0 || got.Update <= 0 || got.Group+got.Update > sum.Sink || got.Finish > flow.Finish || got.Merge > got.Finish || got.LockWait > got.Update+got.Finish*time.Duration(max(cfg.Workers, 1)) {
			t.Errorf("times: %+v, %+v", got, flow)
		}
		if got.Reason == "" || got.Groups != int64(len(referenceGroups(in))) {
			t.Errorf("%+v", got)
		}
		if got.StagedRepeats < 0 || got.StagedRepeats > got.StagedRows || (got.Imbalance > 0) != (got.Partitions > 0 && got.Imbalance >= 1) || got.Imbalance > float64(got.Partitions) {
			t.Errorf("%d repeats, imbalance %f: %+v", got.StagedRepeats, got.Imbalance, got)
		}
		if got.GrowthMove+got.GrowthWait > got.Group+got.Update+got.Finish*time.Duration(max(cfg.Workers, 1)) || (got.Growths == 0) != (got.GrowthMove == 0) {
			t.Errorf("growth: %+v", got)
		}
		for _, s := range got.Switches {
			if s.Worker < 0 || s.Worker >= max(cfg.Workers, 1) {
				t.Errorf("%+v of %d workers", s, cfg.Workers)
			}
			if s.AtRows <= 0 || s.AtRows > rows || s.From == s.To || s.Reason == "" {
				t.Errorf("%+v", s)
			}
		}
	}
}

// TestReportOfSwitch makes states shared early: words without locks, or, where
// keys are tickets, stripes.
func TestReportOfSwitch(t *testing.T) {
	few := &knobs{hashMask: ^uint64(0), slots: 8, block: 1, striped: 10, slotRows: 1}
	for typ, parts := range map[arrow.DataType]int{arrow.PrimitiveTypes.Int64: 0, arrow.PrimitiveTypes.Int16: stripeCount} {
		in := makeInput(rand.New(rand.NewPCG(7, 8)), []arrow.DataType{typ}, 3000, false, "flat")
		cfg := Config{Strategy: Shared, Workers: 2, Rows: -1, knobs: few}
		if parts > 0 {
			cfg.Ranges = []Range{{Lo: -1 << 11, Hi: 1 << 11, OK: true}}
		}
		_, got, _ := reportOf(t, in, cfg)
		if len(got.Switches) < 1 || got.Partitions != parts || got.Reason != "asked for" || !strings.Contains(got.Switches[0].Reason, "predicted") {
			t.Errorf("%s: %+v", typ, got)
		}
	}
}

// TestReportOfSkew has half of the rows in one partition, and rows that repeat
// their group.
func TestReportOfSkew(t *testing.T) {
	in := testInput{schema: arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "v", Type: arrow.PrimitiveTypes.Int64}}, nil)}
	const rows, groups = 20_000, 1000
	keys, values := vector.New(arrow.PrimitiveTypes.Int64, rows), vector.New(arrow.PrimitiveTypes.Int64, rows)
	for i := range rows {
		if i%2 == 0 {
			vector.Values[int64](keys)[i] = int64(i/2%groups) * 1_000_003
		}
	}
	in.all = []*vector.Batch{{Cols: []*vector.Vector{keys, values}, Len: rows}}
	small := defaultKnobs()
	small.block, small.partitions, small.stageRows = 1, 8, 100
	_, got, _ := reportOf(t, in, Config{Strategy: PartitionRows, Workers: 2, Rows: rows, knobs: &small})
	if got.Imbalance < 4 || got.Imbalance > 6 {
		t.Errorf("one of 8 partitions has %.2f times the mean, not about 4.5", got.Imbalance)
	}
	if got.StagedRows != rows || got.StagedRepeats != rows-groups {
		t.Errorf("%d of %d rows repeat, not %d", got.StagedRepeats, got.StagedRows, rows-groups)
	}
}

func TestLockWait(t *testing.T) {
	var w work
	var mu sync.Mutex
	w.lock(&mu)
	if w.waits != 0 || w.wait != 0 {
		t.Errorf("a free lock: %+v", w)
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		mu.Unlock()
	}()
	w.lock(&mu)
	if w.waits != 1 || w.wait < time.Millisecond {
		t.Errorf("a lock that was held: %+v", w)
	}
}

// TestExpect compares the form that is expected with the one that came, and the
// estimate with the groups.
func TestExpect(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		var types []arrow.DataType
		for range 1 + r.IntN(3) {
			types = append(types, testTypes[r.IntN(len(testTypes))])
		}
		in := makeInput(r, types, 20, true, "flat")
		want, got, _ := reportOf(t, in, Config{Workers: 2, Rows: -1})
		forms := strings.FieldsFunc(want.KeyForm, func(r rune) bool { return r == ',' || r == ' ' })
		if !slices.Contains(forms, got.KeyForm) {
			t.Errorf("%v: %s, expected %s", types, got.KeyForm, want.KeyForm)
		}
	}
	i64, i8, text := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	for _, c := range []struct {
		types    []arrow.DataType
		hints    []Range
		rows     int64
		want     int64
		distinct []Distinct
	}{
		{nil, nil, 100, 1, nil},
		{[]arrow.DataType{i64}, nil, 100, -1, nil},
		{[]arrow.DataType{i64}, []Range{{1, 7, true}}, 100, 7, nil},
		{[]arrow.DataType{i64}, []Range{{1, 7, true}}, 5, 5, nil},
		{[]arrow.DataType{i64}, []Range{{-1 << 63, 1<<63 - 1, true}}, 5, -1, nil},
		{[]arrow.DataType{i64, i8}, []Range{{1, 7, true}, {}}, -1, 7 * 256, nil},
		{[]arrow.DataType{i64, i64}, []Range{{0, 1 << 40, true}, {0, 1 << 40, true}}, 1000, 1000, nil},
		{[]arrow.DataType{i64, i64}, []Range{{0, 1 << 40, true}, {0, 1 << 40, true}}, -1, -1, nil},
		{[]arrow.DataType{i8, text}, nil, 100, -1, nil},
		{[]arrow.DataType{text}, nil, 1000, 40, []Distinct{{40, 1000, true}}},
		{[]arrow.DataType{text}, nil, 1_000_000, 40, []Distinct{{40, 1000, true}}},          // all are seen
		{[]arrow.DataType{text}, nil, 1_000_000, 1_000_000, []Distinct{{1000, 1000, true}}}, // each is another
		{[]arrow.DataType{text}, nil, -1, 40, []Distinct{{40, 1000, true}}},
		{[]arrow.DataType{text, i64}, []Range{{}, {1, 1 << 40, true}}, 100_000, 120, []Distinct{{40, 1000, true}, {3, 1000, true}}},
		{[]arrow.DataType{i64}, []Range{{1, 7, true}}, 1000, 7, []Distinct{{90, 1000, true}}},
		{[]arrow.DataType{text, text}, nil, 1000, -1, []Distinct{{40, 1000, true}, {}}},
	} {
		s := &Sink{types: c.types, cfg: Config{Ranges: c.hints, Distinct: c.distinct, Rows: c.rows}}
		if got := s.estimateGroups(); got != c.want {
			t.Errorf("%v, %v, %v, %d rows: %d groups, want %d", c.types, c.hints, c.distinct, c.rows, got, c.want)
		}
	}
}
