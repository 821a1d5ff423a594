package hashagg

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// absentKeys is a grouper that takes no keys and has none; it counts calls.
type absentKeys struct{ calls int }

func (g *absentKeys) Freeze() {}
func (g *absentKeys) Close()  {}

func (g *absentKeys) Groups(_ []*vector.Vector, tickets []uint32) error {
	g.calls++
	for i := range tickets {
		tickets[i] = noTicket
	}
	return nil
}

// TestDictionaryOfAbsentKeys looks up rows of a dictionary, NULLs among them, in
// a table that is frozen and has none: once each, not once per row.
func TestDictionaryOfAbsentKeys(t *testing.T) {
	const n = 1000
	dict := vector.New(arrow.PrimitiveTypes.Int64, 3)
	dict.ID = vector.NextID()
	v := &vector.Vector{Type: dict.Type, Len: n, Dict: dict, Codes: make([]uint32, n), Valid: vector.NewBitmap(n)}
	for i := range n {
		v.Codes[i] = uint32(i % 3)
		if i%2 == 0 {
			v.Valid.Set(i)
		}
	}
	flat := &absentKeys{}
	g := newDictionaryGrouper(flat)
	g.Freeze()
	for range 3 {
		tickets := make([]uint32, n)
		if err := g.Groups([]*vector.Vector{v}, tickets); err != nil {
			t.Fatal(err)
		}
		for i, x := range tickets {
			if x < absentTicket {
				t.Fatalf("row %d has ticket %d", i, x)
			}
		}
	}
	if flat.calls != 2 { // for the entries and for NULL
		t.Errorf("%d look-ups", flat.calls)
	}
}
