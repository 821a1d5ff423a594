package vector

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDomains compares the operations on sets of one-byte keys with the same on
// bits.
func TestDomains(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (d Domain, bits [256]bool, null bool) {
		var spans []Span
		for range r.IntN(5) {
			lo, hi := r.IntN(256), r.IntN(257)
			s := Span{Lo: []byte{byte(lo)}, Hi: []byte{byte(hi)}}
			switch {
			case hi == 256:
				s.Hi = nil
			case r.IntN(4) == 0:
				s = Point([]byte{byte(lo)})
				hi = lo + 1
			}
			for i := lo; i < hi; i++ {
				bits[i] = true
			}
			spans = append(spans, s)
		}
		null = r.IntN(2) == 0
		return NewDomain(null, spans...), bits, null
	}
	check := func(what string, d Domain, bits func(i int) bool, null bool) {
		t.Helper()
		for i := range 256 {
			if d.Has([]byte{byte(i)}) != bits(i) {
				t.Fatalf("%s: %d is in %v: %v", what, i, d, !bits(i))
			}
		}
		if d.Null != null {
			t.Fatalf("%s: NULL %v", what, d.Null)
		}
	}
	for range 2000 {
		a, x, n := random()
		b, y, m := random()
		check("set", a, func(i int) bool { return x[i] }, n)
		check("union", a.Union(b), func(i int) bool { return x[i] || y[i] }, n || m)
		check("intersection", a.Intersect(b), func(i int) bool { return x[i] && y[i] }, n && m)
		check("complement", a.Complement(), func(i int) bool { return !x[i] }, !n)
		lo := r.IntN(256)
		hi := lo + r.IntN(256-lo)
		if a.Meets([]byte{byte(lo)}, []byte{byte(hi)}) != slices.Contains(x[lo:hi+1], true) {
			t.Fatalf("%v meets %d to %d", a, lo, hi)
		}
	}
}

// TestKeys holds the order of keys to that of the values.
func TestKeys(t *testing.T) {
	floats := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1), math.NaN()}
	ints := []int64{math.MinInt64, -256, -1, 0, 1, 255, math.MaxInt64}
	wides := [][2]uint64{{0, 1 << 63}, {math.MaxUint64, math.MaxUint64}, {0, 0}, {1, 0}, {0, 1}, {math.MaxUint64, math.MaxInt64}}
	rising := func(what string, n int, key func(i int) []byte) {
		for i := 1; i < n; i++ {
			if bytes.Compare(key(i-1), key(i)) >= 0 {
				t.Errorf("%s %d and %d", what, i-1, i)
			}
		}
	}
	rising("float", len(floats), func(i int) []byte { return KeyFloat(floats[i]) })
	rising("int", len(ints), func(i int) []byte { return KeyInt(ints[i]) })
	rising("wide", len(wides), func(i int) []byte { return KeyWide(wides[i]) })
	if !bytes.Equal(KeyFloat(math.Copysign(0, -1)), KeyFloat(0)) {
		t.Error("zeros differ")
	}
}
