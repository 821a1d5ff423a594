package colagg

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/expr"
)

// placeFunc finds a numbered column among those of an operator.
type placeFunc func(n int) (at int, t arrow.DataType)

// bindCondition binds a condition of numbered columns.
func bindCondition(x expression, place placeFunc) (*expr.Condition, error) {
	if err := scalar(x); err != nil {
		return nil, err
	}
	c, err := expr.Bind(x.in.text, x.node, func(ref sql.Column) (int, arrow.DataType, error) {
		at, t := place(numberOf(ref))
		return at, t, nil
	})
	return c, placed(x, err)
}

// scalar refuses what cannot be computed of one row.
func scalar(x expression) (err error) {
	anyNode(x.node, func(e *sql.Expr) bool {
		if aggregate(e) {
			err = badFragment(x.in, e.Start, "HAVING filters groups", "the aggregate %s cannot be in the condition of rows", spell(expression{e, x.in}))
		}
		return err != nil
	})
	return err
}

// where is a condition of rows, and what finds those for which it is true.
type where struct {
	name      string // "filter" or "having"
	condition *expr.Condition
	at        expression // the condition
	filter    *expr.Filter
}

// tell adds the place to what the filter cannot compute.
func (w *where) tell(err error) error {
	var e *expr.Error
	if !errors.As(err, &e) {
		return err
	}
	return notComputed(w.at.in, e)
}

// notComputed is the error for what cannot be computed of some row.
func notComputed(in fragment, e *expr.Error) error {
	out := &Error{Kind: Overflow, Source: in.text, Field: in.field, Offset: e.Offset, Err: fmt.Errorf("colagg: %w", e)}
	if e.Zero {
		out.Kind, out.Hint = BadQuery, "a condition before it with AND keeps such rows from it, as in n <> 0 AND x / n > 1"
	}
	return out
}

// explain is the operator, of so many rows, out of which out came; before is what
// went in. Before the run it is not known how many rows are left.
func (w *where) explain(rows int64, out traffic) (op Operator, before traffic) {
	op = Operator{Name: w.name, Detail: spell(w.at), RowsIn: expected(rows), RowsOut: expected(notKnown)}
	if out.ran {
		r := w.filter.Report()
		before = traffic{true, r.In, r.Batches, max(0, out.time-r.Time)}
		op.RowsIn.Actual, op.RowsOut.Actual, op.Batches, op.Time = r.In, r.Out, r.Batches, r.Time
	}
	return op, before
}

// filterNode gives the rows for which a condition is true.
type filterNode struct {
	where
	in   node
	kept int // of the columns, the first ones
}

func (n *filterNode) schema() *arrow.Schema {
	return arrow.NewSchema(n.in.schema().Fields()[:n.kept:n.kept], nil)
}
func (n *filterNode) rows() int64   { return notKnown }
func (n *filterNode) workers() int  { return n.in.workers() }
func (n *filterNode) streams() bool { return n.in.streams() }
func (n *filterNode) release()      { n.in.release() }

// given is what has come out, or may, as long as not all has come in.
func (n *filterNode) given() int64 { return n.in.given() }

func (n *filterNode) hint(k int) (hashagg.Range, hashagg.Distinct) { return n.in.hint(k) }

// open puts the filter behind its input.
func (n *filterNode) open(ctx context.Context) (operators.Source, error) {
	in, err := n.in.open(ctx)
	if err != nil {
		return nil, err
	}
	return told{n.filter.Source(in, n.kept), n.tell}, nil
}

// explain adds the filter.
func (n *filterNode) explain(p *Plan, out traffic) []Operator {
	op, before := n.where.explain(n.in.rows(), out)
	return append(n.in.explain(p, before), op)
}
