package render

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

const secondsPerDay = 24 * 60 * 60

// timePrinter is printer for dates, times, timestamps and durations; nil for
// others.
func timePrinter(a arrow.Array) func(dst []byte, i int) []byte {
	switch a := a.(type) {
	case *array.Date32:
		return func(dst []byte, i int) []byte { return appendDate(dst, int64(a.Value(i))) }
	case *array.Date64:
		const perDay = secondsPerDay * 1000
		return func(dst []byte, i int) []byte {
			day, _ := floorDiv(int64(a.Value(i)), perDay)
			return appendDate(dst, day)
		}
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit
		return func(dst []byte, i int) []byte { return appendClock(dst, int64(a.Value(i)), unit) }
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return func(dst []byte, i int) []byte { return appendClock(dst, int64(a.Value(i)), unit) }
	case *array.Duration:
		unit := a.DataType().(*arrow.DurationType).Unit
		return func(dst []byte, i int) []byte { return appendClock(dst, int64(a.Value(i)), unit) }
	case *array.MonthDayNanoInterval:
		return func(dst []byte, i int) []byte { return appendInterval(dst, a.Value(i)) }
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		return func(dst []byte, i int) []byte {
			day, rest := floorDiv(int64(a.Value(i)), secondsPerDay*perSecond(t.Unit))
			dst = append(appendDate(dst, day), ' ')
			dst = appendClock(dst, rest, t.Unit)
			if t.TimeZone != "" {
				dst = append(dst, 'Z') // the stored number is an instant in UTC
			}
			return dst
		}
	}
	return nil
}

// perSecond returns the number of units in a second.
func perSecond(u arrow.TimeUnit) int64 {
	switch u {
	case arrow.Second:
		return 1
	case arrow.Millisecond:
		return 1e3
	case arrow.Microsecond:
		return 1e6
	}
	return 1e9
}

// floorDiv returns the quotient of a and b > 0, rounded down, and the
// remainder, which is not negative.
func floorDiv(a, b int64) (q, r int64) {
	q, r = a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	return q, r
}

// appendDate appends the date that lies day days after 1970-01-01 in the
// proleptic Gregorian calendar. Year 0 is the one before year 1.
func appendDate(dst []byte, day int64) []byte {
	// Years begin in March here, so that the leap day is a year's last.
	era, dayOfEra := floorDiv(day+719468, 146097) // days of 400 years
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*dayOfYear + 2) / 153
	d := dayOfYear - (153*m+2)/5 + 1
	year, month := yearOfEra+400*era, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	if year < 0 {
		dst, year = append(dst, '-'), -year
	}
	dst = appendPadded(dst, uint64(year), 4)
	dst = appendPadded(append(dst, '-'), uint64(month), 2)
	return appendPadded(append(dst, '-'), uint64(d), 2)
}

// appendClock appends v units of time as hours, minutes, seconds and, if
// there is one, the fraction without zeros at its end.
func appendClock(dst []byte, v int64, unit arrow.TimeUnit) []byte {
	u := uint64(v)
	if v < 0 {
		dst, u = append(dst, '-'), -u
	}
	per := uint64(perSecond(unit))
	seconds, fraction := u/per, u%per
	dst = appendPadded(dst, seconds/3600, 2)
	dst = appendPadded(append(dst, ':'), seconds/60%60, 2)
	dst = appendPadded(append(dst, ':'), seconds%60, 2)
	if fraction == 0 {
		return dst
	}
	dst = append(dst, '.')
	for per /= 10; fraction > 0; per /= 10 {
		dst = append(dst, '0'+byte(fraction/per))
		fraction %= per
	}
	return dst
}

// appendInterval appends an interval as PostgreSQL writes it. What follows a
// negative part has a sign even if it is positive.
func appendInterval(dst []byte, v arrow.MonthDayNanoInterval) []byte {
	start, minus := len(dst), false
	part := func(n int32, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if minus && n > 0 {
			dst = append(dst, '+')
		}
		minus = n < 0
		dst = append(append(strconv.AppendInt(dst, int64(n), 10), ' '), unit...)
		if n != 1 {
			dst = append(dst, 's')
		}
	}
	part(v.Months/12, "year")
	part(v.Months%12, "mon")
	part(v.Days, "day")
	if len(dst) > start {
		if v.Nanoseconds == 0 {
			return dst
		}
		dst = append(dst, ' ')
	}
	if minus && v.Nanoseconds > 0 {
		dst = append(dst, '+')
	}
	return appendClock(dst, v.Nanoseconds, arrow.Nanosecond)
}

// appendPadded appends v in decimal with at least width digits.
func appendPadded(dst []byte, v uint64, width int) []byte {
	var tmp [20]byte
	digits := strconv.AppendUint(tmp[:0], v, 10)
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}
