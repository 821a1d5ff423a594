package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// Cell returns row i of a as text. It panics for types that the engine has no
// columns of.
func Cell(a arrow.Array, i int) string {
	if isNull(a, i) {
		return "NULL"
	}
	a, i = entry(a, i)
	switch a := a.(type) {
	case *array.String:
		return Quote(a.Value(i))
	case *array.LargeString:
		return Quote(a.Value(i))
	case *array.Binary:
		return fmt.Sprintf("x'%x'", a.Value(i))
	case *array.FixedSizeBinary:
		return fmt.Sprintf("x'%x'", a.Value(i))
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.Date32:
		return instant(int64(a.Value(i)), 24*time.Hour, "2006-01-02")
	case *array.Time32:
		return instant(int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit.Multiplier(), "15:04:05.999999999")
	case *array.Time64:
		return instant(int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit.Multiplier(), "15:04:05.999999999")
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		text := instant(int64(a.Value(i)), t.Unit.Multiplier(), "2006-01-02 15:04:05.999999999")
		if t.TimeZone != "" {
			text += "Z"
		}
		return text
	}
	if l, ok := a.(*array.List); ok {
		return listCell(l, i)
	}
	switch v := scalar(a, i).(type) {
	case float64:
		return Float(v)
	case *big.Int:
		return unscaled(v, scale(a.DataType()))
	}
	panic(fmt.Sprintf("BUG: no cells of type %s", a.DataType()))
}

func listCell(a *array.List, i int) string {
	lo, hi := a.ValueOffsets(i)
	var elems []string
	for k := lo; k < hi; k++ {
		elems = append(elems, Cell(a.ListValues(), int(k)))
	}
	return "[" + strings.Join(elems, ", ") + "]"
}

// entry returns the plain array and the place in it that hold row i of a, which
// is not NULL.
func entry(a arrow.Array, i int) (arrow.Array, int) {
	if d, ok := a.(*array.Dictionary); ok {
		return d.Dictionary(), d.GetValueIndex(i)
	}
	return a, i
}

func isNull(a arrow.Array, i int) bool {
	if a.IsNull(i) {
		return true
	}
	a, i = entry(a, i)
	return a.IsNull(i) || a.DataType().ID() == arrow.NULL
}

// Float returns x as a cell.
func Float(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64)), "+")
	}
	return strconv.FormatFloat(x+0, 'g', -1, 64)
}

// Quote returns text as a cell.
func Quote(s string) string {
	if !utf8.ValidString(s) {
		return fmt.Sprintf("x'%x'", s)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("BUG: a string cannot be written as JSON: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// unscaled returns v·10^-scale with all its digits.
func unscaled(v *big.Int, scale int) string {
	digits := new(big.Int).Abs(v).String()
	if scale > 0 {
		digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if v.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// instant formats n units since 1970 in UTC.
func instant(n int64, unit time.Duration, layout string) string {
	if unit > time.Second {
		return time.Unix(n*int64(unit/time.Second), 0).UTC().Format(layout)
	}
	per := int64(time.Second / unit)
	seconds, rest := n/per, n%per
	return time.Unix(seconds, rest*int64(unit)).UTC().Format(layout)
}

// scale returns the digits behind the point of a decimal type, else 0.
func scale(t arrow.DataType) int {
	if d, ok := t.(arrow.DecimalType); ok {
		return int(d.GetScale())
	}
	return 0
}

// scalar returns row i as a *big.Int (integers, unscaled decimals, dates and
// times), float64, bool or string (text and binary); nil is NULL.
func scalar(a arrow.Array, i int) any {
	if isNull(a, i) {
		return nil
	}
	a, i = entry(a, i)
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.String:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.FixedSizeBinary:
		return string(a.Value(i))
	case *array.Float16:
		return half(a.Value(i).Uint16())
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.Decimal128:
		return a.Value(i).BigInt()
	case *array.Decimal256:
		return a.Value(i).BigInt()
	case *array.Uint64:
		return new(big.Int).SetUint64(a.Value(i))
	}
	return big.NewInt(integer(a, i))
}

// half returns the value of a float16: the Arrow library gets numbers below the
// normal range wrong.
func half(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	x := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 31 && fraction != 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	}
	if bits>>15 == 1 {
		return -x
	}
	return x
}

func integer(a arrow.Array, i int) int64 {
	switch a := a.(type) {
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Uint8:
		return int64(a.Value(i))
	case *array.Uint16:
		return int64(a.Value(i))
	case *array.Uint32:
		return int64(a.Value(i))
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Time32:
		return int64(a.Value(i))
	case *array.Time64:
		return int64(a.Value(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	}
	panic(fmt.Sprintf("BUG: no cells of type %s", a.DataType()))
}
