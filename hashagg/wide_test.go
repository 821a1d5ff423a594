package hashagg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// randomWide returns an integer of up to words words, and the same as a
// big.Int.
func randomWide(r *rand.Rand, words int) (wide, *big.Int) {
	var w wide
	for i := range words {
		switch r.IntN(3) {
		case 0:
			w[i] = r.Uint64()
		case 1:
			w[i] = math.MaxUint64
		}
	}
	if shift := uint(r.IntN(64)); words > 0 {
		w[words-1] >>= shift
	}
	b := bigOf(w)
	if r.IntN(2) == 0 {
		return w.neg(), b.Neg(b)
	}
	return w, b
}

func bigOf(w wide) *big.Int {
	m, negative := w.abs()
	b := new(big.Int)
	for i := len(m) - 1; i >= 0; i-- {
		b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(m[i]))
	}
	if negative {
		b.Neg(b)
	}
	return b
}

func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		w, b := randomWide(r, r.IntN(6))
		if w.String() != b.String() {
			t.Fatalf("%v is %s, not %s", w, w, b)
		}
		x, c := randomWide(r, r.IntN(6))
		if got, want := w.sub(x), new(big.Int).Sub(b, c); bigOf(got).Cmp(want) != 0 {
			t.Fatalf("%s - %s = %s, not %s", b, c, got, want)
		}
		m, abs := w, new(big.Int).Abs(b)
		if w.negative() {
			m = w.neg()
		}
		d := max(1, r.Uint64()>>r.IntN(64))
		q, rest := m.div(d)
		wantQ, wantRest := new(big.Int).QuoRem(abs, new(big.Int).SetUint64(d), new(big.Int))
		if bigOf(q).Cmp(wantQ) != 0 || rest != wantRest.Uint64() {
			t.Fatalf("%s / %d = %s, %d", b, d, q, rest)
		}
		if got, want := w.divRound(d), roundHalfAway(b, d); bigOf(got).Cmp(want) != 0 {
			t.Fatalf("%s / %d rounds to %s, not %s", b, d, got, want)
		}
		digits := r.IntN(77)
		if got, want := w.fitsDigits(digits), abs.Cmp(power10(digits)) < 0; got != want {
			t.Fatalf("%s fits %d digits: %v", b, digits, got)
		}
		want, _ := new(big.Float).SetInt(abs).Float64()
		if got := m.float64(); got != want {
			t.Fatalf("%s is %g, not %g", abs, got, want)
		}
	}
}

func roundHalfAway(b *big.Int, d uint64) *big.Int {
	dd := new(big.Int).SetUint64(d)
	q := new(big.Int).Abs(b)
	q.Lsh(q, 1).Add(q, dd).Quo(q, dd.Lsh(dd, 1))
	if b.Sign() < 0 {
		q.Neg(q)
	}
	return q
}

func TestWideProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		w, b := randomWide(r, r.IntN(5))
		if w.negative() {
			w, b = w.neg(), b.Neg(b)
		}
		k := r.Uint64() >> r.IntN(64)
		if got, want := w.mul(k), new(big.Int).Mul(b, new(big.Int).SetUint64(k)); bigOf(got).Cmp(want) != 0 {
			t.Fatalf("%s * %d = %s, not %s", b, k, got, want)
		}
		x, c := randomWide(r, r.IntN(3))
		x, _ = x.abs()
		if got, want := x.square(), new(big.Int).Mul(c, c); bigOf(got).Cmp(want) != 0 {
			t.Fatalf("%s squared is %s, not %s", c, got, want)
		}
	}
}

func TestWideDouble(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		w, b := randomWide(r, r.IntN(5))
		hi, lo := w.double()
		sum := new(big.Float).SetPrec(600).SetFloat64(hi)
		sum.Add(sum, big.NewFloat(lo))
		want := new(big.Float).SetPrec(600).SetInt(b)
		lost := new(big.Float).Sub(want, sum)
		if lost.Sign() != 0 && lost.MantExp(nil) > want.MantExp(nil)-105 {
			t.Fatalf("%s is %g + %g, which lacks %g", b, hi, lo, lost)
		}
	}
}

func TestQuotient(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 50000 {
		w, b := randomWide(r, r.IntN(3))
		if b.BitLen() > 126 {
			continue
		}
		n := max(1, r.Uint64()>>(1+r.IntN(62)))
		want, _ := new(big.Rat).SetFrac(b, new(big.Int).SetUint64(n)).Float64()
		if got := quotient(w, n); got != want {
			t.Fatalf("%s / %d = %g, not %g", b, n, got, want)
		}
	}
}
