package colagg

import (
	"strings"

	"github.com/colagg/colagg/internal/sql"
)

// relation is what a SELECT reads: a table, or the rows of a query.
type relation struct {
	cols  []column
	alias string // empty without one
	table table  // nil for a query
	query *planned
}

// find returns the column that a name means; what is qualified with the alias
// comes first.
func (r *relation) find(in fragment, ref sql.Column) (int, error) {
	if r.qualified(ref) {
		rest := sql.Column{Parts: ref.Parts[1:], Span: sql.Span{Start: ref.Parts[1].Start, End: ref.End}}
		if c, err := (resolver{r.cols}).find(in, rest); err == nil {
			return c, nil
		}
	}
	return resolver{r.cols}.find(in, ref)
}

// qualified reports whether a name begins with the alias.
func (r *relation) qualified(ref sql.Column) bool {
	return r.alias != "" && len(ref.Parts) > 1 && foldedName(ref.Parts[0], r.alias)
}

// name is what column c of the relation is called.
func (r *relation) name(c int) string { return strings.Join(r.cols[c].path, ".") }

// rowsOf is the relation of a planned query's rows.
func rowsOf(q *planned, alias string) *relation {
	r := &relation{query: q, alias: alias}
	schema := q.node.schema()
	for _, o := range q.outputs {
		c := column{path: []string{o.name}, typ: schema.Field(o.at).Type}
		if strings.HasPrefix(c.typ.String(), "list<") {
			c.repeated, c.container, c.depth = true, "list", 1
		}
		r.cols = append(r.cols, c)
	}
	return r
}
