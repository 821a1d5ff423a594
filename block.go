package colagg

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr"
	"github.com/colagg/colagg/operators/order"
)

// block is one SELECT while it is planned. Names are resolved first: expressions
// are then of numbered columns of the relation, and once their aggregates and
// keys are replaced, of numbered columns of the groups.
type block struct {
	run *run
	rel *relation
	sel selection

	items  []outColumn  // of the result
	inputs []expression // that grouping, or else the result, needs of each row
	types  []arrow.DataType
	outs   []expression // of the groups, that the result needs
	known  map[string]int

	keys      int            // how many of inputs are keys
	keyNames  map[int]string // that keys were given
	sets      [][]int        // of keys; nil if there is one of all
	groupings []grouping
	calls     []boundCall
	names     map[string]bool // of keys and calls

	having *expr.Condition
	order  []sortKey
}

// outColumn is a column of a result.
type outColumn struct {
	expression // over the relation
	name       string
	text       string // how it is spelled
	alias      string // that it was given, or empty
	at         int    // which column of the last operator's it is
}

// sortKey is a column of the last operator to order by.
type sortKey struct {
	order.Key
	text string
}

// block plans a SELECT over rel.
func (r *run) block(sel selection, rel *relation) (*planned, error) {
	b := &block{run: r, rel: rel, sel: sel, known: map[string]int{}, keyNames: map[int]string{}, names: map[string]bool{}}
	if err := b.resolveItems(); err != nil {
		return nil, err
	}
	b.sel.grouped = b.sel.grouped || b.sel.having != nil || b.aggregates()
	if err := b.bind(); err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for i := range b.items {
		b.items[i].name = unique(used, b.items[i].name)
	}
	if err := b.resolveOrder(); err != nil {
		return nil, err
	}
	return b.build()
}

// aggregates reports whether the items or what orders have an aggregate.
func (b *block) aggregates() bool {
	for _, i := range b.items {
		if anyNode(i.node, aggregate) || anyNode(i.node, groupingCall) {
			return true
		}
	}
	for _, k := range b.sel.order {
		if anyNode(k.node.Expr, aggregate) || anyNode(k.node.Expr, groupingCall) {
			return true
		}
	}
	return false
}

// resolveItems resolves the SELECT list.
func (b *block) resolveItems() error {
	for _, i := range b.sel.items {
		if i.node.Star {
			if err := b.star(i); err != nil {
				return err
			}
			continue
		}
		e, err := b.resolve(expression{i.node.Expr, i.in}, nil)
		if err != nil {
			return err
		}
		o := outColumn{expression: expression{e, i.in}}
		if b.sel.keysToo && !anyNode(e, aggregate) && !anyNode(e, groupingCall) {
			return badFragment(i.in, e.Start, "an aggregate is a function of a column, such as sum(fare) or count(*)", "%s is no aggregate", spell(o.expression))
		}
		if o.text, err = b.spell(o.expression); err != nil {
			return err
		}
		if o.name = o.text; i.node.Alias != nil {
			o.name, o.alias = i.node.Alias.Text, i.node.Alias.Text
		}
		b.items = append(b.items, o)
	}
	return nil
}

// star adds all columns.
func (b *block) star(i located[sql.Item]) error {
	if of := i.node.Of; of != nil && (len(of.Parts) > 1 || b.rel.alias == "" || !foldedName(of.Parts[0], b.rel.alias)) {
		return badFragment(i.in, of.Start, "* is all columns", "there is no table %s", of)
	}
	if b.sel.grouped {
		return badFragment(i.in, i.node.Start, "name the keys and the aggregates", "* does not go with GROUP BY")
	}
	before := len(b.items)
	for c := range b.rel.cols {
		if b.rel.cols[c].typ != nil && !(b.rel.cols[c].repeated && b.rel.table != nil) {
			e := expression{numbered(&sql.Expr{Span: i.node.Span}, c), i.in}
			b.items = append(b.items, outColumn{expression: e, text: b.rel.name(c), name: b.rel.name(c)})
		}
	}
	if len(b.items) == before {
		return badQuery("there is no column that can be selected")
	}
	return nil
}

