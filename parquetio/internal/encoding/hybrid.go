package encoding

import (
	"fmt"
	"math"
)

// runs walks over the runs of the RLE/bit-packing hybrid.
type runs struct {
	data   []byte
	pos    int    // of the next run's header
	width  uint   // bits per value
	left   int    // values left in the current run
	packed bool   // the current run is bit-packed
	bit    int    // bit-packed: position in data, in bits, of the next value
	value  uint32 // else: the value that repeats
}

func (r *runs) reset(data []byte, width int) error {
	if width < 0 || width > 32 {
		return fmt.Errorf("encoding: bit width %d, where 0 to 32 are possible", width)
	}
	*r = runs{data: data, width: uint(width)}
	return nil
}

// next reads the header of a run. A run may turn out empty.
func (r *runs) next() error {
	if r.pos == len(r.data) {
		if r.width == 0 {
			// Nothing is lost when a writer leaves out runs of no bits.
			r.packed, r.value, r.left = false, 0, math.MaxInt32
			return nil
		}
		return fmt.Errorf("encoding: the runs end at byte %d, before the last value", r.pos)
	}
	start := r.pos
	h, pos, err := uvarint(r.data, r.pos)
	if err != nil {
		return err
	}
	if h > math.MaxUint32 {
		return fmt.Errorf("encoding: run of %d values at byte %d", h>>1, start)
	}
	n, room := int(h>>1), len(r.data)-pos
	r.packed = h&1 != 0
	if r.packed {
		r.bit, r.left = pos*8, n*8
		// Old writers cut the last group of eight short.
		if size := n * int(r.width); size <= room {
			r.pos = pos + size
		} else {
			r.left = room * 8 / int(r.width)
			r.pos = len(r.data)
		}
		return nil
	}
	k := int(r.width+7) / 8
	if k > room {
		return fmt.Errorf("encoding: run at byte %d is cut short", start)
	}
	var v uint64
	for i, b := range r.data[pos : pos+k] {
		v |= uint64(b) << (8 * i)
	}
	if v > lowMask(r.width) {
		return fmt.Errorf("encoding: run at byte %d repeats %d, which has more than %d bits", start, v, r.width)
	}
	r.value, r.left, r.pos = uint32(v), n, pos+k
	return nil
}

// advance passes n values of the current run, which has them.
func (r *runs) advance(n int) {
	r.left -= n
	r.bit += n * int(r.width)
}

func (r *runs) skip(n int) error {
	for n > 0 {
		if r.left == 0 {
			if err := r.next(); err != nil {
				return err
			}
			continue
		}
		k := min(r.left, n)
		r.advance(k)
		n -= k
	}
	return nil
}

func (r *runs) decode(dst []uint32) error {
	_, err := r.decodeBelow(dst, 1<<32)
	return err
}

// decodeBelow is decode, and reports whether all values are below bound, which
// is not 0.
func (r *runs) decodeBelow(dst []uint32, bound uint64) (below bool, err error) {
	below = true
	for len(dst) > 0 {
		if r.left == 0 {
			if err := r.next(); err != nil {
				return false, err
			}
			continue
		}
		k := min(r.left, len(dst))
		if r.packed {
			below = unpackBelow(dst[:k], r.data, r.bit, r.width, bound) && below
		} else {
			fill(dst[:k], r.value)
			below = below && uint64(r.value) < bound
		}
		r.advance(k)
		dst = dst[k:]
	}
	return below, nil
}

// fill sets every element to v.
func fill(dst []uint32, v uint32) {
	head := dst[:min(len(dst), 32)]
	for i := range head {
		head[i] = v
	}
	for k := len(head); k < len(dst); k *= 2 {
		copy(dst[k:], dst[:k])
	}
}

// Hybrid decodes unsigned numbers of up to 32 bits: Run Length Encoding /
// Bit-Packing Hybrid (RLE = 3), and with it Dictionary Encoding
// (PLAIN_DICTIONARY = 2 and RLE_DICTIONARY = 8).
type Hybrid struct{ runs runs }

// Reset starts on data, runs of values of width bits, 0 to 32, without a
// length before them. Decoding past the end of data is an error, but for width
// 0, where there is nothing to read.
func (h *Hybrid) Reset(data []byte, width int) error { return h.runs.reset(data, width) }

// ResetCodes starts on the values of a dictionary-encoded data page, whose
// first byte is the bit width. Empty data is a page without values.
func (h *Hybrid) ResetCodes(data []byte) error {
	if len(data) == 0 {
		return h.runs.reset(nil, 1)
	}
	width := data[0]
	if err := h.runs.reset(data, int(width)); err != nil {
		return err
	}
	h.runs.pos = 1
	return nil
}

// Decode fills dst with the next len(dst) values, or fails.
func (h *Hybrid) Decode(dst []uint32) error { return h.runs.decode(dst) }

// DecodeCodes is Decode for indexes into a dictionary with so many entries; an
// index outside it is an error.
func (h *Hybrid) DecodeCodes(dst []uint32, entries int) error {
	below, err := h.runs.decodeBelow(dst, uint64(max(entries, 1)))
	if err != nil || below && entries > 0 {
		return err
	}
	return CheckCodes(dst, entries)
}

// Skip passes over n values.
func (h *Hybrid) Skip(n int) error { return h.runs.skip(n) }
