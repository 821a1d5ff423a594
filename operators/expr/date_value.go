package expr

import (
	"errors"
	"math/big"

	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
	"github.com/colagg/colagg/vector"
)

// resolutionOf is the resolution of timestamps and durations with so many digits
// behind the second's point.
func resolutionOf(scale int) calendar.Resolution {
	return map[int]calendar.Resolution{0: calendar.Seconds, 3: calendar.Milliseconds, 6: calendar.Microseconds, 9: calendar.Nanoseconds}[scale]
}

// resolution is that of a date or timestamp.
func (v *value) resolution() calendar.Resolution {
	if v.class == dateClass {
		return calendar.Days
	}
	return resolutionOf(v.scale)
}

// digits is the least scale that holds a date, timestamp or interval; a column of
// intervals is taken to have microseconds.
func (v *value) digits() int {
	switch {
	case v.class == dateClass:
		return 0
	case !v.constant() && v.class == intervalClass:
		return 6
	case !v.constant():
		return v.scale
	case v.class == intervalClass:
		return digitsOf(big.NewInt(v.lit.span.Nanos), 9)
	}
	return digitsOf(v.lit.exact, v.scale)
}

// digitsOf is the least scale, of those that timestamps have, of x / 10^scale.
func digitsOf(x *big.Int, scale int) int {
	for _, s := range []int{0, 3, 6} {
		if s < scale && new(big.Int).Rem(x, pow10(scale-s)).Sign() == 0 {
			return s
		}
	}
	return scale
}

// sharedScale is the scale that timestamps or durations of two scales have in
// common: the finer one, but beside a coarser one microseconds in place of
// nanoseconds, since in 64 bits these have the years 1677 to 2262 only. Values that
// have more digits do not fit then.
func sharedScale(a, b int) int {
	if a != b {
		return min(max(a, b), microScale)
	}
	return a
}

// commonScale is the scale of one of these dates and timestamps, or durations. A
// date takes that of the timestamps. So does a constant where it fits, and it asks for
// nanoseconds where it has them.
func commonScale(args []*value) int {
	scale, said := 0, false
	for _, v := range args {
		switch {
		case v.constant() || v.class == nullClass || v.class == dateClass:
		case !said:
			scale, said = v.scale, true
		default:
			scale = sharedScale(scale, v.scale)
		}
	}
	for _, v := range args {
		if !v.constant() {
			continue
		}
		own := max(v.digits(), min(v.scale, microScale))
		if x, _ := (&value{class: stampClass, scale: max(scale, own)}).floor(v); !x.IsInt64() {
			own, scale = min(own, microScale), min(scale, microScale)
		}
		scale = max(scale, own)
	}
	return scale
}

// stampScale is the scale of what is computed of dates, timestamps and intervals:
// microseconds, if no timestamp says otherwise.
func stampScale(args ...*value) int {
	scale, least, said := 0, 0, false
	for _, v := range args {
		switch {
		case v.constant() || v.class == dateClass || v.class == intervalClass:
			least = max(least, v.digits())
		case !said:
			scale, said = v.scale, true
		default:
			scale = sharedScale(scale, v.scale)
		}
	}
	if !said {
		scale = microScale
	}
	return max(scale, least)
}

// ticks makes v, a date, timestamp, duration or time, in the unit of a scale, and
// fails with over where a value is no whole number of them.
func (c *compiler) ticks(v *value, scale int, over *Error) vec[int64] {
	if v.constant() {
		unit := &value{class: stampClass, scale: scale}
		x, exact := unit.floor(v)
		if !exact || !x.IsInt64() {
			return &mapped[int64, int64]{of: &same[int64]{}, loop: func([]int64, []int64, []uint32) error { return over }}
		}
		return &same[int64]{value: x.Int64()}
	}
	from, to := v.resolution(), resolutionOf(scale)
	switch {
	case from == to:
		return c.ints(v)
	case from > to:
		return &mapped[int64, int64]{of: c.ints(v), loop: wholeTicks(int64(from/to), over)}
	}
	return &mapped[int64, int64]{of: c.ints(v), loop: ranged(calendar.Rescale(from, to), over)}
}

// floored makes v in the unit of a scale, rounded down to it.
func (c *compiler) floored(v *value, scale int, over *Error) vec[int64] {
	if own := v.digits(); own > scale {
		return &mapped[int64, int64]{of: c.ticks(v, own, over), loop: ranged(calendar.Rescale(resolutionOf(own), resolutionOf(scale)), over)}
	}
	return c.ticks(v, scale, over)
}

