package vector

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// IsList reports whether vectors of type t hold lists.
func IsList(t arrow.DataType) bool { return t.ID() == arrow.LIST }

// Elem returns the type of the elements of lists of type t.
func Elem(t arrow.DataType) arrow.DataType { return t.(*arrow.ListType).Elem() }

// NewList returns a flat vector of lists of child's elements, whose memory it
// shares: row i has those from offsets[i] up to offsets[i+1]. No row is NULL;
// the caller may set Valid. child is flat.
func NewList(offsets []int32, child *Vector) *Vector {
	return &Vector{Type: arrow.ListOf(child.Type), Len: len(offsets) - 1, Offsets: offsets, Child: child}
}

// elements returns the positions in src.Child of the elements of the rows that
// sel lists, never nil, and appends to offsets where each row's end.
func elements(src *Vector, sel []uint32, offsets []int32) ([]int32, []uint32, error) {
	total := 0
	for _, i := range sel {
		if src.Valid.Get(int(i)) {
			total += int(src.Offsets[i+1] - src.Offsets[i])
		}
	}
	if total > MaxBytes {
		return nil, nil, ErrTooLong
	}
	out := make([]uint32, 0, total)
	for _, i := range sel {
		if src.Valid.Get(int(i)) {
			for k := src.Offsets[i]; k < src.Offsets[i+1]; k++ {
				out = append(out, uint32(k))
			}
		}
		offsets = append(offsets, int32(len(out)))
	}
	return offsets, out, nil
}

func gatherLists(dst, src *Vector, sel []uint32) (err error) {
	dst.Codes, dst.Data = nil, dst.Data[:0]
	dst.Offsets = Resize(dst.Offsets, len(sel)+1)
	dst.Offsets[0] = 0
	if c := src.Child; Width(c.Type) > 0 && !c.MayHaveNulls() {
		return gatherRanges(dst, src, sel)
	}
	var at []uint32
	if dst.Offsets, at, err = elements(src, sel, dst.Offsets[:1]); err != nil {
		return err
	}
	if dst.Child != nil && !dst.Child.Flat() {
		dst.Child = nil
	}
	dst.Child, err = Gather(dst.Child, src.Child, at)
	return err
}

// gatherRanges is gatherLists where the elements have a fixed width and are not
// NULL.
func gatherRanges(dst, src *Vector, sel []uint32) error {
	total, w := 0, Width(src.Child.Type)
	for _, i := range sel {
		if src.Valid.Get(int(i)) {
			total += int(src.Offsets[i+1] - src.Offsets[i])
		}
	}
	if total > MaxBytes {
		return ErrTooLong
	}
	child := &Vector{Type: src.Child.Type, Len: total}
	if dst.Child != nil {
		child.Data = dst.Child.Data
	}
	child.Data = Resize(child.Data, total*w)[:0]
	for k, i := range sel {
		if src.Valid.Get(int(i)) {
			child.Data = append(child.Data, src.Child.Data[int(src.Offsets[i])*w:int(src.Offsets[i+1])*w]...)
		}
		dst.Offsets[k+1] = int32(len(child.Data) / w)
	}
	dst.Child = child
	return nil
}

// appendLists is Append of lists.
func (b *Builder) appendLists(src *Vector, sel []uint32) error {
	n := src.Len
	if sel != nil {
		n = len(sel)
	}
	from, rows := src, make([]uint32, n)
	if src.Dict != nil {
		from = src.Dict
	}
	for k := range rows {
		i := k
		if sel != nil {
			i = int(sel[k])
		}
		if rows[k] = uint32(i); src.Dict != nil && !src.IsNull(i) {
			rows[k] = uint32(src.Code(i))
		}
	}
	for k := 0; k < n; {
		end := k
		for end < n && !b.nullAt(src, sel, end) {
			end++
		}
		if err := b.appendElements(from, rows[k:end]); err != nil {
			return err
		}
		if k = end; k < n {
			b.AppendNull()
			k++
		}
	}
	return nil
}

func (b *Builder) nullAt(src *Vector, sel []uint32, k int) bool {
	if sel != nil {
		k = int(sel[k])
	}
	return src.IsNull(k)
}

