package calendar

import "math"

// MakeDate returns the day of a date: the year before 1 is -1, and there is no
// year 0.
func MakeDate(year, month, dom int64) (day int64, ok bool) {
	if year == 0 || month < 1 || month > 12 || year < -1e9 || year > 1e9 {
		return 0, false
	}
	if year < 0 {
		year++
	}
	if dom < 1 || dom > int64(monthDays(year, int(month))) {
		return 0, false
	}
	day = DayOf(year, int(month), int(dom))
	return day, fits32(day)
}

// MakeTime returns the nanoseconds of a time of day; the seconds are rounded to
// microseconds.
func MakeTime(hour, minute int64, second float64) (nanos int64, ok bool) {
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(second >= 0 && second < 60) {
		return 0, false
	}
	return (hour*60+minute)*60*nanosPerSecond + int64(math.RoundToEven(second*1e6))*1000, true
}

// FromEpoch returns the microseconds of seconds since 1970-01-01, rounded.
func FromEpoch(seconds float64) (micros int64, ok bool) {
	f := math.RoundToEven(seconds * 1e6)
	if !(f >= -1<<63 && f < 1<<63) {
		return 0, false
	}
	return int64(f), true
}
