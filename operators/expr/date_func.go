package expr

import (
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// momentOf is an argument that must be a date or timestamp.
func (b *binder) momentOf(v *value) (*value, error) {
	if v.constant() && v.class == textClass {
		return stamp(v.node)
	}
	if !v.moment() {
		return nil, bad(v.node, "cast it to a timestamp", "%s is a %s and no date or timestamp", b.spell(v.node), v.name)
	}
	return v, nil
}

// constantSpan is an argument that must be a constant interval.
func (b *binder) constantSpan(v *value) (calendar.Interval, error) {
	var err error
	if v.constant() && v.class == textClass {
		if v, err = interval(v.node); err != nil {
			return calendar.Interval{}, err
		}
	}
	if !v.constant() || v.class != intervalClass {
		return calendar.Interval{}, bad(v.node, "as in INTERVAL '15 minutes'", "%s must be a constant interval", b.spell(v.node))
	}
	return v.lit.span, nil
}

func bindExtract(b *binder, e *sql.Expr, args []*value) (*value, error) {
	f, err := field(b, args[0])
	if err != nil {
		return nil, err
	}
	return b.extract(e, f, args[1])
}

func bindTrunc(b *binder, e *sql.Expr, args []*value) (*value, error) {
	f, err := field(b, args[0])
	if err != nil {
		return nil, err
	}
	x, err := b.momentOf(args[1])
	if err != nil {
		return nil, err
	}
	if len(args) < 3 {
		return b.truncate(e, f, x)
	}
	// In the days of a zone: an instant is truncated as clocks there show it.
	zone, err := b.zone(args[2])
	if err != nil {
		return nil, err
	}
	if !x.zoned {
		return nil, bad(args[2].node, "", "%s has no time zone", b.spell(x.node))
	}
	local, err := b.truncate(e, f, b.inZone(e, x, zone))
	if err != nil {
		return nil, err
	}
	return b.inZone(e, local, zone), nil
}

func bindDiff(b *binder, e *sql.Expr, args []*value) (*value, error) {
	f, err := field(b, args[0])
	if err != nil {
		return nil, err
	}
	x, err := b.momentOf(args[1])
	if err != nil {
		return nil, err
	}
	y, err := b.momentOf(args[2])
	if err != nil {
		return nil, err
	}
	if err := b.comparable(e, x, y); err != nil {
		return nil, err
	}
	scale := min(max(x.digits(), y.digits()), microScale) // finer units are not counted
	loop := calendar.Diff(f, resolutionOf(scale))
	if loop == nil {
		return nil, bad(args[0].node, "units are year, quarter, month, week, day, hour, minute, second, …", "'%s' is no unit to count", f)
	}
	v := intOf(e, []*value{x, y}, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &paired[int64]{left: c.floored(x, scale, over), right: c.floored(y, scale, over), loop: func(dst, a, b []int64, rows []uint32) error {
			return inRange(loop(dst, a, b, rows), over)
		}}
	}
	return v, nil
}

func bindAge(b *binder, e *sql.Expr, args []*value) (*value, error) {
	x, err := b.momentOf(args[0])
	if err != nil {
		return nil, err
	}
	y, err := b.momentOf(args[1])
	if err != nil {
		return nil, err
	}
	if err := b.comparable(e, x, y); err != nil {
		return nil, err
	}
	of, from := x.digits(), y.digits()
	v := spanOf(e, []*value{x, y}, nil)
	v.made.spans = func(c *compiler) vec[calendar.Interval] {
		over := c.failure(v, false)
		return &joined[int64, int64, calendar.Interval]{left: c.ticks(x, of, over), right: c.ticks(y, from, over), loop: func(dst []calendar.Interval, a, b []int64, rows []uint32) error {
			return inRange(calendar.Ages(dst, a, resolutionOf(of), b, resolutionOf(from), rows), over)
		}}
	}
	return v, nil
}

func bindAdd(b *binder, e *sql.Expr, args []*value) (*value, error) {
	x, err := b.momentOf(args[0])
	if err != nil {
		return nil, err
	}
	if !args[1].lasting() {
		return nil, bad(args[1].node, "as in INTERVAL '1 day'", "%s is a %s and no interval", b.spell(args[1].node), args[1].name)
	}
	return b.moved(e, x, args[1], 1), nil
}

func bindLastDay(b *binder, e *sql.Expr, args []*value) (*value, error) {
	x, err := b.momentOf(args[0])
	if err != nil {
		return nil, err
	}
	scale := x.digits()
	r := resolutionOf(scale)
	v := dateOf(e, []*value{x}, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		of := &mapped[int64, int64]{of: c.ticks(x, scale, over), loop: ranged(calendar.LastDay(r), over)}
		return &mapped[int64, int64]{of: of, loop: inDays(over)}
	}
	return v, nil
}

func bindMakeDate(b *binder, e *sql.Expr, args []*value) (*value, error) {
	for _, a := range args {
		if a.class != intClass {
			return nil, bad(a.node, "", "%s is a %s and no integer", b.spell(a.node), a.name)
		}
	}
	v := dateOf(e, args, nil)
	v.made.ints = func(c *compiler) vec[int64] { return daysOf(c, v, args) }
	return v, nil
}

// daysOf are the days of years, months and days of the month.
func daysOf(c *compiler, v *value, args []*value) vec[int64] {
	over := c.failure(v, false)
	month := &paired[int64]{left: c.ints(args[1]), right: c.ints(args[2]), loop: func(dst, m, d []int64, rows []uint32) error {
		for _, i := range rows {
			if m[i] < 1 || m[i] > 12 || d[i] < 1 || d[i] > 31 {
				return over
			}
			dst[i] = m[i]<<8 | d[i]
		}
		return nil
	}}
	return &paired[int64]{left: c.ints(args[0]), right: month, loop: func(dst, y, md []int64, rows []uint32) error {
		for _, i := range rows {
			day, ok := calendar.MakeDate(y[i], md[i]>>8, md[i]&255)
			if !ok {
				return over
			}
			dst[i] = day
		}
		return nil
	}}
}

// bindZone is x AT TIME ZONE zone: an instant becomes what clocks show, and the
// other way round.
func bindZone(b *binder, e *sql.Expr, args []*value) (*value, error) {
	zone, err := b.zone(args[0])
	if err != nil {
		return nil, err
	}
	x, err := b.momentOf(args[1])
	if err != nil {
		return nil, err
	}
	return b.inZone(e, x, zone), nil
}

func (b *binder) inZone(e *sql.Expr, x *value, zone calendar.TimeZone) *value {
	scale := stampScale(x)
	loop := zone.FromLocal(resolutionOf(scale))
	if x.zoned {
		loop = zone.ToLocal(resolutionOf(scale))
	}
	v := stampOf(e, []*value{x}, scale, !x.zoned, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &mapped[int64, int64]{of: c.ticks(x, scale, over), loop: ranged(loop, over)}
	}
	return v
}

func (b *binder) zone(v *value) (calendar.TimeZone, error) {
	switch {
	case v.constant() && v.class == textClass:
		z, err := calendar.LoadZone(v.lit.text)
		if err != nil {
			return z, bad(v.node, "as in 'Europe/Berlin', or an offset as in INTERVAL '2 hours'", "there is no time zone '%s'", v.lit.text)
		}
		return z, nil
	case v.constant() && v.class == intervalClass && v.lit.span.Months == 0 && v.lit.span.Days == 0 && v.lit.span.Nanos%1e9 == 0 && v.lit.span.Nanos/1e9 > -86400 && v.lit.span.Nanos/1e9 < 86400:
		return calendar.FixedZone(v.lit.span.Nanos / 1e9), nil
	}
	return calendar.TimeZone{}, bad(v.node, "as in 'Europe/Berlin', or an offset as in INTERVAL '2 hours'", "%s must be a constant, the name of a time zone", b.spell(v.node))
}

// bindEpoch is the units of 10^-scale seconds since 1970, rounded.
func bindEpoch(scale int) func(b *binder, e *sql.Expr, args []*value) (*value, error) {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		x, err := b.momentOf(args[0])
		if err != nil {
			return nil, err
		}
		from := max(scale, x.digits())
		by := int64(resolutionOf(from) / resolutionOf(scale))
		v := intOf(e, []*value{x}, nil)
		v.made.ints = func(c *compiler) vec[int64] {
			return &mapped[int64, int64]{of: c.ticks(x, from, c.failure(v, false)), loop: rounded(by)}
		}
		return v, nil
	}
}

