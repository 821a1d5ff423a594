package expr

import (
	"math/big"

	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// bindBin is date_bin: the start of the bin of a fixed width.
func bindBin(b *binder, e *sql.Expr, args []*value) (*value, error) {
	width, err := b.width(args[0])
	if err != nil {
		return nil, err
	}
	if width.Months != 0 {
		return nil, bad(args[0].node, "time_bucket takes months", "months have no fixed length")
	}
	x, err := b.momentOf(args[1])
	if err != nil {
		return nil, err
	}
	return b.bucket(e, width, x, args[2])
}

// width is an argument that is the width of bins.
func (b *binder) width(v *value) (calendar.Interval, error) {
	w, err := b.constantSpan(v)
	if err != nil {
		return w, err
	}
	if days, nanos := w.Span(); w.Months != 0 && (w.Days != 0 || w.Nanos != 0) || days < 0 || days == 0 && nanos == 0 {
		return w, bad(v.node, "", "the width %s must be above 0, and months cannot be mixed with days or less", b.spell(v.node))
	}
	return w, nil
}

// bindBucket is time_bucket: from a Monday, or from January for months, unless
// an origin or an offset is given; dates stay dates.
func bindBucket(b *binder, e *sql.Expr, args []*value) (*value, error) {
	width, err := b.width(args[0])
	if err != nil {
		return nil, err
	}
	x, err := b.momentOf(args[1])
	if err != nil {
		return nil, err
	}
	day := calendar.DayOf(2000, 1, 3)
	if width.Months != 0 {
		day = calendar.DayOf(2000, 1, 1)
	}
	origin := exactValue(e, dateClass, big.NewInt(day), 0)
	if len(args) < 3 {
		return b.inDays(x)(b.bucket(e, width, x, origin))
	}
	if !args[2].lasting() {
		return b.inDays(x)(b.bucket(e, width, x, args[2]))
	}
	back, err := b.settled(b.moved(e, x, args[2], -1))
	if err != nil {
		return nil, err
	}
	start, err := b.bucket(e, width, back, origin)
	if err != nil {
		return nil, err
	}
	return b.inDays(x)(b.moved(e, start, args[2], 1), nil)
}

// inDays makes what was computed of a date one again.
func (b *binder) inDays(x *value) func(v *value, err error) (*value, error) {
	return func(v *value, err error) (*value, error) {
		if err != nil || x.class != dateClass {
			return v, err
		}
		day := dateOf(v.node, v.args, nil)
		day.made.ints = func(c *compiler) vec[int64] {
			loop := calendar.Rescale(resolutionOf(v.scale), calendar.Days)
			return &mapped[int64, int64]{of: c.ints(v), loop: ranged(loop, c.failure(v, false))}
		}
		return day, nil
	}
}

// bucket is the start of the bin that x is in; one of them starts at origin.
func (b *binder) bucket(e *sql.Expr, width calendar.Interval, x, origin *value) (*value, error) {
	from, err := b.momentOf(origin)
	if err != nil {
		return nil, err
	}
	if !from.constant() {
		return nil, bad(from.node, "", "the origin %s must be a constant", b.spell(from.node))
	}
	if err := b.comparable(e, x, from); err != nil {
		return nil, err
	}
	scale := max(stampScale(x), digitsOf(big.NewInt(width.Nanos), 9), from.digits())
	start, _ := (&value{class: stampClass, scale: scale}).floor(from)
	days, nanos := width.Span()
	ticks := new(big.Int).Mul(big.NewInt(days), big.NewInt(86400e9))
	ticks.Add(ticks, big.NewInt(nanos)).Quo(ticks, pow10(9-scale))
	if !start.IsInt64() || !ticks.IsInt64() {
		return nil, bad(e, "", "%s: the width or the origin is out of range", b.spell(e))
	}
	loop := calendar.Bin(ticks.Int64(), start.Int64())
	if width.Months != 0 {
		loop = calendar.BinMonths(int64(width.Months), start.Int64(), resolutionOf(scale))
	}
	v := stampOf(e, []*value{x}, scale, x.zoned, nil)
	v.made.ints = func(c *compiler) vec[int64] {
		over := c.failure(v, false)
		return &mapped[int64, int64]{of: c.ticks(x, scale, over), loop: ranged(loop, over)}
	}
	return v, nil
}