// wholeTicks divides by what must leave no rest.
func wholeTicks(by int64, over *Error) func(dst, src []int64, rows []uint32) error {
	return func(dst, src []int64, rows []uint32) error {
		rest := int64(0)
		for _, i := range rows {
			x := src[i]
			q := x / by
			rest |= x - q*by
			dst[i] = q
		}
		return failed(rest != 0, over)
	}
}

// ranged is a loop that fails with over where a value is out of range.
func ranged(loop calendar.Loop, over *Error) func(dst, src []int64, rows []uint32) error {
	return func(dst, src []int64, rows []uint32) error { return inRange(loop(dst, src, rows), over) }
}

func inRange(err error, over *Error) error {
	if errors.Is(err, calendar.ErrRange) {
		return over
	}
	return err
}

// spans makes v, an interval, a duration or a time of day.
func (c *compiler) spans(v *value) vec[calendar.Interval] {
	switch {
	case v.constant() && v.class == intervalClass:
		return &same[calendar.Interval]{value: v.lit.span}
	case v.class == durationClass || v.class == timeClass:
		r, over := resolutionOf(v.scale), c.failure(v, false)
		return &mapped[int64, calendar.Interval]{of: c.ints(v), loop: func(dst []calendar.Interval, src []int64, rows []uint32) error {
			return inRange(calendar.Elapsed(dst, src, rows, r), over)
		}}
	case v.col >= 0:
		return &column[calendar.Interval]{col: v.col, load: loadIntervals}
	}
	if v.made.build != nil {
		return made1[[]calendar.Interval](c, v)
	}
	return v.made.spans(c)
}

// intervalValue is the constant i, whose exact value is its length in
// nanoseconds.
func intervalValue(node *sql.Expr, i calendar.Interval) *value {
	days, nanos := i.Span()
	x := new(big.Int).Mul(big.NewInt(days), big.NewInt(86400e9))
	return &value{class: intervalClass, scale: 9, node: node, col: -1, name: "interval", lit: &literal{exact: x.Add(x, big.NewInt(nanos)), span: i}}
}

// loadIntervals reads a column of intervals, which have Arrow's layout.
func loadIntervals(dst []calendar.Interval, v *vector.Vector, rows []uint32) []calendar.Interval {
	words := vector.Values[[2]uint64](v)
	for _, i := range rows {
		dst[i] = calendar.Interval{Months: int32(words[i][0]), Days: int32(words[i][0] >> 32), Nanos: int64(words[i][1])}
	}
	return dst
}

// made is how a function's values are computed: integers in the unit of its
// class, or intervals.
type made struct {
	ints  func(c *compiler) vec[int64]
	wide  func(c *compiler) vec[int128]
	spans func(c *compiler) vec[calendar.Interval]
	build func(c *compiler) any // a source of the class's containers, in place of these
}

// dateOf is a value of days.
func dateOf(e *sql.Expr, args []*value, ints func(c *compiler) vec[int64]) *value {
	return &value{class: dateClass, name: "date", node: e, col: -1, args: args, made: made{ints: ints}}
}

func stampOf(e *sql.Expr, args []*value, scale int, zoned bool, ints func(c *compiler) vec[int64]) *value {
	return &value{class: stampClass, name: "timestamp", scale: scale, zoned: zoned, node: e, col: -1, args: args, made: made{ints: ints}}
}

func timeOf(e *sql.Expr, args []*value, scale int, ints func(c *compiler) vec[int64]) *value {
	return &value{class: timeClass, name: "time", scale: scale, node: e, col: -1, args: args, made: made{ints: ints}}
}

func durationOf(e *sql.Expr, args []*value, scale int, ints func(c *compiler) vec[int64]) *value {
	return &value{class: durationClass, name: "duration", scale: scale, node: e, col: -1, args: args, made: made{ints: ints}}
}

func intOf(e *sql.Expr, args []*value, ints func(c *compiler) vec[int64]) *value {
	return &value{class: intClass, name: "int64", node: e, col: -1, args: args, made: made{ints: ints}}
}

func spanOf(e *sql.Expr, args []*value, spans func(c *compiler) vec[calendar.Interval]) *value {
	return &value{class: intervalClass, name: "interval", scale: 9, node: e, col: -1, args: args, made: made{spans: spans}}
}
