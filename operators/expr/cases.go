package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// cases binds CASE.
func (b *binder) cases(e *sql.Expr) (*value, error) {
	args := e.Args
	if e.Op == sql.SwitchOp {
		args = args[1:]
	}
	var when []logic
	var then []*value
	for ; len(args) > 1; args = args[2:] {
		l, err := b.when(e, args[0])
		if err != nil {
			return nil, err
		}
		v, err := b.value(args[1])
		if err != nil {
			return nil, err
		}
		when, then = append(when, l), append(then, v)
	}
	if len(args) == 1 {
		v, err := b.value(args[0])
		if err != nil {
			return nil, err
		}
		when, then = append(when, isTrue), append(then, v)
	}
	for i := 0; i < len(when); i++ {
		switch {
		case when[i] == isTrue:
			when, then = when[:i+1], then[:i+1]
		case when[i] == isFalse || when[i] == isNull:
			when, then = append(when[:i:i], when[i+1:]...), append(then[:i:i], then[i+1:]...)
			i--
		}
	}
	if len(then) == 0 {
		return nullValue(e), nil
	}
	v, err := b.common(e, "CASE", then)
	if err != nil || v.class == nullClass {
		return v, err
	}
	v.conditions = when
	v.made.build = func(c *compiler) any { return c.choices(v, when) }
	return b.settled(v)
}

// when binds what stands between WHEN and THEN.
func (b *binder) when(e, cond *sql.Expr) (logic, error) {
	if e.Op == sql.SwitchOp {
		return b.compare(cond, equal, e.Args[0], cond)
	}
	return b.condition(cond)
}

// common makes the value of one of args: of a type that holds all of them, to which
// they are converted. Constants NULL have no type.
func (b *binder) common(e *sql.Expr, what string, args []*value) (*value, error) {
	v := &value{node: e, col: -1, class: nullClass, name: "NULL"}
	var first *value
	for _, a := range args {
		switch {
		case a.class == otherClass:
			return nil, bad(a.node, "IS NULL works for every type", "values of type %s cannot be computed with", a.name)
		case a.class == nullClass:
			continue
		case first == nil || first.constant() && first.class == textClass && a.class != textClass:
			first = a
		}
	}
	if first == nil {
		return v, nil
	}
	v.class, v.scale, v.zoned, v.typ = first.class, first.scale, first.zoned, first.arrowType()
	if v.class == decClass && v.typ.ID() == arrow.DECIMAL256 {
		v.asDecimal(maxDigits, v.scale)
	}
	for i, a := range args {
		if a.class == nullClass {
			continue
		}
		a, err := a.like(first)
		if err != nil {
			return nil, err
		}
		args[i] = a
		if !v.widen(a) {
			return nil, bad(a.node, "cast one of them", "%s: %s is a %s and %s a %s", what, b.spell(first.node), first.name, b.spell(a.node), a.name)
		}
	}
	if v.class == stampClass || v.class == durationClass {
		if scale := commonScale(args); scale != v.scale {
			v.scale, v.typ = scale, nil
		}
	}
	v.args, v.name = args, v.arrowType().String()
	return v, nil
}

// widen makes the type of v one that holds the values of a too.
func (v *value) widen(a *value) bool {
	if v.class == a.class && v.scale == a.scale && v.zoned == a.zoned && v.class != decClass {
		if !arrow.TypeEqual(v.arrowType(), a.arrowType()) {
			v.typ = nil
		}
		return v.class != textClass || v.typ != nil
	}
	switch {
	case v.class == decClass && arrow.TypeEqual(v.arrowType(), a.arrowType()):
		return true
	case v.class == floatClass && a.class.number() || a.class == floatClass && v.class.number():
		v.class, v.scale = floatClass, 0
	case v.class.number() && a.class.number():
		scale := max(v.scale, a.scale)
		v.asDecimal(max(v.wholeDigits(), a.wholeDigits())+scale, scale)
		return true
	case v.moment() && a.moment() && (v.zoned == a.zoned || v.class == dateClass || a.class == dateClass):
		scale := max(v.scale, a.scale) // a date has none
		if v.class == a.class {
			scale = sharedScale(v.scale, a.scale)
		}
		v.class, v.scale, v.zoned = stampClass, scale, v.zoned || a.zoned
	case v.class == durationClass && a.class == durationClass:
		v.scale = sharedScale(v.scale, a.scale)
	case v.class == timeClass && a.class == timeClass:
		v.scale = max(v.scale, a.scale)
	default:
		return false
	}
	v.typ = nil
	return true
}

