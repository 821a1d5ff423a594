package hashagg

import "math"

// A double-double is an unevaluated sum of two float64, hi + lo, with lo the
// rounding errors of hi: about 106 bits. Adding is Knuth's error-free TwoSum
// (The Art of Computer Programming, volume 2, 4.2.2) with the errors summed
// apart, as Neumaier does; multiplying uses a fused multiply-add.

// twoSum returns a+b rounded, and what the rounding lost.
func twoSum(a, b float64) (sum, lost float64) {
	sum = a + b
	x := sum - a
	return sum, (a - (sum - x)) + (b - x)
}

// addDouble returns the sum of two double-doubles, normalised.
func addDouble(ah, al, bh, bl float64) (hi, lo float64) {
	s, e := twoSum(ah, bh)
	return twoSum(s, e+(al+bl))
}

// mulDouble returns the product of two normalised double-doubles.
func mulDouble(ah, al, bh, bl float64) (hi, lo float64) {
	p := ah * bh
	e := math.FMA(ah, bh, -p) + (ah*bl + al*bh)
	return twoSum(p, e)
}

// divDouble returns the quotient of a normalised double-double by a positive
// number.
func divDouble(ah, al, d float64) (hi, lo float64) {
	q := ah / d
	r := math.FMA(-q, d, ah) + al
	return twoSum(q, r/d)
}
