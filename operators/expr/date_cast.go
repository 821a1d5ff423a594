package expr

import "github.com/colagg/colagg/operators/expr/calendar"

// castsOfTime returns how dates, times and lengths of time become others, or nil.
func castsOfTime(x, v *value) func(c *compiler, v *value) any {
	switch {
	case v.class == stampClass && x.moment():
		return ticked(rounded, max(v.scale, x.digits()))
	case v.class == dateClass && x.class == stampClass:
		return ticked(func(by int64) func(dst, src []int64, rows []uint32) error {
			return calendar.Rescale(resolutionOf(x.scale), calendar.Days)
		}, x.scale)
	case v.class == timeClass && (x.class == stampClass || x.class == timeClass):
		day := 86400 * pow10(v.scale).Int64()
		return ticked(func(by int64) func(dst, src []int64, rows []uint32) error { return clockOf(by, day) }, max(v.scale, x.scale))
	case v.class == intervalClass && (x.lasting() || x.class == timeClass):
		return func(c *compiler, v *value) any { return c.spans(v.args[0]) }
	}
	return nil
}

// ticked makes times of those of another type: loop takes them from a scale, of
// which so many units are one of the result's.
func ticked(loop func(by int64) func(dst, src []int64, rows []uint32) error, scale int) func(c *compiler, v *value) any {
	return func(c *compiler, v *value) any {
		over := c.failure(v, false)
		of := c.ticks(v.args[0], scale, over)
		by := int64(1)
		if v.class != dateClass {
			by = pow10(scale - v.scale).Int64()
		}
		return &mapped[int64, int64]{of: of, loop: ranged(loop(by), over)}
	}
}

// clockOf is what has passed of a day, rounded; midnight follows its last tick.
func clockOf(by, day int64) func(dst, src []int64, rows []uint32) error {
	round := rounded(by)
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			if dst[i] = src[i] % (day * by); dst[i] < 0 {
				dst[i] += day * by
			}
		}
		if err := round(dst, dst, rows); err != nil {
			return err
		}
		for _, i := range rows {
			if dst[i] == day {
				dst[i] = 0
			}
		}
		return nil
	}
}

// parseDay reads a date, or that of a timestamp without a zone.
func parseDay(s []byte) (int64, bool) {
	if day, ok := calendar.ParseDate(string(s)); ok {
		return day, int64(int32(day)) == day
	}
	t, ok := calendar.ParseTimestamp(string(s))
	day := t.Seconds / 86400
	if t.Seconds%86400 < 0 {
		day--
	}
	return day, ok && !t.Zoned && int64(int32(day)) == day
}

// parseStamp reads timestamps, with a zone only where v has one.
func parseStamp(v *value) func(s []byte) (int64, bool) {
	r := v.resolution()
	return func(s []byte) (int64, bool) {
		t, ok := calendar.ParseTimestamp(string(s))
		if !ok || t.Zoned && !v.zoned {
			return 0, false
		}
		return t.Ticks(r)
	}
}
