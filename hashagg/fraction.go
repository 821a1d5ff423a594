package hashagg

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// fraction is parts of a whole, exactly: 0 <= parts <= of <= 10^18.
type fraction struct{ parts, of uint64 }

// mostDigits is the digits after the point of a fraction; 10^18 fits 63 bits.
const mostDigits = 18

// fractionOf returns the constant of a call, which must be from 0 to 1.
func fractionOf(name string, m Modifiers) (fraction, error) {
	f, ok := m.Constants[0].Float64()
	if !ok || !(f >= 0 && f <= 1) {
		return fraction{}, &BindError{
			Function: name,
			Problem:  "the fraction must be a number from 0 to 1, not " + m.Constants[0].String(),
			Hint:     "0.5 is the median",
			Part:     PartConstant,
		}
	}
	return decimalFraction(m.Constants[0].Text, f), nil
}

// decimalFraction returns what text says if it is a plain decimal, or the
// nearest to f that can be told.
func decimalFraction(text string, f float64) fraction {
	whole, digits, _ := strings.Cut(strings.TrimPrefix(text, "+"), ".")
	digits = strings.TrimRight(digits, "0")
	if strings.Trim(whole, "0-") == "" && len(digits) <= mostDigits {
		if digits == "" {
			return fraction{0, 1}
		}
		if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
			return fraction{n, uint64(math.Pow10(len(digits)))}
		}
	}
	if f == 1 {
		return fraction{1, 1}
	}
	const of = 1e18
	return fraction{min(uint64(math.Round(f*of)), of), of}
}

// discrete returns the number, from 0, of the first of n values up to which
// the fraction of them is reached.
func (f fraction) discrete(n int) int {
	high, low := bits.Mul64(uint64(n), f.parts)
	k, rest := bits.Div64(high, low, f.of)
	if rest > 0 {
		k++
	}
	return max(1, int(k)) - 1
}

// continuous returns the number, from 0, of the value of n at which the
// fraction of the way from the first to the last is, or after which, and what
// is left of the way to the next, in parts of f.of.
func (f fraction) continuous(n int) (k int, rest uint64) {
	high, low := bits.Mul64(uint64(n-1), f.parts)
	q, rest := bits.Div64(high, low, f.of)
	return int(q), rest
}
