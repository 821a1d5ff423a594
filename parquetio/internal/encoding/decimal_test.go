package encoding

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// bigOf returns the number that little-endian words stand for.
func bigOf(words []uint64) *big.Int {
	v := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(words[i]))
	}
	if words[len(words)-1]>>63 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(64*len(words))))
	}
	return v
}

// bigOfBytes returns the number that big-endian two's complement stands for.
func bigOfBytes(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}

// fits reports whether v is a number of so many bits.
func fits(v *big.Int, bits int) bool {
	if v.Sign() < 0 {
		v = new(big.Int).Not(v)
	}
	return v.BitLen() < bits
}

func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	for width := 1; width <= 40; width++ {
		for range 100 {
			n := rng.IntN(20)
			src := slices.Clip(noise(n*width + rng.IntN(3))[:n*width])
			all128, all256 := true, true
			for i := range n {
				b := src[i*width : i*width+width]
				sign := byte(rng.IntN(2)) * 0xff
				for j := range rng.IntN(width + 1) {
					b[j] = sign
				}
				all128 = all128 && fits(bigOfBytes(b), 128)
				all256 = all256 && fits(bigOfBytes(b), 256)
			}
			var s Strings
			for i := range n + 1 {
				s.Offsets = append(s.Offsets, int32(i*width))
			}
			s.Data = src
			testDecimals(t, src, width, make([][2]uint64, n), all128, &s)
			testDecimals(t, src, width, make([][4]uint64, n), all256, &s)
		}
	}
	if FixedDecimals(make([][2]uint64, 1), nil, 0) == nil {
		t.Error("no error for width 0")
	}
	if StringDecimals(make([][2]uint64, 1), &Strings{Offsets: []int32{0, 0}}) == nil {
		t.Error("no error for an empty decimal")
	}
}

func testDecimals[T Words](t *testing.T, src []byte, width int, dst []T, ok bool, s *Strings) {
	t.Helper()
	for k, decode := range []func() error{
		func() error { return FixedDecimals(dst, src, width) },
		func() error { return StringDecimals(dst, s) },
	} {
		err := decode()
		check(t, err, ok)
		if err != nil {
			continue
		}
		for i := range dst {
			var words []uint64
			for j := range len(dst[i]) {
				words = append(words, dst[i][j])
			}
			want := bigOfBytes(src[i*width : i*width+width])
			if got := bigOf(words); got.Cmp(want) != 0 {
				t.Fatalf("way %d, width %d: got %v, want %v", k, width, got, want)
			}
		}
		clear(dst)
	}
}

func TestIntDecimals(t *testing.T) {
	dst := make([][2]uint64, 3)
	IntDecimals(dst, []int32{-2, 0, 1<<31 - 1})
	if want := [][2]uint64{{1<<64 - 2, 1<<64 - 1}, {0, 0}, {1<<31 - 1, 0}}; !slices.Equal(dst, want) {
		t.Errorf("got %x, want %x", dst, want)
	}
	IntDecimals(dst, []int64{-1 << 63, -1, 1<<63 - 1})
	if want := [][2]uint64{{1 << 63, 1<<64 - 1}, {1<<64 - 1, 1<<64 - 1}, {1<<63 - 1, 0}}; !slices.Equal(dst, want) {
		t.Errorf("got %x, want %x", dst, want)
	}
}
