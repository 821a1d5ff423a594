package expr

import (
	"bytes"

	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// anyFunctions are about values of any type.
var anyFunctions = []function{
	{name: "coalesce", args: "x, …", about: "the first argument that is not NULL", least: 1, most: -1, bind: bindCoalesce, nulls: true},
	{name: "ifnull", args: "x, y", about: "the same of two", least: 2, most: 2, bind: bindCoalesce, nulls: true},
	{name: "nullif", args: "x, y", about: "NULL where x = y, else x", least: 2, most: 2, bind: bindNullIf, nulls: true},
	{name: "greatest", args: "x, …", about: "the greatest argument, NULLs left out", least: 1, most: -1, bind: bindExtreme("greatest", 1), nulls: true},
	{name: "least", args: "x, …", about: "the least one", least: 1, most: -1, bind: bindExtreme("least", -1), nulls: true},
}

func bindCoalesce(b *binder, e *sql.Expr, args []*value) (*value, error) {
	for i, a := range args {
		if a.settled() && a.class != nullClass {
			args = args[:i+1] // no other is ever taken
			break
		}
	}
	v, err := b.common(e, "COALESCE", args)
	if err == nil && v.class != nullClass {
		v.made.build = func(c *compiler) any { return c.choices(v, nil) }
	}
	return v, err
}

func bindNullIf(b *binder, e *sql.Expr, args []*value) (*value, error) {
	x := args[0]
	same, err := b.compare(e, equal, e.Args[0], e.Args[1])
	if err != nil || x.class == nullClass {
		return x, err
	}
	v, err := b.common(e, "NULLIF", []*value{nullValue(e), x})
	if err != nil {
		return nil, err
	}
	v.conditions = []logic{same, isTrue}
	v.made.build = func(c *compiler) any { return c.choices(v, v.conditions) }
	return v, nil
}

// bindExtreme is greatest, or least with a sign below 0.
func bindExtreme(name string, sign int) bindFunc {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		var some []*value
		for _, a := range args {
			if a.class != nullClass {
				some = append(some, a)
			}
		}
		v, err := b.common(e, name, some)
		if err != nil || v.class == nullClass {
			return v, err
		}
		v.made.build = func(c *compiler) any { return c.extremes(v, sign) }
		return v, nil
	}
}

func (c *compiler) extremes(v *value, sign int) any {
	switch v.class {
	case boolClass:
		return extremesOf(c, v, func(a, b []bool, i uint32) bool { return a[i] != b[i] && a[i] == (sign > 0) })
	case decClass:
		return extremesOf(c, v, func(a, b []int128, i uint32) bool { return a[i].compare(b[i]) == sign })
	case floatClass:
		return extremesOf(c, v, func(a, b []float64, i uint32) bool {
			x, y := orderedFloat(a[i]), orderedFloat(b[i])
			return x > y && sign > 0 || x < y && sign < 0
		})
	case textClass:
		return extremesOf(c, v, func(a, b *texts, i uint32) bool { return bytes.Compare(a.at(i), b.at(i)) == sign })
	case intervalClass:
		return extremesOf(c, v, func(a, b []calendar.Interval, i uint32) bool {
			var x, y [1]int128
			_, _ = spanned(x[:], a[i:i+1], []uint32{0}), spanned(y[:], b[i:i+1], []uint32{0})
			return x[0].compare(y[0]) == sign
		})
	}
	return extremesOf(c, v, func(a, b []int64, i uint32) bool { return a[i] > b[i] && sign > 0 || a[i] < b[i] && sign < 0 })
}

func extremesOf[S any](c *compiler, v *value, better func(a, b S, i uint32) bool) source[S] {
	out := &extreme[S]{better: better}
	for _, a := range v.args {
		out.parts = append(out.parts, c.as(v, a).(source[S]))
	}
	return out
}

// extreme has in each row the best of the values that are not NULL.
type extreme[S any] struct {
	parts     []source[S]
	better    func(a, b S, i uint32) bool
	buf       S
	found     marks
	take, out []uint32
}

func (t *extreme[S]) values(f *frame, rows []uint32) (S, []uint32, error) {
	fit(f, &t.buf)
	t.found.begin(f)
	t.take = grow(f, t.take, len(rows))
	for _, p := range t.parts {
		v, have, err := p.values(f, rows)
		if err != nil {
			return t.buf, nil, err
		}
		n := 0
		for _, i := range have {
			t.take[n] = i
			if t.found[i] == 0 || t.better(v, t.buf, i) {
				n++
			}
		}
		move(t.buf, v, t.take[:n])
		t.found.set(have)
	}
	t.out = grow(f, t.out, len(rows))
	return t.buf, t.found.with(t.out, rows), finished(t.buf, nil)
}
