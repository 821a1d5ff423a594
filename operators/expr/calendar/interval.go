package calendar

import "math"

// Interval is a length of time in Arrow's layout of month_day_nano_interval.
type Interval struct {
	Months, Days int32
	Nanos        int64
}

const (
	nanosPerSecond = int64(1e9)
	nanosPerDay    = 86400 * nanosPerSecond
)

// Span is i for comparing: as days of 24 hours, and what is left over them, in
// nanoseconds; a month is 30 days.
func (i Interval) Span() (days, nanos int64) {
	days, nanos = floorDiv(i.Nanos, nanosPerDay)
	return days + int64(i.Days) + 30*int64(i.Months), nanos
}

func fits32(x int64) bool { return x == int64(int32(x)) }

// Add returns the sum, part by part.
func (i Interval) Add(o Interval) (Interval, bool) {
	months, days := int64(i.Months)+int64(o.Months), int64(i.Days)+int64(o.Days)
	nanos, ok := add(i.Nanos, o.Nanos)
	return Interval{int32(months), int32(days), nanos}, ok && fits32(months) && fits32(days)
}

// Times returns i n times, part by part.
func (i Interval) Times(n int64) (Interval, bool) {
	months, ok1 := mul(int64(i.Months), n)
	days, ok2 := mul(int64(i.Days), n)
	nanos, ok3 := mul(i.Nanos, n)
	return Interval{int32(months), int32(days), nanos}, ok1 && ok2 && ok3 && fits32(months) && fits32(days)
}

// after returns x moved by i: first its months, then days, then the rest, which
// must be whole ticks.
func (i Interval) after(x int64, r Resolution) (int64, bool) {
	if i.Months != 0 {
		day, rest := floorDiv(x, int64(r))
		t, ok := r.At(addMonths(day, int64(i.Months)), rest)
		if !ok {
			return 0, false
		}
		x = t
	}
	days, ok := mul(int64(i.Days), int64(r))
	if !ok {
		return 0, false
	}
	if x, ok = add(x, days); !ok || i.Nanos == 0 {
		return x, ok
	}
	part := nanosPerDay / int64(r)
	rest := i.Nanos / part
	x, ok = add(x, rest)
	return x, ok && rest*part == i.Nanos
}

// AddIntervals moves each value by an interval. ErrRange is also the answer
// where an interval is no whole number of ticks.
func AddIntervals(dst, src []int64, by []Interval, rows []uint32, r Resolution) error {
	for _, i := range rows {
		x, ok := by[i].after(src[i], r)
		if !ok {
			return ErrRange
		}
		dst[i] = x
	}
	return nil
}

// TurnTimes moves each time of day by the part of an interval that is less than a
// day, around midnight.
func TurnTimes(dst, src []int64, by []Interval, rows []uint32, r Resolution) error {
	part := nanosPerDay / int64(r)
	for _, i := range rows {
		nanos := by[i].Nanos % nanosPerDay
		if nanos%part != 0 {
			return ErrRange
		}
		_, dst[i] = floorDiv(src[i]+nanos/part, int64(r))
	}
	return nil
}

// SumIntervals adds intervals part by part.
func SumIntervals(dst, a, b []Interval, rows []uint32) error {
	for _, i := range rows {
		s, ok := a[i].Add(b[i])
		if !ok {
			return ErrRange
		}
		dst[i] = s
	}
	return nil
}

// MultiplyIntervals multiplies each part by an integer.
func MultiplyIntervals(dst, a []Interval, by []int64, rows []uint32) error {
	for _, i := range rows {
		p, ok := a[i].Times(by[i])
		if !ok {
			return ErrRange
		}
		dst[i] = p
	}
	return nil
}

// NegateIntervals changes the sign of each part.
func NegateIntervals(dst, src []Interval, rows []uint32) error {
	for _, i := range rows {
		p, ok := src[i].Times(-1)
		if !ok {
			return ErrRange
		}
		dst[i] = p
	}
	return nil
}

