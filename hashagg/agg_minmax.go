package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// min and max are one function here. Every value becomes an unsigned integer
// whose order is that of the values, or the reverse of it for min, and the
// greatest is kept. So 0, the empty state, never wins against a value.
//
// A state is the integer, and, where a value can become 0, a word that is 1
// once there is a value. The exchange form is the result.

// direction is xor-ed into integers before they are compared: largest or
// smallest.
type direction uint64

const (
	largest  direction = 0
	smallest direction = 1<<64 - 1
)

func (d direction) bind(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	if len(m.Constants) > 0 {
		return bindFew(name, args, few{order: Direction{Desc: d == largest}}, m)
	}
	return bindExtreme(args[0], d), nil
}

func bindExtreme(t arrow.DataType, d direction) *Aggregate {
	if t.ID() == arrow.NULL {
		return bindNull(t)
	}
	return &Aggregate{
		Result: t,
		State:  []arrow.DataType{t},
		Words:  extremeWords(t),
		New:    func(slab *Slab, at int) Accumulator { return newExtreme(slot{slab, at}, t, d) },
	}
}

func extremeWords(t arrow.DataType) int {
	switch t.ID() {
	case arrow.DECIMAL128:
		return 3
	case arrow.DECIMAL256:
		return 5
	case arrow.STRING, arrow.BINARY, arrow.FIXED_SIZE_BINARY:
		return textWords
	}
	if vector.Width(t) == 8 && !isFloat(t) {
		return 2
	}
	return 1
}

func newExtreme(at slot, t arrow.DataType, d direction) Accumulator {
	switch t.ID() {
	case arrow.INT8:
		return newExtremeInteger[int8](at, t, d)
	case arrow.INT16:
		return newExtremeInteger[int16](at, t, d)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return newExtremeInteger[int32](at, t, d)
	case arrow.INT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return newExtremeInteger[int64](at, t, d)
	case arrow.BOOL, arrow.UINT8:
		return newExtremeInteger[uint8](at, t, d)
	case arrow.UINT16:
		return newExtremeInteger[uint16](at, t, d)
	case arrow.UINT32:
		return newExtremeInteger[uint32](at, t, d)
	case arrow.UINT64:
		return newExtremeInteger[uint64](at, t, d)
	case arrow.FLOAT16, arrow.FLOAT32:
		return &extremeFloat[float32]{slot: at, arg: t, flip: d}
	case arrow.FLOAT64:
		return &extremeFloat[float64]{slot: at, arg: t, flip: d}
	case arrow.DECIMAL128:
		return &extremeDecimal[[2]uint64]{slot: at, arg: t, flip: d}
	case arrow.DECIMAL256:
		return &extremeDecimal[[4]uint64]{slot: at, arg: t, flip: d}
	case arrow.STRING, arrow.BINARY, arrow.FIXED_SIZE_BINARY:
		return &extremeText{text: text{slot: at}, arg: t, flip: d}
	}
	panic("BUG: no order for type " + t.String())
}

// extremeInteger keeps the least or greatest of integers, booleans, dates,
// times, timestamps or durations: value v as (v xor flip) + shift, which is at
// least 1 for types narrower than 64 bits.
type extremeInteger[T integer] struct {
	slot
	operand operand[T]
	arg     arrow.DataType
	flip    uint64
	shift   uint64
	wide    bool // of 64 bits, so with a second word in the state
}

func newExtremeInteger[T integer](at slot, t arrow.DataType, d direction) Accumulator {
	e := &extremeInteger[T]{slot: at, arg: t, flip: uint64(d), wide: extremeWords(t) == 2}
	signed := ^T(0) < 0
	switch {
	case e.wide && signed:
		e.shift = 1 << 63
	case e.wide:
	case signed:
		e.shift = 1<<31 + 1 // v and ^v are both in −2³¹ … 2³¹−1
	case d == largest:
		e.shift = 1
	default:
		e.shift = 1<<32 + 1 // ^v is in −2³² … −1
	}
	return e
}

// Update considers the values of the batch.
func (e *extremeInteger[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := e.operand.load(tickets, args[0])
	words, stride := e.rows()
	if e.wide {
		keepWide(words, stride, tickets, vals, e.flip, e.shift)
	} else {
		keepNarrow(words, stride, tickets, vals, e.flip, e.shift)
	}
	return nil
}

//go:noinline
func keepNarrow[T integer](words []uint64, stride int, tickets []uint32, vals []T, flip, shift uint64) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		x := (uint64(vals[i]) ^ flip) + shift
		b := int(t) * stride
		if x > words[b] {
			words[b] = x
		}
	}
}

//go:noinline
func keepWide[T integer](words []uint64, stride int, tickets []uint32, vals []T, flip, shift uint64) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		x := (uint64(vals[i]) ^ flip) + shift
		b := int(t) * stride
		if x > words[b] {
			words[b] = x
		}
		words[b+1] = 1
	}
}

// Merge considers results.
func (e *extremeInteger[T]) Merge(tickets []uint32, states []*vector.Vector) error {
	return e.Update(tickets, states, Ordinals{})
}

// State returns the results.
func (e *extremeInteger[T]) State(lo, hi int) ([]*vector.Vector, error) { return one(e.Final(lo, hi)) }

// one wraps the single column of an exchange form.
func one(v *vector.Vector, err error) ([]*vector.Vector, error) { return []*vector.Vector{v}, err }

// Final returns the least or greatest values.
func (e *extremeInteger[T]) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := e.rows()
	v := vector.New(e.arg, hi-lo)
	last := 0 // the word that is 0 if there is no value
	if e.wide {
		last = 1
	}
	if e.arg.ID() == arrow.BOOL {
		for i := range hi - lo {
			switch x := words[(lo+i)*stride]; {
			case x == 0:
				setNull(v, i)
			case (x-e.shift)^e.flip != 0:
				vector.Bitmap(v.Data).Set(i)
			}
		}
		return v, nil
	}
	out := vector.Values[T](v)
	for i := range out {
		b := (lo + i) * stride
		if words[b+last] == 0 {
			setNull(v, i)
			continue
		}
		out[i] = T((words[b] - e.shift) ^ e.flip)
	}
	return v, nil
}

// Bytes returns the size of the operand.
func (e *extremeInteger[T]) Bytes() int64 { return e.operand.bytes() }
