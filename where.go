package colagg

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr"
)

// filter binds the condition of WHERE. Columns that it alone needs are read
// behind all others.
func (p *resolved) filter(where located[*sql.Expr], find findFunc) (err error) {
	p.whereText = where.fragment
	p.where, err = expr.Bind(where.fragment, where.node, func(ref sql.Column) (int, arrow.DataType, error) {
		c, err := find(where.fragment, ref)
		if err != nil {
			return 0, nil, err
		}
		return p.read(c), p.cols[c].typ, nil
	})
	var bind *expr.BindError
	if errors.As(err, &bind) {
		return badFragment(where.fragment, bind.Offset, bind.Hint, "%s", bind.Message)
	}
	used := map[string]bool{}
	for _, name := range p.names {
		used[name] = true
	}
	for _, c := range p.reads[len(p.names):] {
		p.names = append(p.names, unique(used, strings.Join(p.cols[c].path, ".")))
	}
	return err
}

// whereError is the error for what the filter cannot compute, or nil if err is
// about something else.
func (p *resolved) whereError(err error) error {
	var e *expr.Error
	if !errors.As(err, &e) {
		return nil
	}
	out := &Error{Kind: Overflow, Source: p.whereText, Offset: e.Offset, Err: fmt.Errorf("colagg: %w", e)}
	if e.Zero {
		out.Kind, out.Hint = BadQuery, "a condition before it with AND keeps such rows from it, as in n <> 0 AND x / n > 1"
	}
	return out
}

// planFilter puts the filter behind the scan.
func (r *run) planFilter() {
	r.input = r.src
	if r.names.where != nil {
		r.filter = expr.NewFilter(r.src, r.names.where, r.names.kept, r.budget)
		r.input = r.filter
	}
}

// explainFilter is the operator that filters; it is not known how many rows are
// left.
func (r *run) explainFilter(rows int64) Operator {
	return Operator{Name: "filter", Detail: r.names.whereText, RowsIn: expected(rows), RowsOut: expected(notKnown)}
}

// filtered fills in what the filter did, which is the second operator of the
// first pipeline and was counted as a part of the first.
func (p *Plan) filtered(r expr.Report) {
	scan, filter := &p.Pipelines[0].Operators[0], &p.Pipelines[0].Operators[1]
	scan.RowsOut.Actual, scan.Batches, scan.Time = r.In, r.Batches, max(0, scan.Time-r.Time)
	filter.RowsIn.Actual, filter.RowsOut.Actual, filter.Batches, filter.Time = r.In, r.Out, r.Batches, r.Time
}
