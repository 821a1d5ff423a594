package vector

import "github.com/apache/arrow/go/v17/arrow"

// Gather returns a vector of the rows of src that sel lists, in that order.
// Dictionary-coded and constant vectors keep their dictionary; the result
// itself has no ID. dst is reused for its memory if not nil, must not be in use,
// and must be a result of Gather. ErrTooLong is returned when the byte strings
// of the result would be too long, or its lists have too many elements.
func Gather(dst, src *Vector, sel []uint32) (*Vector, error) {
	if dst == nil {
		dst = &Vector{}
	}
	n := len(sel)
	dst.Type, dst.Len, dst.Dict, dst.ID = src.Type, n, src.Dict, 0
	if src.Dict != nil || src.Child == nil {
		dst.Child = nil
	}
	dst.Valid = gatherBits(dst.Valid, src.Valid, sel)
	switch w := Width(src.Type); {
	case src.Dict != nil:
		dst.Data = dst.Data[:0]
		if src.Codes == nil {
			dst.Codes = nil
			break
		}
		dst.Codes = Resize(dst.Codes, n)
		for k, i := range sel {
			dst.Codes[k] = src.Codes[i]
		}
	case src.Type.ID() == arrow.BOOL:
		dst.Data = gatherBits(dst.Data, src.Data, sel)
	case IsBytes(src.Type):
		return dst, gatherBytes(dst, src, sel)
	case IsList(src.Type):
		return dst, gatherLists(dst, src, sel)
	case w == 8:
		dst.Data = gatherFixed[uint64](dst.Data, src.Data, sel)
	case w == 4:
		dst.Data = gatherFixed[uint32](dst.Data, src.Data, sel)
	case w == 16:
		dst.Data = gatherFixed[[2]uint64](dst.Data, src.Data, sel)
	default:
		dst.Data = Resize(dst.Data, n*w)
		for k, i := range sel {
			copy(dst.Data[k*w:k*w+w], src.Data[int(i)*w:])
		}
	}
	dst.Offsets = nil
	if src.Dict == nil {
		dst.Codes = nil
	}
	return dst, nil
}

// Resize returns a slice of n elements with unspecified contents, in s's
// memory when that is large enough.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

func gatherFixed[T Fixed](dst, src []byte, sel []uint32) []byte {
	var z [1]T
	dst = Resize(dst, len(sel)*len(AsBytes(z[:])))
	d, s := View[T](dst), View[T](src)
	for k, i := range sel {
		d[k] = s[i]
	}
	return dst
}

func gatherBits(dst, src []byte, sel []uint32) []byte {
	if src == nil {
		return nil
	}
	dst = Resize(dst, (len(sel)+7)/8)
	clear(dst)
	for k, i := range sel {
		dst[k>>3] |= (src[i>>3] >> (i & 7) & 1) << (k & 7)
	}
	return dst
}

func gatherBytes(dst, src *Vector, sel []uint32) error {
	total := 0
	for _, i := range sel {
		total += int(src.Offsets[i+1] - src.Offsets[i])
	}
	if total > MaxBytes {
		return ErrTooLong
	}
	dst.Codes = nil
	dst.Offsets = Resize(dst.Offsets, len(sel)+1)
	dst.Data = Resize(dst.Data, total)[:0]
	dst.Offsets[0] = 0
	for k, i := range sel {
		dst.Data = append(dst.Data, src.Data[src.Offsets[i]:src.Offsets[i+1]]...)
		dst.Offsets[k+1] = int32(len(dst.Data))
	}
	return nil
}

// Flatten returns v in flat form: v itself if it is flat, else its values
// copied out of the dictionary. ErrTooLong is returned when they would be too
// long for one vector.
func Flatten(v *Vector) (*Vector, error) {
	if v.Flat() {
		return v, nil
	}
	codes := v.Codes
	if codes == nil {
		codes = make([]uint32, v.Len)
	}
	if v.Dict.Len == 0 {
		return NewNull(v.Type, v.Len), nil
	}
	out, err := Gather(nil, v.Dict, codes)
	if err != nil || v.Valid == nil {
		return out, err
	}
	valid := NewBitmap(v.Len)
	for i := range v.Len {
		if v.Valid.Get(i) && out.Valid.Get(i) {
			valid.Set(i)
		}
	}
	out.Valid = valid
	return out, nil
}
