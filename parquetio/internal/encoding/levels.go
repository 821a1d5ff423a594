package encoding

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/colagg/colagg/vector"
)

// Levels decodes the definition levels of a column without repetition to
// validity: a row has a value when its level is the highest.
type Levels struct {
	runs    runs
	max     uint32
	buf     []byte // levels of ResetPacked in the bit order of the hybrid
	scratch [512]uint32
}

// Reset starts on data, levels from 0 to max in the RLE/bit-packing hybrid (RLE
// = 3) without a length before them; see CutPrefixed for pages of version 1.
// With max 0 there is no data and every row is valid.
func (l *Levels) Reset(data []byte, max int) error {
	if max < 0 || max > math.MaxInt16 {
		return fmt.Errorf("encoding: highest definition level %d", max)
	}
	l.max = uint32(max)
	return l.runs.reset(data, bits.Len(uint(max)))
}

// ResetPacked starts on n levels from 0 to max in the deprecated encoding
// BIT_PACKED (4), which has no length before it, and returns what follows them
// in data.
func (l *Levels) ResetPacked(data []byte, max, n int) (rest []byte, err error) {
	if err := l.Reset(nil, max); err != nil {
		return nil, err
	}
	width := l.runs.width
	if n < 0 || n > math.MaxInt32 || (n*int(width)+7)/8 > len(data) {
		return nil, fmt.Errorf("encoding: %d bytes for %d bit-packed levels of %d bits", len(data), n, width)
	}
	size := (n*int(width) + 7) / 8
	l.buf = append(l.buf[:0], data[:size]...)
	for i, b := range l.buf {
		l.buf[i] = bits.Reverse8(b)
	}
	if width > 1 {
		for i := range n {
			at := i * int(width)
			v := bits.Reverse64(bitsAt(l.buf, at, width)) >> (64 - width)
			copyBits(l.buf, at, []byte{byte(v), byte(v >> 8)}, 0, int(width))
		}
	}
	l.runs.data, l.runs.pos = l.buf, len(l.buf)
	l.runs.packed, l.runs.left = true, n
	return data[size:], nil
}

// AllValid reports whether the next n rows are all valid, and passes over them
// if so. It looks at no more than it needs to find a NULL. It is false, too,
// if the levels are faulty; Decode then tells the fault.
func (l *Levels) AllValid(n int) bool { return l.uniform(n, allSet) }

// AllNull is AllValid for rows that are all NULL.
func (l *Levels) AllNull(n int) bool { return l.uniform(n, allClear) }

func (l *Levels) uniform(n int, pattern byte) bool {
	r := l.runs
	for n > 0 {
		if r.left == 0 {
			if r.next() != nil {
				return false
			}
			continue
		}
		k := min(r.left, n)
		switch {
		case !r.packed:
			if r.value > l.max || (r.value == l.max) != (pattern == allSet) {
				return false
			}
		case r.width == 1:
			if !sameBits(r.data, r.bit, k, pattern) {
				return false
			}
		default:
			k = min(k, len(l.scratch))
			if !l.uniformPacked(&r, k, pattern) {
				return false
			}
		}
		r.advance(k)
		n -= k
	}
	l.runs = r
	return true
}

func (l *Levels) uniformPacked(r *runs, k int, pattern byte) bool {
	levels := l.scratch[:k]
	unpack32(levels, r.data, r.bit, r.width)
	for _, v := range levels {
		if v > l.max || (v == l.max) != (pattern == allSet) {
			return false
		}
	}
	return true
}

// Decode sets bits at to at+n of dst to the validity of the next n rows and
// returns how many of them are valid. Other bits of dst stay. A level above
// the highest is an error.
func (l *Levels) Decode(dst vector.Bitmap, at, n int) (valid int, err error) {
	r := &l.runs
	for n > 0 {
		if r.left == 0 {
			if err := r.next(); err != nil {
				return 0, err
			}
			continue
		}
		k := min(r.left, n)
		switch {
		case !r.packed:
			if r.value > l.max {
				return 0, l.tooHigh(r.value)
			}
			if r.value == l.max {
				fillBits(dst, at, k, allSet)
				valid += k
			} else {
				fillBits(dst, at, k, allClear)
			}
		case r.width == 1:
			valid += copyBits(dst, at, r.data, r.bit, k)
		default:
			k = min(k, len(l.scratch))
			v, err := l.decodePacked(dst, at, k)
			if err != nil {
				return 0, err
			}
			valid += v
		}
		r.advance(k)
		at += k
		n -= k
	}
	return valid, nil
}

// decodePacked decodes k bit-packed levels, no more than the scratch holds.
func (l *Levels) decodePacked(dst vector.Bitmap, at, k int) (valid int, err error) {
	levels := l.scratch[:k]
	unpack32(levels, l.runs.data, l.runs.bit, l.runs.width)
	top := uint64(l.max)
	for len(levels) > 0 {
		rows := min(len(levels), 64)
		var set, above uint64
		for i, v := range levels[:rows] {
			diff := top - uint64(v)
			above |= diff
			set |= (diff - 1) >> 63 << (i & 63)
		}
		// A negative difference shows in the high bits.
		if above > math.MaxUint32 {
			return 0, l.tooHigh(slices.Max(levels[:rows]))
		}
		putBits(dst, at, set, rows)
		valid += bits.OnesCount64(set)
		at += rows
		levels = levels[rows:]
	}
	return valid, nil
}

func (l *Levels) tooHigh(v uint32) error {
	return fmt.Errorf("encoding: definition level %d in runs before byte %d, where %d is the highest", v, l.runs.pos, l.max)
}

// Skip passes over n rows and returns how many of them are valid.
func (l *Levels) Skip(n int) (valid int, err error) {
	var scratch [len(l.scratch) / 8]byte
	r := &l.runs
	for n > 0 {
		if r.left == 0 {
			if err := r.next(); err != nil {
				return 0, err
			}
			continue
		}
		k := min(r.left, n)
		switch {
		case !r.packed:
			if r.value > l.max {
				return 0, l.tooHigh(r.value)
			}
			if r.value == l.max {
				valid += k
			}
		case r.width == 1:
			valid += countBits(r.data, r.bit, k)
		default:
			k = min(k, len(l.scratch))
			v, err := l.decodePacked(scratch[:], 0, k)
			if err != nil {
				return 0, err
			}
			valid += v
		}
		r.advance(k)
		n -= k
	}
	return valid, nil
}
