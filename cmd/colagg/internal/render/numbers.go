package render

import (
	"bytes"
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// numberPrinter is printer for numeric arrays; nil for others.
func numberPrinter(a arrow.Array) func(dst []byte, i int) []byte {
	switch a := a.(type) {
	case *array.Int8:
		return signed(a.Int8Values())
	case *array.Int16:
		return signed(a.Int16Values())
	case *array.Int32:
		return signed(a.Int32Values())
	case *array.Int64:
		return signed(a.Int64Values())
	case *array.Uint8:
		return unsigned(a.Uint8Values())
	case *array.Uint16:
		return unsigned(a.Uint16Values())
	case *array.Uint32:
		return unsigned(a.Uint32Values())
	case *array.Uint64:
		return unsigned(a.Uint64Values())
	case *array.Float16:
		return func(dst []byte, i int) []byte { return appendFloat(dst, half(a.Value(i).Uint16()), 32) }
	case *array.Float32:
		return func(dst []byte, i int) []byte { return appendFloat(dst, float64(a.Value(i)), 32) }
	case *array.Float64:
		return func(dst []byte, i int) []byte { return appendFloat(dst, a.Value(i), 64) }
	case *array.Decimal128:
		scale := int(a.DataType().(*arrow.Decimal128Type).Scale)
		return func(dst []byte, i int) []byte {
			v := a.Value(i)
			if lo := int64(v.LowBits()); v.HighBits() == lo>>63 {
				var tmp [20]byte
				return appendScaled(dst, strconv.AppendInt(tmp[:0], lo, 10), scale)
			}
			return appendBig(dst, v.BigInt(), scale)
		}
	case *array.Decimal256:
		scale := int(a.DataType().(*arrow.Decimal256Type).Scale)
		return func(dst []byte, i int) []byte { return appendBig(dst, a.Value(i).BigInt(), scale) }
	}
	return nil
}

// half returns the number with the given bits in IEEE 754 binary16. (The Arrow
// library's own conversion gets subnormal numbers wrong.)
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		v = math.Inf(1)
		if fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		v = -v
	}
	return v
}

func signed[T int8 | int16 | int32 | int64](v []T) func(dst []byte, i int) []byte {
	return func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(v[i]), 10) }
}

func unsigned[T uint8 | uint16 | uint32 | uint64](v []T) func(dst []byte, i int) []byte {
	return func(dst []byte, i int) []byte { return strconv.AppendUint(dst, uint64(v[i]), 10) }
}

// appendFloat appends the shortest digits that give v back at the given
// precision, with an exponent only below 1e-4 and from 1e16 on.
func appendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-inf"...)
	}
	if abs := math.Abs(v); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, bits)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendBig(dst []byte, v *big.Int, scale int) []byte {
	var tmp [80]byte
	return appendScaled(dst, v.Append(tmp[:0], 10), scale)
}

// appendScaled appends the number with the given digits, which may have a
// sign, times 10 to the power of -scale, with all digits of the scale.
func appendScaled(dst, digits []byte, scale int) []byte {
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if scale <= 0 {
		dst = append(dst, digits...)
		for ; scale < 0 && digits[0] != '0'; scale++ {
			dst = append(dst, '0')
		}
		return dst
	}
	if len(digits) > scale {
		dst = append(dst, digits[:len(digits)-scale]...)
		dst = append(dst, '.')
		return append(dst, digits[len(digits)-scale:]...)
	}
	dst = append(dst, "0."...)
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
