package colagg

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/combine"
)

// windowNode gives some of the rows of a query within another.
type windowNode struct {
	in     node
	window window
	cut    *combine.Window
}

func (n *windowNode) schema() *arrow.Schema { return n.in.schema() }
func (n *windowNode) workers() int          { return n.in.workers() }
func (n *windowNode) streams() bool         { return false }
func (n *windowNode) release()              { n.in.release() }
func (n *windowNode) rows() int64           { return n.window.of(n.in.rows()) }
func (n *windowNode) given() int64          { return n.window.of(n.in.given()) }

func (n *windowNode) hint(k int) (hashagg.Range, hashagg.Distinct) { return n.in.hint(k) }

// of returns how many of so many rows are given.
func (w window) of(rows int64) int64 {
	if rows < 0 {
		return max(w.most, notKnown)
	}
	rows = max(0, rows-w.skip)
	if w.most >= 0 {
		rows = min(rows, w.most)
	}
	return rows
}

func (n *windowNode) open(ctx context.Context) (operators.Source, error) {
	in, err := n.in.open(ctx)
	if err != nil {
		return nil, err
	}
	open := in.Stream
	if n.in.streams() {
		open = func() (operators.Stream, error) { return operators.InOrder(in, n.in.workers()), nil }
	}
	n.cut = combine.NewWindow(n.schema(), open, n.window.skip, n.window.most)
	return n.cut, nil
}

func (n *windowNode) explain(p *Plan, out traffic) []Operator {
	op := Operator{Name: "limit", Detail: n.window.spell(), RowsIn: expected(n.in.rows()), RowsOut: out.figure(n.rows()), Batches: out.batches}
	from := traffic{}
	if n.cut != nil {
		r := n.cut.Report()
		from = traffic{true, r.In, r.Batches, out.time}
		op.RowsIn.Actual = r.In
	}
	return append(n.in.explain(p, from), op)
}