// resolve returns x with its columns numbered. A name that no column has is that
// of an item, unless aliases is nil, or the current time.
func (b *block) resolve(x expression, aliases func(sql.Column) *sql.Expr) (*sql.Expr, error) {
	if x.node.Op == sql.ColumnOp {
		c, err := b.rel.find(x.in, *x.node.Column)
		if err == nil {
			return numbered(x.node, c), nil
		}
		if aliases != nil {
			if e := aliases(*x.node.Column); e != nil {
				return moved(e, x.node.Span), nil
			}
		}
		if now := b.run.clock.literal(x.node); now != x.node {
			return now, nil
		}
		return nil, err
	}
	x.node = b.run.clock.literal(x.node)
	if err := unknownCall(x); err != nil {
		return nil, err
	}
	if x.node.Op == sql.ParamOp {
		return nil, badFragment(x.in, x.node.Start, "", "the argument of $%s is a Source, which only FROM takes", x.node.Text)
	}
	return mapped(x.node, func(a *sql.Expr) (*sql.Expr, error) { return b.resolve(expression{a, x.in}, aliases) })
}

// alias returns the item that a name is the alias of, or nil.
func (b *block) alias(ref sql.Column) *sql.Expr {
	for _, same := range []sameFunc{sameName, foldedName} {
		for _, o := range b.items {
			if o.alias != "" && matchPath(ref.Parts, []string{o.alias}, same) {
				return o.node
			}
		}
	}
	return nil
}

// bind makes keys, calls and the filter of groups, or else inputs of the items.
func (b *block) bind() error {
	if !b.sel.grouped {
		for i := range b.items {
			var err error
			if b.items[i].at, err = b.input(b.items[i].expression); err != nil {
				return err
			}
		}
		return nil
	}
	if err := b.bindKeys(); err != nil {
		return err
	}
	if b.sel.keysToo {
		b.items = append(b.keyItems(), b.items...)
	}
	for i := range b.items {
		o := &b.items[i]
		e, err := b.grouped(o.expression, o.alias)
		if err != nil {
			return err
		}
		o.at = b.out(expression{e, o.in})
	}
	if b.sel.having == nil {
		return nil
	}
	return b.bindHaving()
}

// keyItems are the keys as items.
func (b *block) keyItems() []outColumn {
	var out []outColumn
	for at, k := range b.inputs[:b.keys] {
		text, _ := b.spell(k)
		o := outColumn{name: text, text: text, expression: k}
		if name, ok := b.keyNames[at]; ok {
			o.name, o.alias = name, name
		}
		out = append(out, o)
	}
	return out
}

// input returns the position of x among what is needed of each row.
func (b *block) input(x expression) (int, error) {
	id := identity(x.node)
	if at, ok := b.known[id]; ok {
		return at, nil
	}
	t, err := b.typeOf(x)
	if err != nil {
		return 0, err
	}
	b.known[id] = len(b.inputs)
	b.inputs, b.types = append(b.inputs, x), append(b.types, t)
	return len(b.inputs) - 1, nil
}

// typeOf returns the type of an expression of the relation.
func (b *block) typeOf(x expression) (arrow.DataType, error) {
	if c := columnOf(x.node); c >= 0 {
		return b.rel.cols[c].typ, nil
	}
	v, err := bindValue(x, func(c int) (int, arrow.DataType) { return c, b.rel.cols[c].typ })
	if err != nil {
		return nil, err
	}
	return v.Type(), nil
}

// out returns the position of x, an expression of the groups, among those that
// the result needs.
func (b *block) out(x expression) int {
	id := identity(x.node)
	if at := slices.IndexFunc(b.outs, func(o expression) bool { return identity(o.node) == id }); at >= 0 {
		return at
	}
	b.outs = append(b.outs, x)
	return len(b.outs) - 1
}

// bindKeys makes the keys of GROUP BY inputs, each once.
func (b *block) bindKeys() error {
	if b.sel.groupAll {
		for _, o := range b.items {
			if !anyNode(o.node, aggregate) && !anyNode(o.node, groupingCall) {
				if _, err := b.input(o.expression); err != nil {
					return err
				}
			}
		}
	}
	if err := b.bindSets(); err != nil {
		return err
	}
	b.keys = len(b.inputs)
	for _, k := range b.inputs {
		text, _ := b.spell(k)
		unique(b.names, text)
	}
	return nil
}

