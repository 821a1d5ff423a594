package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/parquetio/internal/encoding"
	"github.com/colagg/colagg/vector"
)

// flat decodes the values of one column's pages, which are dense (NULLs have
// none), and puts them in the rows of a batch.
type flat interface {
	// reset begins a batch of n rows.
	reset(n int) error
	// load begins a data page's values in encoding e.
	load(e int, page []byte) error
	// view returns the next n values in the form of Vector.Data without a copy
	// and passes over them, or nil if that is not possible.
	view(n int) []byte
	// append puts the next k values in those of the n rows from at on that
	// are valid; valid is nil when k is n.
	append(at, n, k int, valid vector.Bitmap) error
	// gather puts entries of a dictionary in the rows from at on. Rows that
	// are not valid get any value.
	gather(at int, codes []uint32, dict *vector.Vector, valid vector.Bitmap) error
	// skip passes over k values.
	skip(k int) error
	// fill sets the contents of a vector to the batch's rows.
	fill(v *vector.Vector)
	// dictionary decodes a dictionary page of n entries into dict.
	dictionary(dict *vector.Vector, page []byte, n int) error
}

// newFlat returns the decoder for a column.
func newFlat(c *Column, mem *spender) flat {
	switch {
	case c.Type.ID() == arrow.BOOL:
		return &boolValues{mem: mem}
	case vector.IsBytes(c.Type):
		return &stringValues{stringDecoders: stringDecoders{mem: mem}}
	case c.leaf.physical == physicalByteArray:
		return &fixedValues{mem: mem, width: vector.Width(c.Type), dense: &decimalStrings{stringDecoders: stringDecoders{mem: mem}, out: c.Type}}
	}
	return &fixedValues{mem: mem, width: vector.Width(c.Type), dense: &storedFixed{mem: mem, leaf: &c.leaf}}
}

// encodingError says that a page has an encoding that its column cannot have.
type encodingError struct{ encoding int }

func (e encodingError) Error() string {
	return fmt.Sprintf("a page in encoding %s, which values of this type cannot be in", encodingName(e.encoding))
}

// boolValues is the flat of BOOLEAN columns.
type boolValues struct {
	mem           *spender
	plain         encoding.PlainBools
	rle           encoding.RLEBools
	now           boolDecoder
	rows, scratch []byte
	dict          []byte
}

type boolDecoder interface {
	Reset(page []byte) error
	Decode(dst vector.Bitmap, at, n int) error
	Skip(n int) error
}

func (b *boolValues) reset(n int) (err error) {
	b.rows, err = b.mem.grow(b.rows, (n+7)/8)
	return err
}

func (b *boolValues) load(e int, page []byte) error {
	switch e {
	case encodingPlain:
		b.now = &b.plain
	case encodingRLE:
		b.now = &b.rle
	default:
		return encodingError{e}
	}
	return b.now.Reset(page)
}

func (b *boolValues) view(int) []byte { return nil }

func (b *boolValues) append(at, n, k int, valid vector.Bitmap) (err error) {
	if k == n {
		return b.now.Decode(b.rows, at, n)
	}
	if b.scratch, err = b.mem.grow(b.scratch, (n+7)/8); err != nil {
		return err
	}
	if k > 0 {
		if err := b.now.Decode(b.scratch, 0, k); err != nil {
			return err
		}
	}
	encoding.SpreadBits(b.rows, b.scratch, valid, at, n)
	return nil
}

func (b *boolValues) gather(at int, codes []uint32, dict *vector.Vector, valid vector.Bitmap) error {
	rows := vector.Bitmap(b.rows)
	for i, c := range codes {
		if valid.Get(at+i) && vector.Bitmap(dict.Data).Get(int(c)) {
			rows.Set(at + i)
		} else {
			rows.Clear(at + i)
		}
	}
	return nil
}

func (b *boolValues) skip(k int) error { return b.now.Skip(k) }

func (b *boolValues) fill(v *vector.Vector) { v.Data = b.rows }

func (b *boolValues) dictionary(dict *vector.Vector, page []byte, n int) (err error) {
	if b.dict, err = b.mem.grow(b.dict, (n+7)/8); err != nil {
		return err
	}
	var d encoding.PlainBools
	if err := d.Reset(page); err != nil {
		return err
	}
	dict.Data = b.dict
	return d.Decode(b.dict, 0, n)
}
