package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// bitwise is bit_and, bit_or and bit_xor of integers. A state is a word of bits,
// those of bit_and inverted so that it is an or too, and one that is 1 once there
// is a value. The exchange form is the result.
type bitwise[T integer] struct {
	slot
	operand operand[T]
	arg     arrow.DataType
	op      bitOperation
}

// bitOperation says how bits are brought together.
type bitOperation int

const (
	bitAnd bitOperation = iota
	bitOr
	bitXor
)

func (op bitOperation) bind(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	t := args[0]
	switch {
	case t.ID() == arrow.NULL:
		return bindNull(t), nil
	case !arrow.IsInteger(t.ID()):
		return nil, refuse(name, t, "taken bit by bit", name+" takes integers")
	}
	return &Aggregate{
		Result: t,
		State:  []arrow.DataType{t},
		Words:  2,
		Marks:  true,
		New:    func(slab *Slab, at int) Accumulator { return newBitwise(slot{slab, at}, t, op) },
	}, nil
}

func newBitwise(at slot, t arrow.DataType, op bitOperation) Accumulator {
	switch t.ID() {
	case arrow.INT8:
		return &bitwise[int8]{slot: at, arg: t, op: op}
	case arrow.INT16:
		return &bitwise[int16]{slot: at, arg: t, op: op}
	case arrow.INT32:
		return &bitwise[int32]{slot: at, arg: t, op: op}
	case arrow.INT64:
		return &bitwise[int64]{slot: at, arg: t, op: op}
	case arrow.UINT8:
		return &bitwise[uint8]{slot: at, arg: t, op: op}
	case arrow.UINT16:
		return &bitwise[uint16]{slot: at, arg: t, op: op}
	case arrow.UINT32:
		return &bitwise[uint32]{slot: at, arg: t, op: op}
	case arrow.UINT64:
		return &bitwise[uint64]{slot: at, arg: t, op: op}
	}
	panic("BUG: no bits of type " + t.String())
}

// Update adds the values of the batch.
func (a *bitwise[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := a.operand.load(tickets, args[0])
	words, stride := a.rows()
	if a.op == bitXor {
		xorBits(words, stride, tickets, vals)
	} else {
		orBits(words, stride, tickets, vals, a.flip())
	}
	return nil
}

// flip is what values are xor-ed with before.
func (a *bitwise[T]) flip() T {
	if a.op == bitAnd {
		return ^T(0)
	}
	return 0
}

//go:noinline
func orBits[T integer](words []uint64, stride int, tickets []uint32, vals []T, flip T) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		b := int(t) * stride
		words[b] |= uint64(vals[i] ^ flip)
		words[b+1] = 1
	}
}

//go:noinline
func xorBits[T integer](words []uint64, stride int, tickets []uint32, vals []T) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		b := int(t) * stride
		words[b] ^= uint64(vals[i])
		words[b+1] = 1
	}
}

// Merge adds results.
func (a *bitwise[T]) Merge(tickets []uint32, states []*vector.Vector) error {
	return a.Update(tickets, states, Ordinals{})
}

// State returns the results.
func (a *bitwise[T]) State(lo, hi int) ([]*vector.Vector, error) { return one(a.Final(lo, hi)) }

// Final returns the bits.
func (a *bitwise[T]) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := a.rows()
	v := vector.New(a.arg, hi-lo)
	out := vector.Values[T](v)
	for i := range out {
		b := (lo + i) * stride
		if words[b+1] == 0 {
			setNull(v, i)
			continue
		}
		out[i] = T(words[b]) ^ a.flip()
	}
	return v, nil
}

// Bytes returns the size of the operand.
func (a *bitwise[T]) Bytes() int64 { return a.operand.bytes() }
