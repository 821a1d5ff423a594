package hashagg

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// A scale puts values of a type into buckets. A sort key is a word in the order of
// the values: of integers, and all that is stored as integers, the value itself,
// with the sign bit flipped if there is one, of floats, and of decimals of more than 18
// digits as floats, the bits of a float64, all of them flipped if it is negative,
// else its sign. NaN is above all numbers. A bucket is the first bits of the sort key
// of the float64 that is nearest.
type scale struct {
	typ   arrow.DataType
	kind  scaleKind
	shift uint // of a float64's sort key, that is not the bucket
}

type scaleKind uint8

const (
	signedScale scaleKind = iota
	unsignedScale
	floatScale // float64 bits
	singleScale
	halfScale
	bigScale // decimals, as float64
)

// scaleFor returns the scale of type t; ok is false if there is none.
func scaleFor(t arrow.DataType) (s scale, ok bool) {
	s = scale{typ: t, shift: 52 - fine}
	switch t.ID() {
	case arrow.BOOL, arrow.NULL:
		return s, false
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		s.kind = unsignedScale
	case arrow.FLOAT64:
		s.kind = floatScale
	case arrow.FLOAT32:
		s.kind = singleScale
	case arrow.FLOAT16:
		s.kind = halfScale
	case arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP:
		s.shift = 52 - fineTimes
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.DURATION:
	case arrow.DECIMAL128, arrow.DECIMAL256:
		if interned(t) {
			s.kind = bigScale
		}
	default:
		return s, false
	}
	return s, true
}

// floatKey is the sort key of a float64.
func floatKey(f float64) uint64 {
	b := canonical64(math.Float64bits(f))
	if b>>63 != 0 {
		return ^b
	}
	return b | signBit
}

// keyFloat is the inverse of floatKey.
func keyFloat(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ signBit)
	}
	return math.Float64frombits(^k)
}

// keys sets keys to the sort keys of words, in the form of package function words.
func (s scale) keys(keys, words []uint64) {
	words = words[:len(keys)]
	switch s.kind {
	case signedScale:
		for i, w := range words {
			keys[i] = w ^ signBit
		}
	case unsignedScale:
		copy(keys, words)
	case floatScale:
		for i, w := range words {
			keys[i] = floatKey(math.Float64frombits(w))
		}
	case singleScale:
		for i, w := range words {
			keys[i] = floatKey(float64(math.Float32frombits(uint32(w))))
		}
	case halfScale:
		for i, w := range words {
			keys[i] = floatKey(float64(halfToFloat(uint16(w))))
		}
	}
}

// bucket returns the bucket of a sort key.
func (s scale) bucket(key uint64) uint32 {
	switch s.kind {
	case signedScale:
		key = floatKey(float64(int64(key ^ signBit)))
	case unsignedScale:
		key = floatKey(float64(key))
	}
	return uint32(key >> s.shift)
}

// estimate returns the sort key of the middle of a bucket, but at least lo and at
// most hi.
func (s scale) estimate(bucket uint32, lo, hi uint64) uint64 {
	key := uint64(bucket) << s.shift
	if key>>63 == 0 {
		key |= 1<<s.shift - 1 // the end that is nearer to 0
	}
	f := keyFloat(key)
	if f-f == 0 && math.Abs(f) >= 0x1p-1022 {
		// The middle; what is below is taken for 0.
		f = math.Float64frombits(math.Float64bits(f) | 1<<(s.shift-1))
	} else if f-f == 0 {
		f = 0
	}
	switch s.kind {
	case signedScale:
		key = uint64(clampInt(f)) ^ signBit
	case unsignedScale:
		key = clampUint(f)
	default:
		key = floatKey(f)
	}
	return min(max(key, lo), hi)
}

// clampUint converts a number to an integer, towards 0 and to the nearest there is.
func clampUint(f float64) uint64 {
	switch {
	case f >= 0x1p64:
		return math.MaxUint64
	case f >= 0x1p63:
		return uint64(f-0x1p63) | 1<<63
	}
	return uint64(max(f, 0))
}

// clampInt converts a number to an integer, towards 0 and to the nearest there is.
func clampInt(f float64) int64 {
	switch {
	case f >= 0x1p63:
		return math.MaxInt64
	case f < -0x1p63:
		return math.MinInt64
	}
	return int64(f)
}

// put writes the value of a sort key as row i of v.
func (s scale) put(v *vector.Vector, i int, key uint64) {
	switch s.kind {
	case signedScale:
		w := key ^ signBit
		if isDecimal(s.typ) {
			vector.Values[[2]uint64](v)[i] = [2]uint64{w, uint64(int64(w) >> 63)}
			return
		}
		putWord(v, i, w)
	case unsignedScale:
		putWord(v, i, key)
	case floatScale:
		putWord(v, i, math.Float64bits(keyFloat(key)))
	case singleScale:
		putWord(v, i, uint64(math.Float32bits(float32(keyFloat(key)))))
	case halfScale:
		putWord(v, i, uint64(roundToHalf(keyFloat(key))))
	case bigScale:
		putBig(v, i, keyFloat(key))
	}
}

// putBig writes the whole part of f as row i of a vector of decimals.
func putBig(v *vector.Vector, i int, f float64) {
	x, _ := big.NewFloat(f).Int(nil)
	w := vector.Width(v.Type)
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Type.(arrow.DecimalType).GetPrecision())), nil)
	if limit.Sub(limit, big.NewInt(1)); x.CmpAbs(limit) > 0 {
		if x.Sign() < 0 {
			limit.Neg(limit)
		}
		x = limit
	}
	if x.Sign() < 0 {
		x.Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*w)))
	}
	p := v.Data[i*w : i*w+w]
	x.FillBytes(p)
	for a, b := 0, w-1; a < b; a, b = a+1, b-1 {
		p[a], p[b] = p[b], p[a]
	}
}

// roundToHalf converts to the nearest IEEE 754 binary16 number towards 0, which is
// as near as a middle of a bucket need be.
func roundToHalf(f float64) uint16 {
	if f-f != 0 || f == 0 {
		return floatToHalf(float32(f))
	}
	// Cut to 11 bits, or to a multiple of the least binary16 number.
	unit := math.Ldexp(1, max(math.Ilogb(f)-10, -24))
	return floatToHalf(float32(math.Trunc(f/unit) * unit))
}
