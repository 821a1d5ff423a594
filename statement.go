package colagg

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr"
)

// SQL runs one SELECT statement: Query with Query.SQL and Query.Args.
func (e *Engine) SQL(ctx context.Context, text string, args ...any) (*Result, error) {
	return e.Query(ctx, Query{SQL: text, Args: args})
}

// Sources returns what the query reads: From, or what the statement in SQL names
// behind FROM. Its error is that of a statement that cannot be read.
func (q *Query) Sources() ([]Source, error) {
	if q.SQL == "" {
		return []Source{q.From}, nil
	}
	s, in, err := q.statement()
	if err != nil {
		return nil, err
	}
	var out []Source
	return out, eachFrom(s.Body, func(f *sql.From) error {
		src, err := q.source(f, in)
		if src != nil {
			out = append(out, src)
		}
		return err
	})
}

// eachFrom calls do with every FROM that names something to be read.
func eachFrom(b *sql.Body, do func(*sql.From) error) error {
	switch {
	case b.Nested != nil:
		return eachFrom(b.Nested.Body, do)
	case b.Select == nil:
		if err := eachFrom(b.Left, do); err != nil {
			return err
		}
		return eachFrom(b.Right, do)
	case b.Select.From == nil:
		return nil
	case b.Select.From.Query != nil:
		return eachFrom(b.Select.From.Query.Body, do)
	}
	return do(b.Select.From)
}

// statement parses SQL and puts arguments in the place of parameters.
func (q *Query) statement() (*sql.Statement, fragment, error) {
	in := fragment{q.SQL, "SQL"}
	switch {
	case q.From != nil, q.Where != "", q.Having != "", len(q.GroupBy)+len(q.Aggs)+len(q.Select)+len(q.OrderBy) > 0, q.Distinct, q.Limit != 0, q.Offset != 0:
		return nil, in, badQuery("Query.SQL is a whole query: From, Select and the like are parts of it")
	}
	s, err := sql.ParseStatement(q.SQL)
	if err != nil {
		return nil, in, syntaxError(in, err)
	}
	used := make([]bool, len(q.Args))
	for _, p := range s.Params {
		n, _ := strconv.Atoi(p.Text)
		if n > len(q.Args) {
			return nil, in, badFragment(in, p.Start, "", "parameter %d has no argument: there are %d", n, len(q.Args))
		}
		used[n-1] = true
		if err := bindArgument(p, q.Args[n-1]); err != nil {
			return nil, in, badFragment(in, p.Start, "", "argument %d: %w", n, err)
		}
	}
	if n := slices.Index(used, false); n >= 0 {
		return nil, in, badQuery("argument %d is not used: there is no parameter $%d", n+1, n+1)
	}
	return s, in, nil
}

// source is what a FROM reads, or nil if it is a query.
func (q *Query) source(f *sql.From, in fragment) (Source, error) {
	switch {
	case len(f.Files) > 0:
		var files filesSource
		for _, file := range f.Files {
			files = append(files, file.Name)
		}
		return files, nil
	case f.Name != nil && len(f.Name.Parts) == 1 && f.Name.Parts[0].Quoted:
		return filesSource{f.Name.Parts[0].Text}, nil
	case f.Name != nil:
		return nil, badFragment(in, f.Name.Start, fmt.Sprintf("files go in single quotes, as in FROM '%s'", f.Name), "there is no table %s", f.Name)
	case f.Param != nil && f.Param.Op == sql.StringOp:
		return filesSource{f.Param.Text}, nil
	case f.Param != nil:
		n, err := strconv.Atoi(f.Param.Text)
		if err == nil && f.Param.Op == sql.ParamOp {
			return q.Args[n-1].(Source), nil
		}
		return nil, badFragment(in, f.Param.Start, "", "FROM takes a Source or the name of a file")
	}
	return nil, nil
}

// statement plans s.
func (r *run) statement(ctx context.Context, s *sql.Statement, in fragment) (*planned, error) {
	w, err := windowOf(s, in)
	if err != nil {
		return nil, err
	}
	if s.Body.Select != nil {
		return r.selection(ctx, s.Body.Select, s.Order, w, in)
	}
	q, err := r.body(ctx, s.Body, in)
	if err != nil || len(s.Order) == 0 && w == (window{0, -1}) {
		return q, err
	}
	all := sql.Item{Star: true, Span: s.Body.Span}
	sel := selection{items: []located[sql.Item]{{all, in}}, window: w}
	for _, k := range s.Order {
		sel.order = append(sel.order, located[sql.SortKey]{k, in})
	}
	return r.block(sel, rowsOf(r.whole(q), ""))
}

