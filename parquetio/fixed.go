package parquetio

import (
	"fmt"

	"github.com/colagg/colagg/parquetio/internal/encoding"
	"github.com/colagg/colagg/vector"
)

// dense decodes values of a fixed-width Arrow type from the stored ones.
type dense interface {
	load(e int, page []byte) error
	// take returns the next k values without a copy and passes over them, or
	// nil if they are not stored as they are wanted.
	take(k int) []byte
	// decode fills dst with the next k values.
	decode(dst []byte, k int) error
	skip(k int) error
}

// fixedValues is the flat of columns of fixed width.
type fixedValues struct {
	mem   *spender
	width int
	dense dense
	rows  []byte
	dict  []byte
}

func (f *fixedValues) reset(n int) (err error) {
	f.rows, err = f.mem.grow(f.rows, n*f.width)
	return err
}

func (f *fixedValues) load(e int, page []byte) error { return f.dense.load(e, page) }

func (f *fixedValues) view(n int) []byte { return f.dense.take(n) }

func (f *fixedValues) append(at, n, k int, valid vector.Bitmap) error {
	dst := f.rows[at*f.width : (at+n)*f.width]
	if k == 0 {
		clear(dst)
		return nil
	}
	src := f.dense.take(k)
	if src == nil {
		src = dst[:k*f.width]
		if err := f.dense.decode(src, k); err != nil {
			return err
		}
	} else if k == n {
		copy(dst, src)
	}
	if k < n {
		encoding.Spread(dst, src, f.width, valid, at)
	}
	return nil
}

func (f *fixedValues) gather(at int, codes []uint32, dict *vector.Vector, _ vector.Bitmap) error {
	dst := f.rows[at*f.width : (at+len(codes))*f.width]
	if dict.Len == 0 {
		clear(dst)
		return nil
	}
	switch f.width {
	case 4:
		gather[uint32](dst, dict.Data, codes)
	case 8:
		gather[uint64](dst, dict.Data, codes)
	case 16:
		gather[[2]uint64](dst, dict.Data, codes)
	default:
		for i, c := range codes {
			copy(dst[i*f.width:(i+1)*f.width], dict.Data[int(c)*f.width:])
		}
	}
	return nil
}

func gather[T vector.Fixed](dst, src []byte, codes []uint32) {
	d, s := vector.View[T](dst), vector.View[T](src)
	for i, c := range codes {
		d[i] = s[c]
	}
}

func (f *fixedValues) skip(k int) error { return f.dense.skip(k) }

func (f *fixedValues) fill(v *vector.Vector) { v.Data = f.rows }

func (f *fixedValues) dictionary(dict *vector.Vector, page []byte, n int) (err error) {
	if err := f.dense.load(encodingPlain, page); err != nil {
		return err
	}
	// Each value takes a byte of the page at least, which bounds n.
	if n > len(page) {
		return fmt.Errorf("a dictionary page of %d bytes cannot hold %d values", len(page), n)
	}
	if f.dict, err = f.mem.grow(f.dict, n*f.width); err != nil {
		return err
	}
	dict.Data = f.dict
	return f.dense.decode(f.dict, n)
}

// storedFixed is the dense of values that are stored in a fixed width too.
type storedFixed struct {
	mem     *spender
	leaf    *leaf
	now     int    // the page's encoding
	plain   []byte // PLAIN: values left
	split   encoding.ByteStreamSplit
	delta32 encoding.Delta[int32]
	delta64 encoding.Delta[int64]
	prefix  encoding.DeltaStrings
	scratch []byte
}

func (s *storedFixed) load(e int, page []byte) error {
	s.now, s.plain = e, nil
	switch p := s.leaf.physical; {
	case e == encodingPlain:
		s.plain = page
		return nil
	case e == encodingByteStreamSplit && p != physicalInt96:
		return s.split.Reset(page, s.leaf.width)
	case e == encodingDeltaBinaryPacked && p == physicalInt32:
		return s.delta32.Reset(page)
	case e == encodingDeltaBinaryPacked && p == physicalInt64:
		return s.delta64.Reset(page)
	case e == encodingDeltaByteArray && p == physicalFixed:
		return s.prefix.Reset(page)
	}
	return encodingError{e}
}

func (s *storedFixed) take(k int) []byte {
	n := k * s.leaf.width
	if s.now != encodingPlain || s.leaf.convert != nil || n > len(s.plain) {
		return nil
	}
	p := s.plain[:n:n]
	s.plain = s.plain[n:]
	return p
}

func (s *storedFixed) decode(dst []byte, k int) (err error) {
	if s.leaf.convert == nil {
		return s.stored(dst)
	}
	n := k * s.leaf.width
	if s.now == encodingPlain && n <= len(s.plain) {
		src := s.plain[:n]
		s.plain = s.plain[n:]
		return s.leaf.convert(dst, src)
	}
	if s.scratch, err = s.mem.grow(s.scratch, n); err != nil {
		return err
	}
	if err := s.stored(s.scratch); err != nil {
		return err
	}
	return s.leaf.convert(dst, s.scratch)
}

// stored fills dst with the next values as they are stored.
func (s *storedFixed) stored(dst []byte) error {
	switch s.now {
	case encodingByteStreamSplit:
		return s.split.Decode(dst)
	case encodingDeltaBinaryPacked:
		if s.leaf.physical == physicalInt32 {
			return s.delta32.Decode(vector.View[int32](dst))
		}
		return s.delta64.Decode(vector.View[int64](dst))
	case encodingDeltaByteArray:
		return s.prefix.DecodeFixed(dst, s.leaf.width)
	}
	if len(dst) > len(s.plain) {
		return errValues
	}
	copy(dst, s.plain)
	s.plain = s.plain[len(dst):]
	return nil
}

func (s *storedFixed) skip(k int) error {
	switch s.now {
	case encodingByteStreamSplit:
		return s.split.Skip(k)
	case encodingDeltaBinaryPacked:
		if s.leaf.physical == physicalInt32 {
			return s.delta32.Skip(k)
		}
		return s.delta64.Skip(k)
	case encodingDeltaByteArray:
		return s.prefix.Skip(k)
	}
	if k*s.leaf.width > len(s.plain) {
		return errValues
	}
	s.plain = s.plain[k*s.leaf.width:]
	return nil
}
