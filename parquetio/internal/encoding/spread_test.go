package encoding

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/colagg/colagg/vector"
)

// randomValid returns a bitmap of at+n bits with runs of many lengths, and how
// many of the n from at on are set.
func randomValid(rng *rand.Rand, at, n int) (valid vector.Bitmap, k int) {
	valid = noise(at/8 + n/8 + 2)
	for i := 0; i < n; {
		run := 1 + rng.IntN(1<<rng.IntN(9))
		set := rng.IntN(2)
		mixed := rng.IntN(3) == 0
		for ; run > 0 && i < n; i, run = i+1, run-1 {
			if mixed {
				set = rng.IntN(2)
			}
			valid.Clear(at + i)
			if set != 0 {
				valid.Set(at + i)
				k++
			}
		}
	}
	return valid, k
}

func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for _, width := range []int{0, 1, 2, 3, 4, 8, 12, 16, 20, 32} {
		for range 300 {
			at, n := rng.IntN(70), rng.IntN(700)
			valid, k := randomValid(rng, at, n)
			src := noise(k * width)
			want := make([]byte, n*width)
			for i, j := 0, 0; i < n; i++ {
				if valid.Get(at + i) {
					copy(want[i*width:(i+1)*width], src[j*width:])
					j++
				}
			}
			dst := noise(n * width)
			Spread(dst, slices.Clip(src), width, valid, at)
			if !bytes.Equal(dst, want) {
				t.Fatalf("width %d, %d rows from bit %d: wrong", width, n, at)
			}
			copy(dst, src)
			Spread(dst, dst[:k*width], width, valid, at)
			if !bytes.Equal(dst, want) {
				t.Fatalf("width %d, %d rows from bit %d, in place: wrong", width, n, at)
			}
		}
	}
}

func TestSpreadOffsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for range 2000 {
		at, n := rng.IntN(70), rng.IntN(700)
		valid, k := randomValid(rng, at, n)
		offsets := make([]int32, n+1)
		offsets[0] = int32(rng.IntN(100))
		want := []int32{offsets[0]}
		for i := range k {
			offsets[i+1] = offsets[i] + int32(rng.IntN(10))
		}
		for i, j := 0, 0; i < n; i++ {
			if valid.Get(at + i) {
				j++
			}
			want = append(want, offsets[j])
		}
		SpreadOffsets(offsets, k, valid, at)
		if !slices.Equal(offsets, want) {
			t.Fatalf("%d rows from bit %d, %d valid: got %v, want %v", n, at, k, offsets, want)
		}
	}
}

func TestSpreadBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 2000 {
		at, n := rng.IntN(70), rng.IntN(700)
		valid, k := randomValid(rng, at, n)
		src := slices.Clip(noise((k + 7) / 8))
		dst := noise(len(valid))
		before := slices.Clone(dst)
		SpreadBits(dst, src, valid, at, n)
		j := 0
		for i := range len(dst) * 8 {
			want := getBit(before, i)
			if i >= at && i < at+n {
				if want = valid.Get(i); want {
					want = getBit(src, j)
					j++
				}
			}
			if getBit(dst, i) != want {
				t.Fatalf("%d rows from bit %d: bit %d is wrong", n, at, i)
			}
		}
	}
}
