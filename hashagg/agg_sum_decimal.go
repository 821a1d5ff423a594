package hashagg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// narrowDigits is the most digits of a decimal whose unscaled value always fits
// 64 bits.
const narrowDigits = 18

// sumDecimals sums decimals exactly: Decimal128 in 192 bits and Decimal256 in
// 320.
type sumDecimals[T [2]uint64 | [4]uint64] struct {
	exact
	operand operand[T]
	arg     arrow.DataType
}

// Update adds the values of the batch.
func (s *sumDecimals[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := s.operand.load(tickets, args[0])
	if len(tickets) == 0 {
		return nil
	}
	words, stride := s.rows()
	if s.number != 0 {
		countRows(words[s.number:], stride, tickets)
	}
	switch vals := any(vals).(type) {
	case [][2]uint64:
		addDecimal128(words, stride, tickets, vals)
	case [][4]uint64:
		addDecimal256(words, stride, tickets, vals)
	}
	return nil
}

func addDecimal128(words []uint64, stride int, tickets []uint32, vals [][2]uint64) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		v := &vals[i]
		b := int(t) * stride
		row := words[b : b+3]
		x, c := bits.Add64(row[0], v[0], 0)
		y, c := bits.Add64(row[1], v[1], c)
		row[0], row[1] = x, y
		row[2] = (row[2] + 2*(uint64(int64(v[1])>>63)+c)) | 1
	}
}

func addDecimal256(words []uint64, stride int, tickets []uint32, vals [][4]uint64) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		v := &vals[i]
		b := int(t) * stride
		row := words[b : b+5]
		var c uint64
		row[0], c = bits.Add64(row[0], v[0], 0)
		row[1], c = bits.Add64(row[1], v[1], c)
		row[2], c = bits.Add64(row[2], v[2], c)
		row[3], c = bits.Add64(row[3], v[3], c)
		row[4] = (row[4] + 2*(uint64(int64(v[3])>>63)+c)) | 1
	}
}

// Final returns the sums, or an *OverflowError if one has too many digits.
func (s *sumDecimals[T]) Final(lo, hi int) (*vector.Vector, error) {
	return s.decimals(lo, hi, sumType(s.arg))
}

// Bytes returns the size of the operand.
func (s *sumDecimals[T]) Bytes() int64 { return s.operand.bytes() }

// sumNarrowDecimals sums decimals of up to 18 digits as the integers that they
// are.
type sumNarrowDecimals struct {
	sumIntegers[int64]
	arg     arrow.DataType
	flat    []int64 // low words of a batch
	entries []int64 // those of a dictionary
	low     vector.Vector
	dict    vector.Vector
}

// Update adds the values of the batch.
func (s *sumNarrowDecimals) Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error {
	v := args[0]
	ok := true
	s.low = *v
	s.low.Type = arrow.PrimitiveTypes.Int64
	switch {
	case v.Dict == nil:
		s.flat, ok = lowWords(s.flat, v)
		s.low.Data = vector.AsBytes(s.flat)
	case v.Dict.ID == 0 || v.Dict.ID != s.dict.ID:
		s.entries, ok = lowWords(s.entries, v.Dict)
		s.dict = *v.Dict
		s.dict.Type, s.dict.Data = s.low.Type, vector.AsBytes(s.entries)
		if !ok {
			s.dict.ID = 0 // look again next time
		}
		fallthrough
	default:
		s.low.Dict = &s.dict
	}
	if !ok && anyWide(v, len(tickets)) {
		return rangeError("sum", s.arg)
	}
	return s.sumIntegers.Update(tickets, []*vector.Vector{&s.low}, rows)
}

// lowWords sets dst to the low words of the decimals in v, and reports whether
// these are all there is to them.
func lowWords(dst []int64, v *vector.Vector) ([]int64, bool) {
	vals := vector.Values[[2]uint64](v)
	dst = vector.Resize(dst, len(vals))
	over := uint64(0)
	for i := range vals {
		x := &vals[i]
		dst[i] = int64(x[0])
		over |= x[1] ^ uint64(int64(x[0])>>63)
	}
	return dst, over == 0
}

// anyWide reports whether one of the first n rows of v does not fit 64 bits.
func anyWide(v *vector.Vector, n int) bool {
	vals := v
	if v.Dict != nil {
		vals = v.Dict
	}
	all := vector.Values[[2]uint64](vals)
	for i := range n {
		if v.IsNull(i) {
			continue
		}
		at := i
		if v.Dict != nil {
			at = v.Code(i)
		}
		if x := all[at]; x[1] != uint64(int64(x[0])>>63) {
			return true
		}
	}
	return false
}

// Final returns the sums, or an *OverflowError if one has too many digits.
func (s *sumNarrowDecimals) Final(lo, hi int) (*vector.Vector, error) {
	return s.decimals(lo, hi, sumType(s.arg))
}

// Bytes returns the memory outside of the slab.
func (s *sumNarrowDecimals) Bytes() int64 {
	return s.sumIntegers.Bytes() + 8*int64(cap(s.flat)+cap(s.entries))
}
