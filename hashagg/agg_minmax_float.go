package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// canonicalNaN is the one NaN that results have, and positive: so that its bits
// sort after those of infinity.
const canonicalNaN = 0x7ff8000000000000

// extremeFloat keeps the least or greatest of floats, NaN above all others. A
// state is the bits of the value as a float64, made to sort as integers do; no
// value's are 0.
type extremeFloat[T float32 | float64] struct {
	slot
	operand operand[T]
	arg     arrow.DataType
	flip    direction
}

// Update considers the values of the batch.
func (e *extremeFloat[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := e.operand.load(tickets, args[0])
	words, stride := e.rows()
	keepFloat(words, stride, tickets, vals, uint64(e.flip))
	return nil
}

//go:noinline
func keepFloat[T float32 | float64](words []uint64, stride int, tickets []uint32, vals []T, flip uint64) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		v := float64(vals[i]) + 0 // −0.0 becomes 0.0
		x := math.Float64bits(v)
		if v != v {
			x = canonicalNaN
		}
		// Negative numbers sort in reverse: all of their bits are flipped.
		x ^= uint64(int64(x)>>63) | signBit
		x ^= flip
		b := int(t) * stride
		if x > words[b] {
			words[b] = x
		}
	}
}

// Merge considers results.
func (e *extremeFloat[T]) Merge(tickets []uint32, states []*vector.Vector) error {
	return e.Update(tickets, states, Ordinals{})
}

// State returns the results.
func (e *extremeFloat[T]) State(lo, hi int) ([]*vector.Vector, error) { return one(e.Final(lo, hi)) }

// Final returns the least or greatest values.
func (e *extremeFloat[T]) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := e.rows()
	v := vector.New(e.arg, hi-lo)
	for i := range hi - lo {
		x := words[(lo+i)*stride]
		if x == 0 {
			setNull(v, i)
			continue
		}
		x ^= uint64(e.flip)
		x ^= ^uint64(int64(x)>>63) | signBit
		f := math.Float64frombits(x)
		switch e.arg.ID() {
		case arrow.FLOAT16:
			vector.Values[uint16](v)[i] = floatToHalf(float32(f))
		case arrow.FLOAT32:
			vector.Values[float32](v)[i] = float32(f)
		default:
			vector.Values[float64](v)[i] = f
		}
	}
	return v, nil
}

// Bytes returns the size of the operand.
func (e *extremeFloat[T]) Bytes() int64 { return e.operand.bytes() }
