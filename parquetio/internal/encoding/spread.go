package encoding

import (
	"math/bits"

	"github.com/colagg/colagg/vector"
)

// span is how many rows the functions here look at at a time: those of one
// word of validity.
const span = 64

// Spread puts dense values in the rows that are valid, and zeros in the
// others. dst has width bytes for each row, src width bytes for each valid
// row. Row i is valid when bit at+i of valid is set. src may be the beginning
// of dst, and must not overlap it otherwise.
func Spread(dst, src []byte, width int, valid vector.Bitmap, at int) {
	switch width {
	case 1:
		spread(dst, src, valid, at, spreadSmall[uint8])
	case 2:
		spread(vector.View[uint16](dst), vector.View[uint16](src), valid, at, spreadSmall[uint16])
	case 4:
		spread(vector.View[uint32](dst), vector.View[uint32](src), valid, at, spreadSmall[uint32])
	case 8:
		spread(vector.View[uint64](dst), vector.View[uint64](src), valid, at, spreadSmall[uint64])
	case 16:
		spread(vector.View[[2]uint64](dst), vector.View[[2]uint64](src), valid, at, spreadLarge[[2]uint64])
	case 32:
		spread(vector.View[[4]uint64](dst), vector.View[[4]uint64](src), valid, at, spreadLarge[[4]uint64])
	default:
		spreadBytes(dst, src, width, valid, at)
	}
}

// spread goes from the last span to the first, so that src can be in place.
func spread[T any](dst, src []T, valid vector.Bitmap, at int, mixed func(dst, src []T, mask uint64)) {
	for hi := len(dst); hi > 0; {
		lo := max(0, hi-span)
		rows := uint(hi - lo)
		mask := word(valid, at+lo) & lowMask(rows)
		k := len(src) - bits.OnesCount64(mask)
		switch mask {
		case lowMask(rows):
			copy(dst[lo:hi], src[k:])
		case 0:
			clear(dst[lo:hi])
		default:
			mixed(dst[lo:hi], src[k:], mask)
		}
		src, hi = src[:k], lo
	}
}

// spreadSmall does without a branch on validity. src has at least one value.
func spreadSmall[T uint8 | uint16 | uint32 | uint64](dst, src []T, mask uint64) {
	j := len(src) - 1
	for i := len(dst) - 1; i >= 0; i-- {
		bit := int(mask>>(i&63)) & 1
		dst[i] = src[max(j, 0)] & -T(bit)
		j -= bit
	}
}

func spreadLarge[T any](dst, src []T, mask uint64) {
	var zero T
	j := len(src) - 1
	for i := len(dst) - 1; i >= 0; i-- {
		if mask>>(i&63)&1 != 0 {
			dst[i] = src[j]
			j--
		} else {
			dst[i] = zero
		}
	}
}

func spreadBytes(dst, src []byte, width int, valid vector.Bitmap, at int) {
	if width <= 0 {
		return
	}
	j := len(src)
	for i := len(dst)/width - 1; i >= 0; i-- {
		row := dst[i*width : i*width+width]
		if valid.Get(at + i) {
			j -= width
			copy(row, src[j:])
		} else {
			clear(row)
		}
	}
}

// SpreadOffsets turns, in place, the offsets of k dense byte strings, k+1
// elements at the start of offsets, into those of len(offsets)-1 rows, of
// which those that are not valid become empty strings. Row i is valid when bit
// at+i of valid is set; k of them are.
func SpreadOffsets(offsets []int32, k int, valid vector.Bitmap, at int) {
	ends := offsets[1:]
	for hi := len(ends); hi > 0 && k < hi; {
		lo := max(0, hi-span)
		rows := uint(hi - lo)
		mask := word(valid, at+lo) & lowMask(rows)
		below := k - bits.OnesCount64(mask)
		switch mask {
		case lowMask(rows):
			copy(ends[lo:hi], ends[below:k])
		case 0:
			end := offsets[k]
			for i := lo; i < hi; i++ {
				ends[i] = end
			}
		default:
			for i, j := hi-1, k; i >= lo; i-- {
				ends[i] = offsets[j]
				j -= int(mask>>((i-lo)&63)) & 1
			}
		}
		k, hi = below, lo
	}
}

// SpreadBits is Spread for booleans: it sets bits at to at+n of dst from dense
// bits of src, which start at its first bit, and must not overlap dst. Rows
// that are not valid get a clear bit. Other bits of dst stay.
func SpreadBits(dst vector.Bitmap, src []byte, valid vector.Bitmap, at, n int) {
	j := 0
	for n > 0 {
		rows := min(n, span)
		mask := word(valid, at) & lowMask(uint(rows))
		values := word(src, j)
		out := values & mask
		if mask != lowMask(uint(rows)) {
			out = deposit(values, mask)
		}
		putBits(dst, at, out, rows)
		j += bits.OnesCount64(mask)
		at += rows
		n -= rows
	}
}

// deposit puts the lowest bits of v where mask has bits set, in order.
func deposit(v, mask uint64) uint64 {
	var out uint64
	for ; mask != 0; mask &= mask - 1 {
		out |= mask & -mask & -(v & 1)
		v >>= 1
	}
	return out
}
