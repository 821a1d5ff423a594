package calendar

import "strings"

// Field is a part of a date, time or interval.
type Field uint8

// The fields; those up to Millennium are also units of truncation, with Week.
const (
	Microsecond Field = iota + 1
	Millisecond
	Second
	Minute
	Hour
	Day
	Week
	Month
	Quarter
	Year
	Decade
	Century
	Millennium
	ISOYear
	DayOfWeek    // Sunday is 0
	ISODayOfWeek // Monday is 1, Sunday 7
	DayOfYear
	Epoch
	Julian
	YearWeek // 202405, of ISO 8601
	Era      // 1, or 0 before the year 1
	Zone
	ZoneHour
	ZoneMinute
)

var fieldNames = map[string]Field{
	"microsecond": Microsecond, "us": Microsecond, "usec": Microsecond, "usecs": Microsecond,
	"millisecond": Millisecond, "ms": Millisecond, "msec": Millisecond, "msecs": Millisecond,
	"second": Second, "s": Second, "sec": Second, "secs": Second,
	"minute": Minute, "m": Minute, "min": Minute, "mins": Minute,
	"hour": Hour, "h": Hour, "hr": Hour, "hrs": Hour,
	"day": Day, "d": Day, "dayofmonth": Day,
	"week": Week, "w": Week, "weekofyear": Week,
	"month": Month, "mon": Month, "mons": Month,
	"quarter": Quarter, "qtr": Quarter,
	"year": Year, "y": Year, "yr": Year, "yrs": Year,
	"decade": Decade, "dec": Decade, "decs": Decade,
	"century": Century, "c": Century, "cent": Century, "centuries": Century,
	"millennium": Millennium, "mil": Millennium, "mils": Millennium, "millennia": Millennium,
	"isoyear": ISOYear, "dow": DayOfWeek, "dayofweek": DayOfWeek, "weekday": DayOfWeek,
	"isodow": ISODayOfWeek, "doy": DayOfYear, "dayofyear": DayOfYear,
	"epoch": Epoch, "julian": Julian, "yearweek": YearWeek, "era": Era,
	"timezone": Zone, "timezone_hour": ZoneHour, "timezone_minute": ZoneMinute,
}

// ParseField reads the name of a field, in any case; most may be in the plural.
func ParseField(name string) (Field, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	f, ok := fieldNames[name]
	if !ok && len(name) > 3 {
		f, ok = fieldNames[strings.TrimSuffix(name, "s")]
	}
	return f, ok
}

// String returns the field's name.
func (f Field) String() string {
	best := ""
	for name, g := range fieldNames {
		if g == f && (len(name) > len(best) || len(name) == len(best) && name < best) {
			best = name
		}
	}
	return best
}

// OfDay reports whether the field is one of a whole day, so that dates have it
// too.
func (f Field) OfDay() bool { return f >= Day && f != Epoch && f < Zone }

// ofDay is the value of such a field, as PostgreSQL counts: there is no year 0,
// and the centuries begin with years 1 and -1.
func (f Field) ofDay(day int64) int64 {
	switch f {
	case Week:
		_, w := isoWeek(day)
		return w
	case ISOYear:
		y, _ := isoWeek(day)
		return withoutZero(y)
	case YearWeek:
		y, w := isoWeek(day)
		if y < 0 {
			w = -w
		}
		return y*100 + w
	case DayOfWeek:
		return (weekday(day) + 1) % 7
	case ISODayOfWeek:
		return weekday(day) + 1
	case Julian:
		return day + 2440588
	}
	y, m, d := Civil(day)
	switch f {
	case Day:
		return int64(d)
	case Month:
		return int64(m)
	case Quarter:
		return int64(m+2) / 3
	case Year:
		return withoutZero(y)
	case Decade:
		q, _ := floorDiv(y, 10)
		return q
	case Century:
		return counted(y, 100)
	case Millennium:
		return counted(y, 1000)
	case DayOfYear:
		return day - DayOf(y, 1, 1) + 1
	}
	if y > 0 { // Era
		return 1
	}
	return 0
}

func withoutZero(year int64) int64 {
	if year <= 0 {
		return year - 1
	}
	return year
}

// counted is the number of the period of n years, the first of which begins
// with year 1.
func counted(year, n int64) int64 {
	q, _ := floorDiv(year-1, n)
	return withoutZero(q + 1)
}

// Extract returns the loop for a field of ticks, and how many of its digits
// stand behind the point; it is nil if there is no such field at this
// resolution.
func Extract(f Field, r Resolution) (loop Loop, scale int) {
	switch {
	case f.OfDay() && (f != Julian || r == Days):
		return extractDays(f, r), 0
	case f == Epoch && r == Days:
		return multiply(86400), 0
	case f == Epoch:
		return multiply(1), r.Digits()
	case r == Days:
		return nil, 0
	}
	per := r.perSecond()
	switch f {
	case Hour:
		return quotient(int64(r), 3600*per), 0
	case Minute:
		return quotient(3600*per, 60*per), 0
	case Second:
		return remainder(60*per, 1), r.Digits()
	case Millisecond:
		return remainder(60*per, max(1, 1000/per)), max(0, r.Digits()-3)
	case Microsecond:
		return remainder(60*per, max(1, 1000000/per)), max(0, r.Digits()-6)
	}
	return nil, 0
}

// extractDays computes once for rows of the same day that follow each other.
func extractDays(f Field, r Resolution) Loop {
	return func(dst, src []int64, rows []uint32) error {
		start, end := uint64(0), uint64(0) // ticks from start to end have value
		value := int64(0)
		for _, i := range rows {
			x := uint64(src[i])
			if x-start >= end-start {
				day, rest := floorDiv(src[i], int64(r))
				start = x - uint64(rest)
				end = start + uint64(r)
				value = f.ofDay(day)
			}
			dst[i] = value
		}
		return nil
	}
}

// quotient is which part of the whole, of ticks, the rest is in.
func quotient(whole, part int64) Loop {
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			_, rest := floorDiv(src[i], whole)
			dst[i] = rest / part
		}
		return nil
	}
}

func remainder(whole, times int64) Loop {
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			_, rest := floorDiv(src[i], whole)
			dst[i] = rest * times
		}
		return nil
	}
}

func multiply(by int64) Loop {
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			p, ok := mul(src[i], by)
			if !ok {
				return ErrRange
			}
			dst[i] = p
		}
		return nil
	}
}

func divide(by int64) Loop {
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i], _ = floorDiv(src[i], by)
		}
		return nil
	}
}

// Rescale returns the loop from one resolution to another: to a coarser one it
// rounds down.
func Rescale(from, to Resolution) Loop {
	if to >= from {
		return multiply(int64(to / from))
	}
	return divide(int64(from / to))
}
