package hashagg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// extremeDecimal keeps the least or greatest of decimals. A state is the
// unscaled value, lowest word first, all words flipped for min and the sign bit
// flipped, and a word that is 1 once there is a value.
type extremeDecimal[T [2]uint64 | [4]uint64] struct {
	slot
	operand operand[T]
	arg     arrow.DataType
	flip    direction
}

// Update considers the values of the batch.
func (e *extremeDecimal[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := e.operand.load(tickets, args[0])
	words, stride := e.rows()
	keepDecimal(words, stride, tickets, vals, uint64(e.flip))
	return nil
}

// keepDecimal compares by subtracting word after word: a borrow at the end
// means less.
func keepDecimal[T [2]uint64 | [4]uint64](words []uint64, stride int, tickets []uint32, vals []T, flip uint64) {
	vals = vals[:len(tickets)]
	var x T
	top := len(x) - 1
	for i, t := range tickets {
		b := int(t) * stride
		row := words[b : b+top+2]
		var borrow uint64
		for j := range top {
			x[j] = vals[i][j] ^ flip
			_, borrow = bits.Sub64(row[j], x[j], borrow)
		}
		x[top] = vals[i][top] ^ flip ^ signBit
		if _, borrow = bits.Sub64(row[top], x[top], borrow); borrow != 0 {
			for j := range len(x) {
				row[j] = x[j]
			}
		}
		row[top+1] = 1
	}
}

// Merge considers results.
func (e *extremeDecimal[T]) Merge(tickets []uint32, states []*vector.Vector) error {
	return e.Update(tickets, states, Ordinals{})
}

// State returns the results.
func (e *extremeDecimal[T]) State(lo, hi int) ([]*vector.Vector, error) { return one(e.Final(lo, hi)) }

// Final returns the least or greatest values.
func (e *extremeDecimal[T]) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := e.rows()
	v := vector.New(e.arg, hi-lo)
	w := vector.Width(e.arg) / 8
	out := vector.View[uint64](v.Data)
	for i := range hi - lo {
		row := words[(lo+i)*stride:]
		if row[w] == 0 {
			setNull(v, i)
			continue
		}
		for j := range w {
			out[i*w+j] = row[j] ^ uint64(e.flip)
		}
		out[i*w+w-1] ^= signBit
	}
	return v, nil
}

// Bytes returns the size of the operand.
func (e *extremeDecimal[T]) Bytes() int64 { return e.operand.bytes() }
