package calendar

// Diff returns the loop that counts the boundaries of the unit between two
// values, from a to b, as DuckDB's date_diff does, for which a week is seven days
// wherever they begin; nil if f is no such unit.
func Diff(f Field, r Resolution) func(dst, a, b []int64, rows []uint32) error {
	per := int64(1)
	if f == Week {
		f, per = Day, 7
	}
	if f >= Day && f <= ISOYear {
		return func(dst, a, b []int64, rows []uint32) error {
			for _, i := range rows {
				day1, _ := floorDiv(a[i], int64(r))
				day2, _ := floorDiv(b[i], int64(r))
				dst[i] = (f.number(day2) - f.number(day1)) / per
			}
			return nil
		}
	}
	part := map[Field]int64{Hour: 3600, Minute: 60, Second: 1}[f] * r.perSecond()
	times := int64(1)
	if f == Millisecond || f == Microsecond {
		unit := map[Field]int64{Millisecond: 1e3, Microsecond: 1e6}[f]
		part, times = max(1, r.perSecond()/unit), max(1, unit/max(1, r.perSecond()))
	}
	if part == 0 || r == Days {
		return nil
	}
	return func(dst, a, b []int64, rows []uint32) error {
		for _, i := range rows {
			x, _ := floorDiv(a[i], part)
			y, _ := floorDiv(b[i], part)
			d, ok := mul(y-x, times)
			if !ok || (x^y)&(y^(y-x)) < 0 {
				return ErrRange
			}
			dst[i] = d
		}
		return nil
	}
}

// number numbers the periods of the unit.
func (f Field) number(day int64) int64 {
	switch f {
	case Day:
		return day
	case ISOYear:
		y, _ := isoWeek(day)
		return y
	}
	y, m, _ := Civil(day)
	switch f {
	case Month:
		return y*12 + int64(m)
	case Quarter:
		return y*4 + int64(m-1)/3
	case Decade:
		y, _ = floorDiv(y, 10)
	case Century:
		y, _ = floorDiv(y, 100)
	case Millennium:
		y, _ = floorDiv(y, 1000)
	}
	return y
}

// LastDay puts the last day of each value's month, as days.
func LastDay(r Resolution) Loop {
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			day, _ := floorDiv(src[i], int64(r))
			_, next := Month.firstDay(day)
			dst[i] = next - 1
		}
		return nil
	}
}
