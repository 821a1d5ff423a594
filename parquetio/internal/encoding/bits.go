package encoding

import (
	"encoding/binary"
	"math/bits"
)

// Fill patterns for fillBits.
const (
	allClear = 0x00
	allSet   = 0xff
)

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// word returns the 64 bits of b from position bit on, lowest first; bits
// beyond the end of b are zero.
func word(b []byte, bit int) uint64 {
	i, sh := bit>>3, uint(bit&7)
	if i+9 <= len(b) {
		return load64(b, i)>>sh | uint64(b[i+8])<<(63-sh)<<1
	}
	var pad [16]byte
	if i < len(b) {
		copy(pad[:9], b[i:])
	}
	return load64(pad[:], 0)>>sh | uint64(pad[8])<<(63-sh)<<1
}

// bitsAt returns the value of width bits (0 to 64) at position bit.
func bitsAt(b []byte, bit int, width uint) uint64 {
	return word(b, bit) & lowMask(width)
}

// lowMask returns the lowest n bits set, n from 0 to 64.
func lowMask(n uint) uint64 { return 1<<n - 1 }

// fillBits sets bits at to at+n of dst to the pattern's bits.
func fillBits(dst []byte, at, n int, pattern byte) {
	if n <= 0 {
		return
	}
	lo, hi := at>>3, (at+n)>>3
	first := byte(0xff) << (at & 7)
	last := byte(1)<<((at+n)&7) - 1
	if lo == hi {
		mergeByte(dst, lo, pattern, first&last)
		return
	}
	if at&7 != 0 {
		mergeByte(dst, lo, pattern, first)
		lo++
	}
	whole := dst[lo:hi]
	if pattern == allClear {
		clear(whole)
	} else {
		for i := range whole {
			whole[i] = pattern
		}
	}
	if last != 0 {
		mergeByte(dst, hi, pattern, last)
	}
}

func mergeByte(dst []byte, i int, v, mask byte) { dst[i] = dst[i]&^mask | v&mask }

// copyBits copies n bits of src from position from on to dst from position at
// on, and returns how many of them are set. The other bits of dst stay.
func copyBits(dst []byte, at int, src []byte, from, n int) int {
	set := 0
	if r := at & 7; r != 0 && n > 0 {
		k := min(8-r, n)
		w := word(src, from) & lowMask(uint(k))
		mergeByte(dst, at>>3, byte(w<<r), byte(lowMask(uint(k))<<r))
		set += bits.OnesCount64(w)
		at, from, n = at+k, from+k, n-k
	}
	out := dst[at>>3:]
	for n >= 64 {
		w := word(src, from)
		binary.LittleEndian.PutUint64(out, w)
		set += bits.OnesCount64(w)
		out, from, n = out[8:], from+64, n-64
	}
	if n == 0 {
		return set
	}
	w := word(src, from) & lowMask(uint(n))
	set += bits.OnesCount64(w)
	for i := 0; n > 0; i, n = i+1, n-8 {
		mergeByte(out, i, byte(w), byte(lowMask(uint(min(n, 8)))))
		w >>= 8
	}
	return set
}

// putBits sets n bits (up to 64) of dst from position at on to the lowest of v.
// The other bits of dst stay.
func putBits(dst []byte, at int, v uint64, n int) {
	if at&7 == 0 && n == 64 {
		binary.LittleEndian.PutUint64(dst[at>>3:], v)
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copyBits(dst, at, b[:], 0, n)
}

// countBits returns how many of n bits from position from on are set.
func countBits(b []byte, from, n int) int {
	set := 0
	for ; n >= 64; from, n = from+64, n-64 {
		set += bits.OnesCount64(word(b, from))
	}
	return set + bits.OnesCount64(word(b, from)&lowMask(uint(n)))
}

// sameBits reports whether n bits from position from on all equal the lowest
// bit of pattern's byte.
func sameBits(b []byte, from, n int, pattern byte) bool {
	want := -uint64(pattern & 1)
	for ; n >= 64; from, n = from+64, n-64 {
		if word(b, from) != want {
			return false
		}
	}
	return (word(b, from)^want)&lowMask(uint(n)) == 0
}
