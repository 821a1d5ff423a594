package expr

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/colagg/colagg/internal/sql"
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
	t, err := time.Parse(time.DateOnly, strings.TrimSpace(node.Text))
	if err != nil {
		return nil, bad(node, dateHint, "'%s' is no date", node.Text)
	}
	return exactValue(node, dateClass, big.NewInt(t.Unix()/secondsPerDay), 0), nil
}

// nanoScale is the scale of timestamps in literals.
const nanoScale = 9

// stamp reads a timestamp; a date is its midnight.
func stamp(node *sql.Expr) (*value, error) {
	text := strings.TrimSpace(node.Text)
	wrong := bad(node, stampHint, "'%s' is no timestamp", node.Text)
	day, clock := text, ""
	if i := strings.IndexAny(text, " T"); i > 0 {
		day, clock = text[:i], text[i+1:]
		if clock == "" {
			return nil, wrong
		}
	}
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, wrong
	}
	clock, offset, zoned, ok := zone(clock)
	if !ok || zoned && clock == "" {
		return nil, wrong
	}
	seconds, nanos := t.Unix()-offset, int64(0)
	if clock != "" {
		fraction := ""
		clock, fraction, _ = strings.Cut(clock, ".")
		c, err := time.Parse("15:04:05", clock)
		if err != nil {
			c, err = time.Parse("15:04", clock)
		}
		digits := strings.TrimRight(fraction, "0")
		if err != nil || len(digits) > nanoScale || strings.Trim(fraction, "0123456789") != "" || strings.HasSuffix(text, ".") {
			return nil, wrong
		}
		seconds += int64(c.Hour()*3600 + c.Minute()*60 + c.Second())
		if digits != "" {
			nanos, _ = strconv.ParseInt(digits+strings.Repeat("0", nanoScale-len(digits)), 10, 64)
		}
	}
	x := new(big.Int).Mul(big.NewInt(seconds), pow10(nanoScale))
	v := exactValue(node, stampClass, x.Add(x, big.NewInt(nanos)), nanoScale)
	v.zoned = zoned
	return v, nil
}

// zone takes the zone off the end of a time of day: Z, +02, +02:00 or +0200.
func zone(clock string) (rest string, seconds int64, zoned, ok bool) {
	if rest, utc := strings.CutSuffix(clock, "Z"); utc {
		return strings.TrimRight(rest, " "), 0, true, true
	}
	at := strings.LastIndexAny(clock, "+-")
	if at < 0 {
		return clock, 0, false, true
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, clock[at:]); err == nil {
			_, offset := t.Zone()
			return strings.TrimRight(clock[:at], " "), int64(offset), true, true
		}
	}
	return clock, 0, false, false
}
