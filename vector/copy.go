package vector

import "bytes"

// Copy returns v in flat form in memory of its own. ErrTooLong is returned when
// values of a dictionary would be too long for one vector.
func Copy(v *Vector) (*Vector, error) {
	if !v.Flat() {
		return Flatten(v) // out of the dictionary, which is copying
	}
	out := &Vector{Type: v.Type, Len: v.Len, Valid: bytes.Clone(v.Valid)}
	if v.Offsets == nil {
		out.Data = bytes.Clone(v.Data)
		return out, nil
	}
	first := v.Offsets[0]
	out.Data = bytes.Clone(v.Data[first:v.Offsets[v.Len]])
	out.Offsets = make([]int32, v.Len+1)
	for i, o := range v.Offsets[:v.Len+1] {
		out.Offsets[i] = o - first
	}
	return out, nil
}
