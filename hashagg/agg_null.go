package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// nothing is what every function but count makes of a column of type Null: it
// keeps no state, and its results are NULL.
type nothing struct {
	slot
	result arrow.DataType
}

func bindNull(result arrow.DataType) *Aggregate {
	return &Aggregate{
		Result: result,
		New:    func(slab *Slab, at int) Accumulator { return &nothing{slot{slab, at}, result} },
	}
}

// Update does nothing.
func (a *nothing) Update([]uint32, []*vector.Vector, Ordinals) error { return nil }

// Merge does nothing.
func (a *nothing) Merge([]uint32, []*vector.Vector) error { return nil }

// State returns no columns.
func (a *nothing) State(int, int) ([]*vector.Vector, error) { return nil, nil }

// Final returns NULLs.
func (a *nothing) Final(lo, hi int) (*vector.Vector, error) {
	return vector.NewNull(a.result, hi-lo), nil
}
