package hashagg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// exactSpread computes variances of integers, and of decimals of up to 18
// digits, from exact sums: so the results do not depend on the order of rows.
// A state is the number of values, Σx in two words and Σx² in three.
type exactSpread[T integer] struct {
	slot
	spread
	operand operand[T]
	scale   int32
}

func newExactSpread(at slot, t arrow.DataType, s spread) Accumulator {
	switch t.ID() {
	case arrow.INT8:
		return &exactSpread[int8]{slot: at, spread: s}
	case arrow.INT16:
		return &exactSpread[int16]{slot: at, spread: s}
	case arrow.INT32:
		return &exactSpread[int32]{slot: at, spread: s}
	case arrow.INT64:
		return &exactSpread[int64]{slot: at, spread: s}
	case arrow.UINT8:
		return &exactSpread[uint8]{slot: at, spread: s}
	case arrow.UINT16:
		return &exactSpread[uint16]{slot: at, spread: s}
	case arrow.UINT32:
		return &exactSpread[uint32]{slot: at, spread: s}
	case arrow.UINT64:
		return &exactSpread[uint64]{slot: at, spread: s}
	case arrow.DECIMAL128:
		return &narrowSpread{exactSpread: exactSpread[int64]{slot: at, spread: s, scale: scaleOf(t)}, arg: t}
	}
	panic("BUG: no variance of type " + t.String())
}

// Update adds the values of the batch.
func (e *exactSpread[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := e.operand.load(tickets, args[0])
	words, stride := e.rows()
	addSquares(words, stride, tickets, vals)
	return nil
}

func addSquares[T integer](words []uint64, stride int, tickets []uint32, vals []T) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		v := uint64(vals[i])
		sign := uint64(int64(v) >> 63)
		if ^T(0) > 0 {
			sign = 0
		}
		m := (v ^ sign) - sign
		hi, lo := bits.Mul64(m, m)
		b := int(t) * stride
		row := words[b : b+6]
		var c uint64
		row[0]++
		row[1], c = bits.Add64(row[1], v, 0)
		row[2] += sign + c
		row[3], c = bits.Add64(row[3], lo, 0)
		row[4], c = bits.Add64(row[4], hi, c)
		row[5] += c
	}
}

// Merge adds sums.
func (e *exactSpread[T]) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := e.rows()
	n := vector.Values[uint64](states[0])
	sums := vector.Values[[2]uint64](states[1])
	squares := vector.Values[[4]uint64](states[2])
	for i, t := range tickets {
		b := int(t) * stride
		row := words[b : b+6]
		var c uint64
		row[0] += n[i]
		row[1], c = bits.Add64(row[1], sums[i][0], 0)
		row[2] += sums[i][1] + c
		row[3], c = bits.Add64(row[3], squares[i][0], 0)
		row[4], c = bits.Add64(row[4], squares[i][1], c)
		row[5] += squares[i][2] + c
	}
	return nil
}

// State returns the numbers, the sums and the sums of squares.
func (e *exactSpread[T]) State(lo, hi int) ([]*vector.Vector, error) {
	words, stride := e.rows()
	out := []*vector.Vector{
		vector.New(arrow.PrimitiveTypes.Uint64, hi-lo), vector.New(int128Type, hi-lo), vector.New(int256Type, hi-lo),
	}
	n := vector.Values[uint64](out[0])
	sums := vector.Values[[2]uint64](out[1])
	squares := vector.Values[[4]uint64](out[2])
	for i := range n {
		row := words[(lo+i)*stride:][:6]
		n[i] = row[0]
		sums[i] = [2]uint64{row[1], row[2]}
		squares[i] = [4]uint64{row[3], row[4], row[5]}
	}
	return out, nil
}

// Final returns the results, from n·Σx² − (Σx)², which is n times the sum of
// squared differences from the mean.
func (e *exactSpread[T]) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := e.rows()
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	for i := range out {
		row := words[(lo+i)*stride:][:6]
		n := row[0]
		if n <= e.spared {
			setNull(v, i)
			continue
		}
		sum, _ := wideOf(row[1:3]).abs()
		d := wide{row[3], row[4], row[5]}.mul(n).sub(sum.square())
		out[i] = e.finish(d.float64()/float64(n), n, e.scale)
	}
	return v, nil
}

// Bytes returns the size of the operand.
func (e *exactSpread[T]) Bytes() int64 { return e.operand.bytes() }

// narrowSpread reads decimals of up to 18 digits.
type narrowSpread struct {
	exactSpread[int64]
	decimals operand[[2]uint64]
	arg      arrow.DataType
	unscaled []int64
}

// Update adds the values of the batch.
func (s *narrowSpread) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := s.decimals.load(tickets, args[0])
	s.unscaled = vector.Resize(s.unscaled, len(vals))
	for i := range vals {
		x := int64(vals[i][0])
		if vals[i][1] != uint64(x>>63) {
			return rangeError(s.name, s.arg)
		}
		s.unscaled[i] = x
	}
	words, stride := s.rows()
	addSquares(words, stride, tickets, s.unscaled)
	return nil
}

// Bytes returns the memory kept between batches.
func (s *narrowSpread) Bytes() int64 { return s.decimals.bytes() + 8*int64(cap(s.unscaled)) }