// rounded divides by a constant and rounds halves away from 0.
func rounded(by int64) func(dst, src []int64, rows []uint32) error {
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			q, rest := src[i]/by, src[i]%by
			if rest >= by-rest && rest > 0 {
				q++
			} else if -rest >= by+rest && rest < 0 {
				q--
			}
			dst[i] = q
		}
		return nil
	}
}

// quotients divides by a constant.
func quotients(by int64) func(dst, src []int64, rows []uint32) error {
	return func(dst, src []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i] = src[i] / by
		}
		return nil
	}
}

// bindWhole is a field without its fraction.
func bindWhole(f calendar.Field) func(b *binder, e *sql.Expr, args []*value) (*value, error) {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		x, err := b.extract(e, f, args[0])
		if err != nil || x.class == intClass {
			return x, err
		}
		v := intOf(e, x.args, nil)
		v.made.ints = func(c *compiler) vec[int64] {
			return &mapped[int64, int64]{of: x.made.ints(c), loop: quotients(pow10(x.scale).Int64())}
		}
		return v, nil
	}
}

// bindToTimestamp is an instant of seconds since 1970, which may be fractions.
func bindToTimestamp(b *binder, e *sql.Expr, args []*value) (*value, error) {
	x := args[0]
	if !x.class.number() {
		return nil, bad(x.node, "strptime reads a text", "%s is a %s and no number of seconds", b.spell(x.node), x.name)
	}
	v := stampOf(e, args, 6, true, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &mapped[float64, int64]{of: c.floats(x), loop: func(dst []int64, src []float64, rows []uint32) error {
			for _, i := range rows {
				micros, ok := calendar.FromEpoch(src[i])
				if !ok {
					return over
				}
				dst[i] = micros
			}
			return nil
		}}
	}
	return v, nil
}

