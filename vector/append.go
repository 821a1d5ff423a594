package vector

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
)

// MaxBytes is the most bytes of string data that one vector can hold: Arrow's
// offsets are 32 bits wide.
const MaxBytes = math.MaxInt32

// ErrTooLong is returned when the byte strings of one vector would exceed
// MaxBytes.
var ErrTooLong = fmt.Errorf("vector: more than %d bytes of strings in one vector", MaxBytes)

// Builder appends rows of other vectors to a flat vector of its own.
type Builder struct {
	v     Vector
	nulls int
}

// NewBuilder returns an empty builder for type t.
func NewBuilder(t arrow.DataType) *Builder {
	b := &Builder{}
	b.v.Type = t
	if IsBytes(t) {
		b.v.Offsets = append(b.v.Offsets, 0)
	}
	return b
}

// Len returns the number of rows appended.
func (b *Builder) Len() int { return b.v.Len }

// Size returns the bytes of memory that the builder holds.
func (b *Builder) Size() int64 {
	return int64(cap(b.v.Data) + 4*cap(b.v.Offsets) + cap(b.v.Valid))
}

// Reset empties the builder and keeps its memory; vectors got from it before
// become invalid.
func (b *Builder) Reset() {
	b.v.Len, b.nulls = 0, 0
	b.v.Data, b.v.Valid = b.v.Data[:0], b.v.Valid[:0]
	if b.v.Offsets != nil {
		b.v.Offsets = append(b.v.Offsets[:0], 0)
	}
}

// Vector returns the rows appended so far. It shares the builder's memory and
// is valid until the next append or Reset.
func (b *Builder) Vector() *Vector {
	v := b.v
	if b.nulls == 0 && v.Type.ID() != arrow.NULL {
		v.Valid = nil
	}
	return &v
}

func (b *Builder) bit(bits []byte, i int, set bool) []byte {
	if i>>3 == len(bits) {
		bits = append(bits, 0)
	}
	if set {
		bits[i>>3] |= 1 << (i & 7)
	}
	return bits
}

// AppendNull adds a row without a value.
func (b *Builder) AppendNull() {
	i := b.v.Len
	b.v.Valid = b.bit(b.v.Valid, i, false)
	b.nulls++
	b.v.Len++
	switch t := b.v.Type; {
	case t.ID() == arrow.BOOL:
		b.v.Data = b.bit(b.v.Data, i, false)
	case IsBytes(t):
		b.v.Offsets = append(b.v.Offsets, int32(len(b.v.Data)))
	default:
		for range Width(t) {
			b.v.Data = append(b.v.Data, 0)
		}
	}
}

// AppendBytes adds one row whose value has the bytes p, in the form of
// Vector.Bytes.
func (b *Builder) AppendBytes(p []byte) error {
	i := b.v.Len
	switch t := b.v.Type; {
	case t.ID() == arrow.BOOL:
		b.v.Data = b.bit(b.v.Data, i, p[0] != 0)
	case IsBytes(t):
		if len(b.v.Data)+len(p) > MaxBytes {
			return ErrTooLong
		}
		b.v.Data = append(b.v.Data, p...)
		b.v.Offsets = append(b.v.Offsets, int32(len(b.v.Data)))
	default:
		b.v.Data = append(b.v.Data, p...)
	}
	b.v.Valid = b.bit(b.v.Valid, i, true)
	b.v.Len++
	return nil
}

// Append adds the rows of src that sel lists, or all rows if sel is nil.
func (b *Builder) Append(src *Vector, sel []uint32) error {
	n := src.Len
	if sel != nil {
		n = len(sel)
	}
	for k := range n {
		i := k
		if sel != nil {
			i = int(sel[k])
		}
		if src.IsNull(i) {
			b.AppendNull()
		} else if err := b.AppendBytes(src.Bytes(i)); err != nil {
			return err
		}
	}
	return nil
}
