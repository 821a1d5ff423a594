package colagg

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/expr"
)

// projectNode gives columns that are computed.
type projectNode struct {
	in      node
	run     *run
	list    []expression
	outputs []expr.Output
	out     *arrow.Schema
	project *expr.Project
}

// project gives the columns list of in; places says which of them each is. It
// adds no operator where all are columns already.
func (r *run) project(in node, list []expression, place placeFunc) (n node, places []int, err error) {
	outputs := make([]expr.Output, len(list))
	computed := false
	used := map[string]bool{}
	for i, x := range list {
		if c := columnOf(x.node); c >= 0 {
			at, _ := place(c)
			outputs[i] = expr.Output{Name: unique(used, in.schema().Field(at).Name), Column: at}
			places = append(places, at)
			continue
		}
		computed = true
		outputs[i].Name = unique(used, spell(x))
		if outputs[i].Value, err = bindValue(x, place); err != nil {
			return nil, nil, err
		}
	}
	if !computed {
		return in, places, nil
	}
	places = places[:0]
	for i := range list {
		places = append(places, i)
	}
	return &projectNode{in: in, run: r, list: list, outputs: outputs, out: expr.ProjectSchema(in.schema(), outputs)}, places, nil
}

// bindValue binds an expression of numbered columns.
func bindValue(x expression, place placeFunc) (*expr.Value, error) {
	if err := scalar(x); err != nil {
		return nil, err
	}
	v, err := expr.BindValue(x.in.text, x.node, func(ref sql.Column) (int, arrow.DataType, error) {
		at, t := place(numberOf(ref))
		return at, t, nil
	})
	return v, placed(x, err)
}

// placed is the error of binding x with its place.
func placed(x expression, err error) error {
	var bind *expr.BindError
	if errors.As(err, &bind) {
		return badFragment(x.in, bind.Offset, bind.Hint, "%s", bind.Message)
	}
	return err
}

func (n *projectNode) schema() *arrow.Schema { return n.out }
func (n *projectNode) rows() int64           { return n.in.rows() }
func (n *projectNode) given() int64          { return n.in.given() }
func (n *projectNode) workers() int          { return n.in.workers() }
func (n *projectNode) streams() bool         { return n.in.streams() }
func (n *projectNode) release()              { n.in.release() }

func (n *projectNode) hint(k int) (hashagg.Range, hashagg.Distinct) {
	if o := n.outputs[k]; o.Value == nil {
		return n.in.hint(o.Column)
	}
	return hashagg.Range{}, hashagg.Distinct{}
}

func (n *projectNode) open(ctx context.Context) (operators.Source, error) {
	in, err := n.in.open(ctx)
	if err != nil {
		return nil, err
	}
	n.project = expr.NewProject(in, n.outputs, n.run.budget)
	return told{n.project, n.tell}, nil
}

// tell adds the place to what cannot be computed.
func (n *projectNode) tell(err error) error {
	var e *expr.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, x := range n.list {
		if end := e.Offset + len(e.Expr); end <= len(x.in.text) && x.in.text[e.Offset:end] == e.Expr {
			return notComputed(x.in, e)
		}
	}
	return err
}

func (n *projectNode) explain(p *Plan, out traffic) []Operator {
	op := Operator{Name: "project", RowsIn: expected(n.in.rows()), RowsOut: out.figure(n.rows())}
	for _, o := range n.outputs {
		if o.Value != nil {
			if op.Detail != "" {
				op.Detail += ", "
			}
			op.Detail += o.Name
		}
	}
	from := traffic{}
	if n.project != nil {
		r := n.project.Report()
		from = traffic{true, r.In, r.Batches, max(0, out.time-r.Time)}
		op.RowsIn.Actual, op.RowsOut.Actual, op.Batches, op.Time = r.In, r.Out, r.Batches, r.Time
	}
	return append(n.in.explain(p, from), op)
}
