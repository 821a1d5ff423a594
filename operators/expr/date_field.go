package expr

import (
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// field reads the name of a field or unit, which is a constant.
func field(b *binder, v *value) (calendar.Field, error) {
	if !v.constant() || v.class != textClass {
		return 0, bad(v.node, "as in 'month'", "%s must be a constant, the name of a field", b.spell(v.node))
	}
	f, ok := calendar.ParseField(v.lit.text)
	if !ok {
		return 0, bad(v.node, fieldHint, "there is no field '%s'", v.lit.text)
	}
	return f, nil
}

const fieldHint = "fields are year, quarter, month, week, day, hour, minute, second, millisecond, microsecond, epoch, dow, isodow, doy, isoyear, decade, century, millennium"

// extract is a field of a date, timestamp, duration or interval: a whole number,
// or a decimal where it has a fraction.
func (b *binder) extract(e *sql.Expr, f calendar.Field, x *value) (*value, error) {
	if x.lasting() {
		return b.extractSpan(e, f, x)
	}
	if !x.moment() && (x.class != timeClass || f.OfDay() || f >= calendar.Zone) {
		return nil, bad(x.node, "cast it to a timestamp", "%s is a %s, which has no field '%s'", b.spell(x.node), x.name, f)
	}
	if f >= calendar.Zone && x.zoned { // the zone is UTC
		return exactValue(e, intClass, pow10(0).SetInt64(0), 0), nil
	}
	loop, scale := calendar.Extract(f, x.resolution())
	if x.constant() && x.class != dateClass {
		loop, scale = calendar.Extract(f, resolutionOf(x.digits()))
	}
	if loop == nil {
		return nil, bad(x.node, "cast it to a timestamp", "a %s has no field '%s'", x.name, f)
	}
	v := intOf(e, []*value{x}, nil)
	if scale > 0 {
		v.asDecimal(intDigits, scale)
	}
	v.made.ints = func(c *compiler) vec[int64] {
		over, of := c.failure(v, false), c.ints
		if x.class != dateClass {
			of = func(x *value) vec[int64] { return c.ticks(x, x.digits(), over) }
		}
		return &mapped[int64, int64]{of: of(x), loop: ranged(loop, over)}
	}
	return v, nil
}

// extractSpan is a field of a duration or an interval.
func (b *binder) extractSpan(e *sql.Expr, f calendar.Field, x *value) (*value, error) {
	v := intOf(e, []*value{x}, nil)
	if f == calendar.Epoch {
		v.asDecimal(maxDigits, 9)
		v.made.wide = func(c *compiler) vec[int128] {
			return &mapped[calendar.Interval, int128]{of: c.spans(x), loop: epochs}
		}
		return v, nil
	}
	if _, ok := (calendar.Interval{}).Field(f); !ok {
		return nil, bad(x.node, "", "a %s has no field '%s'", x.name, f)
	}
	if scale := calendar.FieldDigits(f); scale > 0 {
		v.asDecimal(intDigits, scale)
	}
	v.made.ints = func(c *compiler) vec[int64] {
		return &mapped[calendar.Interval, int64]{of: c.spans(x), loop: func(dst []int64, src []calendar.Interval, rows []uint32) error {
			for _, i := range rows {
				dst[i], _ = src[i].Field(f)
			}
			return nil
		}}
	}
	return v, nil
}

// epochs are nanoseconds.
func epochs(dst []int128, src []calendar.Interval, rows []uint32) error {
	for _, i := range rows {
		seconds, nanos := src[i].EpochOf()
		p, _ := wide(seconds).mul(wide(1e9))
		dst[i], _ = p.add(wide(nanos))
	}
	return nil
}

// spanned are the lengths of intervals for comparisons, in nanoseconds.
func spanned(dst []int128, src []calendar.Interval, rows []uint32) error {
	for _, i := range rows {
		days, nanos := src[i].Span()
		p, _ := wide(days).mul(wide(86400e9))
		dst[i], _ = p.add(wide(nanos))
	}
	return nil
}

// truncate is the start of the unit that x is in.
func (b *binder) truncate(e *sql.Expr, f calendar.Field, x *value) (*value, error) {
	if !x.moment() {
		return nil, bad(x.node, "cast it to a timestamp", "%s is a %s and no timestamp", b.spell(x.node), x.name)
	}
	scale := stampScale(x)
	loop := calendar.Trunc(f, resolutionOf(scale))
	if loop == nil {
		return nil, bad(e, "units are year, quarter, month, week, day, hour, minute, second, …", "'%s' is no unit to truncate to", f)
	}
	v := stampOf(e, []*value{x}, scale, x.zoned, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &mapped[int64, int64]{of: c.ticks(x, scale, over), loop: ranged(loop, over)}
	}
	return v, nil
}
