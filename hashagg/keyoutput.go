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
	kind   kind
	width  int    // bytes of a number or of a fixed value
	escape uint32 // of numbers
	ids    []uint32
	v      *vector.Vector
	nulls  vector.Bitmap // set bits are NULL rows; nil if none
}

func (k *rowKeys) newOutput(n int) *keyOutput {
	out := &keyOutput{cols: make([]keyColumn, len(k.types))}
	for c, t := range k.types {
		col := &out.cols[c]
		col.typ, col.intern = t, k.interned[c].texts
		switch {
		case col.intern != nil:
			col.kind, col.width, col.escape = kindNumber, k.interned[c].width, k.interned[c].escape()
			col.ids = make([]uint32, n)
			continue
		case vector.IsBytes(t):
			col.kind = kindText
		case t.ID() == arrow.BOOL:
			col.kind = kindBool
		default:
			col.width = vector.Width(t)
		}
		col.v = vector.New(t, n)
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
	escaped := false
	for c := range o.cols {
		col := &o.cols[c]
		switch w := col.width; col.kind {
		case kindNumber:
			var id uint32
			switch w {
			case 1:
				id = uint32(b[0])
			case 2:
				id = uint32(binary.LittleEndian.Uint16(b))
			case 3:
				id = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
			default:
				id = binary.LittleEndian.Uint32(b)
			}
			col.ids[i] = id
			escaped = escaped || id == col.escape
			b = b[w:]
		case kindText:
			n := int(binary.LittleEndian.Uint32(b))
			col.v.Data = append(col.v.Data, b[4:4+n]...)
			col.v.Offsets[i+1] = int32(len(col.v.Data))
			b = b[4+n:]
		case kindBool:
			putWord(col.v, i, uint64(b[0]))
			b = b[1:]
		default:
			copy(col.v.Data[i*w:i*w+w], b)
			b = b[w:]
		}
	}
	if escaped {
		for c := range o.cols {
			if col := &o.cols[c]; col.kind == kindNumber && col.ids[i] == col.escape {
				col.ids[i] = binary.LittleEndian.Uint32(b)
				b = b[4:]
			}
		}
	}
	if len(b) == 0 {
		return
	}
	for c := range o.cols {
		if b[c>>3]>>(c&7)&1 != 0 {
			o.cols[c].null(i)
		}
	}
}

// kind is how a column is written in rowKeys.
type kind int

const (
	kindFixed kind = iota
	kindBool
	kindText
	kindNumber
)

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
