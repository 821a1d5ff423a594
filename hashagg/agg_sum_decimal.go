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

// sumNarrowDecimals sums decimals of up to 18 digits exactly.
type sumNarrowDecimals struct {
	narrow
	operand operand[[2]uint64]
	arg     arrow.DataType
}

// Update adds the values of the batch.
func (s *sumNarrowDecimals) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := s.operand.load(tickets, args[0])
	s.most = wordLimit
	words, stride := s.rows()
	if s.number != 0 && len(tickets) > 0 {
		countRows(words[s.number:], stride, tickets)
	}
	for len(tickets) > 0 {
		done := addNarrowDecimals(words, stride, tickets, vals)
		if done == len(tickets) {
			break
		}
		v := vals[done]
		if v[1] != uint64(int64(v[0])>>63) {
			return rangeError("sum", s.arg)
		}
		s.add(int(tickets[done]), v[0], v[1])
		tickets, vals = tickets[done+1:], vals[done+1:]
	}
	return nil
}

// addNarrowDecimals adds values up to one that a word cannot take, and returns
// how many it has added.
//
//go:noinline
func addNarrowDecimals(words []uint64, stride int, tickets []uint32, vals [][2]uint64) int {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		v := &vals[i]
		d, wide := doubled(int64(v[0]))
		b := int(t) * stride
		w := int64(words[b])
		r := w + d
		if v[1] != uint64(int64(v[0])>>63) || wide|(w^r)&(d^r) < 0 {
			return i
		}
		words[b] = uint64(r) | 1
	}
	return len(tickets)
}

// Final returns the sums, or an *OverflowError if one has too many digits.
func (s *sumNarrowDecimals) Final(lo, hi int) (*vector.Vector, error) {
	return s.decimals(lo, hi, sumType(s.arg))
}

// Bytes returns the memory outside of the slab.
func (s *sumNarrowDecimals) Bytes() int64 { return s.narrow.Bytes() + s.operand.bytes() }
