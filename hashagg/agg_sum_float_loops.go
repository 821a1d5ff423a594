package hashagg

import (
	"math"

	"github.com/colagg/colagg/vector"
)

// reach returns the bits of the least magnitude of values other than 0, and
// those of the greatest, minus 1 each: the −1 of 0 is the greatest unsigned
// number and the least signed one.
func reach[T float32 | float64](vals []T) (least uint64, most int64) {
	if f, ok := any(vals).([]float64); ok {
		return reachBits(vector.View[uint64](vector.AsBytes(f)), signBit)
	}
	narrow, top := reachBits(vector.View[uint32](vector.AsBytes(vals)), 1<<31)
	widen := func(v uint64) uint64 { return math.Float64bits(float64(math.Float32frombits(uint32(v+1)))) - 1 }
	return widen(narrow), int64(widen(uint64(top)))
}

// reachBits is reach for the bits of values with a given sign bit.
func reachBits[B uint32 | uint64](vals []B, sign B) (least uint64, most int64) {
	a, b, c, d := uint64(math.MaxUint64), uint64(math.MaxUint64), int64(-1), int64(-1)
	for ; len(vals) >= 4; vals = vals[4:] {
		x, y := uint64(vals[0]&^sign)-1, uint64(vals[1]&^sign)-1
		a, b, c, d = min(a, x), min(b, y), max(c, int64(x)), max(d, int64(y))
		x, y = uint64(vals[2]&^sign)-1, uint64(vals[3]&^sign)-1
		a, b, c, d = min(a, x), min(b, y), max(c, int64(x)), max(d, int64(y))
	}
	for _, v := range vals {
		x := uint64(v&^sign) - 1
		a, c = min(a, x), max(c, int64(x))
	}
	return min(a, b), max(c, d)
}

// inexact reports whether sum, a+b rounded, is not a+b, or NaN. Subtracting the
// larger summand from the sum is exact (Dekker), so that the smaller comes out
// only if nothing was lost.
func inexact(sum, a, b float64) bool { return sum-a != b || sum-b != a }

// addFloats adds values, up to one that a double-double cannot take, and returns
// how many it has added.
func addFloats[T float32 | float64](words []uint64, stride int, tickets []uint32, vals []T) int {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		x := float64(vals[i]) + 0 // −0.0 becomes 0.0
		// twoSum of −negated and x, written for the fewest negations.
		b := int(t) * stride
		negated := math.Float64frombits(words[b])
		sum := x - negated
		y := sum + negated
		lost := (x - y) - (negated + (sum - y))
		lo := math.Float64frombits(words[b+1])
		low := lo + lost
		if inexact(low, lo, lost) {
			return i
		}
		words[b] = math.Float64bits(-sum)
		words[b+1] = math.Float64bits(low)
	}
	return len(tickets)
}

// addNumberedFloats is addFloats for states that have the number of values in
// word number; that of the value that it stops at is counted too.
func addNumberedFloats[T float32 | float64](words []uint64, stride int, tickets []uint32, vals []T, number int) int {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		x := float64(vals[i])
		b := int(t) * stride
		words[b+number]++
		negated := math.Float64frombits(words[b])
		sum := x - negated
		y := sum + negated
		lost := (x - y) - (negated + (sum - y))
		lo := math.Float64frombits(words[b+1])
		low := lo + lost
		if inexact(low, lo, lost) {
			return i
		}
		words[b] = math.Float64bits(-sum)
		words[b+1] = math.Float64bits(low)
	}
	return len(tickets)
}

// blockRows is how many rows addBlock can add.
const blockRows = 1 << blockBits

const blockBits = 9

// addBlock returns the exact sum of up to blockRows values as hi + lo. least and
// most are their reach; ok is false if they are too far apart, or huge, or not
// finite.
//
// Sums that start at a number so far from 0 that they keep its exponent all have
// one grid, and what they lose is so small that the sum of that is exact, in any
// order. As such a sum is larger than any value, Dekker's FastTwoSum is enough
// for what it loses (compare Rump, Ogita, Oishi, Accurate floating-point
// summation, 2008); and four can run side by side: 0.6 ns a row, and as much
// for the reach, against 5 for a sum that waits for each addition.
func addBlock[T float32 | float64](vals []T, least uint64, most int64) (hi, lo float64, ok bool) {
	if most < 0 {
		return 0, 0, true
	}
	far, ok := farFrom(least, most, blockBits)
	if !ok {
		return 0, 0, false
	}
	h0, h1, h2, h3 := far, far, far, far
	var l0, l1, l2, l3 float64
	for ; len(vals) >= 4; vals = vals[4:] {
		a := float64(vals[0])
		s0 := h0 + a
		l0 += a - (s0 - h0)
		b := float64(vals[1])
		s1 := h1 + b
		l1 += b - (s1 - h1)
		c := float64(vals[2])
		s2 := h2 + c
		l2 += c - (s2 - h2)
		d := float64(vals[3])
		s3 := h3 + d
		l3 += d - (s3 - h3)
		h0, h1, h2, h3 = s0, s1, s2, s3
	}
	for _, v := range vals {
		a := float64(v)
		s0 := h0 + a
		l0 += a - (s0 - h0)
		h0 = s0
	}
	return (h0 - far) + (h1 - far) + ((h2 - far) + (h3 - far)), (l0 + l1) + (l2 + l3), true
}
