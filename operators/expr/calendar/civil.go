package calendar

import (
	"errors"
	"math/bits"
)

// ErrRange says that a value is outside of its type's range.
var ErrRange = errors.New("calendar: the value is out of range")

// Loop computes dst of src at the given rows.
type Loop func(dst, src []int64, rows []uint32) error

// Resolution is how many ticks a day has.
type Resolution int64

// The resolutions of Arrow's types.
const (
	Days         Resolution = 1
	Seconds      Resolution = 86400
	Milliseconds Resolution = 1e3 * Seconds
	Microseconds Resolution = 1e6 * Seconds
	Nanoseconds  Resolution = 1e9 * Seconds
)

// perSecond is the number of ticks in a second, 0 of Days.
func (r Resolution) perSecond() int64 { return int64(r) / 86400 }

// Digits is the number of decimal digits behind a second's point.
func (r Resolution) Digits() int {
	n := 0
	for p := r.perSecond(); p > 1; p /= 10 {
		n++
	}
	return n
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

// Civil returns the year, month and day of the month of the day-th day after
// 1970-01-01, for days of up to some 10^17.
func Civil(day int64) (year int64, month, dom int) {
	// Years begin in March here, so that the leap day is a year's last.
	era, doe := floorDiv(day+719468, 146097) // days of 400 years
	d := uint32(doe)
	yoe := (d - d/1460 + d/36524 - d/146096) / 365
	doy := d - (365*yoe + yoe/4 - yoe/100)
	m := (5*doy + 2) / 153
	year, month, dom = int64(yoe)+400*era, int(m)+3, int(doy-(153*m+2)/5+1)
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, dom
}

// DayOf returns the number of days from 1970-01-01 to a date; the month is one
// of 1 to 12, and the day of the month may be any.
func DayOf(year int64, month, dom int) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	era, yoe := floorDiv(year, 400)
	doy := int64(153*(month-3)+2)/5 + int64(dom) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

func leap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// monthDays returns the number of days of a month.
func monthDays(year int64, month int) int {
	if month != 2 {
		return 30 | (month ^ month>>3)
	}
	if leap(year) {
		return 29
	}
	return 28
}

// weekday returns 0 for Mondays to 6 for Sundays.
func weekday(day int64) int64 {
	_, w := floorDiv(day+3, 7)
	return w
}

// isoWeek returns the year and number of the week of ISO 8601.
func isoWeek(day int64) (year, week int64) {
	thursday := day - weekday(day) + 3
	year, _, _ = Civil(thursday)
	return year, (thursday-DayOf(year, 1, 1))/7 + 1
}

// addMonths returns the day that is so many months later; where that month is
// shorter, its last day.
func addMonths(day, months int64) int64 {
	y, m, d := Civil(day)
	q, r := floorDiv(y*12+int64(m)-1+months, 12)
	m = int(r) + 1
	return DayOf(q, m, min(d, monthDays(q, m)))
}

// mul returns a*b if that fits.
func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	high := int64(hi) - a>>63&b - b>>63&a // of the signed product
	return int64(lo), high == int64(lo)>>63
}

// add returns a+b if that fits.
func add(a, b int64) (int64, bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

// At returns the ticks of a day and what follows its start.
func (r Resolution) At(day, rest int64) (int64, bool) {
	if day < 0 && rest > 0 { // the day's start may be out of range where the sum is not
		day, rest = day+1, rest-int64(r)
	}
	t, ok := mul(day, int64(r))
	if !ok {
		return 0, false
	}
	return add(t, rest)
}
