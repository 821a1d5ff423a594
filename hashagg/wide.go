package hashagg

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// wide is a two's complement integer of 384 bits, lowest word first: room for
// the sum of 2^61 values of 256 bits and for one multiplication by 2^64.
type wide [6]uint64

// wideOf sign-extends the words of a narrower two's complement integer.
func wideOf(words []uint64) wide {
	var w wide
	n := copy(w[:], words)
	fill := uint64(int64(w[n-1]) >> 63)
	for ; n < len(w); n++ {
		w[n] = fill
	}
	return w
}

func (w wide) negative() bool { return int64(w[len(w)-1]) < 0 }

func (w wide) neg() wide {
	c := uint64(1)
	for i := range w {
		w[i], c = bits.Add64(^w[i], 0, c)
	}
	return w
}

// abs returns the magnitude of w and whether w is negative.
func (w wide) abs() (wide, bool) {
	if w.negative() {
		return w.neg(), true
	}
	return w, false
}

// mul returns w times m, for w not negative, modulo 2^384.
func (w wide) mul(m uint64) wide {
	var carry uint64
	for i := range w {
		hi, lo := bits.Mul64(w[i], m)
		var c uint64
		w[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return w
}

// div returns the quotient and the remainder of w by d, for w not negative.
func (w wide) div(d uint64) (wide, uint64) {
	var r uint64
	for i := len(w) - 1; i >= 0; i-- {
		if r == 0 && w[i] < d {
			w[i], r = 0, w[i] // most high words are 0, and dividing is slow
			continue
		}
		w[i], r = bits.Div64(r, w[i], d)
	}
	return w, r
}

// sub returns w minus x, modulo 2^384.
func (w wide) sub(x wide) wide {
	var borrow uint64
	for i := range w {
		w[i], borrow = bits.Sub64(w[i], x[i], borrow)
	}
	return w
}

// square returns the square of w, which is below 2^128 and not negative.
func (w wide) square() wide {
	hi, lo := w.mul(w[1]), w.mul(w[0])
	var c uint64
	for i := 1; i < len(w); i++ {
		lo[i], c = bits.Add64(lo[i], hi[i-1], c)
	}
	return lo
}

// less compares two integers that are not negative.
func (w *wide) less(x *wide) bool {
	for i := len(w) - 1; i >= 0; i-- {
		if w[i] != x[i] {
			return w[i] < x[i]
		}
	}
	return false
}

// divRound returns w divided by d, rounded half away from zero.
func (w wide) divRound(d uint64) wide {
	m, negative := w.abs()
	q, r := m.div(d)
	if r >= d-r {
		q[0]++
		for i := 0; q[i] == 0; i++ {
			q[i+1]++
		}
	}
	if negative {
		return q.neg()
	}
	return q
}

// fitsDigits reports whether w has at most n decimal digits, n <= 76.
func (w wide) fitsDigits(n int) bool {
	m, _ := w.abs()
	return m.less(&pow10[n])
}

// float64 returns w, which is not negative, rounded to the nearest float64,
// ties to even.
func (w *wide) float64() float64 {
	top := len(w) - 1
	for top > 0 && w[top] == 0 {
		top--
	}
	if top == 0 {
		return float64(w[0])
	}
	// The highest 64 bits; the lowest of them stands for all the rest.
	shift := bits.LeadingZeros64(w[top])
	m := w[top]<<shift | w[top-1]>>(64-shift)
	rest := w[top-1] << shift
	for _, x := range w[:top-1] {
		rest |= x
	}
	if rest != 0 {
		m |= 1
	}
	return math.Ldexp(float64(m), 64*top-shift)
}

// double returns w as a double-double, rounded.
func (w wide) double() (hi, lo float64) {
	m, negative := w.abs()
	hi = m.float64()
	if math.IsInf(hi, 0) || hi == 0 {
		return hi, 0
	}
	rest := m.sub(wideFromFloat(hi))
	r, below := rest.abs()
	lo = r.float64()
	if below {
		lo = -lo
	}
	if negative {
		return -hi, -lo
	}
	return hi, lo
}

// wideFromFloat returns an integer that float64 has made, below 2^383.
func wideFromFloat(f float64) wide {
	frac, exp := math.Frexp(f)
	m := uint64(frac * 0x1p53)
	shift := exp - 53
	if shift <= 0 {
		return wide{m >> -shift}
	}
	var w wide
	k, s := shift/64, shift%64
	w[k] = m << s
	if k+1 < len(w) {
		w[k+1] = m >> (64 - s)
	}
	return w
}

// String returns w in decimal.
func (w wide) String() string {
	m, negative := w.abs()
	b := make([]byte, 8*len(m))
	for i, x := range m {
		binary.BigEndian.PutUint64(b[len(b)-8*(i+1):], x)
	}
	s := new(big.Int).SetBytes(b).String()
	if negative {
		return "-" + s
	}
	return s
}

// pow10 holds the powers of ten up to the most digits that a decimal can have.
var pow10 = powersOfTen()

func powersOfTen() (p [77]wide) {
	p[0] = wide{1}
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1].mul(10)
	}
	return p
}
