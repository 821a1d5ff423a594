package parquetio

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/parquetio/internal/encoding"
	"github.com/colagg/colagg/vector"
)

// stringDecoder decodes BYTE_ARRAY values in one encoding.
type stringDecoder interface {
	Reset(page []byte) error
	Decode(dst *encoding.Strings, n int) error
	Skip(n int) error
}

// stringDecoders decodes BYTE_ARRAY values in the encodings that they may have
// and pays for the memory of what comes out.
type stringDecoders struct {
	mem    *spender
	paid   int64
	plain  encoding.PlainStrings
	length encoding.DeltaLengthStrings
	prefix encoding.DeltaStrings
	now    stringDecoder // of the page
}

func (d *stringDecoders) load(e int, page []byte) error {
	switch e {
	case encodingPlain:
		d.now = &d.plain
	case encodingDeltaLengthByteArray:
		d.now = &d.length
	case encodingDeltaByteArray:
		d.now = &d.prefix
	default:
		return encodingError{e}
	}
	return d.now.Reset(page)
}

// pay accounts for all that is held, after the decoders have allocated.
func (d *stringDecoders) pay(held ...*encoding.Strings) error {
	var size int64
	for _, s := range held {
		size += int64(cap(s.Data) + 4*cap(s.Offsets))
	}
	if err := d.mem.spend(size - d.paid); err != nil {
		return err
	}
	d.paid = size
	return nil
}

const (
	// prefixStep is how many strings of prefixes and suffixes are decoded at a
	// time; the decoder looks at as many before it takes memory for them.
	prefixStep = 256
	// firstPrefixed is the memory that they begin with.
	firstPrefixed = 64 << 10
	// beyond is how much more than the strings the decoder may touch.
	beyond = 64
)

// decode appends the next n values to dst. It takes no more memory than the
// page has, but for pages of prefixes and suffixes, which can hold much more
// than their size: what they need is paid for before it is taken.
func (d *stringDecoders) decode(dst *encoding.Strings, n int) error {
	if d.now != &d.prefix {
		dst.Limit = 0
		return d.now.Decode(dst, n)
	}
	for n > 0 {
		k := min(n, prefixStep)
		for {
			// A refused step has changed nothing but the decoder itself.
			before := d.prefix
			dst.Limit = max(1, cap(dst.Data)-beyond)
			err := d.prefix.Decode(dst, k)
			if err == nil {
				break
			}
			if !errors.Is(err, vector.ErrTooLong) || dst.Limit >= vector.MaxBytes {
				return err
			}
			d.prefix = before
			if err := d.enlarge(dst); err != nil {
				return err
			}
		}
		n -= k
	}
	return nil
}

// enlarge doubles dst's memory.
func (d *stringDecoders) enlarge(dst *encoding.Strings) error {
	size := min(max(2*cap(dst.Data), firstPrefixed), vector.MaxBytes+beyond)
	more := int64(size - cap(dst.Data))
	if err := d.mem.spend(more); err != nil {
		return err
	}
	d.paid += more
	dst.Data = append(make([]byte, 0, size), dst.Data...)
	return nil
}

// stringValues is the flat of BYTE_ARRAY columns.
type stringValues struct {
	stringDecoders
	rows encoding.Strings
	dict encoding.Strings
}

func (s *stringValues) reset(n int) error {
	if cap(s.rows.Offsets) < n+1 {
		s.rows.Offsets = make([]int32, 0, n+1)
	}
	s.rows.Offsets, s.rows.Data = append(s.rows.Offsets[:0], 0), s.rows.Data[:0]
	return s.pay(&s.rows, &s.dict)
}

func (s *stringValues) view(int) []byte { return nil }

func (s *stringValues) append(at, n, k int, valid vector.Bitmap) error {
	if k > 0 {
		if err := s.decode(&s.rows, k); err != nil {
			return err
		}
	}
	if k < n {
		s.rows.Offsets = s.rows.Offsets[:at+n+1]
		encoding.SpreadOffsets(s.rows.Offsets[at:], k, valid, at)
	}
	return s.pay(&s.rows, &s.dict)
}

func (s *stringValues) gather(at int, codes []uint32, dict *vector.Vector, valid vector.Bitmap) error {
	for i, c := range codes {
		if valid.Get(at + i) {
			p := dict.Data[dict.Offsets[c]:dict.Offsets[c+1]]
			if len(s.rows.Data)+len(p) > vector.MaxBytes {
				return vector.ErrTooLong
			}
			// A short dictionary can make long rows.
			for len(s.rows.Data)+len(p) > cap(s.rows.Data) {
				if err := s.enlarge(&s.rows); err != nil {
					return err
				}
			}
			s.rows.Data = append(s.rows.Data, p...)
		}
		s.rows.Offsets = append(s.rows.Offsets, int32(len(s.rows.Data)))
	}
	return s.pay(&s.rows, &s.dict)
}

func (s *stringValues) skip(k int) error { return s.now.Skip(k) }

func (s *stringValues) fill(v *vector.Vector) { v.Data, v.Offsets = s.rows.Data, s.rows.Offsets }

func (s *stringValues) dictionary(dict *vector.Vector, page []byte, n int) error {
	if n > len(page)/4 {
		return fmt.Errorf("a dictionary page of %d bytes cannot hold %d strings", len(page), n)
	}
	if cap(s.dict.Offsets) < n+1 {
		s.dict.Offsets = make([]int32, 0, n+1)
	}
	s.dict.Offsets, s.dict.Data = append(s.dict.Offsets[:0], 0), s.dict.Data[:0]
	var d encoding.PlainStrings
	if err := d.Reset(page); err != nil {
		return err
	}
	if err := d.Decode(&s.dict, n); err != nil {
		return err
	}
	dict.Data, dict.Offsets = s.dict.Data, s.dict.Offsets
	return s.pay(&s.rows, &s.dict)
}

// decimalStrings is the dense of decimals that are stored as BYTE_ARRAY.
type decimalStrings struct {
	stringDecoders
	out     arrow.DataType
	strings encoding.Strings
}

func (d *decimalStrings) take(int) []byte { return nil }

func (d *decimalStrings) decode(dst []byte, k int) error {
	d.strings.Offsets, d.strings.Data = append(d.strings.Offsets[:0], 0), d.strings.Data[:0]
	if err := d.stringDecoders.decode(&d.strings, k); err != nil {
		return err
	}
	if err := d.pay(&d.strings); err != nil {
		return err
	}
	return stringsToDecimal(d.out, dst, &d.strings)
}

func (d *decimalStrings) skip(k int) error { return d.now.Skip(k) }
