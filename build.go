package colagg

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/operators/expr"
)

// build makes the operators of a block whose names are resolved.
func (b *block) build() (*planned, error) {
	places, in, err := b.source()
	if err != nil {
		return nil, err
	}
	q := &planned{node: in, window: b.sel.window, shown: b.shown()}
	ties := []int{}
	switch {
	case b.sel.grouped:
		if q.node, err = b.groups(in, places); err != nil {
			return nil, err
		}
		for k := range b.keys + b.extra() {
			ties = append(ties, k)
		}
	default:
		for i := range b.items {
			b.items[i].at = places[b.items[i].at]
		}
		for i := range b.order {
			b.order[i].Column = places[b.order[i].Column]
		}
	}
	if b.sel.distinct && !b.keysGiven() {
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

// source makes what gives the inputs; places says which of its columns each is.
func (b *block) source() (places []int, in node, err error) {
	if b.rel.table == nil {
		for _, x := range b.inputs {
			places = append(places, b.rel.query.outputs[columnOf(x.node)].at)
		}
		if b.sel.where == nil {
			return places, b.rel.query.node, nil
		}
		in, err = b.filter(b.rel.query.node, func(c int) int { return b.rel.query.outputs[c].at }, b.rel.query.node.schema().NumFields())
		return places, in, err
	}
	var reads []int
	for _, x := range b.inputs {
		places = append(places, indexOf(&reads, columnOf(x.node)))
	}
	kept := len(reads)
	w, err := b.where(func(c int) int { return indexOf(&reads, c) })
	if err != nil {
		return nil, nil, err
	}
	var names []string
	used := map[string]bool{}
	for _, c := range reads {
		names = append(names, unique(used, b.rel.name(c)))
	}
	wanted := int64(-1)
	if !b.sel.grouped && !b.sel.distinct && len(b.order) == 0 && w == nil {
		wanted = b.sel.window.wanted()
	}
	n, err := b.run.scanNode(b.rel.table, scanColumns{reads, names, kept}, w, wanted)
	return places, n, err
}

// where binds the filter of rows, whose columns place finds; nil without one.
func (b *block) where(place func(c int) int) (*where, error) {
	if b.sel.where == nil {
		return nil, nil
	}
	x := *b.sel.where
	e, err := b.resolve(x, nil)
	if err != nil {
		return nil, err
	}
	w := &where{name: "filter", at: x}
	w.condition, err = bindCondition(expression{e, x.in}, func(c int) (int, arrow.DataType) { return place(c), b.rel.cols[c].typ })
	if err != nil {
		return nil, err
	}
	w.filter = expr.NewFilter(w.condition, b.run.budget)
	return w, nil
}

// filter puts the filter of rows behind in, all of whose columns are kept.
func (b *block) filter(in node, place func(c int) int, kept int) (node, error) {
	w, err := b.where(place)
	if err != nil {
		return nil, err
	}
	return &filterNode{where: *w, in: in, kept: kept}, nil
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
		if !slices.ContainsFunc(b.items, func(o outColumn) bool { return o.at == k }) {
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
