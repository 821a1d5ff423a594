package expr

import (
	"strings"

	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// format reads the format of strftime or strptime, which is a constant.
func (b *binder) format(v *value) (*calendar.Format, error) {
	if !v.constant() || v.class != textClass {
		return nil, bad(v.node, "as in '%Y-%m-%d'", "%s must be a constant, a format", b.spell(v.node))
	}
	f, err := calendar.ParseFormat(v.lit.text)
	if err != nil {
		return nil, bad(v.node, "as in '%Y-%m-%d %H:%M:%S'", "%s", strings.TrimPrefix(err.Error(), "calendar: "))
	}
	return f, nil
}

// textOf is a text of each of the integers that of makes.
func textOf(e *sql.Expr, x *value, of func(c *compiler, v *value) vec[int64], spell func(dst []byte, x int64) []byte) *value {
	v := &value{class: textClass, name: "string", node: e, col: -1, args: []*value{x}}
	v.made.build = func(c *compiler) any {
		return &converted[[]int64, *texts]{of: of(c, v), loop: written(spell)}
	}
	return v
}

// bindFormat is strftime: a timestamp in a format.
func bindFormat(b *binder, e *sql.Expr, args []*value) (*value, error) {
	x, err := b.momentOf(args[0])
	if err != nil {
		return nil, err
	}
	f, err := b.format(args[1])
	if err != nil {
		return nil, err
	}
	zone := ""
	if x.zoned {
		zone = "UTC"
	}
	scale := stampScale(x)
	r := resolutionOf(scale)
	ticks := func(c *compiler, v *value) vec[int64] { return c.ticks(x, scale, c.failure(v, false)) }
	return textOf(e, x, ticks, func(dst []byte, t int64) []byte { return f.Append(dst, t, r, zone) }), nil
}

// bindName is monthname or dayname.
func bindName(f calendar.Field, name func(int64) string) bindFunc {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		x, err := b.momentOf(args[0])
		if err != nil {
			return nil, err
		}
		n, err := b.extract(e, f, x)
		if err != nil {
			return nil, err
		}
		number := func(c *compiler, _ *value) vec[int64] { return n.made.ints(c) }
		return textOf(e, x, number, func(dst []byte, i int64) []byte { return append(dst, name(i)...) }), nil
	}
}

// bindParse is strptime: a text in a format as a timestamp; with orNull a text that
// is none is NULL.
func bindParse(orNull bool) bindFunc {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		x := args[0]
		if x.class != textClass {
			return nil, bad(x.node, "strftime writes timestamps", "%s is a %s and no string", b.spell(x.node), x.name)
		}
		f, err := b.format(args[1])
		if err != nil {
			return nil, err
		}
		if err := f.CheckParse(); err != nil {
			return nil, bad(args[1].node, "", "%s", strings.TrimPrefix(err.Error(), "calendar: "))
		}
		scale := 6
		if f.Nanos() {
			scale = 9
		}
		r := resolutionOf(scale)
		v := stampOf(e, args[:1], scale, f.Zoned(), nil)
		v.made.build = func(c *compiler) any {
			out := &converted[*texts, []int64]{of: c.texts(x), loop: read(func(s []byte) (int64, bool) {
				t, ok := f.Parse(string(s))
				if !ok {
					return 0, false
				}
				return t.Ticks(r)
			})}
			if !orNull {
				out.over = c.failure(v, false)
			}
			return out
		}
		return v, nil
	}
}
