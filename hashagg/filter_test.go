package hashagg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// TestTrueRows compares the rows where a column is true with a look at each.
func TestTrueRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.Null} {
		for f := range forms {
			for _, n := range []int{0, 1, 63, 64, 65, 200} {
				cells := make([]cell, n)
				for i := range cells {
					if k := r.IntN(4); k > 0 && typ.ID() == arrow.BOOL {
						cells[i] = k > 1
					}
				}
				v := makeVector(t, r, typ, cells, f)
				var want []uint32
				for i, c := range cells {
					if c == true {
						want = append(want, uint32(i))
					}
				}
				if got := trueRows(nil, v, n); !slices.Equal(got, want) {
					t.Errorf("%s, form %d: rows %v, not %v", typ, f, got, want)
				}
			}
		}
	}
}

// TestFiltersAreShared holds that calls with one filter have one selection, with
// the columns of all of them.
func TestFiltersAreShared(t *testing.T) {
	f := newFilters([]Call{{Args: []int{1}, Filter: Filter{5, true}}, {Args: []int{2}}, {Args: []int{3, 1}, Filter: Filter{5, true}}, {Filter: Filter{0, true}}})
	if got := fmt.Sprint(f.of); got != "[0 -1 0 1]" || len(f.each) != 2 {
		t.Errorf("calls have the filters %s of %d", got, len(f.each))
	}
	if got := fmt.Sprint(f.each[0].columns, f.each[1].columns); got != "[1 3] []" {
		t.Errorf("their columns are %s", got)
	}
}

func TestFilterMustBeBool(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
	agg, err := Bind("count", nil, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewSink(schema, Config{Calls: []Call{{Agg: agg, Name: "n", Filter: Filter{0, true}}}})
	if err == nil || !strings.Contains(err.Error(), "the filter of n must be a bool, not int64") {
		t.Errorf("error is %v", err)
	}
}

// BenchmarkFilter is what a filter that half of the rows pass costs calls that
// share it.
func BenchmarkFilter(b *testing.B) {
	const rows = 8192
	agg, err := Bind("sum", []arrow.DataType{arrow.PrimitiveTypes.Int64}, Modifiers{})
	if err != nil {
		b.Fatal(err)
	}
	cols := []*vector.Vector{vector.New(arrow.PrimitiveTypes.Int64, rows), vector.New(arrow.FixedWidthTypes.Boolean, rows)}
	tickets := make([]uint32, rows)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range tickets {
		tickets[i] = uint32(r.IntN(1000))
		if r.IntN(2) == 0 {
			vector.Bitmap(cols[1].Data).Set(i)
		}
	}
	for _, filter := range []Filter{{}, {1, true}} {
		b.Run(fmt.Sprintf("%v", filter.OK), func(b *testing.B) {
			s := newStates([]Call{{Agg: agg, Args: []int{0}, Filter: filter}, {Agg: agg, Args: []int{0}, Filter: filter}}, memory.NewBudget(0).Account("states"))
			if err := s.grow(1000); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := s.update(tickets, cols, Ordinals{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestGroupsWithoutValues holds that groups none of whose rows count are there, in
// tables where the states tell which groups there are.
func TestGroupsWithoutValues(t *testing.T) {
	i64 := arrow.PrimitiveTypes.Int64
	var fields []arrow.Field
	for _, name := range []string{"k", "x", "y"} {
		fields = append(fields, arrow.Field{Name: name, Type: i64, Nullable: true})
	}
	schema := arrow.NewSchema(append(fields, arrow.Field{Name: "b", Type: arrow.FixedWidthTypes.Boolean}), nil)
	k, x, y := vector.New(i64, 4), vector.New(i64, 4), vector.NewNull(i64, 4)
	copy(vector.Values[int64](k), []int64{1, 2, 2, 3})
	rows := []*vector.Batch{{Cols: []*vector.Vector{k, x, y, vector.New(arrow.FixedWidthTypes.Boolean, 4)}, Len: 4}}
	for name, c := range map[string]Call{
		"a filter":         {Args: []int{1}, Filter: Filter{3, true}},
		"a second column":  {Args: []int{1, 2}},
		"an only argument": {Args: []int{2}},
	} {
		agg, err := Bind("count", slices.Repeat([]arrow.DataType{i64}, len(c.Args)), Modifiers{Distinct: len(c.Args) > 1})
		if err != nil {
			t.Fatal(err)
		}
		c.Agg = agg
		sink, err := NewSink(schema, Config{Keys: []int{0}, Ranges: []Range{{1, 3, true}}, Calls: []Call{c}, Strategy: Shared, Workers: 1, Rows: 4})
		if err != nil {
			t.Fatal(err)
		}
		res, _, err := operators.Drain(context.Background(), &batches{schema: schema, rest: slices.Clone(rows)}, sink, 1)
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, b := range readAll(t, res, 1) {
			got = append(got, vector.Values[int64](b.Cols[0])...)
			got = append(got, vector.Values[int64](b.Cols[1])...)
		}
		if form := sink.Report().KeyForm; form != "array" || fmt.Sprint(got) != "[1 2 3 0 0 0]" {
			t.Errorf("%s: keys and counts are %v (%s)", name, got, form)
		}
		sink.Close()
	}
}
