package colagg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/combine"
	"github.com/colagg/colagg/vector"
)

// maxSets is the most sets of keys that a GROUP BY may come to, as in PostgreSQL.
const maxSets = 4096

// groupingCall reports whether e is GROUPING(…), which tells the sets of keys
// apart.
func groupingCall(e *sql.Expr) bool {
	if e.Op != sql.CallOp {
		return false
	}
	name := strings.ToLower(e.Call.Func.Text)
	return name == "grouping" || name == "grouping_id"
}

// bindSets makes the sets of keys of a GROUP BY: each entry has one or several,
// and every one of an entry goes with every one of the others.
func (b *block) bindSets() error {
	all := [][]int{nil}
	for _, g := range b.sel.keys {
		sets, err := b.setsOf(g)
		if err != nil {
			return err
		}
		var product [][]int
		for _, before := range all {
			for _, s := range sets {
				product = append(product, append(slices.Clone(before), s...))
			}
		}
		if all = product; len(all) > maxSets {
			return badFragment(g.in, g.node.Start, "", "there are more than %d sets of keys", maxSets)
		}
	}
	several := slices.ContainsFunc(b.sel.keys, func(g located[sql.GroupItem]) bool { return g.node.Kind != sql.GroupBy })
	if err := b.bindGroupings(); err != nil {
		return err
	}
	if several || len(b.groupings) > 0 {
		b.sets = all
	}
	return nil
}