// Elapsed makes ticks that passed into intervals of days and a rest, as
// PostgreSQL's difference of timestamps is.
func Elapsed(dst []Interval, src []int64, rows []uint32, r Resolution) error {
	for _, i := range rows {
		days, rest := src[i]/int64(r), src[i]%int64(r)
		if !fits32(days) {
			return ErrRange
		}
		dst[i] = Interval{Days: int32(days), Nanos: rest * (nanosPerDay / int64(r))}
	}
	return nil
}

// Field returns a field of the interval as PostgreSQL has it, and how many of
// its digits stand behind the point. Epoch is not one of them: it is EpochOf.
func (i Interval) Field(f Field) (value int64, ok bool) {
	months, nanos := int64(i.Months), i.Nanos
	switch f {
	case Millennium:
		return months / 12000, true
	case Century:
		return months / 1200, true
	case Decade:
		return months / 120, true
	case Year:
		return months / 12, true
	case Quarter:
		return months%12/3 + 1, true
	case Month:
		return months % 12, true
	case Day:
		return int64(i.Days), true
	case Hour:
		return nanos / (3600 * nanosPerSecond), true
	case Minute:
		return nanos / (60 * nanosPerSecond) % 60, true
	case Second, Millisecond, Microsecond:
		return nanos % (60 * nanosPerSecond), true
	}
	return 0, false
}

// FieldDigits is how many digits of a field of an interval stand behind the
// point.
func FieldDigits(f Field) int {
	switch f {
	case Second:
		return 9
	case Millisecond:
		return 6
	case Microsecond:
		return 3
	}
	return 0
}

// EpochOf returns the interval in seconds and nanoseconds of the same sign: years
// of 365.25 days and months of 30.
func (i Interval) EpochOf() (seconds, nanos int64) {
	years, months := int64(i.Months)/12, int64(i.Months)%12
	seconds = years*31557600 + months*30*86400 + int64(i.Days)*86400 + i.Nanos/nanosPerSecond
	nanos = i.Nanos % nanosPerSecond
	switch {
	case seconds > 0 && nanos < 0:
		seconds, nanos = seconds-1, nanos+nanosPerSecond
	case seconds < 0 && nanos > 0:
		seconds, nanos = seconds+1, nanos-nanosPerSecond
	}
	return seconds, nanos
}

// Age returns the symbolic difference a - b of values with these resolutions, in
// years, months, days and time, of which PostgreSQL's age is the model.
func Age(a int64, ofA Resolution, b int64, ofB Resolution) (Interval, bool) {
	day1, rest1 := floorDiv(a, int64(ofA))
	day2, rest2 := floorDiv(b, int64(ofB))
	rest1, rest2 = rest1*(nanosPerDay/int64(ofA)), rest2*(nanosPerDay/int64(ofB))
	sign := int64(1)
	if day1 < day2 || day1 == day2 && rest1 < rest2 {
		sign = -1
	}
	y1, m1, d1 := Civil(day1)
	y2, m2, d2 := Civil(day2)
	months := sign * ((y1-y2)*12 + int64(m1-m2))
	days, rest := sign*int64(d1-d2), sign*(rest1-rest2)
	if rest < 0 {
		days, rest = days-1, rest+nanosPerDay
	}
	for days < 0 {
		if sign < 0 {
			days += int64(monthDays(y1, m1))
		} else {
			days += int64(monthDays(y2, m2))
		}
		months--
	}
	months, days, rest = sign*months, sign*days, sign*rest
	if months < math.MinInt32 || months > math.MaxInt32 {
		return Interval{}, false
	}
	return Interval{int32(months), int32(days), rest}, true
}

// Ages is Age over columns.
func Ages(dst []Interval, a []int64, ofA Resolution, b []int64, ofB Resolution, rows []uint32) error {
	for _, i := range rows {
		age, ok := Age(a[i], ofA, b[i], ofB)
		if !ok {
			return ErrRange
		}
		dst[i] = age
	}
	return nil
}
