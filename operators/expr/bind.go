package expr

import (
	"cmp"
	"fmt"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
)

// Scope finds the column that a name means: its position among the columns of
// the batches, and its type.
type Scope func(sql.Column) (col int, t arrow.DataType, err error)

// Condition is a boolean expression over the columns of batches.
type Condition struct {
	logic logic
	text  string
}

// Bind finds the columns and checks the types of e, which was parsed of text.
// Errors are *BindError, or what scope returned.
func Bind(text string, e *sql.Expr, scope Scope) (*Condition, error) {
	b := newBinder(text, scope)
	l, err := b.condition(e)
	if err != nil {
		return nil, err
	}
	if c := (&compiler{text: text}); compile(c, l) == nil || c.tests > maxTests {
		return nil, bad(e, complexHint, "the expression is too complex")
	}
	return &Condition{logic: l, text: text}, nil
}

const complexHint = "conditions that are compared with each other count twice, and each entry of IN that is neither whole, date nor text counts"

type binder struct {
	text   string
	scope  Scope
	values map[*sql.Expr]boundValue
}

func newBinder(text string, scope Scope) *binder {
	return &binder{text: text, scope: scope, values: map[*sql.Expr]boundValue{}}
}

// spell is the text of a node.
func (b *binder) spell(e *sql.Expr) string { return b.text[e.Start:e.End] }

var relations = map[sql.Op]relation{
	sql.EqualOp: equal, sql.NotEqualOp: notEqual, sql.LessOp: less,
	sql.LessEqualOp: lessEqual, sql.GreaterOp: greater, sql.GreaterEqualOp: greaterEqual,
}

// condition binds what must be a boolean.
func (b *binder) condition(e *sql.Expr) (logic, error) {
	switch e.Op {
	case sql.TrueOp:
		return isTrue, nil
	case sql.FalseOp:
		return isFalse, nil
	case sql.NullOp:
		return isNull, nil
	case sql.AndOp, sql.OrOp:
		return b.terms(e)
	case sql.NotOp:
		return negation(b.condition(e.Args[0]))(true)
	case sql.IsTrueOp:
		l, err := b.condition(e.Args[0])
		return negation(holds{l}, err)(e.Not)
	case sql.IsFalseOp:
		l, err := negation(b.condition(e.Args[0]))(true)
		return negation(holds{l}, err)(e.Not)
	case sql.IsNullOp:
		return negation(b.null(e.Args[0]))(e.Not)
	case sql.DistinctOp:
		return negation(b.distinct(e))(e.Not)
	case sql.InOp:
		return negation(b.in(e))(e.Not)
	case sql.BetweenOp:
		return negation(b.between(e))(e.Not)
	case sql.LikeOp, sql.ILikeOp:
		return negation(b.like(e))(e.Not)
	case sql.MatchOp, sql.MatchFoldOp:
		v, err := b.value(e.Args[0])
		if err == nil {
			return negation(b.regular(e, v))(e.Not)
		}
		return nil, err
	}
	if rel, ok := relations[e.Op]; ok {
		return b.compare(e, rel, e.Args[0], e.Args[1])
	}
	v, err := b.value(e)
	if err != nil {
		return nil, err
	}
	if v.class != boolClass && v.class != nullClass {
		hint := "compare it with something"
		if v.col >= 0 {
			hint = fmt.Sprintf("compare it with something, as in %s IS NOT NULL", b.spell(e))
		}
		return nil, bad(e, hint, "%s is a %s and no condition", b.spell(e), v.name)
	}
	return v.truth(), nil
}

// negation takes the result of binding and negates it if asked to.
func negation(l logic, err error) func(not bool) (logic, error) {
	return func(not bool) (logic, error) {
		if err != nil || !not {
			return l, err
		}
		return l.negate(), nil
	}
}

func (b *binder) terms(e *sql.Expr) (logic, error) {
	var terms []logic
	for _, arg := range e.Args {
		l, err := b.condition(arg)
		if err != nil {
			return nil, err
		}
		terms = append(terms, l)
	}
	if e.Op == sql.AndOp {
		return conjunction(terms...), nil
	}
	return disjunction(terms...), nil
}

// boolean reports whether e is a condition by its form or its type.
func (b *binder) boolean(e *sql.Expr) bool {
	if e.Op == sql.NullOp || !b.other(e) {
		return e.Op != sql.NullOp
	}
	v, err := b.value(e)
	return err == nil && v.class == boolClass
}

// other reports whether e is no condition by its form.
func (b *binder) other(e *sql.Expr) bool {
	switch e.Op {
	case sql.TrueOp, sql.FalseOp, sql.AndOp, sql.OrOp, sql.NotOp, sql.IsNullOp, sql.IsTrueOp, sql.IsFalseOp, sql.DistinctOp, sql.InOp, sql.BetweenOp,
		sql.LikeOp, sql.ILikeOp, sql.MatchOp, sql.MatchFoldOp:
		return false
	}
	_, compared := relations[e.Op]
	return !compared
}

// compare binds left rel right.
func (b *binder) compare(e *sql.Expr, rel relation, left, right *sql.Expr) (logic, error) {
	if b.boolean(left) || b.boolean(right) {
		return b.compareTruths(e, rel, left, right)
	}
	l, err := b.value(left)
	if err != nil {
		return nil, err
	}
	r, err := b.value(right)
	if err != nil {
		return nil, err
	}
	return b.compareValues(e, rel, l, r)
}

