package encoding

import (
	"fmt"
	"slices"
)

// chunk is how many lengths the decoders of delta strings look at at a time.
const chunk = 256

// DeltaLengthStrings decodes BYTE_ARRAY values in Delta-length byte array
// (DELTA_LENGTH_BYTE_ARRAY = 6): all lengths, then all bytes.
type DeltaLengthStrings struct {
	lengths Delta[int32]
	data    []byte
	pos     int
}

// Reset reads the header and finds the end of the lengths. Empty data is a
// page without values.
func (p *DeltaLengthStrings) Reset(data []byte) error {
	if err := p.lengths.Reset(data); err != nil {
		return err
	}
	end, err := p.lengths.end()
	if err != nil {
		return err
	}
	p.data, p.pos = data, end
	return nil
}

// end returns the position after the last block.
func (d *Delta[T]) end() (int, error) {
	c := *d
	if c.fresh && c.left > 0 {
		c.left--
	}
	for c.left > 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
		c.left -= c.mini
	}
	return c.pos, nil
}

// next fills lengths with those of the next values and returns their sum,
// which the data has.
func (p *DeltaLengthStrings) next(lengths []int32) (sum int64, err error) {
	if err := p.lengths.Decode(lengths); err != nil {
		return 0, err
	}
	var sign int32
	for _, n := range lengths {
		sign |= n
		sum += int64(n)
	}
	if sign < 0 {
		return 0, fmt.Errorf("encoding: negative length of a string before byte %d", p.lengths.pos)
	}
	if room := len(p.data) - p.pos; sum > int64(room) {
		return 0, fmt.Errorf("encoding: strings of %d bytes at byte %d of %d", sum, p.pos, len(p.data))
	}
	return sum, nil
}

// Decode appends the next n values to dst, or fails.
func (p *DeltaLengthStrings) Decode(dst *Strings, n int) error {
	if n > p.lengths.Len() {
		return tooMany(n, p.lengths.Len())
	}
	offsets, first := growOffsets(dst, n), p.pos
	for len(offsets) > 0 {
		lengths := offsets[:min(len(offsets), chunk)]
		sum, err := p.next(lengths)
		if err != nil {
			return err
		}
		at := len(dst.Data) + p.pos - first
		for i, k := range lengths {
			at += int(k)
			lengths[i] = int32(at)
		}
		p.pos += int(sum)
		offsets = offsets[len(lengths):]
	}
	// The offsets are right if the strings fit, and not used otherwise.
	if err := dst.room(int64(p.pos - first)); err != nil {
		return err
	}
	dst.Offsets = dst.Offsets[:len(dst.Offsets)+n]
	dst.Data = append(dst.Data, p.data[first:p.pos]...)
	return nil
}

// Skip passes over n values.
func (p *DeltaLengthStrings) Skip(n int) error {
	var buf [chunk]int32
	for n > 0 {
		lengths := buf[:min(n, chunk)]
		sum, err := p.next(lengths)
		if err != nil {
			return err
		}
		p.pos += int(sum)
		n -= len(lengths)
	}
	return nil
}

func tooMany(n, left int) error {
	return fmt.Errorf("encoding: %d more values of a delta page that has %d left", n, left)
}

// DeltaStrings decodes BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY values in Delta
// Strings (DELTA_BYTE_ARRAY = 7): each value is a prefix of the one before it
// and a suffix of its own. A page can so hold much more than its size; see
// Strings.Limit.
type DeltaStrings struct {
	prefixes Delta[int32]
	suffixes DeltaLengthStrings
	last     []byte
}

// Reset reads the headers. Empty data is a page without values.
func (p *DeltaStrings) Reset(data []byte) error {
	p.last = p.last[:0]
	if err := p.prefixes.Reset(data); err != nil {
		return err
	}
	end, err := p.prefixes.end()
	if err != nil {
		return err
	}
	if err := p.suffixes.Reset(data[end:]); err != nil {
		return fmt.Errorf("encoding: suffixes from byte %d: %w", end, err)
	}
	return nil
}

