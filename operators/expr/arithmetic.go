package expr

import (
	"math"
	"math/big"
	"math/bits"
)

type loop2[T any] func(dst, a, b []T, rows []uint32) error

// Loops over integers look for what went wrong once, at the end.

func addInts(over *Error) loop2[int64] {
	return func(dst, a, b []int64, rows []uint32) error {
		wrong := int64(0)
		for _, i := range rows {
			x, y := a[i], b[i]
			s := x + y
			wrong |= (x ^ s) & (y ^ s)
			dst[i] = s
		}
		return failed(wrong < 0, over)
	}
}

func subtractInts(over *Error) loop2[int64] {
	return func(dst, a, b []int64, rows []uint32) error {
		wrong := int64(0)
		for _, i := range rows {
			x, y := a[i], b[i]
			s := x - y
			wrong |= (x ^ y) & (x ^ s)
			dst[i] = s
		}
		return failed(wrong < 0, over)
	}
}

func multiplyInts(over *Error) loop2[int64] {
	return func(dst, a, b []int64, rows []uint32) error {
		wrong := int64(0)
		for _, i := range rows {
			x, y := a[i], b[i]
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			high := int64(hi) - x>>63&y - y>>63&x // of the signed product
			wrong |= high ^ int64(lo)>>63
			dst[i] = int64(lo)
		}
		return failed(wrong != 0, over)
	}
}

func divideInts(over, zero *Error) loop2[int64] {
	return func(dst, a, b []int64, rows []uint32) error {
		for _, i := range rows {
			x, y := a[i], b[i]
			switch {
			case y == 0:
				return zero
			case y == -1 && x == math.MinInt64:
				return over
			}
			dst[i] = x / y
		}
		return nil
	}
}

func remainInts(zero *Error) loop2[int64] {
	return func(dst, a, b []int64, rows []uint32) error {
		for _, i := range rows {
			if b[i] == 0 {
				return zero
			}
			dst[i] = a[i] % b[i]
		}
		return nil
	}
}

func negateInts(over *Error) func(dst, a []int64, rows []uint32) error {
	return func(dst, a []int64, rows []uint32) error {
		for _, i := range rows {
			if a[i] == math.MinInt64 {
				return over
			}
			dst[i] = -a[i]
		}
		return nil
	}
}

// failed returns err if it is so; a nil *Error would be an error.
func failed(wrong bool, err *Error) error {
	if wrong {
		return err
	}
	return nil
}

func addDecimals(over *Error) loop2[int128] {
	return func(dst, a, b []int128, rows []uint32) error {
		for _, i := range rows {
			s, ok := a[i].add(b[i])
			if !ok || !s.fits() {
				return over
			}
			dst[i] = s
		}
		return nil
	}
}

func subtractDecimals(over *Error) loop2[int128] {
	return func(dst, a, b []int128, rows []uint32) error {
		for _, i := range rows {
			s, ok := a[i].add(b[i].neg())
			if !ok || !s.fits() {
				return over
			}
			dst[i] = s
		}
		return nil
	}
}

func multiplyDecimals(over *Error) loop2[int128] {
	return func(dst, a, b []int128, rows []uint32) error {
		for _, i := range rows {
			p, ok := a[i].mul(b[i])
			if !ok || !p.fits() {
				return over
			}
			dst[i] = p
		}
		return nil
	}
}

// divideDecimals cuts the fraction off, remainDecimals has a's sign.
func divideDecimals(zero *Error) loop2[int128] {
	return func(dst, a, b []int128, rows []uint32) error {
		for _, i := range rows {
			if b[i] == (int128{}) {
				return zero
			}
			dst[i], _ = a[i].quoRem(b[i])
		}
		return nil
	}
}

func remainDecimals(zero *Error) loop2[int128] {
	return func(dst, a, b []int128, rows []uint32) error {
		for _, i := range rows {
			if b[i] == (int128{}) {
				return zero
			}
			_, dst[i] = a[i].quoRem(b[i])
		}
		return nil
	}
}

func scaleDecimals(by int128, over *Error) func(dst, src []int128, rows []uint32) error {
	return func(dst, src []int128, rows []uint32) error {
		for _, i := range rows {
			p, ok := src[i].mul(by)
			if !ok || !p.fits() {
				return over
			}
			dst[i] = p
		}
		return nil
	}
}

func saturateDecimals(by int128) func(dst, src []int128, rows []uint32) error {
	return func(dst, src []int128, rows []uint32) error {
		for _, i := range rows {
			dst[i] = src[i].saturate(by)
		}
		return nil
	}
}

func negateDecimals(dst, src []int128, rows []uint32) error {
	for _, i := range rows {
		dst[i] = src[i].neg()
	}
	return nil
}

func widen(dst []int128, src []int64, rows []uint32) error {
	for _, i := range rows {
		dst[i] = wide(src[i])
	}
	return nil
}

func floatsOfInts(dst []float64, src []int64, rows []uint32) error {
	convert(dst, src, rows)
	return nil
}

// exactTens are the powers of ten that a float64 holds exactly.
var exactTens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// floatsOfDecimals rounds to the nearest: by one division where both numbers
// are exact as floats, else by big numbers.
func floatsOfDecimals(scale int) func(dst []float64, src []int128, rows []uint32) error {
	den := pow10(scale)
	return func(dst []float64, src []int128, rows []uint32) error {
		for _, i := range rows {
			x := src[i]
			switch m := x.abs(); {
			case m[1] == 0 && m[0] <= 1<<53 && scale < len(exactTens):
				dst[i] = float64(int64(x[0])) / exactTens[scale]
			case x[1] == 0 && scale == 0:
				dst[i] = float64(x[0])
			default:
				dst[i], _ = new(big.Rat).SetFrac(x.big(), den).Float64()
			}
		}
		return nil
	}
}

func addFloats(dst, a, b []float64, rows []uint32) error {
	for _, i := range rows {
		dst[i] = a[i] + b[i]
	}
	return nil
}

func subtractFloats(dst, a, b []float64, rows []uint32) error {
	for _, i := range rows {
		dst[i] = a[i] - b[i]
	}
	return nil
}

func multiplyFloats(dst, a, b []float64, rows []uint32) error {
	for _, i := range rows {
		dst[i] = a[i] * b[i]
	}
	return nil
}

func divideFloats(zero *Error) loop2[float64] {
	return func(dst, a, b []float64, rows []uint32) error {
		for _, i := range rows {
			if b[i] == 0 {
				return zero
			}
			dst[i] = a[i] / b[i]
		}
		return nil
	}
}

func remainFloats(zero *Error) loop2[float64] {
	return func(dst, a, b []float64, rows []uint32) error {
		for _, i := range rows {
			if b[i] == 0 {
				return zero
			}
			dst[i] = math.Mod(a[i], b[i])
		}
		return nil
	}
}

func negateFloats(dst, src []float64, rows []uint32) error {
	for _, i := range rows {
		dst[i] = -src[i]
	}
	return nil
}

func orderFloats(dst []int64, src []float64, rows []uint32) error {
	for _, i := range rows {
		dst[i] = orderedFloat(src[i])
	}
	return nil
}
