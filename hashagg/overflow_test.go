package hashagg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// wideSets has a few groups with many values each, of which most come several
// times, and what each call of wideCalls makes of them, computed with maps.
type wideSets struct {
	batches
	count, texts map[int64]int64
	sum          map[int64]int64
}

func newWideSets(r *rand.Rand, rows, groups, values int) *wideSets {
	types := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean}
	var fields []arrow.Field
	for i, t := range types {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: t, Nullable: true})
	}
	in := &wideSets{count: map[int64]int64{}, sum: map[int64]int64{}, texts: map[int64]int64{}}
	in.schema = arrow.NewSchema(fields, nil)
	seen, seenTexts := map[[2]int64]bool{}, map[string]bool{}
	for at := 0; at < rows; {
		n := min(1+r.IntN(2000), rows-at)
		var builders [4]*vector.Builder
		for i, t := range types {
			builders[i] = vector.NewBuilder(t)
		}
		k, x := vector.New(types[0], n), vector.New(types[1], n)
		for i := range n {
			g, v := int64(r.IntN(groups)), int64(r.IntN(values))-10
			vector.Values[int64](k)[i], vector.Values[int64](x)[i] = g, v
			if r.IntN(50) == 0 {
				setNull(x, i)
			} else if !seen[[2]int64{g, v}] {
				seen[[2]int64{g, v}] = true
				in.count[g]++
				in.sum[g] += v
			}
			text := strings.Repeat("x", r.IntN(3)*9) + fmt.Sprint(r.IntN(values/2))
			if err := builders[2].AppendBytes([]byte(text)); err != nil {
				panic(err)
			}
			if one := fmt.Sprint(g, " ", text); !seenTexts[one] {
				seenTexts[one] = true
				in.texts[g]++
			}
		}
		b := vector.New(types[3], n)
		in.rest = append(in.rest, &vector.Batch{Cols: []*vector.Vector{k, x, builders[2].Vector(), b}, Len: n, Row: uint64(at)})
		at += n
	}
	return in
}

// wideCalls are calls with a set of values each, and others beside them.
func wideCalls(t *testing.T) (calls []Call) {
	t.Helper()
	for i, c := range []struct {
		name     string
		column   int
		distinct bool
	}{{"count", 1, true}, {"count", 1, false}, {"sum", 1, true}, {"count", 2, true}, {"count", 3, true}} {
		typ := []arrow.DataType{nil, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean}[c.column]
		agg, err := Bind(c.name, []arrow.DataType{typ}, Modifiers{Distinct: c.distinct})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, Call{Agg: agg, Args: []int{c.column}, Name: fmt.Sprint("a", i)})
	}
	// Of two columns, of which one is the same in a group.
	agg, err := Bind("regr_count", []arrow.DataType{int64Type, int64Type}, Modifiers{Distinct: true})
	if err != nil {
		t.Fatal(err)
	}
	return append(calls, Call{Agg: agg, Args: []int{0, 1}, Name: "pairs"})
}

// TestSetsOfOneGroupOnDisk counts and sums the values of groups of which each
// alone has more than there is memory for, with and without a key, and where all
// hashes are equal.
func TestSetsOfOneGroupOnDisk(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for k, s := range Strategies() {
		if testing.Short() && k%4 != 2 {
			continue
		}
		for _, c := range []struct {
			groups, keys, workers int
			hashMask              uint64
		}{{1, 0, 1, ^uint64(0)}, {1, 0, 4, ^uint64(0)}, {1, 0, 2, 0}, {1, 1, 3, ^uint64(0)}, {3, 1, 2, ^uint64(0)}, {2, 1, 1, 3}} {
			what := fmt.Sprintf("%s, %+v", s, c)
			rows, values := 20_000, 9000
			if c.hashMask != ^uint64(0) {
				rows, values = 4000, 1200 // all in one chain
			}
			in := newWideSets(r, rows, c.groups, values)
			knobs := defaultKnobs()
			knobs.hashMask, knobs.leastStates, knobs.partitions, knobs.leastGroups, knobs.fullSets = c.hashMask, 4<<10, 8, 0, 1<<(12+r.IntN(20))
			cfg := Config{Keys: []int{0}[:c.keys], Calls: wideCalls(t), Strategy: s, Workers: c.workers, Rows: -1, Budget: memory.NewBudget(100 << 10), knobs: &knobs}
			before := int64(0)
			for g, row := range runWide(t, what, in, cfg, &before) {
				sum, n := in.sum[g], in.count[g]
				if row[0] != n || row[2] != sum || row[3] != in.texts[g] || row[4] != 1 || row[5] != n {
					t.Errorf("%s: group %d has %v, not %d values, sum %d, %d texts", what, g, row, n, sum, in.texts[g])
				}
			}
			if before < 20 {
				t.Errorf("%s: only %d extents on disk", what, before)
			}
		}
	}
}

// runWide returns the results of the calls that are integers, by group.
func runWide(t *testing.T, what string, in *wideSets, cfg Config, extents *int64) map[int64][]int64 {
	t.Helper()
	cfg.Spill = spill.Open(spill.Config{Dirs: []string{t.TempDir()}, Budget: memory.NewBudget(0)})
	sink, err := NewSink(in.schema, cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, _, err := operators.Drain(context.Background(), &in.batches, sink, sink.Workers())
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	out := map[int64][]int64{}
	for _, b := range readAll(t, res, 1) {
		for i := range b.Len {
			g := int64(0)
			if len(cfg.Keys) > 0 {
				g = vector.Values[int64](b.Cols[0])[i]
			}
			if out[g] != nil {
				t.Fatalf("%s: group %d comes twice", what, g)
			}
			for _, v := range b.Cols[len(cfg.Keys):] {
				x := int64(0)
				if v.Type.ID() == arrow.INT64 {
					x = vector.Values[int64](v)[i]
				}
				out[g] = append(out[g], x)
			}
		}
	}
	if len(out) != len(in.count) {
		t.Errorf("%s: %d groups, not %d", what, len(out), len(in.count))
	}
	*extents = cfg.Spill.Stats().Extents
	sink.Close()
	if err := cfg.Spill.Close(); err != nil {
		t.Error(err)
	}
	if n := cfg.Budget.Used(); n != 0 {
		t.Errorf("%s: %d bytes are still held", what, n)
	}
	return out
}
