package colagg

import (
	"strings"

	"github.com/colagg/colagg/internal/sql"
)

// fragment is a text that positions count in, and the field of Query that it
// comes from.
type fragment struct{ text, field string }

// located is a node with the fragment that its positions count in.
type located[T any] struct {
	node T
	in   fragment
}

// expression is a located expression.
type expression = located[*sql.Expr]

// selection is a SELECT with the order of its rows and which of them are given:
// the fields of a Query, or a part of a statement.
type selection struct {
	items    []located[sql.Item]
	keysToo  bool // the keys are given before the items
	distinct bool
	where    *expression // nil without a filter
	grouped  bool        // there are keys, or at least aggregates
	groupAll bool        // by the items without aggregates
	keys     []located[sql.GroupItem]
	having   *expression // nil without a filter
	order    []located[sql.SortKey]
	window   window
}

// window says which rows of a result are given: those behind the first skip, most
// at most; -1 is all.
type window struct{ skip, most int64 }

// wanted returns how many rows are needed, those that are skipped too; -1 is
// all.
func (w window) wanted() int64 {
	if w.most < 0 || w.skip > noLimit-w.most {
		return -1
	}
	return w.skip + w.most
}

// spell spells it for plans.
func (w window) spell() string {
	text := ""
	if w.most >= 0 {
		text = "no more than " + count(w.most, "row")
	}
	if w.skip > 0 {
		text = strings.TrimPrefix(text+", behind the first "+comma(w.skip), ", ")
	}
	return text
}

// selection parses the fragments of q.
func (q *Query) selection() (s selection, err error) {
	if err := q.checkShape(); err != nil {
		return s, err
	}
	s.window, s.distinct = q.window(), q.Distinct
	items, field := q.Select, "Select"
	if len(q.Select) == 0 {
		items, field, s.keysToo, s.grouped = q.Aggs, "Aggs", true, true
		if len(items) == 0 {
			items = []string{"count(*)"}
		}
	}
	if s.items, err = fragments(items, field, sql.ParseItems); err != nil {
		return s, err
	}
	if s.where, err = condition(q.Where, "Where"); err != nil {
		return s, err
	}
	if s.having, err = condition(q.Having, "Having"); err != nil {
		return s, err
	}
	for _, text := range q.GroupBy {
		in := fragment{text, "GroupBy"}
		g, err := sql.ParseGrouping(text)
		if err != nil {
			return s, syntaxError(in, err)
		}
		s.group(g, in)
	}
	s.order, err = fragments(q.OrderBy, "OrderBy", sql.ParseSort)
	return s, err
}

// group adds what a GROUP BY has.
func (s *selection) group(g *sql.Grouping, in fragment) {
	s.grouped, s.groupAll = true, s.groupAll || g.All
	for _, i := range g.Sets {
		s.keys = append(s.keys, located[sql.GroupItem]{i, in})
	}
}

// condition parses an expression, unless there is none.
func condition(text, field string) (*expression, error) {
	if text == "" {
		return nil, nil
	}
	in := fragment{text, field}
	e, err := sql.ParseExpr(text)
	if err != nil {
		return nil, syntaxError(in, err)
	}
	return &expression{e, in}, nil
}

// fragments parses lists.
func fragments[T any](texts []string, field string, parse func(string) ([]T, error)) (all []located[T], err error) {
	for _, text := range texts {
		in := fragment{text, field}
		nodes, err := parse(text)
		if err != nil {
			return nil, syntaxError(in, err)
		}
		for _, n := range nodes {
			all = append(all, located[T]{n, in})
		}
	}
	return all, nil
}

// checkShape refuses what does not go together.
func (q *Query) checkShape() error {
	grouped := len(q.GroupBy) > 0 || len(q.Aggs) > 0
	switch {
	case len(q.Select) > 0 && len(q.Aggs) > 0:
		e := badQuery("a list to select and aggregates beside it do not go together")
		e.Hint = "Query.Select may have aggregates"
		return e
	case q.Distinct && len(q.Select) == 0 && !grouped:
		e := badQuery("distinct rows of what?")
		e.Hint = "name columns in Query.Select, where * is all"
		return e
	case q.Offset < 0:
		return badQuery("the offset is negative: %d", q.Offset)
	}
	return nil
}

// window returns which rows of the result are given.
func (q *Query) window() window {
	switch {
	case q.Limit < 0:
		return window{0, 0}
	case q.Limit == 0:
		return window{q.Offset, -1}
	}
	return window{q.Offset, q.Limit}
}
