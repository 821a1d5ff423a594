package colagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// slice returns rows lo up to hi of v, sharing its memory.
func slice(v *vector.Vector, lo, hi int) *vector.Vector {
	if lo == 0 && hi == v.Len {
		return v
	}
	out := &vector.Vector{Type: v.Type, Len: hi - lo, Dict: v.Dict}
	if v.Valid != nil {
		out.Valid = sliceBits(v.Valid, lo, hi)
	}
	switch w := vector.Width(v.Type); {
	case v.Dict != nil:
		if v.Codes != nil {
			out.Codes = v.Codes[lo:hi]
		}
	case v.Type.ID() == arrow.BOOL:
		out.Data = sliceBits(v.Data, lo, hi)
	case v.Offsets != nil:
		out.Offsets, out.Data, out.Child = v.Offsets[lo:hi+1], v.Data, v.Child
	default:
		out.Data = v.Data[lo*w : hi*w]
	}
	return out
}

func sliceBits(b []byte, lo, hi int) []byte {
	if lo&7 == 0 {
		return b[lo>>3 : (hi+7)>>3]
	}
	src, out := vector.Bitmap(b), vector.NewBitmap(hi-lo)
	for i := lo; i < hi; i++ {
		if src.Get(i) {
			out.Set(i - lo)
		}
	}
	return out
}

// zeroBased returns v with byte strings whose offsets begin at 0, which the
// Arrow IPC writer needs of arrays without an offset of their own; of lists
// vector.ToArrow takes care.
func zeroBased(v *vector.Vector) *vector.Vector {
	if v.Offsets == nil || v.Child != nil || v.Offsets[0] == 0 {
		return v
	}
	out := *v
	first := v.Offsets[0]
	out.Offsets = make([]int32, v.Len+1)
	for i, o := range v.Offsets[:v.Len+1] {
		out.Offsets[i] = o - first
	}
	out.Data = v.Data[first:v.Offsets[v.Len]]
	return &out
}
