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

// divRound returns (hi + lo) / n rounded to the nearest float64, ties to even,
// or false where it is too close to the middle of two float64 to tell, or the
// sum is too close to 0 or to overflow.
func divRound(hi, lo float64, n uint64) (q float64, ok bool) {
	hi, lo = twoSum(hi+0, lo)
	if hi == 0 {
		return 0, true
	}
	if a := math.Abs(hi); n >= 1<<53 || a < 0x1p-900 || a > 0x1p1000 {
		return 0, false
	}
	d := float64(n)
	if n&(n-1) == 0 {
		return hi / d, true // only the exponent changes
	}
	hi, lo = divDouble(hi, lo, d)
	// The error of the pair is below 2^-102 of it.
	off := math.Abs(hi) * 0x1p-100
	return hi, hi+(lo+off) == hi && hi+(lo-off) == hi
}
