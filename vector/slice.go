package vector

import "github.com/apache/arrow/go/v17/arrow"

// Slice makes dst rows lo up to hi of src, whose memory it shares. lo must be a
// multiple of 8, so that bitmaps can be cut.
func Slice(dst, src *Vector, lo, hi int) {
	if lo&7 != 0 {
		panic("BUG: a vector can be cut at a multiple of 8 rows only")
	}
	*dst = *src
	dst.Len = hi - lo
	if src.Valid != nil {
		dst.Valid = src.Valid[lo>>3:]
	}
	switch w := Width(src.Type); {
	case src.Dict != nil:
		if src.Codes != nil {
			dst.Codes = src.Codes[lo:hi]
		}
	case src.Type.ID() == arrow.BOOL:
		dst.Data = src.Data[lo>>3:]
	case src.Offsets != nil:
		dst.Offsets = src.Offsets[lo : hi+1]
	case w > 0:
		dst.Data = src.Data[lo*w : hi*w]
	}
}
