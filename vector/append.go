package vector

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
)

// MaxBytes is the most bytes of string data, and the most elements of lists,
// that one vector can hold: Arrow's offsets are 32 bits wide.
const MaxBytes = math.MaxInt32

// ErrTooLong is returned when the byte strings, or the elements of lists, of
// one vector would exceed MaxBytes.
var ErrTooLong = fmt.Errorf("vector: more than %d bytes of strings or elements of lists in one vector", MaxBytes)

// Builder appends rows of other vectors to a flat vector of its own.
type Builder struct {
	v     Vector
	nulls int
	child *Builder // of lists
}

// NewBuilder returns an empty builder for type t.
func NewBuilder(t arrow.DataType) *Builder {
	b := &Builder{}
	b.v.Type = t
	if IsList(t) {
		b.child = NewBuilder(Elem(t))
	}
	if IsBytes(t) || IsList(t) {
		b.v.Offsets = append(b.v.Offsets, 0)
	}
	return b
}

// Len returns the number of rows appended.
func (b *Builder) Len() int { return b.v.Len }

// Size returns the bytes of memory that the builder holds.
func (b *Builder) Size() int64 {
	n := int64(cap(b.v.Data) + 4*cap(b.v.Offsets) + cap(b.v.Valid))
	if b.child != nil {
		n += b.child.Size()
	}
	return n
}

// Reset empties the builder and keeps its memory; vectors got from it before
// become invalid.
func (b *Builder) Reset() {
	b.v.Len, b.nulls = 0, 0
	b.v.Data = b.v.Data[:0]
	if b.v.Offsets != nil {
		b.v.Offsets = append(b.v.Offsets[:0], 0)
	}
	if b.child != nil {
		b.child.Reset()
	}
}

// Vector returns the rows appended so far. It shares the builder's memory and
// is valid until the next append or Reset.
func (b *Builder) Vector() *Vector {
	v := b.v
	if b.child != nil {
		v.Child = b.child.Vector()
	}
	if b.nulls == 0 && v.Type.ID() != arrow.NULL {
		v.Valid = nil
	} else if b.nulls == 0 {
		v.Valid = NewBitmap(0)
	}
	return &v
}

// valid notes that n rows with a value follow. Valid is kept only from the
// first NULL on.
func (b *Builder) valid(n int) {
	if b.nulls > 0 {
		b.bits(n)
		b.v.Valid.SetRange(b.v.Len, b.v.Len+n)
	}
	b.v.Len += n
}

// null notes that a row without a value follows.
func (b *Builder) null() {
	if b.nulls == 0 {
		b.v.Valid = Resize(b.v.Valid, (b.v.Len+7)/8)
		clear(b.v.Valid)
		b.v.Valid.SetRange(0, b.v.Len)
	}
	b.nulls++
	b.bits(1)
	b.v.Len++
}

// bits makes room for n more bits in Valid; new ones are clear.
func (b *Builder) bits(n int) {
	for len(b.v.Valid) < (b.v.Len+n+7)/8 {
		b.v.Valid = append(b.v.Valid, 0)
	}
}

// truth appends a boolean to Data.
func (b *Builder) truth(set bool) {
	if b.v.Len>>3 == len(b.v.Data) {
		b.v.Data = append(b.v.Data, 0)
	}
	if set {
		Bitmap(b.v.Data).Set(b.v.Len)
	}
}

// AppendNull adds a row without a value.
func (b *Builder) AppendNull() {
	switch t := b.v.Type; {
	case t.ID() == arrow.BOOL:
		b.truth(false)
	case IsBytes(t):
		b.v.Offsets = append(b.v.Offsets, int32(len(b.v.Data)))
	case IsList(t):
		b.v.Offsets = append(b.v.Offsets, int32(b.child.Len()))
	default:
		for range Width(t) {
			b.v.Data = append(b.v.Data, 0)
		}
	}
	b.null()
}

