package hashagg

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// few is min(x, n), max(x, n), min_by(x, y, n) and max_by(x, y, n): a list of the
// n values of x that come first by x itself or by y, in that order. Rows count
// where neither is NULL; of equal y the first rows in the order of the input
// come first.
//
// All values are kept, but those that cannot be among the first n any more are
// dropped as their number grows.
type few struct {
	order Direction
	from  int // the column that orders: 0 or 1
}

func bindFew(name string, args []arrow.DataType, f few, m Modifiers) (*Aggregate, error) {
	for _, t := range args {
		if err := refuseLists(name, t); err != nil {
			return nil, err
		}
	}
	n, err := numberOf(name, m)
	if err != nil {
		return nil, err
	}
	keep := kept{
		types: args, ordered: f.from > 0, needs: 1 + f.from,
		arrangement: arrangement{order: []Direction{f.order}, from: f.from, distinct: m.Distinct, limit: n},
	}
	return &Aggregate{
		Result: arrow.ListOf(args[0]),
		State:  keep.state(),
		Take:   func(to, from Accumulator) { to.(*firstFew).log.take(from.(*firstFew).log) },
		New:    func(*Slab, int) Accumulator { return &firstFew{listOf{keep.keeper()}} },
	}, nil
}

// mostOf is the most values that a list of a number of them can have.
const mostOf = 1_000_000

// numberOf returns the constant of a call that says how many values it gives.
func numberOf(name string, m Modifiers) (int, error) {
	n, ok := m.Constants[0].Int64()
	if !ok || n < 1 || n > mostOf {
		return 0, &BindError{
			Function: name,
			Problem:  fmt.Sprintf("the number of values must be a whole number from 1 to %d, not %s", mostOf, m.Constants[0]),
			Hint:     "as in " + name + "(…, 3)",
			Part:     PartConstant,
		}
	}
	return int(n), nil
}

// firstFew keeps what few says.
type firstFew struct{ listOf }

// Final returns the lists. Where values order themselves, −0.0 is 0.0 and every
// NaN the same, as which of equals are kept is left open.
func (a *firstFew) Final(lo, hi int) (*vector.Vector, error) {
	v, err := a.listOf.Final(lo, hi)
	if err == nil && a.from == 0 && isFloat(a.types[0]) {
		w := make([]uint64, v.Child.Len)
		words(w, v.Child)
		for i, x := range w {
			putWord(v.Child, i, x)
		}
	}
	return v, err
}