// setsOf returns the sets of an entry, whose keys it makes inputs.
func (b *block) setsOf(g located[sql.GroupItem]) (sets [][]int, err error) {
	i := g.node
	if i.Kind == sql.GroupBy {
		if i.Alias != nil && !b.sel.keysToo {
			return nil, badFragment(g.in, i.Alias.Start, "name it in the SELECT list", "keys have no names of their own beside a SELECT list")
		}
		set := []int{}
		for _, e := range i.Exprs {
			k, err := b.key(expression{e, g.in})
			if err != nil {
				return nil, err
			}
			at, err := b.input(k)
			if err != nil {
				return nil, err
			}
			set = append(set, at)
			if i.Alias != nil {
				b.keyNames[at] = i.Alias.Text
			}
		}
		return [][]int{set}, nil
	}
	var parts [][]int
	for _, s := range i.Sets {
		inner, err := b.setsOf(located[sql.GroupItem]{s, g.in})
		if err != nil {
			return nil, err
		}
		parts = append(parts, inner...)
	}
	switch {
	case i.Kind == sql.GroupSets:
		return parts, nil
	case i.Kind == sql.GroupRollup:
		for n := len(parts); n >= 0; n-- {
			sets = append(sets, slices.Concat(parts[:n]...))
		}
		return sets, nil
	case len(parts) > 12: // 4096 sets
		return nil, badFragment(g.in, i.Start, "", "there are more than %d sets of keys", maxSets)
	}
	for out := range 1 << len(parts) { // those that are left out
		var set []int
		for k, p := range parts {
			if out>>(len(parts)-1-k)&1 == 0 {
				set = append(set, p...)
			}
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// bindGroupings finds the calls of GROUPING in what is computed of groups.
func (b *block) bindGroupings() error {
	var list []expression
	for _, o := range b.items {
		list = append(list, o.expression)
	}
	raw := []expression{}
	for _, k := range b.sel.order {
		raw = append(raw, expression{k.node.Expr, k.in})
	}
	if b.sel.having != nil {
		raw = append(raw, *b.sel.having)
	}
	for _, x := range raw {
		if !anyNode(x.node, groupingCall) {
			continue
		}
		e, err := b.resolve(x, b.alias)
		if err != nil {
			return err
		}
		list = append(list, expression{e, x.in})
	}
	for _, x := range list {
		var err error
		anyNode(x.node, func(e *sql.Expr) bool {
			if groupingCall(e) && err == nil {
				err = b.bindGrouping(expression{e, x.in})
			}
			return false
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// grouping is a call of GROUPING: its arguments among the keys.
type grouping struct {
	id   string
	keys []int
}

func (b *block) bindGrouping(x expression) error {
	g := grouping{id: identity(x.node)}
	if len(x.node.Args) == 0 || len(x.node.Args) > 31 {
		return badFragment(x.in, x.node.Start, "", "GROUPING takes 1 to 31 keys")
	}
	for _, a := range x.node.Args {
		at, ok := b.known[identity(a)]
		if !ok {
			return badFragment(x.in, a.Start, "", "%s is not a key, as GROUPING needs", spell(expression{a, x.in}))
		}
		g.keys = append(g.keys, at)
	}
	if !slices.ContainsFunc(b.groupings, func(o grouping) bool { return o.id == g.id }) {
		b.groupings = append(b.groupings, g)
	}
	return nil
}

// value is what GROUPING gives for a set: a bit for each argument that is not in
// it, that of the last one the lowest.
func (g grouping) value(set []int) (bits int64) {
	for _, k := range g.keys {
		bits <<= 1
		if !slices.Contains(set, k) {
			bits |= 1
		}
	}
	return bits
}

// extra is how many columns groups have between the keys and the calls: the
// number of the set, and the calls of GROUPING.
func (b *block) extra() int {
	if b.sets == nil {
		return 0
	}
	return 1 + len(b.groupings)
}

// expand makes what gives each row once for each set of keys. The columns to
// group by are behind those of in.
func (b *block) expand(in node, places []int) (n *expandNode, keys []int) {
	n = &expandNode{in: in, run: b.run}
	schema := in.schema()
	for k := range b.keys {
		f := schema.Field(places[k])
		f.Nullable = true
		n.added = append(n.added, f)
		n.sources = append(n.sources, places[k])
	}
	for i := range b.extra() {
		name := "set of keys"
		if i > 0 {
			name = "grouping"
		}
		n.added = append(n.added, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int64})
	}
	for number, set := range b.sets {
		var turn []combine.Added
		for k := range b.keys {
			a := combine.Added{Column: places[k]}
			if !slices.Contains(set, k) {
				a.Constant = vector.NewNull(n.added[k].Type, 1)
			}
			turn = append(turn, a)
		}
		turn = append(turn, combine.Added{Constant: number64(int64(number))})
		for _, g := range b.groupings {
			turn = append(turn, combine.Added{Constant: number64(g.value(set))})
		}
		n.turns = append(n.turns, turn)
		if len(set) == 0 {
			n.empty = append(n.empty, number)
		}
	}
	for i := range n.added {
		keys = append(keys, schema.NumFields()+i)
	}
	return n, keys
}

// number64 is a vector of one row.
func number64(x int64) *vector.Vector {
	v := vector.New(arrow.PrimitiveTypes.Int64, 1)
	vector.Values[int64](v)[0] = x
	return v
}

// expandNode gives each row once for each set of keys.
type expandNode struct {
	in      node
	run     *run
	added   []arrow.Field
	sources []int // the columns that the keys are
	turns   [][]combine.Added
	empty   []int // numbers of the sets without keys
	expand  *combine.Expand
}

func (n *expandNode) schema() *arrow.Schema {
	return arrow.NewSchema(append(n.in.schema().Fields(), n.added...), nil)
}
func (n *expandNode) workers() int  { return n.in.workers() }
func (n *expandNode) streams() bool { return n.in.streams() }
func (n *expandNode) release()      { n.in.release() }
func (n *expandNode) rows() int64   { return n.times(n.in.rows()) }
func (n *expandNode) given() int64  { return n.times(n.in.given()) }

func (n *expandNode) times(rows int64) int64 {
	if rows < 0 || rows > noLimit/int64(len(n.turns)) {
		return notKnown
	}
	return rows * int64(len(n.turns))
}

func (n *expandNode) hint(k int) (hashagg.Range, hashagg.Distinct) {
	at := k - n.in.schema().NumFields()
	switch {
	case at < 0:
		return n.in.hint(k)
	case at < len(n.sources):
		return n.in.hint(n.sources[at])
	case at == len(n.sources):
		return hashagg.Range{Lo: 0, Hi: int64(len(n.turns)) - 1, OK: true}, hashagg.Distinct{}
	}
	return hashagg.Range{}, hashagg.Distinct{}
}

func (n *expandNode) open(ctx context.Context) (operators.Source, error) {
	in, err := n.in.open(ctx)
	if err != nil {
		return nil, err
	}
	n.expand = combine.NewExpand(in, n.added, n.turns)
	return n.expand, nil
}

func (n *expandNode) explain(p *Plan, out traffic) []Operator {
	op := Operator{Name: "expand", Detail: fmt.Sprintf("to %s of keys", count(int64(len(n.turns)), "set")), RowsIn: expected(n.in.rows()), RowsOut: out.figure(n.rows())}
	from := traffic{}
	if n.expand != nil {
		r := n.expand.Report()
		from = traffic{true, r.In, r.Batches, max(0, out.time-r.Time)}
		op.RowsIn.Actual, op.RowsOut.Actual, op.Batches, op.Time = r.In, r.Out, r.Batches, r.Time
	}
	return append(n.in.explain(p, from), op)
}

// nothing returns the groups of no rows: one for each set without keys, whose
// aggregates are those of nothing.
func (n *expandNode) nothing(ctx context.Context, calls []hashagg.Call, out *arrow.Schema) (operators.Source, error) {
	var parts []combine.Part
	for _, number := range n.empty {
		sink, err := hashagg.NewSink(n.schema(), hashagg.Config{Calls: calls, Budget: n.run.budget, Spill: n.run.temp})
		if err != nil {
			return nil, err
		}
		n.run.sinks = append(n.run.sinks, sink)
		src, _, err := operators.Drain(ctx, noRows{n.schema()}, sink, 1)
		if err != nil {
			return nil, err
		}
		part := combine.Part{Source: src}
		for i, a := range n.turns[number] {
			part.Columns = append(part.Columns, len(calls)+i)
			part.Constants = append(part.Constants, a.Constant)
		}
		for i := range calls {
			part.Columns = append(part.Columns, i)
		}
		parts = append(parts, part)
	}
	return combine.NewConcat(out, parts), nil
}

// noRows is a source of none.
type noRows struct{ schema *arrow.Schema }

func (s noRows) Schema() *arrow.Schema             { return s.schema }
func (s noRows) Stream() (operators.Stream, error) { return operators.Ahead(0, 1, nil), nil }
