package encoding

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func getBit(b []byte, i int) bool { return i/8 < len(b) && b[i/8]>>(i%8)&1 != 0 }

func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 5000 {
		src, dst := noise(rng.IntN(60)), noise(rng.IntN(60))
		n := rng.IntN(len(dst)*8 + 1)
		at := rng.IntN(len(dst)*8 - n + 1)
		from := rng.IntN(len(src)*8 + 1)
		copied := slices.Clip(slices.Clone(dst))
		set := copyBits(copied, at, slices.Clip(src), from, n)
		filled := slices.Clone(dst)
		fillBits(filled, at, n, allSet)
		cleared := slices.Clone(dst)
		fillBits(cleared, at, n, allClear)
		for i := range len(dst) * 8 {
			inside := i >= at && i < at+n
			want := getBit(dst, i)
			if inside {
				want = getBit(src, from+i-at)
				if want {
					set--
				}
			}
			if getBit(copied, i) != want {
				t.Fatalf("copyBits(at %d, from %d, n %d): bit %d", at, from, n, i)
			}
			if getBit(filled, i) != (inside || getBit(dst, i)) || getBit(cleared, i) != (!inside && getBit(dst, i)) {
				t.Fatalf("fillBits(at %d, n %d): bit %d", at, n, i)
			}
		}
		if set != 0 {
			t.Fatalf("copyBits counts %d too many", set)
		}
		if k := countBits(copied, at, n); k != countBits(src, from, n) {
			t.Fatalf("countBits: %d", k)
		}
		if !sameBits(filled, at, n, allSet) || !sameBits(cleared, at, n, allClear) {
			t.Fatal("sameBits misses")
		}
		if n > 0 {
			i := at + rng.IntN(n)
			filled[i/8] ^= 1 << (i % 8)
			cleared[i/8] ^= 1 << (i % 8)
			if sameBits(filled, at, n, allSet) || sameBits(cleared, at, n, allClear) {
				t.Fatal("sameBits does not see a bit that differs")
			}
		}
	}
}

func TestUnpack(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for width := range 65 {
		for range 50 {
			n, bit := rng.IntN(200), rng.IntN(20)
			src := slices.Clip(noise((bit + n*width + 7) / 8))
			large := make([]uint64, n)
			unpack64(large, src, bit, uint(width))
			small := make([]uint32, n)
			if width <= 32 {
				unpack32(small, src, bit, uint(width))
			}
			for i := range n {
				want, _ := refBits(src, bit+i*width, width)
				if large[i] != want || width <= 32 && uint64(small[i]) != want {
					t.Fatalf("width %d, value %d of %d from bit %d: %d and %d, want %d", width, i, n, bit, large[i], small[i], want)
				}
			}
		}
	}
}
