package main

import (
	"fmt"
	"slices"
	"strings"
)

// item is an entry of a SELECT list.
type item struct {
	*term
	name string
}

// selection is a SELECT in parts that can be left out.
type selection struct {
	distinct bool
	items    []item
	from     string
	sub      *statement // instead of from
	where    *term
	grouped  bool
	keys     []string // as they stand in GROUP BY
	form     string   // of GROUP BY, with %s for the keys
	having   *term
}

// operand is a right side of a set operation.
type operand struct {
	op string
	*selection
}

// statement is what both engines are asked.
type statement struct {
	left          *selection
	rest          []operand
	order         []string
	limit, offset string
}

// String is the statement's SQL.
func (s *statement) String() string {
	text := s.left.String()
	for _, o := range s.rest {
		text = fmt.Sprintf("(%s) %s (%s)", text, o.op, o.selection)
	}
	if len(s.order) > 0 {
		text += " ORDER BY " + strings.Join(s.order, ", ")
	}
	if s.limit != "" {
		text += " LIMIT " + s.limit
	}
	if s.offset != "" {
		text += " OFFSET " + s.offset
	}
	return text
}

// String is the SELECT's SQL.
func (s *selection) String() string {
	var list []string
	for _, i := range s.items {
		list = append(list, fmt.Sprintf("%s AS %s", i.term, i.name))
	}
	text := "SELECT "
	if s.distinct {
		text += "DISTINCT "
	}
	text += strings.Join(list, ", ")
	switch {
	case s.sub != nil:
		text += fmt.Sprintf(" FROM (%s) AS sub", s.sub)
	case s.from != "":
		text += " FROM " + s.from
	}
	if s.where != nil {
		text += fmt.Sprintf(" WHERE %s", s.where)
	}
	if len(s.keys) > 0 {
		text += " GROUP BY " + fmt.Sprintf(s.form, strings.Join(s.keys, ", "))
	}
	if s.having != nil {
		text += fmt.Sprintf(" HAVING %s", s.having)
	}
	return text
}

// selection makes a SELECT; with depth it may read a sub-select.
func (g *generator) selection(depth int) *selection {
	s := &selection{}
	g.grouped, g.keys, g.exact, g.ordered = false, nil, false, true
	if depth > 0 && g.chance(4) {
		inner := *g
		s.sub = &statement{left: inner.selection(depth - 1)}
		inner.finish(s.sub)
		g.scope, g.ordered = nil, false
		for _, i := range s.sub.left.items {
			if i.kind != kList && !i.inexact {
				g.scope = append(g.scope, column{name: i.name, kind: i.kind})
			}
		}
	}
	if s.sub == nil || len(g.scope) == 0 {
		t := draw(g.r, g.tables)
		s.sub, s.from, g.scope, g.ordered = nil, t.from, t.cols, true
	}
	if g.chance(2) {
		g.exact = true
		s.where = g.expr(kBool, 1+g.r.IntN(3))
		g.exact = false
	}
	switch {
	case g.chance(3):
		s.distinct = g.have.places["distinct"] && g.chance(2)
	default:
		g.group(s)
	}
	g.exact = s.distinct
	for n := range 1 + g.r.IntN(4) {
		t := g.selectable(1 + g.r.IntN(3))
		if t.kind == kList && s.distinct {
			t = &term{kind: kInt, form: "count(*)"}
		}
		s.items = append(s.items, item{t, fmt.Sprintf("%c%d", "sc"[depth], n)})
	}
	g.exact = true
	if s.grouped && g.have.places["having"] && g.chance(4) {
		s.having = g.expr(kBool, 1+g.r.IntN(2))
	}
	g.exact = false
	return s
}

