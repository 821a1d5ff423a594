package hashagg

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// operand turns arguments into plain slices: dictionary-coded and constant
// vectors are expanded and NULL rows dropped, in memory that is kept from
// batch to batch. So an aggregate function needs one loop only. Booleans come
// as uint8 (0 or 1) and float16 as float32; T is the element type after that.
type operand[T vector.Fixed] struct {
	expanded []T
	kept     []T
	tickets  []uint32
	valid    vector.Bitmap
	widened  vector.Vector // flat, of booleans or float16
	dict     vector.Vector // dictionary of those, widened
	coded    vector.Vector
}

// load returns the values of the rows of v that are not NULL, and their
// tickets. Both are valid until the next load and may share v's memory.
func (o *operand[T]) load(tickets []uint32, v *vector.Vector) ([]uint32, []T) {
	n := len(tickets)
	vals, valid, some := o.all(n, v)
	if !some {
		return nil, nil
	}
	if valid == nil {
		return tickets, vals
	}
	o.kept = vector.Resize(o.kept, n)
	o.tickets = vector.Resize(o.tickets, n)
	k := keepValid(o.tickets, o.kept, tickets, vals, valid)
	return o.tickets[:k], o.kept[:k]
}

// all returns the values of the first n rows of v, NULL ones included, and
// which of them are valid; some is false if none is, and there are no values
// then.
func (o *operand[T]) all(n int, v *vector.Vector) (vals []T, valid vector.Bitmap, some bool) {
	v = o.widen(v)
	if v.Dict == nil {
		return vector.Values[T](v)[:n], v.Valid, n > 0
	}
	if v.Dict.Len == 0 || n == 0 {
		return nil, nil, false
	}
	dict := vector.Values[T](v.Dict)
	o.expanded = vector.Resize(o.expanded, n)
	if v.Codes == nil {
		x := dict[0]
		for i := range o.expanded {
			o.expanded[i] = x
		}
	} else {
		codes := v.Codes[:n]
		out := o.expanded[:len(codes)]
		for i, c := range codes {
			out[i] = dict[c]
		}
	}
	valid, o.valid = rowsValid(o.valid, v, n)
	return o.expanded, valid, true
}

// rowsValid returns which of the first n rows of v are valid, the validity of
// dictionary entries taken into account; nil if all are. scratch may be used
// for it, and is returned grown.
func rowsValid(scratch vector.Bitmap, v *vector.Vector, n int) (valid, kept vector.Bitmap) {
	if v.Dict == nil || v.Dict.Valid == nil {
		return v.Valid, scratch
	}
	scratch = vector.Resize(scratch, (n+7)/8)
	clear(scratch)
	for i := range n {
		if v.Valid.Get(i) && v.Dict.Valid.Get(v.Code(i)) {
			scratch.Set(i)
		}
	}
	return scratch, scratch
}

// bytes returns the memory held.
func (o *operand[T]) bytes() int64 {
	var z [1]T
	w := len(vector.AsBytes(z[:]))
	return int64(w*(cap(o.expanded)+cap(o.kept)) + 4*cap(o.tickets) + cap(o.valid) + cap(o.widened.Data) + cap(o.dict.Data))
}

// widen returns v with a byte for each boolean and a float32 for each float16.
func (o *operand[T]) widen(v *vector.Vector) *vector.Vector {
	id := v.Type.ID()
	if id != arrow.BOOL && id != arrow.FLOAT16 {
		return v
	}
	if v.Dict == nil {
		widenInto(&o.widened, v)
		return &o.widened
	}
	if v.Dict.ID == 0 || v.Dict.ID != o.dict.ID {
		widenInto(&o.dict, v.Dict)
	}
	o.dict.Valid = v.Dict.Valid
	o.coded = *v
	o.coded.Dict = &o.dict
	return &o.coded
}

func widenInto(dst, src *vector.Vector) {
	data := dst.Data
	*dst = *src
	if src.Type.ID() == arrow.BOOL {
		dst.Data = vector.Resize(data, src.Len)
		for i := range dst.Data {
			dst.Data[i] = src.Data[i>>3] >> (i & 7) & 1
		}
		return
	}
	dst.Data = vector.Resize(data, 4*src.Len)
	out := vector.View[float32](dst.Data)
	for i, h := range vector.Values[uint16](src) {
		out[i] = halfToFloat(h)
	}
}

// halfToFloat converts an IEEE 754 binary16 number, exactly.
func halfToFloat(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp, frac := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exp {
	case 0:
		f := float32(frac) * 0x1p-24
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// floatToHalf converts a number that has come from halfToFloat back.
func floatToHalf(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	switch exp := b >> 23 & 0xff; {
	case exp == 0xff:
		return sign | 0x7c00 | uint16(b>>13&0x3ff)
	case exp >= 113:
		return sign | uint16(exp-112)<<10 | uint16(b>>13&0x3ff)
	}
	return sign | uint16(math.Abs(float64(f))*0x1p24)
}

// keepValid copies the tickets and values of valid rows and returns their
// number.
func keepValid[T any](toTickets []uint32, toVals []T, tickets []uint32, vals []T, valid vector.Bitmap) int {
	k, n := 0, len(tickets)
	vals = vals[:n]
	for base := 0; base < n; base += 64 {
		w := validWord(valid, base, n)
		if w == math.MaxUint64 {
			copy(toTickets[k:], tickets[base:base+64])
			copy(toVals[k:], vals[base:base+64])
			k += 64
			continue
		}
		for ; w != 0; w &= w - 1 {
			i := base + bits.TrailingZeros64(w)
			toTickets[k] = tickets[i]
			toVals[k] = vals[i]
			k++
		}
	}
	return k
}

// validWord returns the validity of rows base up to base+64, with zeroes from
// row n on. base is a multiple of 64.
func validWord(valid vector.Bitmap, base, n int) uint64 {
	if base+64 <= n {
		return binary.LittleEndian.Uint64(valid[base>>3:])
	}
	var w uint64
	for i, b := range valid[base>>3 : (n+7)>>3] {
		w |= uint64(b) << (8 * i)
	}
	return w & (1<<(n-base) - 1)
}