// as makes a as a source of values of v's type.
func (c *compiler) as(v, a *value) any {
	switch v.class {
	case boolClass:
		return c.truths(a)
	case decClass:
		return c.decimals(a, v.scale, c.checked)
	case floatClass:
		return c.floats(a)
	case textClass:
		return c.texts(a)
	case intervalClass:
		return c.spans(a)
	case intClass, dateClass:
		return c.ints(a)
	}
	return c.ticks(a, v.scale, c.failure(v, false))
}

// choices makes CASE, and without conditions COALESCE.
func (c *compiler) choices(v *value, when []logic) any {
	switch v.class {
	case boolClass:
		return choose[[]bool](c, v, when)
	case decClass:
		return choose[[]int128](c, v, when)
	case floatClass:
		return choose[[]float64](c, v, when)
	case textClass:
		return choose[*texts](c, v, when)
	case intervalClass:
		return choose[[]calendar.Interval](c, v, when)
	}
	return choose[[]int64](c, v, when)
}

func choose[S any](c *compiler, v *value, when []logic) source[S] {
	out := &choice[S]{}
	for i, a := range v.args {
		if when != nil {
			out.when = append(out.when, compile(c, when[i]))
		}
		if a.class == nullClass && a.col < 0 {
			out.then = append(out.then, none[S]{})
			continue
		}
		out.then = append(out.then, c.as(v, a).(source[S]))
	}
	return out
}

// none is NULL in every row.
type none[S any] struct{}

func (none[S]) values(*frame, []uint32) (s S, rows []uint32, err error) { return s, nil, nil }

// choice has in each row the value of the first condition that is true; without
// conditions, the first that is not NULL.
type choice[S any] struct {
	when            []test
	then            []source[S]
	buf             S
	found           marks
	rest, out, mine []uint32
}

func (t *choice[S]) values(f *frame, rows []uint32) (S, []uint32, error) {
	fit(f, &t.buf)
	t.found.begin(f)
	t.rest = grow(f, t.rest, len(rows))
	rest := rows
	for i, then := range t.then {
		if len(rest) == 0 {
			break
		}
		at := rest
		if t.when != nil {
			var err error
			if at, err = t.when[i].rows(f, rest); err != nil {
				return t.buf, nil, err
			}
			if len(at) == 0 {
				continue
			}
			t.mine = append(t.mine[:0], at...) // the test may be computed again in a value
			at = t.mine
		}
		v, have, err := then.values(f, at)
		if err != nil {
			return t.buf, nil, err
		}
		move(t.buf, v, have)
		for _, r := range have {
			t.found[r] = 1
		}
		taken := have
		if t.when != nil {
			taken = at
			for _, r := range at {
				t.found[r] |= 2
			}
		}
		if len(taken) > 0 {
			rest = untaken(t.rest, t.found, rest)
		}
	}
	t.out = grow(f, t.out, len(rows))
	n := 0
	for _, r := range rows {
		t.out[n] = r
		n += int(t.found[r] & 1)
	}
	return t.buf, t.out[:n], finished(t.buf, nil)
}

// untaken puts the rows without a mark into dst, which may be rows itself.
func untaken(dst []uint32, m marks, rows []uint32) []uint32 {
	n := 0
	for _, i := range rows {
		dst[n] = i
		if m[i] == 0 {
			n++
		}
	}
	return dst[:n]
}
