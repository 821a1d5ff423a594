package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// A state of bool_and and bool_or is one word that says which values there
// were.
const (
	seenTrue  = 1
	seenFalse = 2
)

// truths keeps which truth values a group has. decides is the one that settles
// the result: false for bool_and, true for bool_or.
type truths struct {
	slot
	operand operand[uint8]
	decides uint64
}

func bindBoolAnd(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	return bindTruths(name, args[0], seenFalse)
}

func bindBoolOr(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	return bindTruths(name, args[0], seenTrue)
}

func bindTruths(name string, t arrow.DataType, decides uint64) (*Aggregate, error) {
	switch t.ID() {
	case arrow.NULL:
		return bindNull(arrow.FixedWidthTypes.Boolean), nil
	case arrow.BOOL:
	default:
		return nil, refuse(name, t, "taken for true or false", name+" takes bool")
	}
	return &Aggregate{
		Result: arrow.FixedWidthTypes.Boolean,
		State:  []arrow.DataType{arrow.PrimitiveTypes.Uint8},
		Words:  1,
		New: func(slab *Slab, at int) Accumulator {
			return &truths{slot: slot{slab, at}, decides: decides}
		},
	}, nil
}

// Update notes the values of the batch.
func (a *truths) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := a.operand.load(tickets, args[0])
	words, stride := a.rows()
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		words[int(t)*stride] |= seenFalse - uint64(vals[i])
	}
	return nil
}

// Merge notes what other states have noted.
func (a *truths) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := a.rows()
	seen := vector.Values[uint8](states[0])
	for i, t := range tickets {
		words[int(t)*stride] |= uint64(seen[i])
	}
	return nil
}

// State returns what has been noted.
func (a *truths) State(lo, hi int) ([]*vector.Vector, error) {
	words, stride := a.rows()
	v := vector.New(arrow.PrimitiveTypes.Uint8, hi-lo)
	for i := range v.Data {
		v.Data[i] = uint8(words[(lo+i)*stride])
	}
	return []*vector.Vector{v}, nil
}

// Final returns the results.
func (a *truths) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := a.rows()
	v := vector.New(arrow.FixedWidthTypes.Boolean, hi-lo)
	for i := range hi - lo {
		switch seen := words[(lo+i)*stride]; {
		case seen == 0:
			setNull(v, i)
		case (seen&a.decides != 0) == (a.decides == seenTrue):
			vector.Bitmap(v.Data).Set(i)
		}
	}
	return v, nil
}

// Bytes returns the size of the operand.
func (a *truths) Bytes() int64 { return a.operand.bytes() }

// countTrue is count_if: the rows where a bool is true.
type countTrue struct {
	count
	operand operand[uint8]
}

func bindCountIf(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	t := args[0]
	agg, err := bindCount(name, args, m)
	switch {
	case t.ID() == arrow.NULL:
		return agg, err
	case t.ID() != arrow.BOOL:
		return nil, refuse(name, t, "taken for true or false", name+" takes bool")
	}
	agg.Marks, agg.Atomic = false, nil
	agg.New = func(slab *Slab, at int) Accumulator { return &countTrue{count: count{slot: slot{slab, at}}} }
	return agg, err
}

// Update counts the rows of the batch.
func (c *countTrue) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := c.operand.load(tickets, args[0])
	words, stride := c.rows()
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		words[int(t)*stride] += uint64(vals[i])
	}
	return nil
}

// Bytes returns the size of the operand.
func (c *countTrue) Bytes() int64 { return c.operand.bytes() }
