package hashagg

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// limbs is a sum of finite float64 without any rounding: a two's complement
// number of 2176 bits, lowest word first, that counts units of 2^-1074, the
// least float64. A value takes 2098 bits, so 2^76 of them fit. It is the "long
// accumulator" of Kulisch (Computer Arithmetic and Validity, chapter 8).
type limbs [34]uint64

const (
	unitExponent = -1074 // the exponent of a unit
	limbsBytes   = 8 * len(limbs{})
)

// add adds a finite float64.
func (l *limbs) add(x float64) {
	b := math.Float64bits(x)
	m, shift := b&(1<<52-1), uint(b>>52&0x7ff)
	if shift > 0 {
		m |= 1 << 52
		shift--
	}
	k, s := shift/64, shift%64
	low, high := m<<s, m>>(64-s)
	var c uint64
	if b&signBit == 0 {
		l[k], c = bits.Add64(l[k], low, 0)
		l[k+1], c = bits.Add64(l[k+1], high, c)
		for i := k + 2; c != 0 && i < uint(len(l)); i++ {
			l[i], c = bits.Add64(l[i], 0, c)
		}
		return
	}
	l[k], c = bits.Sub64(l[k], low, 0)
	l[k+1], c = bits.Sub64(l[k+1], high, c)
	for i := k + 2; c != 0 && i < uint(len(l)); i++ {
		l[i], c = bits.Sub64(l[i], 0, c)
	}
}

// merge adds a sum in the form of appendTo.
func (l *limbs) merge(p []byte) {
	var c uint64
	for i := range l {
		l[i], c = bits.Add64(l[i], binary.LittleEndian.Uint64(p[8*i:]), c)
	}
}

// appendTo appends the words of l, limbsBytes bytes, to p.
func (l *limbs) appendTo(p []byte) []byte {
	for _, w := range l {
		p = binary.LittleEndian.AppendUint64(p, w)
	}
	return p
}

// quotient returns l / n rounded to the nearest float64, ties to even; it is
// infinite where float64 ends.
func (l *limbs) quotient(n uint64) float64 {
	m := *l
	negative := int64(m[len(m)-1]) < 0
	if negative {
		c := uint64(1)
		for i := range m {
			m[i], c = bits.Add64(^m[i], 0, c)
		}
	}
	top := len(m) - 1
	for top >= 0 && m[top] == 0 {
		top--
	}
	if top < 0 {
		return 0
	}
	// Three words from the highest that is not 0, two of them below the unit
	// if need be, give more than 64 bits of quotient. Of what is below, it only
	// matters whether it is 0.
	var q [3]uint64
	var r uint64
	for i := range q {
		var w uint64
		if top-i >= 0 {
			w = m[top-i]
		}
		q[i], r = bits.Div64(r, w, n)
	}
	for i := 0; i <= top-len(q); i++ {
		r |= m[i]
	}
	exponent := unitExponent + 64*(top-1)
	if q[0] == 0 {
		q[0], q[1], q[2] = q[1], q[2], 0
		exponent -= 64
	}
	x := roundBits(q[0], q[1], q[2]|r != 0, exponent)
	if negative {
		return 0 - x // not −0.0
	}
	return x
}

// roundBits returns high·2^64 + low, and a bit more if more is true, times
// 2^exponent, rounded to the nearest float64, ties to even. high is not 0.
func roundBits(high, low uint64, more bool, exponent int) float64 {
	shift := bits.LeadingZeros64(high)
	m := high<<shift | low>>(64-shift)
	if low<<shift != 0 || more {
		m |= 1
	}
	exponent += 64 - shift
	// m has 64 bits, of which float64 takes 53, or fewer near its end.
	drop := max(11, -1074-exponent)
	if drop > 64 {
		return 0
	}
	kept, rest := m>>drop, m<<(64-drop)
	if rest > 1<<63 || rest == 1<<63 && kept&1 != 0 {
		kept++
	}
	return math.Ldexp(float64(kept), exponent+drop)
}
