package encoding

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/colagg/colagg/vector"
)

// Strings collects byte strings in the layout of a vector: string i is
// Data[Offsets[i]:Offsets[i+1]]. Decoders append to it and grow its slices as
// they need. If Offsets is empty they append the first one, the length of
// Data, too.
type Strings struct {
	Offsets []int32
	Data    []byte
	// Limit is the most bytes that Data may come to hold, or 0 for
	// vector.MaxBytes. Decoders check it before they allocate and return an
	// error that wraps vector.ErrTooLong.
	Limit int
}

// room returns an error if n more bytes do not fit.
func (s *Strings) room(n int64) error {
	limit := s.Limit
	if limit <= 0 || limit > vector.MaxBytes {
		limit = vector.MaxBytes
	}
	if int64(len(s.Data))+n > int64(limit) {
		return fmt.Errorf("encoding: %d bytes of strings after %d, of at most %d: %w", n, len(s.Data), limit, vector.ErrTooLong)
	}
	return nil
}

// PlainStrings decodes BYTE_ARRAY values in encoding PLAIN (0): each is
// preceded by its length in four bytes.
type PlainStrings struct {
	data []byte
	pos  int
}

// Reset starts on data. It never fails.
func (p *PlainStrings) Reset(data []byte) error {
	p.data, p.pos = data, 0
	return nil
}

// Decode appends the next n values to dst, or fails.
func (p *PlainStrings) Decode(dst *Strings, n int) error {
	if room := len(p.data) - p.pos; n > room/4 {
		return fmt.Errorf("encoding: %d more strings in %d bytes at byte %d", n, room, p.pos)
	}
	start := p.pos
	offsets, at := growOffsets(dst, n), len(dst.Data)
	end := at
	for i := range offsets {
		k := lengthAt(p.data, p.pos)
		if k < 0 {
			return p.fault()
		}
		p.pos += 4 + k
		end += k
		offsets[i] = int32(end)
	}
	// The offsets are right if the strings fit, and not used otherwise.
	if err := dst.room(int64(end - at)); err != nil {
		return err
	}
	dst.Offsets = dst.Offsets[:len(dst.Offsets)+n]
	out := slices.Grow(dst.Data, end-at+wide)[:end+wide]
	pos := start
	for _, next := range offsets {
		k := int(next) - at
		put(out, at, p.data, pos+4, k)
		pos += 4 + k
		at = int(next)
	}
	dst.Data = out[:end]
	return nil
}

// growOffsets makes room for n more offsets and returns it.
func growOffsets(dst *Strings, n int) []int32 {
	if len(dst.Offsets) == 0 {
		dst.Offsets = append(dst.Offsets, int32(len(dst.Data)))
	}
	dst.Offsets = slices.Grow(dst.Offsets, n)
	return dst.Offsets[len(dst.Offsets):][:n]
}

// wide is how many bytes put copies at once; decoders have so many to spare
// after their output.
const wide = 32

// put copies n bytes of src at s to dst at d. It may write up to wide bytes,
// so what belongs after the n is put later.
func put(dst []byte, d int, src []byte, s, n int) {
	if n <= wide && s+wide <= len(src) && d+wide <= len(dst) {
		*(*[wide]byte)(dst[d:]) = [wide]byte(src[s:])
		return
	}
	copy(dst[d:d+n], src[s:])
}

// Skip passes over n values.
func (p *PlainStrings) Skip(n int) error {
	for range n {
		k := lengthAt(p.data, p.pos)
		if k < 0 {
			return p.fault()
		}
		p.pos += 4 + k
	}
	return nil
}

// lengthAt returns the length of the string whose length is at position pos,
// or -1 if data does not have all of it.
func lengthAt(data []byte, pos int) int {
	if len(data)-pos < 4 {
		return -1
	}
	k := int(binary.LittleEndian.Uint32(data[pos:]))
	if k > len(data)-pos-4 {
		return -1
	}
	return k
}

// fault tells why there is no string at the position.
func (p *PlainStrings) fault() error {
	if len(p.data)-p.pos < 4 {
		return fmt.Errorf("encoding: no length of a string at byte %d of %d", p.pos, len(p.data))
	}
	k := binary.LittleEndian.Uint32(p.data[p.pos:])
	return fmt.Errorf("encoding: string of %d bytes at byte %d of %d", k, p.pos, len(p.data))
}
