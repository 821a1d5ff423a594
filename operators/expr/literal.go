package expr

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

func bad(node *sql.Expr, hint, format string, args ...any) *BindError {
	return &BindError{Offset: node.Start, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// number reads a number without a sign: digits are an integer, with a point a
// decimal, with an exponent a float64.
func number(node *sql.Expr) (*value, error) {
	text := node.Text
	if strings.ContainsAny(text, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, bad(node, "", "the number %s does not fit float64", text)
		}
		return floatValue(node, f), nil
	}
	whole, fraction, point := strings.Cut(text, ".")
	x, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok || len(fraction) > 38 || x.CmpAbs(pow10(38)) >= 0 {
		return nil, bad(node, "with an exponent it is a float64, as in 1e40", "the number %s has more than 38 digits", text)
	}
	if !point {
		return wholeValue(node, x), nil
	}
	return exactValue(node, decClass, x, len(fraction)), nil
}

// Hints for literals of dates and times.
const (
	dateHint  = "write it as in '2024-05-31'"
	stampHint = "write it as in '2024-05-31 12:30:00', with .5 for a fraction and Z or +02:00 for a zone behind it or not"
)

// date reads a date.
func date(node *sql.Expr) (*value, error) {
	day, ok := calendar.ParseDate(node.Text)
	if !ok {
		return nil, bad(node, dateHint, "'%s' is no date", node.Text)
	}
	return exactValue(node, dateClass, big.NewInt(day), 0), nil
}

// clock reads a time of day.
func clock(node *sql.Expr) (*value, error) {
	nanos, ok := calendar.ParseTime(node.Text)
	if !ok {
		return nil, bad(node, "write it as in '12:30:00.5'", "'%s' is no time of day", node.Text)
	}
	scale := literalScale(nanos)
	return exactValue(node, timeClass, big.NewInt(nanos/pow10(nanoScale-scale).Int64()), scale), nil
}

// literalScale is the scale of a literal with so many nanoseconds: microseconds,
// which have all years, unless it has more digits.
func literalScale(nanos int64) int {
	if nanos%1000 == 0 {
		return microScale
	}
	return nanoScale
}

// interval reads an interval.
func interval(node *sql.Expr) (*value, error) {
	i, ok := calendar.ParseInterval(node.Text)
	if !ok {
		return nil, bad(node, "write it as in '1 year 2 months 3 days 04:05:06'", "'%s' is no interval", node.Text)
	}
	return intervalValue(node, i), nil
}

// Scales of timestamps.
const (
	microScale = 6
	nanoScale  = 9
)

// stamp reads a timestamp; a date is its midnight.
func stamp(node *sql.Expr) (*value, error) {
	t, ok := calendar.ParseTimestamp(node.Text)
	if !ok {
		return nil, bad(node, stampHint, "'%s' is no timestamp", node.Text)
	}
	scale := literalScale(t.Nanos)
	x := new(big.Int).Mul(big.NewInt(t.Seconds), pow10(scale))
	v := exactValue(node, stampClass, x.Add(x, big.NewInt(t.Nanos/pow10(nanoScale-scale).Int64())), scale)
	v.zoned = t.Zoned
	return v, nil
}