// body plans a SELECT, a statement in parentheses or a set operation.
func (r *run) body(ctx context.Context, b *sql.Body, in fragment) (*planned, error) {
	switch {
	case b.Select != nil:
		return r.selection(ctx, b.Select, nil, window{0, -1}, in)
	case b.Nested != nil:
		return r.statement(ctx, b.Nested, in)
	}
	left, err := r.body(ctx, b.Left, in)
	if err != nil {
		return nil, err
	}
	right, err := r.body(ctx, b.Right, in)
	if err != nil {
		return nil, err
	}
	return r.setOperation(b, r.whole(left), r.whole(right), in)
}

// selection plans a SELECT with what stands behind it.
func (r *run) selection(ctx context.Context, s *sql.Select, order []sql.SortKey, w window, in fragment) (*planned, error) {
	sel := selection{distinct: s.Distinct != nil, window: w}
	for _, i := range s.Items {
		sel.items = append(sel.items, located[sql.Item]{i, in})
	}
	for _, k := range order {
		sel.order = append(sel.order, located[sql.SortKey]{k, in})
	}
	if s.Where != nil {
		sel.where = &expression{s.Where, in}
	}
	if s.Having != nil {
		sel.having = &expression{s.Having, in}
	}
	if s.Group != nil {
		sel.group(s.Group, in)
	}
	rel, err := r.from(ctx, s.From, in)
	if err != nil {
		return nil, err
	}
	return r.block(sel, rel)
}

// from opens what a SELECT reads.
func (r *run) from(ctx context.Context, f *sql.From, in fragment) (*relation, error) {
	if f == nil {
		return &relation{table: oneRow{}}, nil
	}
	alias := ""
	if f.Alias != nil {
		alias = f.Alias.Text
	}
	if f.Query != nil {
		q, err := r.statement(ctx, f.Query, in)
		if err != nil {
			return nil, err
		}
		return rowsOf(r.whole(q), alias), nil
	}
	src, err := r.query.source(f, in)
	if err != nil {
		return nil, err
	}
	t, err := src.open(ctx)
	if err != nil {
		return nil, err
	}
	return &relation{cols: t.columns(), table: t, alias: alias}, nil
}

// whole returns q with nothing left to be done.
func (r *run) whole(q *planned) *planned {
	if q.window == (window{0, -1}) {
		return q
	}
	out := *q
	out.node, out.window = &windowNode{in: q.node, window: q.window}, window{0, -1}
	return &out
}

// windowOf reads the numbers of LIMIT and OFFSET.
func windowOf(s *sql.Statement, in fragment) (w window, err error) {
	w.most = -1
	for _, n := range []struct {
		name string
		e    *sql.Expr
		to   *int64
	}{{"LIMIT", s.Limit, &w.most}, {"OFFSET", s.Offset, &w.skip}} {
		if n.e == nil || n.e.Op == sql.NullOp {
			continue
		}
		if *n.to, err = strconv.ParseInt(n.e.Text, 10, 64); n.e.Op != sql.NumberOp || err != nil {
			return w, badFragment(in, n.e.Start, "", "%s takes a whole number that is not negative", n.name)
		}
	}
	return w, nil
}

// setSides says what a column of two queries has in common.
func setSides(b *sql.Body, left, right *planned, in fragment) ([]arrow.Field, error) {
	if l, r := len(left.outputs), len(right.outputs); l != r {
		return nil, badFragment(in, b.At, "", "%s of %s and %s", b.Op, count(int64(l), "column"), count(int64(r), "column"))
	}
	ls, rs := left.schema(), right.schema()
	fields := ls.Fields()
	for i := range fields {
		l, r := fields[i].Type, rs.Field(i).Type
		switch {
		case arrow.TypeEqual(l, r), r.ID() == arrow.NULL:
		case l.ID() == arrow.NULL:
			fields[i].Type = r
		case expr.Common(l, r) != nil:
			fields[i].Type = expr.Common(l, r)
		default:
			return nil, badFragment(in, b.At, "", "column %d of %s, %s, is %s on the left and %s on the right", i+1, b.Op, sql.Spell(fields[i].Name), l, r)
		}
		fields[i].Nullable = true
	}
	return slices.Clone(fields), nil
}

// shownRows spells a query for plans by its columns.
func shownRows(q *planned) []string {
	var names []string
	for _, o := range q.outputs {
		names = append(names, strings.TrimSpace(sql.Spell(o.name)))
	}
	return names
}