// key resolves an entry of GROUP BY: the number of an item, or an expression.
func (b *block) key(x expression) (expression, error) {
	n, ok := ordinal(x.node)
	if !ok {
		e, err := b.resolve(x, b.alias)
		if err != nil {
			return x, err
		}
		return b.noAggregate(expression{e, x.in})
	}
	if b.sel.keysToo {
		return x, badFragment(x.in, x.node.Start, "numbers are of the entries of a SELECT list", "there is no SELECT list for GROUP BY %s", x.node.Text)
	}
	if n < 1 || n > len(b.items) {
		return x, badFragment(x.in, x.node.Start, fmt.Sprintf("there are %d columns", len(b.items)), "the result has no column %s", x.node.Text)
	}
	return b.noAggregate(expression{moved(b.items[n-1].node, x.node.Span), x.in})
}

// noAggregate refuses a key that has an aggregate in it.
func (b *block) noAggregate(x expression) (expression, error) {
	if anyNode(x.node, aggregate) || anyNode(x.node, groupingCall) {
		return x, badFragment(x.in, x.node.Start, "HAVING filters groups", "an aggregate cannot be a key")
	}
	return x, nil
}

// grouped returns x over the columns of the groups: the keys, then the calls.
func (b *block) grouped(x expression, alias string) (*sql.Expr, error) {
	if at, ok := b.known[identity(x.node)]; ok && at < b.keys {
		return numbered(x.node, at), nil
	}
	switch {
	case aggregate(x.node):
		at, err := b.call(x, alias)
		return numbered(x.node, b.keys+b.extra()+at), err
	case groupingCall(x.node):
		id := identity(x.node)
		at := slices.IndexFunc(b.groupings, func(g grouping) bool { return g.id == id })
		return numbered(x.node, b.keys+1+at), nil
	case x.node.Op == sql.ColumnOp:
		name := b.rel.name(numberOf(*x.node.Column))
		return nil, badFragment(x.in, x.node.Start, fmt.Sprintf("group by it, or take any_value(%s)", name), "column %s is neither a key nor in an aggregate", name)
	}
	return mapped(x.node, func(a *sql.Expr) (*sql.Expr, error) { return b.grouped(expression{a, x.in}, "") })
}

// groupType is the type of a column of the groups.
func (b *block) groupType(n int) arrow.DataType {
	switch {
	case n < b.keys:
		return b.types[n]
	case n < b.keys+b.extra():
		return arrow.PrimitiveTypes.Int64
	}
	return b.calls[n-b.keys-b.extra()].agg.Result
}

// bindHaving binds the filter of groups.
func (b *block) bindHaving() error {
	x := *b.sel.having
	e, err := b.resolve(x, b.alias)
	if err == nil {
		e, err = b.grouped(expression{e, x.in}, "")
	}
	if err != nil {
		return err
	}
	b.having, err = bindCondition(expression{e, x.in}, func(n int) (int, arrow.DataType) { return n, b.groupType(n) })
	return err
}

// spell spells an item: a column by its name, a call of columns in one way, all
// else as it is written.
func (b *block) spell(x expression) (string, error) {
	switch {
	case x.node.Op == sql.ColumnOp:
		return b.rel.name(numberOf(*x.node.Column)), nil
	case aggregate(x.node):
		c, err := b.bindCall(x)
		return c.text, err
	}
	return spell(x), nil
}

// unique returns name, with _1, _2 and so on behind it if it is used.
func unique(used map[string]bool, name string) string {
	out := name
	for n := 1; used[out]; n++ {
		out = fmt.Sprintf("%s_%d", name, n)
	}
	used[out] = true
	return out
}

// indexOf returns the position of c in list, at whose end it is put if it is not
// there.
func indexOf(list *[]int, c int) int {
	if at := slices.Index(*list, c); at >= 0 {
		return at
	}
	*list = append(*list, c)
	return len(*list) - 1
}