// bindMakeTimestamp takes year, month, day, hour, minute and second, or
// microseconds since 1970.
func bindMakeTimestamp(b *binder, e *sql.Expr, args []*value) (*value, error) {
	for i, a := range args {
		if a.class != intClass && (i != 5 || !a.class.number()) {
			return nil, bad(a.node, "", "%s is a %s and no integer", b.spell(a.node), a.name)
		}
	}
	v := stampOf(e, args, 6, false, nil)
	switch len(args) {
	case 1:
		v.made.ints = func(c *compiler) vec[int64] { return c.ints(args[0]) }
	case 6:
		v.made.ints = func(c *compiler) vec[int64] {
			out := &stamps{date: daysOf(c, v, args), second: c.floats(args[5]), hour: c.ints(args[3]), minute: c.ints(args[4]), over: c.failure(v, false)}
			return out
		}
	default:
		return nil, bad(e, "", "make_timestamp takes year, month, day, hour, minute and second, or microseconds since 1970")
	}
	return v, nil
}

// stamps puts dates and times of day together, in microseconds.
type stamps struct {
	date, hour, minute vec[int64]
	second             vec[float64]
	over               *Error
	buf                []int64
}

func (s *stamps) values(f *frame, rows []uint32) ([]int64, []uint32, error) {
	var parts [3][]int64
	var err error
	for k, v := range []vec[int64]{s.date, s.hour, s.minute} {
		if parts[k], rows, err = v.values(f, rows); err != nil {
			return nil, nil, err
		}
	}
	second, rows, err := s.second.values(f, rows)
	if err != nil {
		return nil, nil, err
	}
	s.buf = grow(f, s.buf, f.n)
	for _, i := range rows {
		nanos, ok := calendar.MakeTime(parts[1][i], parts[2][i], second[i])
		x, fits := calendar.Microseconds.At(parts[0][i], nanos/1000)
		if !ok || !fits {
			return nil, nil, s.over
		}
		s.buf[i] = x
	}
	return s.buf, rows, nil
}

// bindSeconds is epoch: the seconds with their fraction.
func bindSeconds(b *binder, e *sql.Expr, args []*value) (*value, error) {
	return b.extract(e, calendar.Epoch, args[0])
}
