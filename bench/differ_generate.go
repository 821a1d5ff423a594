package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator makes random statements over tables.
type generator struct {
	r      *rand.Rand
	have   *dialect
	tables []table

	scope   []column // of the SELECT that is being made
	ordered bool     // its rows come in an order that both engines know
	exact   bool     // inexact terms are not wanted
	keys    []*term  // of a grouping: leaves beside aggregates
	grouped bool
	columns bool // leaves are columns where there are any
}

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.r.IntN(n) == 0 }

// draw chooses one of a list.
func draw[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// leaf is a column, a key, an aggregate or a literal.
func (g *generator) leaf(k kind) *term {
	if g.grouped {
		var fit []*term
		for _, key := range g.keys {
			if key.kind == k && !(g.exact && key.inexact) {
				fit = append(fit, key)
			}
		}
		if len(fit) > 0 && g.chance(2) {
			return draw(g.r, fit)
		}
		if t := g.aggregate(k); t != nil {
			return t
		}
		return g.literal(k)
	}
	var fit []column
	for _, c := range g.scope {
		if c.kind == k {
			fit = append(fit, c)
		}
	}
	if len(fit) == 0 || g.chance(8) && !g.columns {
		return g.literal(k)
	}
	return &term{kind: k, form: draw(g.r, fit).name}
}

// literal is a constant.
func (g *generator) literal(k kind) *term {
	texts := map[kind][]string{
		kInt: {"0", "1", "-1", "7", "100"}, kBig: {"9223372036854775807", "-9223372036854775808", "127", "0"}, kDec: {"0.5", "-1.25", "10.0", "99.99"},
		kWide: {"0.0000000001", "1.5", "12345678901234567890.5"}, kFloat: {"1e0", "-2.5e0", "0e0", "1e3"}, kWild: {"1e308", "0e0", "-1e-300"},
		kSmall: {"CAST(1.5 AS FLOAT)", "CAST(0 AS FLOAT)"}, kText: {"''", "'a'", "'k1'", "'it''s'", "'Zürich'"}, kBool: {"TRUE", "FALSE"},
		kDate: {"DATE '2024-02-29'", "DATE '1970-01-01'", "DATE '9999-12-31'"}, kTime: {"TIME '12:30:00'"},
		kStamp: {"TIMESTAMP '2024-03-31 02:30:00'", "TIMESTAMP '1969-12-31 23:59:59.5'"}, kZoned: {"TIMESTAMPTZ '2024-03-31 02:30:00+00'"}, kTotal: {"CAST(1.5 AS DECIMAL(38,2))"}, kSpan: {"INTERVAL '1 day'", "INTERVAL '1 month'"},
	}[k]
	if k == kNano || k == kBlob || k == kSmall && !slices.ContainsFunc(g.have.scalars[kText], func(p production) bool { return strings.HasPrefix(p.form, "CAST(") }) {
		return &term{kind: k, form: "NULL"}
	}
	return &term{kind: k, form: draw(g.r, texts)}
}

// apply fills a production.
func (g *generator) apply(p production, depth int) *term {
	t := &term{kind: p.out, form: p.form, inexact: p.inexact}
	exact := g.exact
	if p.out != kFloat {
		g.exact = true // what is compared, converted or counted
	}
	for _, in := range p.ins {
		a := g.expr(in, depth-1)
		t.args = append(t.args, a)
		t.inexact = t.inexact || a.inexact
	}
	g.exact = exact
	return t
}

// expr is an expression of a kind.
func (g *generator) expr(k kind, depth int) *term {
	if depth <= 0 || g.chance(4) {
		return g.leaf(k)
	}
	var fit []production
	for _, p := range g.have.scalars[k] {
		if !g.exact || !p.inexact {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return g.leaf(k)
	}
	return g.apply(draw(g.r, fit), depth)
}

// aggregate is a call over rows, or nil if there is none of the kind.
func (g *generator) aggregate(k kind) *term {
	list := g.have.aggregates[k]
	if g.ordered {
		list = append(slices.Clip(list), g.have.ordered[k]...)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(p production) bool {
		return g.exact && p.inexact || !g.covers(p) || !g.have.places["filter"] && strings.Contains(p.form, "FILTER")
	})
	if len(list) == 0 {
		return nil
	}
	inner := *g
	inner.grouped, inner.keys, inner.exact = false, nil, true
	inner.columns = true // constants behind columns are parameters of the function
	depth := 0
	if g.have.places["argument"] {
		depth = g.r.IntN(3)
	}
	return inner.apply(draw(g.r, list), depth)
}

// covers reports whether the scope has columns for all operands.
func (g *generator) covers(p production) bool {
	for _, in := range p.ins {
		if !slices.ContainsFunc(g.scope, func(c column) bool { return c.kind == in }) {
			return false
		}
	}
	return true
}

// kindOf draws a kind, of a column mostly.
func (g *generator) kindOf() kind {
	if len(g.scope) > 0 && !g.chance(3) {
		if k := draw(g.r, g.scope).kind; k != kList {
			return k
		}
	}
	return draw(g.r, sorts[0].kinds)
}

// selectable is the kind of what a list has, with its expression.
func (g *generator) selectable(depth int) *term {
	k := g.kindOf()
	if g.grouped {
		if g.have.places["over"] && g.have.places["over keys"] && g.chance(2) {
			return g.expr(k, depth)
		}
		for {
			if len(g.keys) > 0 && g.chance(3) {
				return draw(g.r, g.keys)
			}
			kinds := append([]kind{kList, kInt, kFloat, kText, kTotal}, sorts[0].kinds...)
			if t := g.aggregate(draw(g.r, kinds)); t != nil {
				return t
			}
		}
	}
	if g.have.places["select"] && g.chance(2) {
		return g.expr(k, depth)
	}
	return g.columnOnly()
}

// columnOnly is a column of the scope.
func (g *generator) columnOnly() *term {
	c := draw(g.r, g.scope)
	return &term{kind: c.kind, form: c.name}
}

// statement makes a whole statement.
func (g *generator) statement() *statement {
	s := &statement{left: g.selection(1)}
	if !slices.ContainsFunc(s.left.items, func(i item) bool { return i.inexact || i.kind == kList }) && g.chance(4) {
		for range 1 + g.r.IntN(2) {
			s.rest = append(s.rest, operand{draw(g.r, []string{"UNION", "UNION ALL", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"}), g.variant(s.left)})
		}
	}
	g.finish(s)
	return s
}

// finish orders a statement, and bounds it if the order is total and exact.
func (g *generator) finish(s *statement) {
	if g.chance(2) {
		return
	}
	items := s.left.items
	for _, i := range items {
		if i.inexact || i.kind == kList {
			return
		}
	}
	for _, n := range g.r.Perm(len(items)) {
		key := draw(g.r, []string{fmt.Sprint(n + 1), items[n].name})
		s.order = append(s.order, key+draw(g.r, []string{"", " DESC", " ASC", " NULLS FIRST", " DESC NULLS LAST"}))
	}
	if g.chance(2) {
		s.limit = fmt.Sprint(draw(g.r, []int{0, 1, 5, 40, 5000}))
		if g.chance(3) {
			s.offset = fmt.Sprint(draw(g.r, []int{0, 1, 10, 1000}))
		}
	}
}
