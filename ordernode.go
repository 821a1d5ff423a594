package colagg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/order"
)

// orderNode puts rows in order.
type orderNode struct {
	in    node
	run   *run
	sink  *order.Sink
	flow  operators.Flow
	limit int64
	texts []string // of the keys
}

// orderNode makes the sink that orders by keys, then by the columns ties.
func (r *run) orderNode(in node, keys []sortKey, ties []int, wanted int64) (*orderNode, error) {
	n := &orderNode{in: in, run: r, limit: wanted}
	var list []order.Key
	for _, k := range keys {
		n.texts = append(n.texts, k.text)
		if !slices.ContainsFunc(list, func(o order.Key) bool { return o.Column == k.Column }) {
			list = append(list, k.Key)
		}
	}
	for _, t := range ties {
		if !slices.ContainsFunc(list, func(o order.Key) bool { return o.Column == t }) {
			list = append(list, order.Key{Column: t})
		}
	}
	schema := in.schema()
	for _, k := range list {
		if f := schema.Field(k.Column); strings.HasPrefix(f.Type.String(), "list<") {
			return nil, badQuery("the result cannot be ordered by %s, which is a list", f.Name)
		}
	}
	var err error
	n.sink, err = order.NewSink(schema, order.Config{
		Keys: list, Limit: wanted, Workers: in.workers(), BatchRows: r.engine.batchRows, Budget: r.budget, Spill: r.temp,
	})
	if err != nil {
		return nil, &Error{Kind: Unsupported, Offset: -1, Err: fmt.Errorf("colagg: ordering: %w", err)}
	}
	r.sinks = append(r.sinks, n.sink)
	return n, nil
}

func (n *orderNode) schema() *arrow.Schema { return n.sink.Schema() }
func (n *orderNode) workers() int          { return n.in.workers() }
func (n *orderNode) streams() bool         { return false }
func (n *orderNode) release()              { n.sink.Close() }

func (n *orderNode) rows() int64 {
	if rows := n.in.rows(); n.limit < 0 || rows == notKnown {
		return rows
	} else {
		return min(n.limit, rows)
	}
}

func (n *orderNode) given() int64 {
	rows := n.sink.Report().Rows
	if n.limit >= 0 {
		rows = min(rows, n.limit)
	}
	return rows
}

func (n *orderNode) hint(k int) (hashagg.Range, hashagg.Distinct) { return n.in.hint(k) }

func (n *orderNode) open(ctx context.Context) (operators.Source, error) {
	in, err := n.in.open(ctx)
	if err != nil {
		return nil, err
	}
	src, flow, err := operators.Drain(ctx, in, n.sink, forRows(n.in.workers(), n.in.given()))
	n.flow = flow
	if err != nil {
		return nil, err
	}
	n.in.release()
	return src, nil
}

func (n *orderNode) explain(p *Plan, out traffic) []Operator {
	came := trafficOf(n.flow)
	ops := n.in.explain(p, came)
	op := Operator{Name: "order", Detail: "by " + strings.Join(n.texts, ", "), RowsIn: came.figure(n.in.rows()), RowsOut: expected(n.rows()), Order: &OrderUse{Limit: n.limit}}
	if came.ran {
		op.Batches, op.Time = came.batches, n.flow.Sum().Sink+n.flow.Finish
		op.RowsOut.Actual = n.given()
		op.Order.done(n.sink.Report())
	}
	p.add("ordering", n.in.workers(), n.flow, append(ops, op))
	return []Operator{{Name: "ordered rows", RowsIn: out.figure(n.rows()), RowsOut: out.figure(n.rows()), Batches: out.batches, Time: out.time}}
}
