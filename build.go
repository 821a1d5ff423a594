package colagg

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr"
)

// build makes the operators of a block whose names are resolved.
func (b *block) build() (*planned, error) {
	places, in, err := b.source()
	if err != nil {
		return nil, err
	}
	q := &planned{node: in, window: b.sel.window, shown: b.shown()}
	whole := b.keysGiven()
	var ties []int
	if b.sel.grouped {
		if len(b.order) > 0 {
			ties = b.keyOuts()
		}
		if q.node, err = b.groups(in, places); err == nil {
			q.node, places, err = b.results(q.node)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range b.items {
		b.items[i].at = places[b.items[i].at]
	}
	for i := range b.order {
		b.order[i].Column = places[b.order[i].Column]
	}
	for i := range ties {
		ties[i] = places[ties[i]]
	}
	if b.sel.distinct && !whole {
		if q.node, err = b.distinct(q.node); err != nil {
			return nil, err
		}
		ties = ties[:0]
		for k := range q.node.schema().Fields() {
			ties = append(ties, k)
		}
	}
	if len(b.order) > 0 {
		if q.node, err = b.run.orderNode(q.node, b.order, ties, b.sel.window.wanted()); err != nil {
			return nil, err
		}
	}
	q.outputs = b.items
	return q, nil
}

// keyOuts are what groups differ in, among what the result needs: by that they
// are ordered in the end.
func (b *block) keyOuts() (ties []int) {
	for k := range b.keys + b.extra() {
		ties = append(ties, b.out(expression{numbered(&sql.Expr{}, k), fragment{}}))
	}
	return ties
}

// results makes what the result needs of the groups; places says which of its
// columns each is.
func (b *block) results(groups node) (n node, places []int, err error) {
	n, places, err = b.run.project(groups, b.outs, func(c int) (int, arrow.DataType) { return c, b.groupType(c) })
	return n, places, err
}

// source makes what gives the inputs; places says which of its columns each is.
func (b *block) source() (places []int, in node, err error) {
	var reads []int
	place := func(c int) (int, arrow.DataType) {
		if b.rel.table == nil {
			return b.rel.query.outputs[c].at, b.rel.cols[c].typ
		}
		return indexOf(&reads, c), b.rel.cols[c].typ
	}
	for _, x := range b.inputs {
		anyNode(x.node, func(e *sql.Expr) bool {
			if e.Op == sql.ColumnOp {
				place(numberOf(*e.Column))
			}
			return false
		})
	}
	kept := len(reads)
	w, err := b.where(place)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case b.rel.table != nil:
		in, err = b.scan(reads, kept, w)
	case w != nil:
		in = b.rel.query.node
		in = &filterNode{where: *w, in: in, kept: in.schema().NumFields()}
	default:
		in = b.rel.query.node
	}
	if err != nil {
		return nil, nil, err
	}
	in, places, err = b.run.project(in, b.inputs, place)
	return places, in, err
}

// scan reads columns of the table, of which the first kept come out.
func (b *block) scan(reads []int, kept int, w *where) (node, error) {
	var names []string
	used := map[string]bool{}
	for _, c := range reads {
		names = append(names, unique(used, b.rel.name(c)))
	}
	wanted := int64(-1)
	if w == nil && !b.sel.grouped && !b.sel.distinct && len(b.order) == 0 {
		wanted = b.sel.window.wanted()
	}
	return b.run.scanNode(b.rel.table, scanColumns{reads, names, kept}, w, wanted)
}

// where binds the filter of rows, whose columns place finds; nil without one.
func (b *block) where(place placeFunc) (*where, error) {
	if b.sel.where == nil {
		return nil, nil
	}
	x := *b.sel.where
	e, err := b.resolve(x, nil)
	if err != nil {
		return nil, err
	}
	w := &where{name: "filter", at: x}
	if w.condition, err = bindCondition(expression{e, x.in}, place); err != nil {
		return nil, err
	}
	w.filter = expr.NewFilter(w.condition, b.run.budget)
	return w, nil
}

// groups makes the grouping and the filter behind it.
func (b *block) groups(in node, places []int) (node, error) {
	calls := make([]hashagg.Call, len(b.calls))
	texts := map[string]string{}
	for i, c := range b.calls {
		calls[i] = hashagg.Call{Agg: c.agg, Name: c.name}
		for _, a := range c.at {
			calls[i].Args = append(calls[i].Args, places[a])
		}
		if c.filter != nil {
			calls[i].Filter = hashagg.Filter{Column: places[c.filterAt], OK: true}
		}
		if c.aliased {
			texts[c.name] = c.text
		}
	}
	readers := 1
	if len(b.order) > 0 {
		readers = in.workers()
	}
	keys := places[:b.keys]
	var expand *expandNode
	if b.sets != nil {
		expand, keys = b.expand(in, places)
		in = expand
	}
	n, err := b.run.groupNode(in, keys, calls, readers)
	if err != nil {
		return nil, err
	}
	n.expand, n.calls = expand, calls
	n.texts, n.detail = texts, b.shown().spell()
	if b.having == nil {
		return n, nil
	}
	having := where{name: "having", condition: b.having, at: *b.sel.having, filter: expr.NewFilter(b.having, b.run.budget)}
	return &filterNode{where: having, in: n, kept: n.schema().NumFields()}, nil
}

// keysGiven reports whether the items have all keys of a grouping, so that they
// are distinct.
func (b *block) keysGiven() bool {
	if !b.sel.grouped || b.sets != nil {
		return false
	}
	for k := range b.keys {
		if !slices.ContainsFunc(b.items, func(o outColumn) bool { return columnOf(b.outs[o.at].node) == k }) {
			return false
		}
	}
	return true
}

// distinct groups by all items, and makes items and order of what that gives.
func (b *block) distinct(in node) (node, error) {
	var keys []int
	for i := range b.items {
		b.items[i].at = indexOf(&keys, b.items[i].at)
	}
	for i := range b.order {
		b.order[i].Column = slices.Index(keys, b.order[i].Column)
	}
	readers := 1
	if len(b.order) > 0 {
		readers = in.workers()
	}
	n, err := b.run.groupNode(in, keys, nil, readers)
	if err != nil {
		return nil, err
	}
	n.detail = b.shown().spell()
	return n, nil
}

// shown is the query for plans.
func (b *block) shown() shown {
	s := shown{distinct: b.sel.distinct, calls: []string{}, keys: []string{}}
	for _, k := range b.inputs[:b.keys] {
		text, _ := b.spell(k)
		s.keys = append(s.keys, text)
	}
	for _, c := range b.calls {
		s.calls = append(s.calls, c.shown())
	}
	for _, k := range b.order {
		s.order = append(s.order, k.text)
	}
	if b.sel.where != nil {
		s.where = spell(*b.sel.where)
	}
	if b.sel.having != nil {
		s.having = spell(*b.sel.having)
	}
	if b.sel.keysToo {
		return s
	}
	for _, o := range b.items {
		text := o.text
		if o.name != text {
			text += " as " + o.name
		}
		s.selects = append(s.selects, text)
	}
	return s
}
