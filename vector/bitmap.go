package vector

import "math/bits"

// Bitmap holds one bit per row, least significant bit first, as in Arrow's
// columnar format. nil stands for "all bits set".
type Bitmap []byte

// NewBitmap returns a bitmap of n bits, all clear.
func NewBitmap(n int) Bitmap { return make(Bitmap, (n+7)/8) }

// Get reports bit i. It is true on a nil Bitmap.
func (b Bitmap) Get(i int) bool { return b == nil || b[i>>3]>>(i&7)&1 != 0 }

// Set sets bit i.
func (b Bitmap) Set(i int) { b[i>>3] |= 1 << (i & 7) }

// Clear clears bit i.
func (b Bitmap) Clear(i int) { b[i>>3] &^= 1 << (i & 7) }

// SetRange sets bits lo up to, not including, hi.
func (b Bitmap) SetRange(lo, hi int) {
	for lo < hi && lo&7 != 0 {
		b.Set(lo)
		lo++
	}
	for ; lo+8 <= hi; lo += 8 {
		b[lo>>3] = 0xff
	}
	for ; lo < hi; lo++ {
		b.Set(lo)
	}
}

// Count returns the number of set bits among the first n.
func (b Bitmap) Count(n int) int {
	if b == nil {
		return n
	}
	c := 0
	for _, x := range b[:n>>3] {
		c += bits.OnesCount8(x)
	}
	if r := n & 7; r != 0 {
		c += bits.OnesCount8(b[n>>3] & (1<<r - 1))
	}
	return c
}
