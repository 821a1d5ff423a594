package colagg

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/order"
)

// orderBy finds the output columns that the entries of ORDER BY name.
func (p *resolved) orderBy(list []located[sql.OrderItem], find findFunc) error {
	for _, o := range list {
		at, err := p.orderColumn(o, find)
		if err != nil {
			return err
		}
		out := p.outputs[at]
		d := hashagg.Direction(o.node.Direction)
		p.orderTexts = append(p.orderTexts, p.spelledOutputs()[at]+spellDirection(d))
		if !slices.ContainsFunc(p.order, func(k order.Key) bool { return k.Column == out.at }) {
			p.order = append(p.order, order.Key{Column: out.at, Desc: d.Desc, NullsFirst: d.NullsFirst})
		}
	}
	return nil
}

func (p *resolved) orderColumn(o located[sql.OrderItem], find findFunc) (int, error) {
	n := o.node
	switch {
	case n.Ordinal > len(p.outputs):
		return 0, badFragment(o.fragment, n.Start, "the columns are "+listNames(p.outputNames()), "the result has no column %d", n.Ordinal)
	case n.Ordinal > 0:
		return n.Ordinal - 1, nil
	case n.Call != nil:
		return p.orderCall(located[sql.Aggregate]{*n.Call, o.fragment}, find)
	}
	return p.orderName(o.fragment, *n.Column, find)
}

// orderCall finds the call among those of the query.
func (p *resolved) orderCall(a located[sql.Aggregate], find findFunc) (int, error) {
	c, err := bind(a, p.cols, find)
	if err != nil {
		return 0, err
	}
	at := slices.IndexFunc(p.outputs, func(o outColumn) bool { return o.text == c.text })
	if at < 0 {
		return 0, badFragment(a.fragment, a.node.Start, "aggregate it too; "+p.outputHint(), "%s is not in the result", c.text)
	}
	return at, nil
}

// orderName finds a column by its name in the result, else by that in the
// table.
func (p *resolved) orderName(fragment string, ref sql.Column, find findFunc) (int, error) {
	for _, same := range []sameFunc{sameName, foldedName} {
		var found []int
		for i, o := range p.outputs {
			if matchPath(ref.Parts, []string{o.name}, same) {
				found = append(found, i)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return 0, badFragment(fragment, ref.Start, "quote the one that is meant", "column %s is ambiguous in the result", ref)
		}
	}
	c, err := find(fragment, ref)
	if at := slices.IndexFunc(p.outputs, func(o outColumn) bool { return o.col == c }); err == nil && at >= 0 {
		return at, nil
	}
	if err == nil {
		return 0, badFragment(fragment, ref.Start, p.outputHint(), "column %s is not in the result", ref)
	}
	return 0, badFragment(fragment, ref.Start, columnHint(ref.String(), p.spelledOutputs()), "the result has no column %s", ref)
}

// outputHint lists the columns of the result.
func (p *resolved) outputHint() string {
	if len(p.outputs) == 1 {
		return "its only column is " + p.spelledOutputs()[0]
	}
	return "its columns are " + listNames(p.spelledOutputs())
}

func (p *resolved) spelledOutputs() []string {
	names := p.outputNames()
	for i, n := range names {
		if p.outputs[i].text != n {
			names[i] = sql.Spell(n)
		}
	}
	return names
}

// orderKeys returns what to order by. Groups that are equal in what is asked for
// go by their keys, so that the order is the same on every run.
func (p *resolved) orderKeys() []order.Key {
	keys := slices.Clone(p.order)
	for k := range p.keys {
		if !slices.ContainsFunc(keys, func(o order.Key) bool { return o.Column == k }) {
			keys = append(keys, order.Key{Column: k})
		}
	}
	return keys
}

// orderSink returns the operator that orders, for columns like those of in.
func (r *run) orderSink(in *arrow.Schema) (*order.Sink, error) {
	keys := r.names.orderKeys()
	for _, k := range keys {
		if f := in.Field(k.Column); strings.HasPrefix(f.Type.String(), "list<") {
			e := badQuery("the result cannot be ordered by %s, which is a list", f.Name)
			return nil, e
		}
	}
	return order.NewSink(in, order.Config{
		Keys: keys, Limit: r.query.wanted(), Workers: r.workers, BatchRows: r.engine.batchRows, Budget: r.budget, Spill: r.temp,
	})
}
