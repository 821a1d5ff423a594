package expr

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators/expr/calendar"
)

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

func appendInt(dst []byte, x int64) []byte { return strconv.AppendInt(dst, x, 10) }

// appendDecimal spells x with all its digits behind the point.
func appendDecimal(dst []byte, x int128, scale int) []byte {
	if x.negative() {
		dst = append(dst, '-')
	}
	m := x.abs()
	start := len(dst)
	if m[1] == 0 {
		dst = strconv.AppendUint(dst, m[0], 10)
	} else {
		dst = m.big().Append(dst, 10)
	}
	if scale == 0 {
		return dst
	}
	for len(dst)-start <= scale {
		dst = append(dst, 0)
		copy(dst[start+1:], dst[start:])
		dst[start] = '0'
	}
	dst = append(dst, 0)
	at := len(dst) - 1 - scale
	copy(dst[at+1:], dst[at:])
	dst[at] = '.'
	return dst
}

func appendFloat(dst []byte, x float64) []byte   { return appendShortest(dst, x, 64, 15) }
func appendFloat32(dst []byte, x float64) []byte { return appendShortest(dst, x, 32, 6) }

// appendShortest spells x as PostgreSQL does: with as few digits as tell it from
// others, and an exponent below 1e-4 and from 10^digits on.
func appendShortest(dst []byte, x float64, bits, digits int) []byte {
	switch {
	case x != x:
		return append(dst, "NaN"...)
	case math.IsInf(x, 0):
		if x < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...)
	}
	var buf [32]byte
	e := strconv.AppendFloat(buf[:0], x, 'e', -1, bits)
	exp, _ := strconv.Atoi(string(e[bytes.IndexByte(e, 'e')+1:]))
	if exp < -4 || exp >= digits {
		return append(dst, e...)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, bits)
}

// parseInt reads an integer between lo and hi.
func parseInt(lo, hi int64) func(s []byte) (int64, bool) {
	return func(s []byte) (int64, bool) {
		s = bytes.TrimSpace(s)
		if bytes.IndexByte(s, '_') >= 0 {
			return 0, false
		}
		x, err := strconv.ParseInt(string(s), 10, 64)
		return x, err == nil && lo <= x && x <= hi
	}
}

func parseFloat(bits int) func(s []byte) (float64, bool) {
	return func(s []byte) (float64, bool) {
		s = bytes.TrimSpace(s)
		if bytes.ContainsAny(s, "_xXpP") {
			return 0, false
		}
		x, err := strconv.ParseFloat(string(s), bits)
		return x, err == nil
	}
}

// parseDecimal reads a number and rounds it.
func parseDecimal(precision, scale int) func(s []byte) (int128, bool) {
	return func(s []byte) (int128, bool) { return decimalOf(string(bytes.TrimSpace(s)), precision, scale) }
}

// decimalOf rounds halves away from 0.
func decimalOf(s string, precision, scale int) (int128, bool) {
	if len(s) > 1000 || strings.ContainsAny(s, "_xXpP/nN") {
		return int128{}, false
	}
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		if exp, err := strconv.Atoi(s[at+1:]); err != nil || exp > 1000 || exp < -1000 {
			return int128{}, false
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return int128{}, false
	}
	num := new(big.Int).Mul(r.Num(), pow10(scale))
	q, rest := new(big.Int).QuoRem(num, r.Denom(), new(big.Int))
	if rest.Lsh(rest.Abs(rest), 1).Cmp(r.Denom()) >= 0 {
		q.Add(q, big.NewInt(int64(num.Sign())))
	}
	if q.CmpAbs(pow10(precision)) >= 0 {
		return int128{}, false
	}
	return toInt128(q)
}

// parseBool reads what PostgreSQL does.
func parseBool(s []byte) (bool, bool) {
	switch strings.ToLower(string(bytes.TrimSpace(s))) {
	case "t", "tr", "tru", "true", "y", "ye", "yes", "on", "1":
		return true, true
	case "f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0":
		return false, true
	}
	return false, false
}

