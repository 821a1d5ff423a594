package hashagg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// integer is the set of element types that sums and comparisons treat as
// integers.
type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// exact holds exact sums of unscaled decimals of more than 64 bits. A state is a
// two's complement integer of size words, lowest first, whose top word is
// shifted left by one; the bit this frees says that a value has been added, so
// that the zero state is the sum of nothing. A value is a word shorter than the
// sum, so 2^62 of them fit.
//
// The exchange form is one column of raw integers, NULL for the sum of nothing.
type exact struct {
	slot
	size   int
	number int // the word that counts values, for avg, or 0
	state  arrow.DataType
}

// exactState returns the type of exchange for sums of that many words.
func exactState(size int) arrow.DataType {
	switch size {
	case 1:
		return int128Type
	case 3:
		return int256Type
	case 5:
		return int320Type
	}
	panic("BUG: no type of exchange for a sum of that size")
}

// value returns the sum of ticket t; ok is false if no value has been added.
func (e *exact) value(t int) (sum wide, ok bool) {
	words, stride := e.rows()
	row := words[t*stride : t*stride+e.size]
	top := row[e.size-1]
	if top&1 == 0 {
		return sum, false
	}
	copy(sum[:], row[:e.size-1])
	fill := uint64(int64(top) >> 63)
	sum[e.size-1] = uint64(int64(top) >> 1)
	for i := e.size; i < len(sum); i++ {
		sum[i] = fill
	}
	return sum, true
}

// add adds a sum to that in row.
func (e *exact) add(row []uint64, x *wide) {
	row = row[:e.size]
	var c uint64
	last := e.size - 1
	for i := range last {
		row[i], c = bits.Add64(row[i], x[i], c)
	}
	row[last] = (row[last] + 2*(x[last]+c)) | 1
}

// Merge adds sums.
func (e *exact) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := e.rows()
	v := states[0]
	w := vector.Width(e.state) / 8
	raw := vector.View[uint64](v.Data)
	for i, t := range tickets {
		if v.Valid.Get(i) {
			x := wideOf(raw[i*w : i*w+w])
			e.add(words[int(t)*stride:], &x)
		}
	}
	return nil
}

// State returns the sums.
func (e *exact) State(lo, hi int) ([]*vector.Vector, error) {
	v := vector.New(e.state, hi-lo)
	w := vector.Width(e.state) / 8
	raw := vector.View[uint64](v.Data)
	for i := range hi - lo {
		sum, ok := e.value(lo + i)
		if !ok {
			setNull(v, i)
			continue
		}
		copy(raw[i*w:i*w+w], sum[:])
	}
	return []*vector.Vector{v}, nil
}

// decimals returns the sums as a vector of decimal type t.
func (e *exact) decimals(lo, hi int, t arrow.DataType) (*vector.Vector, error) {
	v := vector.New(t, hi-lo)
	w := vector.Width(t) / 8
	out := vector.View[uint64](v.Data)
	digits := int(t.(arrow.DecimalType).GetPrecision())
	for i := range hi - lo {
		sum, ok := e.value(lo + i)
		if !ok {
			setNull(v, i)
			continue
		}
		if !sum.fitsDigits(digits) {
			return nil, &OverflowError{Function: "sum", Value: unscaled(sum, t), Type: t}
		}
		copy(out[i*w:i*w+w], sum[:])
	}
	return v, nil
}
