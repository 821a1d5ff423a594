package colagg

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/combine"
	"github.com/colagg/colagg/operators/expr"
	"github.com/colagg/colagg/vector"
)

// concatNode gives the rows of several queries, one after the other.
type concatNode struct {
	ins    []*planned
	out    *arrow.Schema
	sides  bool // there are columns behind that say which of two it is
	concat *combine.Concat
}

func (n *concatNode) schema() *arrow.Schema { return n.out }
func (n *concatNode) streams() bool         { return true }

// hint is the range of all inputs, if each has one.
func (n *concatNode) hint(k int) (all hashagg.Range, _ hashagg.Distinct) {
	for i, q := range n.ins {
		if k >= len(q.outputs) {
			return hashagg.Range{}, hashagg.Distinct{} // a side
		}
		r, _ := q.node.hint(q.outputs[k].at)
		switch {
		case !r.OK || n.out.Field(k).Type.ID() == arrow.UINT64: // which is given by its bits
			return hashagg.Range{}, hashagg.Distinct{}
		case i == 0:
			all = r
		}
		all.Lo, all.Hi = min(all.Lo, r.Lo), max(all.Hi, r.Hi)
	}
	return all, hashagg.Distinct{}
}

func (n *concatNode) rows() int64  { return n.sum(node.rows) }
func (n *concatNode) given() int64 { return n.sum(node.given) }

// sum adds up the figures of the inputs, unless one is not known.
func (n *concatNode) sum(figure func(node) int64) (all int64) {
	for _, q := range n.ins {
		rows := figure(q.node)
		if rows < 0 {
			return notKnown
		}
		all += rows
	}
	return all
}

func (n *concatNode) workers() int {
	most := 1
	for _, q := range n.ins {
		most = max(most, q.node.workers())
	}
	return most
}

func (n *concatNode) release() {
	for _, q := range n.ins {
		q.node.release()
	}
}

func (n *concatNode) open(ctx context.Context) (operators.Source, error) {
	parts := make([]combine.Part, len(n.ins))
	for i, q := range n.ins {
		src, err := q.node.open(ctx)
		if err != nil {
			return nil, err
		}
		p := combine.Part{Source: src}
		in := q.node.schema()
		for k, o := range q.outputs {
			if arrow.TypeEqual(in.Field(o.at).Type, n.out.Field(k).Type) {
				p.Columns = append(p.Columns, o.at)
				continue
			}
			p.Columns = append(p.Columns, len(in.Fields())+len(p.Constants)) // NULL of the other's type
			p.Constants = append(p.Constants, vector.NewNull(n.out.Field(k).Type, 1))
		}
		if n.sides {
			for side := range n.ins {
				p.Columns = append(p.Columns, len(in.Fields())+len(p.Constants))
				p.Constants = append(p.Constants, mark(side == i))
			}
		}
		parts[i] = p
	}
	n.concat = combine.NewConcat(n.out, parts)
	return n.concat, nil
}

// mark is a vector of one row, NULL unless it is set.
func mark(set bool) *vector.Vector {
	if !set {
		return vector.NewNull(arrow.FixedWidthTypes.Boolean, 1)
	}
	return vector.New(arrow.FixedWidthTypes.Boolean, 1)
}

func (n *concatNode) explain(p *Plan, out traffic) []Operator {
	var ops []Operator
	for i, q := range n.ins {
		from := traffic{}
		if n.concat != nil {
			w := n.concat.Flow(i)
			from = traffic{true, w.Rows, w.Batches, w.Source}
			out.time = max(0, out.time-w.Source)
		}
		ops = append(ops, q.node.explain(p, from)...)
	}
	op := Operator{Name: "concat", RowsIn: out.figure(n.rows()), RowsOut: out.figure(n.rows()), Batches: out.batches, Time: out.time}
	return append(ops, op)
}

// widened returns q with columns of the types of fields, those without a type as
// they are.
func (r *run) widened(q *planned, fields []arrow.Field) *planned {
	in := q.node.schema()
	n := &projectNode{in: q.node, run: r}
	out := *q
	out.outputs = slices.Clone(q.outputs)
	for i, o := range q.outputs {
		from := in.Field(o.at).Type
		p := expr.Output{Name: o.name, Column: o.at}
		if from.ID() != arrow.NULL && !arrow.TypeEqual(from, fields[i].Type) {
			p.Value = expr.Widen(o.name, o.at, from, fields[i].Type)
		}
		n.outputs = append(n.outputs, p)
		out.outputs[i].at = i
	}
	if !slices.ContainsFunc(n.outputs, func(p expr.Output) bool { return p.Value != nil }) {
		return q
	}
	n.out = expr.ProjectSchema(in, n.outputs)
	out.node = n
	return &out
}

