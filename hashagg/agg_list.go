package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// listOf is array_agg: the values of a group as a list, NULLs included, in the
// order of the input unless the call has one. A group without rows is NULL.
type listOf struct{ keeper }

func bindArrayAgg(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	for _, t := range args {
		if err := refuseLists(name, t); err != nil {
			return nil, err
		}
	}
	keep := kept{types: args, ordered: true, arrangement: arrangement{order: m.Order, from: 1, distinct: m.Distinct}}
	return &Aggregate{
		Result: arrow.ListOf(args[0]),
		State:  keep.state(),
		Take:   func(to, from Accumulator) { to.(*listOf).log.take(from.(*listOf).log) },
		New: func(*Slab, int) Accumulator {
			return &listOf{keep.keeper()}
		},
	}, nil
}

// refuseLists is the error for an argument or an order of lists.
func refuseLists(name string, t arrow.DataType) error {
	if vector.IsList(t) {
		return refuse(name, t, "taken", "columns that hold one value a row work")
	}
	return nil
}

// Final returns the lists, or vector.ErrTooLong if they have more elements, or
// bytes of strings, in all than a vector can hold.
func (a *listOf) Final(lo, hi int) (*vector.Vector, error) {
	starts, elems, err := a.log.arranged(lo, hi, a.arrangement)
	if err != nil {
		return nil, err
	}
	v := vector.NewList(starts, elems)
	for i := range v.Len {
		if starts[i] == starts[i+1] {
			setNull(v, i)
		}
	}
	return v, nil
}
