package expr

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
)

// null binds e IS NULL.
func (b *binder) null(e *sql.Expr) (logic, error) {
	v, err := b.value(e)
	if err != nil {
		return nil, err
	}
	return nullOf(v), nil
}

func nullOf(v *value) logic {
	switch {
	case v.class == nullClass:
		return isTrue
	case v.logic != nil:
		return fails{known(v.logic)}
	case v.constant():
		return isFalse
	}
	return missing{v}
}

// distinct binds IS DISTINCT FROM.
func (b *binder) distinct(e *sql.Expr) (logic, error) {
	left, right := e.Args[0], e.Args[1]
	same, err := b.compare(e, equal, left, right)
	if err != nil {
		return nil, err
	}
	l, err := b.null(left)
	if err != nil {
		return nil, err
	}
	r, err := b.null(right)
	if err != nil {
		return nil, err
	}
	return fails{disjunction(same, conjunction(l, r))}, nil
}

func (b *binder) between(e *sql.Expr) (logic, error) {
	lo, err := b.compare(e, greaterEqual, e.Args[0], e.Args[1])
	if err != nil {
		return nil, err
	}
	hi, err := b.compare(e, lessEqual, e.Args[0], e.Args[2])
	if err != nil {
		return nil, err
	}
	return conjunction(lo, hi), nil
}

// in binds IN: constants as a set where there is a map for them, all else as
// comparisons.
func (b *binder) in(e *sql.Expr) (logic, error) {
	operand, list := e.Args[0], e.Args[1:]
	if b.boolean(operand) {
		return b.anyOf(operand, list)
	}
	v, err := b.value(operand)
	if err != nil {
		return nil, err
	}
	set := among{v: v, want: true}
	switch {
	case v.constant() || v.class == nullClass:
		return b.anyOf(operand, list)
	case v.class == textClass:
		set.texts = map[string]struct{}{}
	case v.class == decClass:
		set.wides = map[int128]struct{}{}
	case v.class == intClass || v.class.temporal() || v.class == floatClass:
		set.ints = map[int64]struct{}{}
	default:
		return b.anyOf(operand, list)
	}
	rest, null := []*sql.Expr{}, false
	for _, entry := range list {
		if entry.Op == sql.NullOp {
			null = true
			continue
		}
		added, err := b.addEntry(&set, entry)
		if err != nil {
			return nil, err
		}
		if !added {
			rest = append(rest, entry)
		}
	}
	terms := []logic{set}
	if null {
		terms = append(terms, isNull)
	}
	if len(rest) > 0 {
		more, err := b.anyOf(operand, rest)
		if err != nil {
			return nil, err
		}
		terms = append(terms, more)
	}
	return disjunction(terms...), nil
}

// addEntry puts a constant into the set; false is that it is none.
func (b *binder) addEntry(set *among, e *sql.Expr) (bool, error) {
	if b.boolean(e) {
		return false, nil
	}
	c, err := b.value(e)
	if err != nil || !c.constant() {
		return false, err
	}
	if c, err = c.like(set.v); err != nil {
		return false, err
	}
	if err := b.comparable(e, set.v, c); err != nil {
		return false, err
	}
	switch {
	case set.texts != nil:
		set.texts[c.lit.text] = struct{}{}
		return true, nil
	case set.v.class == floatClass:
		set.ints[orderedFloat(c.asFloat())] = struct{}{}
		return true, nil
	case !c.class.exact():
		return false, nil
	}
	// What is no integer in the column's unit is equal to none.
	q, exact := set.v.floor(c)
	switch {
	case !exact:
	case set.wides != nil:
		if w, ok := toInt128(q); ok {
			set.wides[w] = struct{}{}
		}
	case q.IsInt64():
		set.ints[q.Int64()] = struct{}{}
	}
	return true, nil
}

func (b *binder) anyOf(operand *sql.Expr, list []*sql.Expr) (logic, error) {
	var terms []logic
	for _, entry := range list {
		l, err := b.compare(entry, equal, operand, entry)
		if err != nil {
			return nil, err
		}
		terms = append(terms, l)
	}
	return disjunction(terms...), nil
}

func (b *binder) like(e *sql.Expr) (logic, error) {
	for _, arg := range e.Args {
		if b.boolean(arg) {
			return nil, bad(arg, "LIKE is of strings", "%s is a condition", b.spell(arg))
		}
	}
	v, err := b.value(e.Args[0])
	if err != nil {
		return nil, err
	}
	p, err := b.value(e.Args[1])
	switch {
	case err != nil:
		return nil, err
	case v.class == nullClass || p.class == nullClass:
		return isNull, nil
	case v.class != textClass || v.col >= 0 && v.typ.ID() != arrow.STRING:
		return nil, bad(v.node, "LIKE is of strings", "%s is a %s", b.spell(v.node), v.name)
	case p.class != textClass:
		return nil, bad(p.node, fmt.Sprintf("write it in quotes, as in '%%%s%%'", b.spell(p.node)), "the pattern %s is a %s", b.spell(p.node), p.name)
	case !p.constant():
		return nil, bad(p.node, "", "only constant patterns are supported yet")
	}
	pat, err := newPattern(p.lit.text, e.Op == sql.ILikeOp)
	if err != nil {
		return nil, bad(p.node, `a plain backslash is written \\`, "%s", err)
	}
	if v.constant() {
		return truthOf(pat.match([]byte(v.lit.text))), nil
	}
	return matches{v, pat, pat.match, true}, nil
}
