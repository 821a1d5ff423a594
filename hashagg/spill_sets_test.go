package hashagg

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// manySets has so many groups that a quarter of them takes several steps to be
// handed over, and each value of each group twice: group g has each values from
// g*each on.
func manySets(groups, each int) *batches {
	const rows = 8192
	src := &batches{schema: arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)}
	all := groups * each * 2
	for at := 0; at < all; at += rows {
		n := min(rows, all-at)
		k, x := vector.New(arrow.PrimitiveTypes.Int64, n), vector.New(arrow.PrimitiveTypes.Int64, n)
		keys, values := vector.Values[int64](k), vector.Values[int64](x)
		for i := range n {
			g, turn := (at+i)%groups, (at+i)/groups%each
			keys[i], values[i] = int64(g)<<20, int64(g*each+turn)
		}
		src.rest = append(src.rest, &vector.Batch{Cols: []*vector.Vector{k, x}, Len: n, Row: uint64(at)})
	}
	return src
}

// TestSetsOfManyGroupsOnDisk counts the values of groups whose sets outgrow the
// memory when the groups are there: none may be lost on the way to the disk.
func TestSetsOfManyGroupsOnDisk(t *testing.T) {
	const groups, each = 120_000, 6
	agg, err := Bind("count", []arrow.DataType{arrow.PrimitiveTypes.Int64}, Modifiers{Distinct: true})
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range Strategies() {
		if testing.Short() && k%4 != 1 {
			continue
		}
		for _, limit := range []int64{16 << 20, 28 << 20} {
			if testing.Short() && limit > 16<<20 {
				continue
			}
			what := fmt.Sprintf("%s, %d bytes", s, limit)
			src := manySets(groups, each)
			cfg := Config{Keys: []int{0}, Calls: []Call{{Agg: agg, Args: []int{1}, Name: "n"}}, Strategy: s, Workers: 2,
				Rows: -1, Budget: memory.NewBudget(limit),
				Spill: spill.Open(spill.Config{Dirs: []string{t.TempDir()}, Budget: memory.NewBudget(0)})}
			sink, err := NewSink(src.schema, cfg)
			if err != nil {
				t.Fatal(err)
			}
			res, _, err := operators.Drain(context.Background(), src, sink, sink.Workers())
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			seen := make([]bool, groups)
			found, wrong := 0, 0
			for _, b := range readAll(t, res, 1) {
				counts := vector.Values[int64](b.Cols[1])
				for i, k := range vector.Values[int64](b.Cols[0]) {
					if g := k >> 20; seen[g] || counts[i] != each {
						wrong++
					} else {
						seen[g] = true
						found++
					}
				}
			}
			if found != groups || wrong > 0 {
				t.Errorf("%s: %d of %d groups, and %d that are wrong or there twice", what, found, groups, wrong)
			}
			if cfg.Spill.Stats().Extents == 0 {
				t.Errorf("%s: nothing went to disk", what)
			}
			sink.Close()
			if err := cfg.Spill.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
