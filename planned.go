package colagg

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// planned is a query whose operators are made.
type planned struct {
	node    node
	outputs []outColumn
	window  window // what is left to be done
	shown   shown
}

// schema returns the columns of the result.
func (q *planned) schema() *arrow.Schema {
	in := q.node.schema()
	fields := make([]arrow.Field, len(q.outputs))
	for i, o := range q.outputs {
		fields[i] = in.Field(o.at)
		fields[i].Name = o.name
	}
	return arrow.NewSchema(fields, nil)
}

// project returns the columns of the result.
func (q *planned) project(cols []*vector.Vector) []*vector.Vector {
	out := make([]*vector.Vector, len(q.outputs))
	for i, o := range q.outputs {
		out[i] = cols[o.at]
	}
	return out
}

// shown is a query as plans show it.
type shown struct {
	selects, keys, calls, order []string
	where, having               string
	distinct                    bool
}

// spell spells the query without its filters and order.
func (s shown) spell() string {
	list := strings.Join(s.selects, ", ")
	switch {
	case s.distinct && len(s.selects) > 0:
		list = "distinct " + list
	case len(s.selects) == 0:
		list = strings.Join(s.calls, ", ")
	}
	if len(s.keys) > 0 {
		list += " by " + strings.Join(s.keys, ", ")
	}
	return list
}
