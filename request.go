package colagg

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
)

// resolved is a query whose names are resolved.
type resolved struct {
	cols  []column // of the table
	reads []int    // the columns that are read, each once: keys first
	names []string // what the scan calls them
	keys  int      // how many of them are keys
	calls []hashagg.Call
	texts map[string]string // the calls that have an alias, by it
}

// request is a query whose fragments are parsed.
type request struct {
	keys  []located[sql.Column]
	calls []located[sql.Aggregate]
}

// located is a node with the fragment that its positions count in.
type located[T any] struct {
	node     T
	fragment string
}

func parse(q Query) (request, error) {
	var r request
	for _, text := range q.GroupBy {
		cols, err := sql.ParseColumns(text)
		if err != nil {
			return r, syntaxError(text, err)
		}
		for _, c := range cols {
			r.keys = append(r.keys, located[sql.Column]{c, text})
		}
	}
	aggs := q.Aggs
	if len(aggs) == 0 {
		aggs = []string{"count(*)"}
	}
	for _, text := range aggs {
		calls, err := sql.ParseAggregates(text)
		if err != nil {
			return r, syntaxError(text, err)
		}
		for _, c := range calls {
			r.calls = append(r.calls, located[sql.Aggregate]{c, text})
		}
	}
	return r, nil
}

// resolve finds the columns and functions that the request names.
func (r request) resolve(cols []column) (*resolved, error) {
	p := &resolved{cols: cols, texts: map[string]string{}}
	find := resolver{cols}.find
	used := map[string]bool{}
	for _, k := range r.keys {
		c, err := find(k.fragment, k.node)
		if err != nil {
			return nil, err
		}
		p.read(c) // a column named twice is one key
	}
	p.keys = len(p.reads)
	for _, c := range p.reads {
		p.names = append(p.names, unique(used, strings.Join(cols[c].path, ".")))
	}
	for _, a := range r.calls {
		if err := p.call(a, find, used); err != nil {
			return nil, err
		}
	}
	for _, c := range p.reads[p.keys:] {
		p.names = append(p.names, unique(used, strings.Join(cols[c].path, ".")))
	}
	return p, nil
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

func (p *resolved) call(a located[sql.Aggregate], find func(string, sql.Column) (int, error), used map[string]bool) error {
	name := strings.ToLower(a.node.Func.Text)
	var (
		call  hashagg.Call
		types []arrow.DataType
		shown []string
	)
	for _, ref := range a.node.Args {
		c, err := find(a.fragment, ref)
		if err != nil {
			return err
		}
		call.Args = append(call.Args, p.read(c))
		types = append(types, p.cols[c].typ)
		shown = append(shown, strings.Join(p.cols[c].path, "."))
	}
	if a.node.Star || len(types) == 0 {
		if name != "count" && slices.Contains(hashagg.Names(), name) {
			return badFragment(a.fragment, a.node.Start, fmt.Sprintf("name one, as in %s(x)", name), "%s needs a column", name)
		}
		shown = []string{"*"}
	}
	agg, err := hashagg.Bind(name, types)
	if err != nil {
		return bindError(a, err)
	}
	call.Agg = agg
	text := fmt.Sprintf("%s(%s)", name, strings.Join(shown, ", "))
	if a.node.Alias != nil {
		call.Name = unique(used, a.node.Alias.Text)
		p.texts[call.Name] = text
	} else {
		call.Name = unique(used, text)
	}
	p.calls = append(p.calls, call)
	return nil
}

// spell adds the call to an overflow of a column that an alias names.
func (p *resolved) spell(err error) error {
	var overflow *hashagg.OverflowError
	if !errors.As(err, &overflow) || p.texts[overflow.Column] == "" {
		return err
	}
	told := *overflow
	told.Column = fmt.Sprintf("%s (%s)", told.Column, p.texts[told.Column])
	return &told
}

func bindError(a located[sql.Aggregate], err error) error {
	e := badFragment(a.fragment, a.node.Start, "", "%w", err)
	var bind *hashagg.BindError
	if errors.As(err, &bind) {
		e.Hint = bind.Hint
	}
	return e
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
