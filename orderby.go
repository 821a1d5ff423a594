package colagg

import (
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/order"
)

// resolveOrder finds the columns that the entries of ORDER BY mean: those of the
// result, or such as are made for them.
func (b *block) resolveOrder() error {
	for _, k := range b.sel.order {
		if b.orderAll(k) {
			for i, o := range b.items {
				b.addOrder(o.at, b.spelledItems()[i], k.node.Direction)
			}
			continue
		}
		at, text, err := b.orderKey(expression{k.node.Expr, k.in})
		if err != nil {
			return err
		}
		b.addOrder(at, text, k.node.Direction)
	}
	return nil
}

func (b *block) addOrder(at int, text string, d sql.Direction) {
	b.order = append(b.order, sortKey{order.Key{Column: at, Desc: d.Desc, NullsFirst: d.NullsFirst}, text + spellDirection(hashagg.Direction(d))})
}

// orderAll reports whether an entry is ALL, which no column is called.
func (b *block) orderAll(k located[sql.SortKey]) bool {
	e := k.node.Expr
	if e.Op != sql.ColumnOp || len(b.sel.order) > 1 || !foldedName(e.Column.Parts[0], "all") || e.Column.Parts[0].Quoted || len(e.Column.Parts) > 1 {
		return false
	}
	_, err := b.orderName(expression{e, k.in})
	return err != nil
}

// orderKey returns the column of an entry: of the groups, or of the inputs where
// nothing is grouped.
func (b *block) orderKey(x expression) (at int, text string, err error) {
	if n, ok := ordinal(x.node); ok {
		switch {
		case n < 1:
			return 0, "", badFragment(x.in, x.node.Start, "columns of the result count from 1", "expected the number of a column, found %q", x.node.Text)
		case n > len(b.items):
			return 0, "", badFragment(x.in, x.node.Start, "the columns are "+listNames(b.itemNames()), "the result has no column %d", n)
		}
		return b.items[n-1].at, b.spelledItems()[n-1], nil
	}
	if x.node.Op == sql.ColumnOp {
		at, err := b.orderName(x)
		if at >= 0 || err != nil {
			return b.items[max(0, at)].at, b.spelledItems()[max(0, at)], err
		}
	}
	return b.orderExpression(x)
}

// orderName returns the item that a name means, or -1.
func (b *block) orderName(x expression) (int, error) {
	ref := *x.node.Column
	for _, same := range []sameFunc{sameName, foldedName} {
		var found []int
		for i, o := range b.items {
			if matchPath(ref.Parts, []string{o.name}, same) {
				found = append(found, i)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return 0, badFragment(x.in, ref.Start, "quote the one that is meant", "column %s is ambiguous in the result", ref)
		}
	}
	if _, err := b.rel.find(x.in, ref); err != nil {
		return 0, badFragment(x.in, ref.Start, columnHint(ref.String(), b.spelledItems()), "the result has no column %s", ref)
	}
	return -1, nil
}

// orderExpression returns the column of what is no column of the result by its
// name.
func (b *block) orderExpression(x expression) (at int, text string, err error) {
	e, err := b.resolve(x, b.alias)
	if err != nil {
		return 0, "", err
	}
	r := expression{e, x.in}
	for i, o := range b.items {
		if identity(o.node) == identity(e) {
			return o.at, b.spelledItems()[i], nil
		}
	}
	text, err = b.spell(r)
	switch {
	case err != nil:
	case b.sel.distinct:
		err = badFragment(x.in, x.node.Start, b.itemHint(), "%s is not in the result, which has each row once", text)
	case b.sel.grouped:
		if e, err = b.grouped(r, ""); err == nil {
			at = b.out(expression{e, x.in})
		}
	default:
		at, err = b.input(r)
	}
	return at, text, err
}

// itemHint lists the columns of the result.
func (b *block) itemHint() string {
	if len(b.items) == 1 {
		return "its only column is " + b.spelledItems()[0]
	}
	return "its columns are " + listNames(b.spelledItems())
}

func (b *block) itemNames() []string {
	var names []string
	for _, o := range b.items {
		names = append(names, o.name)
	}
	return names
}

// spelledItems are the names of the columns of the result, those that are
// neither calls nor bare names in quotes.
func (b *block) spelledItems() []string {
	names := b.itemNames()
	for i, n := range names {
		if o := b.items[i]; o.alias != "" || o.text != n || o.node.Op == sql.ColumnOp {
			names[i] = sql.Spell(n)
		}
	}
	return names
}
