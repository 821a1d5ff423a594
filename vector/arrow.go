package vector

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// ToArrow returns v as an Arrow array that shares its memory. v is flattened
// first if it is coded. The caller releases the array.
func ToArrow(v *Vector) (arrow.Array, error) {
	v, err := Flatten(v)
	if err != nil {
		return nil, err
	}
	if v.Type.ID() == arrow.NULL {
		return array.NewNull(v.Len), nil
	}
	var valid *memory.Buffer
	nulls := 0
	if v.Valid != nil {
		valid = memory.NewBufferBytes(v.Valid)
		nulls = v.Len - v.Valid.Count(v.Len)
	}
	bufs := []*memory.Buffer{valid, memory.NewBufferBytes(v.Data)}
	if IsBytes(v.Type) {
		offsets, data := rebase(v)
		bufs = []*memory.Buffer{valid, memory.NewBufferBytes(AsBytes(offsets)), memory.NewBufferBytes(data)}
	}
	if IsList(v.Type) {
		return listToArrow(v, valid, nulls)
	}
	d := array.NewData(v.Type, v.Len, bufs, nil, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d), nil
}

// rebase returns the offsets and the data of a byte string vector such that the
// first offset is 0: Arrow's IPC writer gets arrays without an offset of their
// own wrong where it is not.
func rebase(v *Vector) ([]int32, []byte) {
	offsets := v.Offsets[:v.Len+1]
	first, last := offsets[0], offsets[v.Len]
	if first == 0 {
		return offsets, v.Data[:last]
	}
	moved := make([]int32, len(offsets))
	for i, o := range offsets {
		moved[i] = o - first
	}
	return moved, v.Data[first:last]
}

// ToRecord returns the columns as an Arrow record that shares their memory.
// The caller releases it.
func ToRecord(schema *arrow.Schema, b *Batch) (arrow.Record, error) {
	cols := make([]arrow.Array, len(b.Cols))
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, v := range b.Cols {
		a, err := ToArrow(v)
		if err != nil {
			return nil, err
		}
		cols[i] = a
	}
	return array.NewRecord(schema, cols, int64(b.Len)), nil
}

// FromArrow returns a as a vector. It shares a's memory where the layouts
// agree, so a must stay retained while the vector is used. Dictionary arrays
// become coded vectors; large strings and binaries become ordinary ones, or
// ErrTooLong. Arrays of types that no Vector can hold, and those whose buffers
// are too short for their length, give an error.
func FromArrow(a arrow.Array) (*Vector, error) {
	if d, ok := a.(*array.Dictionary); ok {
		return fromDictionary(d)
	}
	t, err := VectorType(a.DataType())
	if err != nil {
		return nil, err
	}
	if l, ok := a.(*array.List); ok {
		return fromList(l, t)
	}
	v, d := New(t, 0), a.Data()
	if v.Len = d.Len(); v.Len == 0 {
		return v, nil
	}
	if t.ID() == arrow.NULL {
		return NewNull(t, v.Len), nil
	}
	if b := buffer(d, 0); d.NullN() != 0 && len(b) > 0 {
		if v.Valid, err = sliceBits(b, d.Offset(), v.Len); err != nil {
			return nil, err
		}
	}
	data := buffer(d, 1)
	switch w := Width(t); {
	case t.ID() == arrow.BOOL:
		v.Data, err = sliceBits(data, d.Offset(), v.Len)
	case arrow.IsLargeBinaryLike(a.DataType().ID()):
		err = v.setLarge(View[int64](data), d.Offset(), buffer(d, 2))
	case IsBytes(t):
		if len(data)/4 < d.Offset()+v.Len+1 {
			return nil, errShort
		}
		v.Offsets, v.Data = View[int32](data)[d.Offset():][:v.Len+1], buffer(d, 2)
	case len(data) < (d.Offset()+v.Len)*w:
		err = errShort
	default:
		v.Data = data[d.Offset()*w:][:v.Len*w]
	}
	return v, err
}

var errShort = errors.New("vector: a buffer of an Arrow array is too short for its length")

// buffer returns the bytes of d's k-th buffer; Arrow arrays leave out buffers
// that nothing would be in.
func buffer(d arrow.ArrayData, k int) []byte {
	if b := d.Buffers(); k < len(b) && b[k] != nil {
		return b[k].Bytes()
	}
	return nil
}

// VectorType returns the type that FromArrow gives for arrays of type t.
func VectorType(t arrow.DataType) (arrow.DataType, error) {
	switch t.ID() {
	case arrow.DICTIONARY:
		return VectorType(t.(*arrow.DictionaryType).ValueType)
	case arrow.LARGE_STRING:
		return arrow.BinaryTypes.String, nil
	case arrow.LARGE_BINARY:
		return arrow.BinaryTypes.Binary, nil
	case arrow.LIST:
		return listType(t.(*arrow.ListType))
	}
	if !Supported(t) {
		return nil, fmt.Errorf("vector: a column of Arrow type %s is not supported", t)
	}
	return t, nil
}

// setLarge sets v to the byte strings of data whose 64-bit offsets start at the
// given index.
func (v *Vector) setLarge(offsets []int64, at int, data []byte) error {
	if len(offsets) < at+v.Len+1 {
		return errShort
	}
	offsets = offsets[at:][:v.Len+1]
	first, last := offsets[0], offsets[v.Len]
	if last-first > MaxBytes {
		return ErrTooLong
	}
	v.Data = data[first:last]
	v.Offsets = make([]int32, v.Len+1)
	for i, o := range offsets {
		v.Offsets[i] = int32(o - first)
	}
	return nil
}

func fromDictionary(a *array.Dictionary) (*Vector, error) {
	dict, err := FromArrow(a.Dictionary())
	if err == nil {
		dict, err = Flatten(dict)
	}
	if err != nil {
		return nil, err
	}
	dict.ID = NextID()
	v := &Vector{Type: dict.Type, Len: a.Len(), Codes: make([]uint32, a.Len()), Dict: dict}
	for i := range v.Len {
		if a.IsNull(i) {
			if v.Valid == nil {
				v.Valid = NewBitmap(v.Len)
				v.Valid.SetRange(0, v.Len)
			}
			v.Valid.Clear(i)
			continue
		}
		k := a.GetValueIndex(i)
		if k < 0 || k >= dict.Len {
			return nil, fmt.Errorf("vector: row %d of a dictionary array has index %d of %d entries", i, k, dict.Len)
		}
		v.Codes[i] = uint32(k)
	}
	return v, nil
}

// sliceBits returns n bits of b from bit off on, in b's memory where they start
// at a byte.
func sliceBits(b []byte, off, n int) (Bitmap, error) {
	if len(b)*8 < off+n {
		return nil, errShort
	}
	if off&7 == 0 {
		return b[off>>3:][:(n+7)/8], nil
	}
	out := NewBitmap(n)
	for i := range n {
		if Bitmap(b).Get(off + i) {
			out.Set(i)
		}
	}
	return out, nil
}