// copiesNode gives rows as often as a set operation wants them.
type copiesNode struct {
	in     node
	run    *run
	name   string
	rule   combine.Rule
	copies *combine.Copies
}

func (n *copiesNode) schema() *arrow.Schema {
	fields := n.in.schema().Fields()
	k := len(fields) - 2
	return arrow.NewSchema(fields[:k:k], nil)
}
func (n *copiesNode) rows() int64   { return notKnown }
func (n *copiesNode) given() int64  { return notKnown }
func (n *copiesNode) workers() int  { return n.in.workers() }
func (n *copiesNode) streams() bool { return false }
func (n *copiesNode) release()      { n.in.release() }

func (n *copiesNode) hint(k int) (hashagg.Range, hashagg.Distinct) { return n.in.hint(k) }

func (n *copiesNode) open(ctx context.Context) (operators.Source, error) {
	in, err := n.in.open(ctx)
	if err != nil {
		return nil, err
	}
	n.copies = combine.NewCopies(in, n.rule, n.run.engine.batchRows, n.run.budget)
	return n.copies, nil
}

func (n *copiesNode) explain(p *Plan, out traffic) []Operator {
	op := Operator{Name: n.name, RowsIn: expected(n.in.rows()), RowsOut: expected(notKnown)}
	from := traffic{}
	if n.copies != nil {
		r := n.copies.Report()
		from = traffic{true, r.In, r.Batches, max(0, out.time-r.Time)}
		op.RowsIn.Actual, op.RowsOut.Actual, op.Batches, op.Time = r.In, r.Out, r.Batches, r.Time
	}
	return append(n.in.explain(p, from), op)
}

// rules are those of set operations: how often a row comes out that is so often
// on either side.
var rules = map[sql.SetOp][2]combine.Rule{
	sql.Intersect: {
		func(l, r int64) int64 { return min(l, r, 1) },
		func(l, r int64) int64 { return min(l, r) },
	},
	sql.Except: {
		func(l, r int64) int64 { return min(l, 1) * (1 - min(r, 1)) },
		func(l, r int64) int64 { return max(0, l-r) },
	},
}

// setOperation plans a set operation: the rows of both sides are grouped by all
// columns, and counted by side where that matters.
func (r *run) setOperation(b *sql.Body, left, right *planned, in fragment) (*planned, error) {
	fields, err := setSides(b, left, right, in)
	if err != nil {
		return nil, err
	}
	q := &planned{window: window{0, -1}, shown: shown{selects: shownRows(left)}}
	var keys []int
	for i, o := range left.outputs {
		keys = append(keys, i)
		q.outputs = append(q.outputs, outColumn{name: o.name, at: i})
	}
	concat := &concatNode{ins: []*planned{r.widened(left, fields), r.widened(right, fields)}, sides: b.Op != sql.Union}
	if concat.sides {
		for _, name := range []string{"on the left", "on the right"} {
			fields = append(fields, arrow.Field{Name: name, Type: arrow.FixedWidthTypes.Boolean, Nullable: true})
		}
	}
	concat.out = arrow.NewSchema(fields, nil)
	if q.node = concat; b.Op == sql.Union && b.All {
		return q, nil
	}
	name := strings.ToLower(b.Op.String())
	all := 0
	if b.All {
		all, name = 1, name+" all"
	}
	var calls []hashagg.Call
	if concat.sides {
		agg, err := hashagg.Bind("count", []arrow.DataType{arrow.FixedWidthTypes.Boolean}, hashagg.Modifiers{})
		if err != nil {
			return nil, err
		}
		for i := range 2 {
			calls = append(calls, hashagg.Call{Agg: agg, Name: fields[len(keys)+i].Name, Args: []int{len(keys) + i}})
		}
	}
	for i, f := range fields[:len(keys)] {
		if strings.HasPrefix(f.Type.String(), "list<") {
			return nil, badFragment(in, b.At, "UNION ALL works", "column %d of %s is a list, which cannot be compared", i+1, b.Op)
		}
	}
	g, err := r.groupNode(concat, keys, calls, concat.workers())
	if err != nil {
		return nil, err
	}
	g.detail = name + " of " + strings.Join(shownRows(left), ", ")
	if q.node = g; concat.sides {
		q.node = &copiesNode{in: g, run: r, name: name, rule: rules[b.Op][all]}
	}
	return q, nil
}
