package colagg

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/vector"
)

// outColumn is a column of the result.
type outColumn struct {
	name string
	at   int    // which column of the last operator's it is
	text string // how its call is spelled; empty for a column of the table
	col  int    // the column of the table, or -1
}

// selectColumns makes the columns of a SELECT list those that are read and
// given.
func (p *resolved) selectColumns(list []located[sql.SelectItem], find findFunc) error {
	used := map[string]bool{}
	add := func(c int, alias *sql.Name) {
		name := strings.Join(p.cols[c].path, ".")
		if alias != nil {
			name = alias.Text
		}
		p.outputs = append(p.outputs, outColumn{name: unique(used, name), at: p.read(c), col: c})
	}
	for _, s := range list {
		if s.node.Star {
			for c := range p.cols {
				if p.cols[c].typ != nil && !p.cols[c].repeated {
					add(c, nil)
				}
			}
			continue
		}
		c, err := find(s.fragment, s.node.Column)
		if err != nil {
			return err
		}
		add(c, s.node.Alias)
	}
	if len(p.outputs) == 0 {
		return badQuery("there is no column that can be selected")
	}
	inner := map[string]bool{}
	for _, c := range p.reads {
		p.names = append(p.names, unique(inner, strings.Join(p.cols[c].path, ".")))
	}
	return nil
}

// groupColumns lists what grouping gives: the keys and the calls.
func (p *resolved) groupColumns() {
	for k := range p.keys {
		p.outputs = append(p.outputs, outColumn{name: p.names[k], at: k, col: p.reads[k]})
	}
	for i, c := range p.calls {
		p.outputs = append(p.outputs, outColumn{name: c.Name, at: p.keys + i, text: p.callTexts[i], col: -1})
	}
}

// schema returns the columns of the result, whose operators give columns like
// in.
func (p *resolved) schema(in *arrow.Schema) *arrow.Schema {
	fields := make([]arrow.Field, len(p.outputs))
	for i, o := range p.outputs {
		fields[i] = in.Field(o.at)
		fields[i].Name = o.name
	}
	return arrow.NewSchema(fields, nil)
}

// project returns the columns of the result.
func (p *resolved) project(cols []*vector.Vector) []*vector.Vector {
	out := make([]*vector.Vector, len(p.outputs))
	for i, o := range p.outputs {
		out[i] = cols[o.at]
	}
	return out
}

// shownOutputs spells a SELECT list.
func (p *resolved) shownOutputs() []string {
	out := []string{}
	for _, o := range p.outputs {
		name := strings.Join(p.cols[o.col].path, ".")
		if name != o.name {
			name += " as " + o.name
		}
		out = append(out, name)
	}
	return out
}

// checkShape refuses what does not go together.
func (q *Query) checkShape() error {
	grouped := len(q.GroupBy) > 0 || len(q.Aggs) > 0
	switch {
	case len(q.Select) > 0 && grouped:
		e := badQuery("columns to select go with neither keys nor aggregates yet")
		e.Hint = "the result of a grouping has its keys and aggregates; without them there is no grouping"
		return e
	case q.Distinct && len(q.Select) == 0 && !grouped:
		e := badQuery("distinct rows of what?")
		e.Hint = "name columns in Query.Select, where * is all"
		return e
	case q.Offset < 0:
		return badQuery("the offset is negative: %d", q.Offset)
	}
	return nil
}

// window returns how many rows of the result are skipped and how many are then
// wanted; -1 is all.
func (q *Query) window() (skip, rows int64) {
	switch {
	case q.Limit < 0:
		return 0, 0
	case q.Limit == 0:
		return q.Offset, -1
	}
	return q.Offset, q.Limit
}

// wanted returns how many rows are needed, those that are skipped too; -1 is
// all.
func (q *Query) wanted() int64 {
	skip, rows := q.window()
	if rows < 0 || skip > noLimit-rows {
		return -1
	}
	return skip + rows
}

// outputNames lists the names of the result's columns.
func (p *resolved) outputNames() []string {
	var names []string
	for _, o := range p.outputs {
		names = append(names, o.name)
	}
	return slices.Clip(names)
}
