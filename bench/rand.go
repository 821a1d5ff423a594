package main

import (
	"math"
	"math/bits"
)

// pcg is a PCG-DXSM generator with 128 bits of state (O'Neill 2014; the output
// function of numpy's PCG64DXSM). It is spelled out here so that the data do
// not change with a Go release.
type pcg struct{ hi, lo uint64 }

// newPCG returns a generator whose sequence depends on seed and stream alone.
func newPCG(seed, stream uint64) *pcg {
	p := &pcg{hi: mix64(seed), lo: mix64(stream ^ 0x9e3779b97f4a7c15)}
	for range 4 {
		p.next()
	}
	return p
}

// next returns 64 random bits.
func (p *pcg) next() uint64 {
	const mul = 0xda942042e4dd58b5
	hi, lo := p.hi, p.lo|1
	hi ^= hi >> 32
	hi *= mul
	hi ^= hi >> 48
	hi *= lo
	h, l := bits.Mul64(p.lo, mul)
	h += p.hi * mul
	var carry uint64
	p.lo, carry = bits.Add64(l, 0x14057b7ef767814f, 0)
	p.hi, _ = bits.Add64(h, 0x5851f42d4c957f2d, carry)
	return hi
}

// below returns a number in [0, n), by multiplication: the bias is below
// n/2^64.
func (p *pcg) below(n int64) int64 {
	hi, _ := bits.Mul64(p.next(), uint64(n))
	return int64(hi)
}

// float returns a number in [0, 1) with 53 random bits.
func (p *pcg) float() float64 { return float64(p.next()>>11) * 0x1p-53 }

// mix64 is a bijection on 64 bits (the finaliser of splitmix64).
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// shuffled returns the numbers 0..n-1 in random order.
func (p *pcg) shuffled(n int64) []int64 {
	s := make([]int64, n)
	for i := range s {
		j := p.below(int64(i) + 1)
		s[i] = s[j]
		s[j] = int64(i)
	}
	return s
}

// zipf draws ranks 1..n with probability proportional to rank^-s, by the
// rejection-inversion of Hörmann and Derflinger (1996), which needs no table.
type zipf struct {
	n          int64
	s          float64
	hx1, hn, c float64
}

func newZipf(n int64, s float64) *zipf {
	z := &zipf{n: n, s: s}
	z.hx1 = z.integral(1.5) - 1
	z.hn = z.integral(float64(n) + 0.5)
	z.c = 2 - z.inverse(z.integral(2.5)-math.Pow(2, -s))
	return z
}

// integral is an antiderivative of x^-s.
func (z *zipf) integral(x float64) float64 {
	if z.s == 1 {
		return math.Log(x)
	}
	return (math.Pow(x, 1-z.s) - 1) / (1 - z.s)
}

func (z *zipf) inverse(y float64) float64 {
	if z.s == 1 {
		return math.Exp(y)
	}
	return math.Pow(1+y*(1-z.s), 1/(1-z.s))
}

// draw returns a rank in 1..n.
func (z *zipf) draw(p *pcg) int64 {
	for {
		u := z.hn + p.float()*(z.hx1-z.hn)
		x := z.inverse(u)
		k := min(max(int64(x+0.5), 1), z.n)
		if float64(k)-x <= z.c || u >= z.integral(float64(k)+0.5)-math.Pow(float64(k), -z.s) {
			return k
		}
	}
}
