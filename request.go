package colagg

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr"
	"github.com/colagg/colagg/operators/order"
)

// resolved is a query whose names are resolved.
type resolved struct {
	cols  []column // of the table
	reads []int    // the columns that are read, each once: keys first
	names []string // what the scan calls them
	keys  int      // how many of them are keys
	calls []hashagg.Call
	texts map[string]string // the calls that have an alias, by it

	callTexts []string        // how the calls are spelled
	outputs   []outColumn     // of the result
	where     *expr.Condition // nil without a filter
	whereText string
	kept      int // how many of the columns that are read are not for the filter alone

	order      []order.Key // that were asked for, by columns of the last operator
	orderTexts []string
}

// request is a query whose fragments are parsed.
type request struct {
	selects  []located[sql.SelectItem]
	keys     []located[sql.Column]
	calls    []located[sql.Aggregate]
	order    []located[sql.OrderItem]
	where    *located[*sql.Expr] // nil without a filter
	distinct bool
}

// located is a node with the fragment that its positions count in.
type located[T any] struct {
	node     T
	fragment string
}

func parse(q Query) (r request, err error) {
	if err := q.checkShape(); err != nil {
		return r, err
	}
	r.distinct = q.Distinct
	aggs := q.Aggs
	if len(aggs) == 0 && len(q.Select) == 0 {
		aggs = []string{"count(*)"}
	}
	if q.Where != "" {
		e, err := sql.ParseExpr(q.Where)
		if err != nil {
			return r, syntaxError(q.Where, err)
		}
		r.where = &located[*sql.Expr]{e, q.Where}
	}
	if r.selects, err = fragments(q.Select, sql.ParseSelect); err != nil {
		return r, err
	}
	if r.keys, err = fragments(q.GroupBy, sql.ParseColumns); err != nil {
		return r, err
	}
	if r.calls, err = fragments(aggs, sql.ParseAggregates); err != nil {
		return r, err
	}
	r.order, err = fragments(q.OrderBy, sql.ParseOrder)
	return r, err
}

// fragments parses lists.
func fragments[T any](texts []string, parse func(string) ([]T, error)) (all []located[T], err error) {
	for _, text := range texts {
		nodes, err := parse(text)
		if err != nil {
			return nil, syntaxError(text, err)
		}
		for _, n := range nodes {
			all = append(all, located[T]{n, text})
		}
	}
	return all, nil
}

// resolve finds the columns and functions that the request names.
func (r request) resolve(cols []column) (*resolved, error) {
	p := &resolved{cols: cols, texts: map[string]string{}}
	find := resolver{cols}.find
	var err error
	if len(r.selects) > 0 {
		err = p.selectColumns(r.selects, find)
		if r.distinct {
			p.keys = len(p.reads)
		}
	} else {
		err = p.group(r, find)
	}
	p.kept = len(p.reads)
	if err == nil && r.where != nil {
		err = p.filter(*r.where, find)
	}
	if err != nil {
		return nil, err
	}
	return p, p.orderBy(r.order, find)
}

// group resolves keys and calls.
func (p *resolved) group(r request, find findFunc) error {
	used := map[string]bool{}
	for _, k := range r.keys {
		c, err := find(k.fragment, k.node)
		if err != nil {
			return err
		}
		p.read(c) // a column named twice is one key
	}
	p.keys = len(p.reads)
	for _, c := range p.reads {
		p.names = append(p.names, unique(used, strings.Join(p.cols[c].path, ".")))
	}
	for _, a := range r.calls {
		c, err := bind(a, p.cols, find)
		if err != nil {
			return err
		}
		p.add(c, a.node.Alias, used)
	}
	for _, c := range p.reads[p.keys:] {
		p.names = append(p.names, unique(used, strings.Join(p.cols[c].path, ".")))
	}
	p.groupColumns()
	return nil
}

// read returns the position of column c among those that are read.
func (p *resolved) read(c int) int {
	if at := slices.Index(p.reads, c); at >= 0 {
		return at
	}
	p.reads = append(p.reads, c)
	return len(p.reads) - 1
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

// spell adds the call to an overflow of a column that an alias names, and the
// place to what the filter cannot compute.
func (p *resolved) spell(err error) error {
	if e := p.whereError(err); e != nil {
		return e
	}
	var overflow *hashagg.OverflowError
	if !errors.As(err, &overflow) || p.texts[overflow.Column] == "" {
		return err
	}
	told := *overflow
	told.Column = fmt.Sprintf("%s (%s)", told.Column, p.texts[told.Column])
	return &told
}

// config is the aggregation of the query over the columns of s.
func (p *resolved) config(s scan) hashagg.Config {
	c := hashagg.Config{Calls: p.calls}
	for k := range p.keys {
		lo, hi, ok := s.Range(k)
		c.Keys = append(c.Keys, k)
		c.Ranges = append(c.Ranges, hashagg.Range{Lo: lo, Hi: hi, OK: ok})
		values, of, ok := s.Distinct(k)
		c.Distinct = append(c.Distinct, hashagg.Distinct{Values: values, Of: of, OK: ok})
	}
	return c
}