// AppendBytes adds one row whose value has the bytes p, in the form of
// Vector.Bytes, which lists do not have.
func (b *Builder) AppendBytes(p []byte) error {
	switch t := b.v.Type; {
	case t.ID() == arrow.BOOL:
		b.truth(p[0] != 0)
	case IsBytes(t):
		if len(b.v.Data)+len(p) > MaxBytes {
			return ErrTooLong
		}
		b.v.Data = append(b.v.Data, p...)
		b.v.Offsets = append(b.v.Offsets, int32(len(b.v.Data)))
	default:
		b.v.Data = append(b.v.Data, p...)
	}
	b.valid(1)
	return nil
}

// Append adds the rows of src that sel lists, or all rows if sel is nil.
func (b *Builder) Append(src *Vector, sel []uint32) error {
	if b.child != nil {
		return b.appendLists(src, sel)
	}
	if sel != nil && Width(src.Type) > 0 && !src.MayHaveNulls() && (src.Dict == nil || src.Codes != nil) {
		b.appendFixed(src, sel)
		return nil
	}
	if sel == nil && src.Flat() && src.Type.ID() != arrow.BOOL && !src.MayHaveNulls() {
		return b.appendFlat(src)
	}
	if sel != nil && IsBytes(src.Type) && !src.MayHaveNulls() && (src.Dict == nil || src.Codes != nil) {
		return b.appendTexts(src, sel)
	}
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

// appendFlat adds all rows of a flat vector other than of booleans, which all
// have a value.
func (b *Builder) appendFlat(src *Vector) error {
	if src.Offsets == nil {
		b.v.Data = append(b.v.Data, src.Data[:src.Len*Width(src.Type)]...)
		b.valid(src.Len)
		return nil
	}
	first, last := src.Offsets[0], src.Offsets[src.Len]
	if len(b.v.Data)+int(last-first) > MaxBytes {
		return ErrTooLong
	}
	shift := int32(len(b.v.Data)) - first
	b.v.Data = append(b.v.Data, src.Data[first:last]...)
	for _, o := range src.Offsets[1 : src.Len+1] {
		b.v.Offsets = append(b.v.Offsets, o+shift)
	}
	b.valid(src.Len)
	return nil
}

// appendFixed adds rows of a fixed width that all have a value.
func (b *Builder) appendFixed(src *Vector, sel []uint32) {
	from, codes := src, src.Codes
	if src.Dict != nil {
		from = src.Dict
	}
	w := Width(src.Type)
	at := len(b.v.Data)
	b.v.Data = slices.Grow(b.v.Data, len(sel)*w)[:at+len(sel)*w]
	dst := b.v.Data[at:]
	switch w {
	case 4:
		pick(View[uint32](dst), View[uint32](from.Data), codes, sel)
	case 8:
		pick(View[uint64](dst), View[uint64](from.Data), codes, sel)
	case 16:
		pick(View[[2]uint64](dst), View[[2]uint64](from.Data), codes, sel)
	default:
		for k, i := range sel {
			if codes != nil {
				i = codes[i]
			}
			copy(dst[k*w:k*w+w], from.Data[int(i)*w:])
		}
	}
	b.valid(len(sel))
}

// appendTexts adds byte strings that all have a value.
func (b *Builder) appendTexts(src *Vector, sel []uint32) error {
	from, codes := src, src.Codes
	if src.Dict != nil {
		from = src.Dict
	}
	data, offsets := b.v.Data, b.v.Offsets
	for _, i := range sel {
		if codes != nil {
			i = codes[i]
		}
		data = append(data, from.Data[from.Offsets[i]:from.Offsets[i+1]]...)
		if len(data) > MaxBytes {
			return ErrTooLong
		}
		offsets = append(offsets, int32(len(data)))
	}
	b.v.Data, b.v.Offsets = data, offsets
	b.valid(len(sel))
	return nil
}

// pick sets dst to the elements of src that sel lists, by way of codes if they
// are not nil.
func pick[T Fixed](dst, src []T, codes, sel []uint32) {
	dst = dst[:len(sel)]
	if codes != nil {
		for k, i := range sel {
			dst[k] = src[codes[i]]
		}
		return
	}
	for k, i := range sel {
		dst[k] = src[i]
	}
}
