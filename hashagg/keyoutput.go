package hashagg

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// keyOutput builds key columns from packed and encoded keys.
type keyOutput struct{ cols []keyColumn }

// keyColumn collects one column: numbers of an interner, byte strings, or
// values of fixed width. Rows come in order, each once.
type keyColumn struct {
	typ    arrow.DataType
	intern *textKeys
	ids    []uint32
	v      *vector.Vector
	nulls  vector.Bitmap // set bits are NULL rows; nil if none
}

func (k *rowKeys) newOutput(n int) *keyOutput {
	out := &keyOutput{cols: make([]keyColumn, len(k.types))}
	for c, t := range k.types {
		col := &out.cols[c]
		col.typ, col.intern = t, k.interned[c]
		if col.intern != nil {
			col.ids = make([]uint32, n)
		} else {
			col.v = vector.New(t, n)
		}
	}
	return out
}

func (c *keyColumn) rows() int {
	if c.intern != nil {
		return len(c.ids)
	}
	return c.v.Len
}

func (c *keyColumn) null(i int) {
	if c.nulls == nil {
		c.nulls = vector.NewBitmap(c.rows())
	}
	c.nulls.Set(i)
	if c.v != nil && vector.IsBytes(c.typ) {
		c.v.Offsets[i+1] = int32(len(c.v.Data))
	}
}

// word sets row i of a column that is interned or has at most 64 bits.
func (c *keyColumn) word(i int, w uint64) {
	if c.intern != nil {
		c.ids[i] = uint32(w)
	} else {
		putWord(c.v, i, w)
	}
}

// decode reads row i in the encoding of rowKeys.
func (o *keyOutput) decode(i int, b []byte) {
	var nulls []byte
	at := 0
	for c := range o.cols {
		at += o.cols[c].read(i, b[at:])
	}
	if nulls = b[at:]; len(nulls) == 0 {
		return
	}
	for c := range o.cols {
		if nulls[c>>3]>>(c&7)&1 != 0 {
			o.cols[c].null(i)
		}
	}
}

// read sets row i from the bytes at the head of b and returns how many it took.
func (c *keyColumn) read(i int, b []byte) int {
	switch w := vector.Width(c.typ); {
	case c.intern != nil:
		c.ids[i] = binary.LittleEndian.Uint32(b)
		return 4
	case vector.IsBytes(c.typ):
		n := int(binary.LittleEndian.Uint32(b))
		c.v.Data = append(c.v.Data, b[4:4+n]...)
		c.v.Offsets[i+1] = int32(len(c.v.Data))
		return 4 + n
	case c.typ.ID() == arrow.BOOL:
		putWord(c.v, i, uint64(b[0]))
		return 1
	default:
		copy(c.v.Data[i*w:i*w+w], b)
		return w
	}
}

func (o *keyOutput) finish() ([]*vector.Vector, error) {
	out := make([]*vector.Vector, len(o.cols))
	for c := range o.cols {
		col := &o.cols[c]
		v := col.v
		if col.intern != nil && col.intern.space.bound() == 0 {
			v = vector.NewNull(col.typ, len(col.ids)) // no row had a value
		} else if col.intern != nil {
			keys, err := col.intern.keys(col.ids)
			if err != nil {
				return nil, err
			}
			v = keys[0]
		}
		if len(v.Data) > vector.MaxBytes {
			return nil, vector.ErrTooLong
		}
		if col.nulls != nil {
			v.Valid = vector.NewBitmap(v.Len)
			for i := range v.Valid {
				v.Valid[i] = ^col.nulls[i]
			}
		}
		out[c] = v
	}
	return out, nil
}
