package calendar

import "math"

// firstDay returns the first day of the period that day lies in, and that of
// the next one.
func (f Field) firstDay(day int64) (first, next int64) {
	switch f {
	case Day:
		return day, day + 1
	case Week:
		first = day - weekday(day)
		return first, first + 7
	case ISOYear:
		y, _ := isoWeek(day)
		return isoYearStart(y), isoYearStart(y + 1)
	}
	y, m, d := Civil(day)
	switch f {
	case Month:
		first = day - int64(d) + 1
		return first, first + int64(monthDays(y, m))
	case Quarter:
		m = (m-1)/3*3 + 1
		return monthStart(y, m), monthStart(y, m+3)
	case Decade:
		return yearStart(y, 0, 10)
	case Century:
		return yearStart(y, 1, 100)
	case Millennium:
		return yearStart(y, 1, 1000)
	}
	first = DayOf(y, 1, 1)
	if leap(y) {
		return first, first + 366
	}
	return first, first + 365
}

// monthStart takes months of up to 15.
func monthStart(y int64, m int) int64 {
	if m > 12 {
		y, m = y+1, m-12
	}
	return DayOf(y, m, 1)
}

func yearStart(y, from, n int64) (first, next int64) {
	q, _ := floorDiv(y-from, n)
	return DayOf(q*n+from, 1, 1), DayOf(q*n+from+n, 1, 1)
}

func isoYearStart(y int64) int64 {
	jan4 := DayOf(y, 1, 4)
	return jan4 - weekday(jan4)
}

// Trunc returns the loop to the start of the unit; nil if f is no unit of
// truncation. Dates are the starts of their days and all shorter units.
func Trunc(f Field, r Resolution) Loop {
	switch {
	case f >= Day && f <= ISOYear:
		return truncDays(f, r)
	case f == 0 || f > ISOYear:
		return nil
	}
	part := map[Field]int64{Hour: int64(r) / 24, Minute: int64(r) / 1440, Second: r.perSecond(),
		Millisecond: r.perSecond() / 1000, Microsecond: r.perSecond() / 1000000}[f]
	return bin(max(1, part), 0)
}

// truncDays computes once for rows of the same period that follow each other.
func truncDays(f Field, r Resolution) Loop {
	return func(dst, src []int64, rows []uint32) error {
		start, last := int64(1), int64(0)
		for _, i := range rows {
			x := src[i]
			if x < start || x > last {
				day, _ := floorDiv(x, int64(r))
				first, next := f.firstDay(day)
				t, ok := mul(first, int64(r))
				if !ok {
					return ErrRange
				}
				start, last = t, math.MaxInt64
				if end, ok := mul(next, int64(r)); ok {
					last = end - 1
				}
			}
			dst[i] = start
		}
		return nil
	}
}

// bin rounds down to origin and multiples of width from there.
func bin(width, origin int64) Loop {
	_, origin = floorDiv(origin, width)
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			x := src[i]
			_, rest := floorDiv(x, width)
			if rest -= origin; rest < 0 {
				rest += width
			}
			s := x - rest
			if s > x {
				return ErrRange
			}
			dst[i] = s
		}
		return nil
	}
}

// Bin returns the loop to the start of the bin of width ticks that a value is
// in; one of them starts at origin.
func Bin(width, origin int64) Loop { return bin(width, origin) }

// BinMonths is Bin by months from the month of origin.
func BinMonths(months, origin int64, r Resolution) Loop {
	originDay, _ := floorDiv(origin, int64(r))
	y, m, _ := Civil(originDay)
	zero := y*12 + int64(m) - 1
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			day, _ := floorDiv(src[i], int64(r))
			y, m, _ := Civil(day)
			q, _ := floorDiv(y*12+int64(m)-1-zero, months)
			y, month := floorDiv(q*months+zero, 12)
			t, ok := mul(DayOf(y, int(month)+1, 1), int64(r))
			if !ok {
				return ErrRange
			}
			dst[i] = t
		}
		return nil
	}
}
