package hashagg

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// TestTuples holds that rows of several columns have equal bytes where they are
// equal, and come back from them, for all types.
func TestTuples(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		var types []arrow.DataType
		var cells [][]cell
		var cols []*vector.Vector
		const n = 30
		for range 2 + r.IntN(3) {
			typ := aggregateTypes[r.IntN(len(aggregateTypes))]
			column := make([]cell, n)
			for i := range column {
				if typ.ID() != arrow.NULL && r.IntN(9) > 0 {
					column[i] = randomCell(r, typ, mood(r.IntN(4)))
				}
			}
			cols = append(cols, makeVector(t, r, typ, column, form(r.IntN(int(forms)))))
			types, cells = append(types, typ), append(cells, column)
		}
		x := newTuples("count", types)
		v, err := x.encode(cols, n)
		if err != nil {
			t.Fatal(err)
		}
		null := func(i int) (some bool) {
			for _, column := range cells {
				some = some || column[i] == nil
			}
			return some
		}
		var there []uint32
		for i := range n {
			if v.IsNull(i) != null(i) {
				t.Fatalf("row %d of %s: NULL is %v", i, types, v.IsNull(i))
			}
			if !null(i) {
				there = append(there, uint32(i))
			}
		}
		if v, err = vector.Gather(nil, v, there); err != nil {
			t.Fatal(err)
		}
		back, err := x.decode(v)
		if err != nil {
			t.Fatal(err)
		}
		for k, i := range there {
			for c := range cells {
				if got := readCell(back[c], k); compareCells(got, cells[c][i]) != 0 {
					t.Fatalf("row %d of %s: %s, not %s", i, types, cellText(got), cellText(cells[c][i]))
				}
			}
		}
	}
}