// appendElements adds rows of flat lists, none of which is NULL.
func (b *Builder) appendElements(src *Vector, rows []uint32) error {
	for _, i := range rows {
		if err := b.child.appendRange(src.Child, int(src.Offsets[i]), int(src.Offsets[i+1])); err != nil {
			return err
		}
		b.v.Offsets = append(b.v.Offsets, int32(b.child.Len()))
	}
	b.valid(len(rows))
	return nil
}

// appendRange adds rows lo up to hi of a flat vector.
func (b *Builder) appendRange(src *Vector, lo, hi int) error {
	if b.v.Len+hi-lo > MaxBytes {
		return ErrTooLong
	}
	if !src.MayHaveNulls() && src.Type.ID() != arrow.BOOL {
		part := Vector{Type: src.Type, Len: hi - lo, Data: src.Data}
		if src.Offsets != nil {
			part.Offsets = src.Offsets[lo : hi+1]
		} else {
			part.Data = src.Data[lo*Width(src.Type):]
		}
		return b.appendFlat(&part)
	}
	for i := lo; i < hi; i++ {
		if src.IsNull(i) {
			b.AppendNull()
		} else if err := b.AppendBytes(src.Bytes(i)); err != nil {
			return err
		}
	}
	return nil
}

// listToArrow is ToArrow of flat lists. The elements begin with those of the
// first row, for the reason that rebase has.
func listToArrow(v *Vector, valid *memory.Buffer, nulls int) (arrow.Array, error) {
	offsets, child := v.Offsets[:v.Len+1], v.Child
	if first, last := offsets[0], offsets[v.Len]; first != 0 {
		at := make([]uint32, last-first)
		for i := range at {
			at[i] = uint32(first) + uint32(i)
		}
		var err error
		if child, err = Gather(nil, child, at); err != nil {
			return nil, err
		}
		moved := make([]int32, len(offsets))
		for i, o := range offsets {
			moved[i] = o - first
		}
		offsets = moved
	} else if int(last) < child.Len {
		cut := new(Vector)
		Slice(cut, child, 0, int(last))
		child = cut
	}
	elems, err := ToArrow(child)
	if err != nil {
		return nil, err
	}
	defer elems.Release()
	d := array.NewData(v.Type, v.Len, []*memory.Buffer{valid, memory.NewBufferBytes(AsBytes(offsets))}, []arrow.ArrayData{elems.Data()}, nulls, 0)
	defer d.Release()
	return array.MakeFromData(d), nil
}

// fromList is FromArrow of lists; t is the type of the vector.
func fromList(a *array.List, t arrow.DataType) (*Vector, error) {
	v, d := New(t, 0), a.Data()
	if v.Len = d.Len(); v.Len == 0 {
		return v, nil
	}
	child, err := FromArrow(a.ListValues())
	if err == nil {
		v.Child, err = Flatten(child)
	}
	if err != nil {
		return nil, err
	}
	if b := buffer(d, 0); d.NullN() != 0 && len(b) > 0 {
		if v.Valid, err = sliceBits(b, d.Offset(), v.Len); err != nil {
			return nil, err
		}
	}
	offsets := buffer(d, 1)
	if len(offsets)/4 < d.Offset()+v.Len+1 {
		return nil, errShort
	}
	v.Offsets = View[int32](offsets)[d.Offset():][:v.Len+1]
	last := int32(0)
	for _, o := range v.Offsets {
		if o < last || int(o) > v.Child.Len {
			return nil, fmt.Errorf("vector: a list array of %d elements has the offset %d after %d", v.Child.Len, o, last)
		}
		last = o
	}
	return v, nil
}

// listType is VectorType of a type of lists.
func listType(t *arrow.ListType) (arrow.DataType, error) {
	e, err := VectorType(t.Elem())
	if err == nil && IsList(e) {
		err = fmt.Errorf("vector: a column of Arrow type %s is not supported", t)
	}
	if err != nil || arrow.TypeEqual(e, t.Elem()) {
		return t, err
	}
	f := t.ElemField()
	f.Type = e
	return arrow.ListOfField(f), nil
}