// group makes s a grouping.
func (g *generator) group(s *selection) {
	s.grouped, s.form = true, "%s"
	g.exact = true
	for range g.r.IntN(4) {
		key := g.columnOnly()
		if g.have.places["group"] && g.chance(2) {
			key = g.expr(g.kindOf(), 1+g.r.IntN(2))
			if !strings.ContainsAny(key.String(), "abcdefghijklmnopqrstuvwxyz") || !strings.Contains(key.String(), "(") {
				continue // a constant, which may be a number of an entry
			}
		}
		text := key.String()
		if key.kind == kList || slices.Contains(s.keys, text) {
			continue
		}
		s.keys = append(s.keys, text)
		g.keys = append(g.keys, key)
	}
	if len(s.keys) > 1 && g.have.places["sets"] && g.chance(4) {
		s.form = draw(g.r, []string{"ROLLUP (%s)", "CUBE (%s)", "GROUPING SETS ((%[1]s), ())"})
	}
	g.exact = false
	g.grouped = true
	g.ordered = g.ordered && s.form == "%s"
}

// variant is s with another filter, for set operations: its columns have the
// same types.
func (g *generator) variant(s *selection) *selection {
	v := *s
	v.having = nil
	g.grouped, g.keys, g.exact = false, nil, true
	v.where = nil
	if !g.chance(4) {
		v.where = g.expr(kBool, 1+g.r.IntN(2))
	}
	g.exact = false
	return &v
}

// smaller returns statements that have a part less.
func (s *statement) smaller() (out []*statement) {
	add := func(change func(*statement)) {
		c := *s
		c.rest = slices.Clone(s.rest)
		change(&c)
		out = append(out, &c)
	}
	for n := range s.rest {
		add(func(c *statement) { c.rest = slices.Delete(c.rest, n, n+1) })
	}
	if s.limit != "" {
		add(func(c *statement) { c.limit, c.offset = "", "" })
	}
	if s.offset != "" {
		add(func(c *statement) { c.offset = "" })
	}
	if len(s.order) > 0 && s.limit == "" {
		add(func(c *statement) { c.order = nil })
	}
	for _, sel := range s.left.smaller() {
		if len(s.rest) > 0 && len(sel.items) < len(s.left.items) || len(s.order) > 0 && len(sel.items) < len(s.left.items) {
			continue // columns are counted elsewhere
		}
		add(func(c *statement) { c.left = sel })
	}
	for n := range s.rest {
		for _, sel := range s.rest[n].smaller() {
			if len(sel.items) == len(s.left.items) {
				add(func(c *statement) { c.rest[n] = operand{c.rest[n].op, sel} })
			}
		}
	}
	return out
}

// smaller returns SELECTs that have a part less.
func (s *selection) smaller() (out []*selection) {
	add := func(change func(*selection)) {
		c := *s
		change(&c)
		out = append(out, &c)
	}
	if s.where != nil {
		add(func(c *selection) { c.where = nil })
		for _, t := range s.where.smaller() {
			add(func(c *selection) { c.where = t })
		}
	}
	if s.having != nil {
		add(func(c *selection) { c.having = nil })
		for _, t := range s.having.smaller() {
			add(func(c *selection) { c.having = t })
		}
	}
	if s.distinct {
		add(func(c *selection) { c.distinct = false })
	}
	if s.sub != nil {
		for _, sub := range s.sub.smaller() {
			add(func(c *selection) { c.sub = sub })
		}
	}
	for n := range s.items {
		if len(s.items) > 1 {
			add(func(c *selection) { c.items = slices.Delete(slices.Clone(c.items), n, n+1) })
		}
		for _, t := range s.items[n].smaller() {
			add(func(c *selection) {
				c.items = slices.Clone(c.items)
				c.items[n] = item{t, c.items[n].name}
			})
		}
	}
	for n := range s.keys {
		if len(s.keys) > 1 {
			add(func(c *selection) { c.keys = slices.Delete(slices.Clone(c.keys), n, n+1) })
		}
	}
	return out
}

// smaller returns terms with an operand of the same kind in the place of the
// whole, here or within.
func (t *term) smaller() (out []*term) {
	for n, a := range t.args {
		if a.kind == t.kind {
			out = append(out, a)
		}
		for _, b := range a.smaller() {
			c := *t
			c.args = slices.Clone(t.args)
			c.args[n] = b
			out = append(out, &c)
		}
	}
	return out
}
