package expr

import (
	"math/big"
	"math/bits"
)

// int128 is a signed integer in two's complement, the low word first, as a
// Decimal128 is stored.
type int128 [2]uint64

func wide(x int64) int128 { return int128{uint64(x), uint64(x >> 63)} }

func (a int128) negative() bool { return int64(a[1]) < 0 }

func (a int128) less(b int128) bool {
	return int64(a[1]) < int64(b[1]) || a[1] == b[1] && a[0] < b[0]
}

func (a int128) neg() int128 {
	lo, borrow := bits.Sub64(0, a[0], 0)
	hi, _ := bits.Sub64(0, a[1], borrow)
	return int128{lo, hi}
}

// abs returns the magnitude, which as an unsigned number is always right.
func (a int128) abs() int128 {
	if a.negative() {
		return a.neg()
	}
	return a
}

// add wraps on overflow, which ok tells.
func (a int128) add(b int128) (sum int128, ok bool) {
	lo, carry := bits.Add64(a[0], b[0], 0)
	hi, _ := bits.Add64(a[1], b[1], carry)
	return int128{lo, hi}, int64((a[1]^hi)&(b[1]^hi)) >= 0
}

func (a int128) mul(b int128) (product int128, ok bool) {
	x, y := a.abs(), b.abs()
	if x[1] != 0 && y[1] != 0 {
		return product, false
	}
	hi, lo := bits.Mul64(x[0], y[0])
	over1, cross1 := bits.Mul64(x[1], y[0])
	over2, cross2 := bits.Mul64(x[0], y[1])
	hi, c1 := bits.Add64(hi, cross1, 0)
	hi, c2 := bits.Add64(hi, cross2, 0)
	product = int128{lo, hi}
	if over1|over2|c1|c2 != 0 || product.negative() {
		return product, false // 38 digits are below 2^127
	}
	if a.negative() != b.negative() {
		product = product.neg()
	}
	return product, true
}

// tens has the powers of ten that are decimals of 38 digits.
var tens = func() (t [39]int128) {
	t[0] = wide(1)
	for i := 1; i < len(t); i++ {
		t[i], _ = t[i-1].mul(wide(10))
	}
	return t
}()

// fits reports whether a has no more than 38 digits.
func (a int128) fits() bool {
	m := a.abs()
	return !m.negative() && m.less(tens[38])
}

// most is the number of all digits that a saturated one is taken for.
var most = int128{^uint64(0), 1<<63 - 1}

// saturate returns a times m, or what is beyond all decimals on its side.
func (a int128) saturate(m int128) int128 {
	p, ok := a.mul(m)
	switch {
	case ok:
		return p
	case a.negative():
		return most.neg()
	}
	return most
}

// toInt128 converts x if it fits 128 bits.
func toInt128(x *big.Int) (int128, bool) {
	if x.BitLen() > 127 {
		return int128{}, false
	}
	m := new(big.Int).Abs(x)
	lo := new(big.Int).And(m, new(big.Int).SetUint64(^uint64(0))).Uint64()
	out := int128{lo, new(big.Int).Rsh(m, 64).Uint64()}
	if x.Sign() < 0 {
		out = out.neg()
	}
	return out, true
}

// quoRem divides as Go does: the quotient is cut, the rest has a's sign. b is not 0.
func (a int128) quoRem(b int128) (q, r int128) {
	x, y := a.abs(), b.abs()
	switch {
	case x[1] == 0 && y[1] == 0:
		q, r = int128{x[0] / y[0], 0}, int128{x[0] % y[0], 0}
	case y[1] == 0:
		hi := x[1] / y[0]
		lo, rest := bits.Div64(x[1]%y[0], x[0], y[0])
		q, r = int128{lo, hi}, int128{rest, 0}
	default:
		m, n := new(big.Int).QuoRem(x.big(), y.big(), new(big.Int))
		q, _ = toInt128(m)
		r, _ = toInt128(n)
	}
	if a.negative() != b.negative() {
		q = q.neg()
	}
	if a.negative() {
		r = r.neg()
	}
	return q, r
}

// roundedBy divides by what is above 0 and rounds halves away from 0.
func (a int128) roundedBy(by int128) int128 {
	q, r := a.quoRem(by)
	if twice, _ := r.abs().add(r.abs()); !twice.less(by) && by != tens[0] {
		if one := wide(1); a.negative() {
			q, _ = q.add(one.neg())
		} else {
			q, _ = q.add(one)
		}
	}
	return q
}
