package expr

import (
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// moment reports whether v is a date or a timestamp, and lasting whether it is
// a length of time.
func (v *value) moment() bool  { return v.class == dateClass || v.class == stampClass }
func (v *value) lasting() bool { return v.class == durationClass || v.class == intervalClass }

// temporal binds arithmetic in which a date, timestamp, duration or interval is.
func (b *binder) temporal(e *sql.Expr, args []*value) (*value, error) {
	l, r := args[0], args[len(args)-1]
	if e.Op == sql.NegOp {
		if !l.lasting() {
			return nil, bad(e, "", "there is no minus of a %s", l.name)
		}
		return b.settled(b.negated(e, l))
	}
	v, err := b.sum(e, l, r)
	if err != nil {
		return nil, err
	}
	return b.settled(v)
}

// sum binds +, - and *.
func (b *binder) sum(e *sql.Expr, l, r *value) (*value, error) {
	switch e.Op {
	case sql.AddOp:
		if l.lasting() && (r.moment() || r.class == timeClass) || (l.class == intClass || l.class == timeClass) && r.class == dateClass {
			l, r = r, l
		}
		switch {
		case l.class == dateClass && r.class == intClass:
			return b.days(e, l, r, addInts), nil
		case l.moment() && r.lasting():
			return b.moved(e, l, r, 1), nil
		case l.class == timeClass && r.lasting():
			return b.turned(e, l, r, 1), nil
		case l.class == dateClass && r.class == timeClass:
			return b.at(e, l, r), nil
		case l.lasting() && r.lasting():
			return b.lasting(e, l, r, 1), nil
		}
	case sql.SubOp:
		switch {
		case l.class == dateClass && r.class == intClass:
			return b.days(e, l, r, subtractInts), nil
		case l.class == dateClass && r.class == dateClass:
			args := []*value{l, r}
			return intOf(e, args, func(c *compiler) vec[int64] {
				return &paired[int64]{left: c.ints(l), right: c.ints(r), loop: subtractInts(c.failure(intOf(e, nil, nil), false))}
			}), nil
		case l.moment() && r.moment(), l.class == timeClass && r.class == timeClass:
			return b.elapsed(e, l, r)
		case l.class == timeClass && r.lasting():
			return b.turned(e, l, r, -1), nil
		case l.moment() && r.lasting():
			return b.moved(e, l, r, -1), nil
		case l.lasting() && r.lasting():
			return b.lasting(e, l, r, -1), nil
		}
	case sql.MulOp:
		if r.lasting() {
			l, r = r, l
		}
		if l.lasting() && r.class == intClass {
			return b.times(e, l, r), nil
		}
	}
	hint := "dates and timestamps go with INTERVAL '1 day', and dates with whole numbers of days"
	return nil, bad(e, hint, "there is no %s of a %s and a %s", operations[e.Op], l.name, r.name)
}

var operations = map[sql.Op]string{sql.AddOp: "sum", sql.SubOp: "difference", sql.MulOp: "product", sql.DivOp: "quotient", sql.ModOp: "remainder"}

// days moves a date by a number of days.
func (b *binder) days(e *sql.Expr, l, r *value, loop func(*Error) loop2[int64]) *value {
	v := dateOf(e, []*value{l, r}, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &mapped[int64, int64]{of: &paired[int64]{left: c.ints(l), right: c.ints(r), loop: loop(over)}, loop: inDays(over)}
	}
	return v
}

// inDays fails for what is no date of 32 bits.
func inDays(over *Error) func(dst, src []int64, rows []uint32) error {
	return func(dst, src []int64, rows []uint32) error {
		wrong := int64(0)
		for _, i := range rows {
			x := src[i]
			wrong |= x ^ int64(int32(x))
			dst[i] = x
		}
		return failed(wrong != 0, over)
	}
}

// moved moves a date or timestamp by a length of time, or back.
func (b *binder) moved(e *sql.Expr, l, r *value, sign int64) *value {
	scale := stampScale(l, r)
	v := stampOf(e, []*value{l, r}, scale, l.zoned, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		if r.class == durationClass {
			p := &paired[int64]{left: c.ticks(l, scale, over), right: c.ticks(r, scale, over), loop: addInts(over)}
			if sign < 0 {
				p.loop = subtractInts(over)
			}
			return p
		}
		res := resolutionOf(scale)
		return &joined[int64, calendar.Interval, int64]{left: c.ticks(l, scale, over), right: c.signed(r, sign), loop: func(dst, src []int64, by []calendar.Interval, rows []uint32) error {
			return inRange(calendar.AddIntervals(dst, src, by, rows, res), over)
		}}
	}
	return v
}

// signed makes an interval or its negation.
func (c *compiler) signed(v *value, sign int64) vec[calendar.Interval] {
	if sign > 0 {
		return c.spans(v)
	}
	over := c.failure(v, false)
	return &mapped[calendar.Interval, calendar.Interval]{of: c.spans(v), loop: func(dst, src []calendar.Interval, rows []uint32) error {
		return inRange(calendar.NegateIntervals(dst, src, rows), over)
	}}
}

// elapsed is the time between two timestamps.
func (b *binder) elapsed(e *sql.Expr, l, r *value) (*value, error) {
	if err := b.comparable(e, l, r); err != nil {
		return nil, err
	}
	scale := stampScale(l, r)
	v := durationOf(e, []*value{l, r}, scale, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &paired[int64]{left: c.ticks(l, scale, over), right: c.ticks(r, scale, over), loop: subtractInts(over)}
	}
	return v, nil
}

// lasting is the sum or difference of two lengths of time.
func (b *binder) lasting(e *sql.Expr, l, r *value, sign int64) *value {
	if l.class == durationClass && r.class == durationClass {
		scale := max(l.scale, r.scale)
		v := durationOf(e, []*value{l, r}, scale, nil)
		v.made.ints = func(c *compiler) vec[int64] {
			over := c.failure(v, false)
			p := &paired[int64]{left: c.ticks(l, scale, over), right: c.ticks(r, scale, over), loop: addInts(over)}
			if sign < 0 {
				p.loop = subtractInts(over)
			}
			return p
		}
		return v
	}
	v := spanOf(e, []*value{l, r}, nil)
	v.made.spans = func(c *compiler) vec[calendar.Interval] {
		over := c.failure(v, false)
		return &paired[calendar.Interval]{left: c.spans(l), right: c.signed(r, sign), loop: func(dst, a, b []calendar.Interval, rows []uint32) error {
			return inRange(calendar.SumIntervals(dst, a, b, rows), over)
		}}
	}
	return v
}

// times multiplies a length of time by an integer.
func (b *binder) times(e *sql.Expr, l, n *value) *value {
	if l.class == durationClass {
		v := durationOf(e, []*value{l, n}, l.scale, nil)
		v.made.ints = func(c *compiler) vec[int64] {
			return &paired[int64]{left: c.ints(l), right: c.ints(n), loop: multiplyInts(c.failure(v, false))}
		}
		return v
	}
	v := spanOf(e, []*value{l, n}, nil)
	v.made.spans = func(c *compiler) vec[calendar.Interval] {
		over := c.failure(v, false)
		return &joined[calendar.Interval, int64, calendar.Interval]{left: c.spans(l), right: c.ints(n), loop: func(dst, a []calendar.Interval, n []int64, rows []uint32) error {
			return inRange(calendar.MultiplyIntervals(dst, a, n, rows), over)
		}}
	}
	return v
}

// negated is a length of time with the other sign.
func (b *binder) negated(e *sql.Expr, x *value) *value {
	if x.class == durationClass {
		v := durationOf(e, []*value{x}, x.scale, nil)
		v.made.ints = func(c *compiler) vec[int64] {
			return &mapped[int64, int64]{of: c.ints(x), loop: negateInts(c.failure(v, false))}
		}
		return v
	}
	return spanOf(e, []*value{x}, func(c *compiler) vec[calendar.Interval] { return c.signed(x, -1) })
}

// at is a time of a day.
func (b *binder) at(e *sql.Expr, day, clock *value) *value {
	scale := stampScale(day, clock)
	v := stampOf(e, []*value{day, clock}, scale, false, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &paired[int64]{left: c.ticks(day, scale, over), right: c.ticks(clock, scale, over), loop: addInts(over)}
	}
	return v
}

// turned moves a time of day by the hours, minutes and seconds of an interval;
// midnight follows the last.
func (b *binder) turned(e *sql.Expr, l, r *value, sign int64) *value {
	scale := stampScale(l, r)
	res := resolutionOf(scale)
	v := timeOf(e, []*value{l, r}, scale, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &joined[int64, calendar.Interval, int64]{left: c.ticks(l, scale, over), right: c.signed(r, sign), loop: func(dst, src []int64, by []calendar.Interval, rows []uint32) error {
			return inRange(calendar.TurnTimes(dst, src, by, rows, res), over)
		}}
	}
	return v
}