// next fills prefixes and suffixes with the lengths of the next values and
// returns the sum of both.
func (p *DeltaStrings) next(prefixes, suffixes []int32) (sum int64, err error) {
	if err := p.prefixes.Decode(prefixes); err != nil {
		return 0, err
	}
	if sum, err = p.suffixes.next(suffixes); err != nil {
		return 0, err
	}
	before := int64(len(p.last))
	for i, n := range prefixes {
		if n < 0 || int64(n) > before {
			return 0, fmt.Errorf("encoding: prefix of %d bytes before byte %d, after a string of %d", n, p.prefixes.pos, before)
		}
		sum += int64(n)
		before = int64(n) + int64(suffixes[i])
	}
	return sum, nil
}

// Decode appends the next n values to dst, or fails.
func (p *DeltaStrings) Decode(dst *Strings, n int) error {
	if n > p.prefixes.Len() {
		return tooMany(n, p.prefixes.Len())
	}
	var buf [2][chunk]int32
	for offsets := growOffsets(dst, n); len(offsets) > 0; {
		k := min(len(offsets), chunk)
		prefixes, suffixes := buf[0][:k], buf[1][:k]
		sum, err := p.next(prefixes, suffixes)
		if err != nil {
			return err
		}
		if err := dst.room(sum); err != nil {
			return err
		}
		at := len(dst.Data)
		end := at + int(sum)
		out := slices.Grow(dst.Data, int(sum)+wide)[:end+wide]
		p.build(out, at, prefixes, suffixes)
		dst.Data = out[:end]
		for i, n := range prefixes {
			at += int(n + suffixes[i])
			offsets[i] = int32(at)
		}
		dst.Offsets = dst.Offsets[:len(dst.Offsets)+k]
		offsets = offsets[k:]
	}
	return nil
}

// build writes values to dst from position at on, and remembers the last.
func (p *DeltaStrings) build(dst []byte, at int, prefixes, suffixes []int32) {
	data, pos := p.suffixes.data, p.suffixes.pos
	last, from := p.last, 0
	for i, n := range prefixes {
		before, own := int(n), int(suffixes[i])
		put(dst, at, last, from, before)
		put(dst, at+before, data, pos, own)
		last, from = dst, at
		at += before + own
		pos += own
	}
	p.suffixes.pos = pos
	p.last = append(p.last[:0], dst[from:at]...)
}

// DecodeFixed fills dst with the next len(dst)/width values, each of which
// must be width bytes long.
func (p *DeltaStrings) DecodeFixed(dst []byte, width int) error {
	var buf [2][chunk]int32
	for at := 0; at < len(dst); {
		k := min((len(dst)-at)/width, chunk)
		prefixes, suffixes := buf[0][:k], buf[1][:k]
		if _, err := p.next(prefixes, suffixes); err != nil {
			return err
		}
		for i, n := range prefixes {
			if size := int64(n) + int64(suffixes[i]); size != int64(width) {
				return fmt.Errorf("encoding: string of %d bytes before byte %d in a column of %d", size, p.suffixes.pos, width)
			}
		}
		p.build(dst, at, prefixes, suffixes)
		at += k * width
	}
	return nil
}

// Skip passes over n values.
func (p *DeltaStrings) Skip(n int) error {
	var buf [2][chunk]int32
	for n > 0 {
		k := min(n, chunk)
		prefixes, suffixes := buf[0][:k], buf[1][:k]
		if _, err := p.next(prefixes, suffixes); err != nil {
			return err
		}
		for i, n := range prefixes {
			end := p.suffixes.pos + int(suffixes[i])
			p.last = append(p.last[:n], p.suffixes.data[p.suffixes.pos:end]...)
			p.suffixes.pos = end
		}
		n -= k
	}
	return nil
}