func castsOfText(v *value) func(c *compiler, v *value) any {
	switch v.class {
	case textClass:
		return func(c *compiler, v *value) any { return c.texts(v.args[0]) }
	case boolClass:
		return convertedBy(read(parseBool))
	case intClass:
		lo, hi := rangeOf(v.typ)
		return convertedBy(read(parseInt(lo, hi)))
	case decClass:
		if v.typ.ID() == arrow.UINT64 {
			return convertedBy(read(func(s []byte) (int128, bool) {
				x, err := strconv.ParseUint(string(bytes.TrimSpace(s)), 10, 64)
				return int128{x, 0}, err == nil
			}))
		}
		return convertedBy(read(parseDecimal(int(v.typ.(*arrow.Decimal128Type).Precision), v.scale)))
	case floatClass:
		return convertedBy(read(parseFloat(v.typ.(arrow.FixedWidthDataType).BitWidth())))
	case dateClass:
		return convertedBy(read(parseDay))
	case timeClass:
		by := pow10(9 - v.scale).Int64()
		return convertedBy(read(func(s []byte) (int64, bool) {
			x, ok := calendar.ParseTime(string(s))
			return (x + by/2) / by, ok
		}))
	case stampClass:
		return convertedBy(read(parseStamp(v)))
	case intervalClass:
		return convertedBy(read(func(s []byte) (calendar.Interval, bool) { return calendar.ParseInterval(string(s)) }))
	}
	return nil
}

// rangeOf is that of an integer type of up to 64 bits.
func rangeOf(t arrow.DataType) (lo, hi int64) {
	switch t.ID() {
	case arrow.INT8:
		return math.MinInt8, math.MaxInt8
	case arrow.INT16:
		return math.MinInt16, math.MaxInt16
	case arrow.INT32:
		return math.MinInt32, math.MaxInt32
	case arrow.UINT8:
		return 0, math.MaxUint8
	case arrow.UINT16:
		return 0, math.MaxUint16
	case arrow.UINT32:
		return 0, math.MaxUint32
	}
	return math.MinInt64, math.MaxInt64
}

func castsOfNumber(x, v *value) func(c *compiler, v *value) any {
	switch v.class {
	case boolClass:
		if x.class == intClass {
			return convertedBy(each(func(x int64) (bool, bool) { return x != 0, true }))
		}
		return nil
	case intClass:
		return castsToInt(x, v)
	case decClass:
		return castsToDecimal(x, v)
	case floatClass:
		if x.class == boolClass {
			return convertedBy(each(func(b bool) (float64, bool) { return map[bool]float64{true: 1}[b], true }))
		}
		if v.typ.ID() == arrow.FLOAT32 {
			return convertedBy(each(func(x float64) (float64, bool) {
				y := float64(float32(x))
				return y, math.IsInf(x, 0) || !math.IsInf(y, 0)
			}))
		}
		return func(c *compiler, v *value) any { return c.floats(v.args[0]) }
	}
	return nil
}

func castsToInt(x, v *value) func(c *compiler, v *value) any {
	lo, hi := rangeOf(v.typ)
	switch x.class {
	case boolClass:
		return convertedBy(each(func(b bool) (int64, bool) {
			if b {
				return 1, true
			}
			return 0, true
		}))
	case intClass:
		return convertedBy(each(func(x int64) (int64, bool) { return x, lo <= x && x <= hi }))
	case floatClass:
		least, beyond := float64(lo), float64(hi)+1
		return convertedBy(each(func(x float64) (int64, bool) {
			x = math.RoundToEven(x)
			return int64(x), least <= x && x < beyond
		}))
	}
	by := tens[x.scale]
	return convertedBy(each(func(x int128) (int64, bool) {
		q := x.roundedBy(by)
		return int64(q[0]), q == wide(int64(q[0])) && lo <= int64(q[0]) && int64(q[0]) <= hi
	}))
}

func castsToDecimal(x, v *value) func(c *compiler, v *value) any {
	precision, scale := 20, v.scale
	fits := func(d int128) bool { return !d.negative() && d[1] == 0 }
	if t, ok := v.typ.(*arrow.Decimal128Type); ok {
		precision = int(t.Precision)
		most := tens[precision]
		fits = func(d int128) bool { m := d.abs(); return !m.negative() && m.less(most) }
	}
	switch x.class {
	case boolClass:
		one := tens[scale]
		return convertedBy(each(func(b bool) (int128, bool) {
			if b {
				return one, fits(one)
			}
			return int128{}, true
		}))
	case floatClass:
		return convertedBy(each(func(x float64) (int128, bool) {
			d, ok := decimalOf(strconv.FormatFloat(x, 'g', 15, 64), precision, scale)
			return d, ok && fits(d)
		}))
	}
	if scale >= x.scale {
		by := tens[scale-x.scale]
		return convertedBy(each(func(x int128) (int128, bool) {
			d, ok := x.mul(by)
			return d, ok && fits(d)
		}))
	}
	by := tens[x.scale-scale]
	return convertedBy(each(func(x int128) (int128, bool) {
		d := x.roundedBy(by)
		return d, fits(d)
	}))
}
