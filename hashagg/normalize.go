package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// Floating-point keys are compared by their bits after −0.0 has become 0.0 and
// every NaN the same quiet NaN.
const (
	nan64 = 0x7ff8000000000000
	nan32 = 0x7fc00000
	nan16 = 0x7e00
)

func canonical64(b uint64) uint64 {
	if f := math.Float64frombits(b); f == 0 {
		return 0
	} else if f != f {
		return nan64
	}
	return b
}

func canonical32(b uint32) uint32 {
	switch {
	case b<<1 == 0:
		return 0
	case b<<1 > 0xff000000:
		return nan32
	}
	return b
}

func canonical16(b uint16) uint16 {
	switch {
	case b<<1 == 0:
		return 0
	case b<<1 > 0xf800:
		return nan16
	}
	return b
}

// words sets dst[i] to row i of a flat vector of at most 64 bits as a word that
// is equal for equal keys: integers and times extended by their sign, floats
// as canonical bits, booleans 0 or 1. Words of NULL rows are unspecified.
func words(dst []uint64, v *vector.Vector) {
	switch v.Type.ID() {
	case arrow.BOOL:
		for i := range dst {
			dst[i] = uint64(v.Data[i>>3] >> (i & 7) & 1)
		}
	case arrow.INT8:
		extend[int8](dst, v)
	case arrow.INT16:
		extend[int16](dst, v)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		extend[int32](dst, v)
	case arrow.UINT8:
		extend[uint8](dst, v)
	case arrow.UINT16:
		extend[uint16](dst, v)
	case arrow.UINT32:
		extend[uint32](dst, v)
	case arrow.FLOAT16:
		for i, x := range vector.Values[uint16](v) {
			dst[i] = uint64(canonical16(x))
		}
	case arrow.FLOAT32:
		for i, x := range vector.Values[uint32](v) {
			dst[i] = uint64(canonical32(x))
		}
	case arrow.FLOAT64:
		for i, x := range vector.Values[uint64](v) {
			dst[i] = canonical64(x)
		}
	case arrow.NULL:
		clear(dst)
	default:
		copy(dst, vector.Values[uint64](v))
	}
}

func extend[T int8 | int16 | int32 | uint8 | uint16 | uint32](dst []uint64, v *vector.Vector) {
	s := vector.Values[T](v)
	dst = dst[:len(s)]
	for i, x := range s {
		dst[i] = uint64(int64(x))
	}
}

// putWord writes w, in the form of words, as row i of v.
func putWord(v *vector.Vector, i int, w uint64) {
	switch vector.Width(v.Type) {
	case 1:
		v.Data[i] = byte(w)
	case 2:
		vector.View[uint16](v.Data)[i] = uint16(w)
	case 4:
		vector.View[uint32](v.Data)[i] = uint32(w)
	case 8:
		vector.View[uint64](v.Data)[i] = w
	default:
		if v.Type.ID() == arrow.BOOL && w != 0 {
			vector.Bitmap(v.Data).Set(i)
		}
	}
}