func (b *binder) compareTruths(e *sql.Expr, rel relation, left, right *sql.Expr) (logic, error) {
	for _, arg := range []*sql.Expr{left, right} {
		if b.boolean(arg) || arg.Op == sql.NullOp {
			continue
		}
		v, err := b.value(arg)
		if err != nil {
			return nil, err
		}
		if v.class != nullClass {
			return nil, bad(arg, "", "a boolean cannot be compared with %s, which is a %s", b.spell(arg), v.name)
		}
	}
	l, err := b.condition(left)
	if err != nil {
		return nil, err
	}
	r, err := b.condition(right)
	if err != nil {
		return nil, err
	}
	if l == isNull || r == isNull {
		return isNull, nil
	}
	return comparedTruths{rel, l, r}, nil
}

// compareValues compares bound values, once their types are known to go
// together. The place of an error is that of the comparison's operands.
func (b *binder) compareValues(e *sql.Expr, rel relation, l, r *value) (logic, error) {
	if l.class == nullClass || r.class == nullClass {
		return isNull, nil
	}
	var err error
	if l, err = l.like(r); err != nil {
		return nil, err
	}
	if r, err = r.like(l); err != nil {
		return nil, err
	}
	if err := b.comparable(e, l, r); err != nil {
		return nil, err
	}
	switch {
	case l.constant() && r.constant():
		return truthOf(rel.of(l.compareConstants(r))), nil
	case l.constant():
		rel, l, r = rel.swap(), r, l
	}
	if r.constant() && l.class.exact() && r.class.exact() {
		return roundedConstant(rel, l, r), nil
	}
	return compared{rel, l, r}, nil
}

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

// like turns a string constant into what it is compared with.
func (v *value) like(other *value) (*value, error) {
	switch {
	case !v.constant() || v.class != textClass || v.node.Op != sql.StringOp:
		return v, nil
	case other.class == dateClass:
		return date(v.node)
	case other.class == stampClass:
		return stamp(v.node)
	case other.class == timeClass:
		return clock(v.node)
	case other.lasting():
		return interval(v.node)
	}
	return v, nil
}

// comparable refuses operands that do not go together.
func (b *binder) comparable(e *sql.Expr, l, r *value) error {
	for _, v := range []*value{l, r} {
		if v.class == otherClass {
			return bad(v.node, "IS NULL works for every type", "values of type %s cannot be compared yet", v.name)
		}
	}
	switch {
	case l.class.number() && r.class.number(), l.class == textClass && r.class == textClass, l.lasting() && r.lasting(), l.class == timeClass && r.class == timeClass:
		return nil
	case l.class.temporal() && r.class.temporal():
		zoned, plain := l, r
		if r.zoned {
			zoned, plain = r, l
		}
		// A literal without a zone, and a date, is in UTC.
		if l.zoned == r.zoned || plain.constant() || plain.class == dateClass && !zoned.constant() {
			return nil
		}
		if zoned.constant() {
			return bad(zoned.node, "leave out the zone", "%s has no time zone, so it cannot be compared with an instant", b.spell(plain.node))
		}
		return bad(e, "", "%s has a time zone and %s has none: they cannot be compared", b.spell(zoned.node), b.spell(plain.node))
	}
	other, text := l, r
	if l.class == textClass {
		other, text = r, l
	}
	hint := ""
	if text.constant() && text.class == textClass && other.class.number() {
		hint = "numbers are written without quotes"
	}
	if text.class.temporal() && other.class.number() || other.class.temporal() && text.class.number() {
		hint = "dates and timestamps are written in quotes, as in '2024-05-31'"
	}
	return bad(e, hint, "%s is a %s and %s a %s: they cannot be compared", b.spell(l.node), l.name, b.spell(r.node), r.name)
}

// compareConstants compares constants whose classes go together.
func (v *value) compareConstants(o *value) int {
	switch {
	case v.class == textClass:
		return cmp.Compare(v.lit.text, o.lit.text)
	case v.class == floatClass || o.class == floatClass:
		return cmp.Compare(orderedFloat(v.asFloat()), orderedFloat(o.asFloat()))
	}
	n, d := v.unit()
	m, f := o.unit()
	x := new(big.Rat).SetFrac(n.Mul(n, v.lit.exact), d)
	return x.Cmp(new(big.Rat).SetFrac(m.Mul(m, o.lit.exact), f))
}

// roundedConstant is the comparison of v with the constant c in v's unit, which
// is exact: between two integers there is no other.
func roundedConstant(rel relation, v, c *value) logic {
	q, exact := v.floor(c)
	if !exact {
		switch rel {
		case equal, notEqual:
			return always(v, rel == notEqual)
		case less:
			rel = lessEqual
		case greaterEqual:
			rel = greater
		}
	}
	return compared{rel, v, exactValue(c.node, v.class, q, v.scale)}
}

// always is yes wherever v has a value, and NULL elsewhere.
func always(v *value, yes bool) logic {
	if yes {
		return disjunction(present{v}, isNull)
	}
	return conjunction(missing{v}, isNull)
}
