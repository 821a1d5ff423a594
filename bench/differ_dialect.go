package main

import (
	"context"
	"fmt"
	"strings"
)

// dialect is what both engines take, found by asking.
type dialect struct {
	scalars, aggregates, ordered map[kind][]production
	places                       map[string]bool
	missing                      []string // what colagg does not take, with its error
}

// places are where statements may have expressions; %s is a file.
var places = map[string]string{
	"select":       "SELECT (i64 + 1) AS a FROM %s",
	"constant":     "SELECT 'x' AS a FROM %s",
	"group":        "SELECT (i64 + 1) AS a, count(*) AS b FROM %s GROUP BY (i64 + 1)",
	"argument":     "SELECT sum((i64 + 1)) AS a FROM %s",
	"filter":       "SELECT count(*) FILTER (WHERE i64 > 1) AS a FROM %s",
	"over":         "SELECT sum(i64) + 1 AS a FROM %s",
	"over keys":    "SELECT (i64 + 1) AS a FROM %s GROUP BY i64",
	"order":        "SELECT i64 FROM %s ORDER BY (i64 + 1)",
	"distinct":     "SELECT DISTINCT i64, t FROM %s",
	"sets":         "SELECT i64, t, count(*) FROM %s GROUP BY CUBE (i64, t)",
	"having":       "SELECT count(*) FROM %s GROUP BY t HAVING count(*) > 1",
	"nothing":      "SELECT 1 AS a",
	"types":        "SELECT i8 FROM %[1]s UNION ALL SELECT d9 FROM %[1]s",
	"distinct on":  "SELECT DISTINCT ON (i64) i64, t FROM %s ORDER BY i64, t",
	"with":         "WITH w AS (SELECT i64 FROM %s) SELECT * FROM w",
	"in query":     "SELECT i64 FROM %[1]s WHERE i64 IN (SELECT i32 FROM %[1]s)",
	"scalar query": "SELECT i64 FROM %[1]s WHERE i64 > (SELECT min(i32) FROM %[1]s)",
	"exists":       "SELECT i64 FROM %[1]s WHERE EXISTS (SELECT 1 FROM %[1]s)",
	"values":       "SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS v (x, y)",
	"within group": "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i64) FROM %s",
	"qualify":      "SELECT i64, row_number() OVER (ORDER BY i64) FROM %s",
}

// probe asks both engines for every production over table, which has all
// columns. DuckDB must take each.
func (d *differ) probe(ctx context.Context, t table) (*dialect, error) {
	l := &dialect{scalars: map[kind][]production{}, aggregates: map[kind][]production{}, ordered: map[kind][]production{}, places: map[string]bool{}}
	ask := func(name, text string) (bool, error) {
		if a := d.duck(ctx, text); a.err != nil && !arithmetic(a.err) {
			return false, fmt.Errorf("DuckDB does not take %s: %w", text, a.err)
		}
		if a := d.colagg(ctx, text, plain); a.err != nil && !arithmetic(a.err) {
			l.missing = append(l.missing, fmt.Sprintf("%s: %v", name, a.err))
			return false, nil
		}
		return true, nil
	}
	for name, form := range places {
		text := form
		if strings.Contains(form, "%") {
			text = fmt.Sprintf(form, t.from)
		}
		ok, err := ask(name, text)
		if err != nil {
			l.missing = append(l.missing, err.Error())
		}
		l.places[name] = ok
	}
	for _, part := range []struct {
		forms, form string
		into        map[kind][]production
	}{
		{scalarForms, "SELECT count(*) FROM %s WHERE %s IS NULL", l.scalars},
		{aggregateForms, "SELECT %[2]s AS a FROM %[1]s", l.aggregates},
		{orderedForms, "SELECT %[2]s AS a FROM %[1]s", l.ordered},
	} {
		for _, p := range spread(parseProductions(part.forms)) {
			ok, err := ask(fmt.Sprintf("%s (%s)", p, p.out), fmt.Sprintf(part.form, t.from, p.sample(t)))
			if err != nil {
				l.missing = append(l.missing, err.Error())
			}
			if ok {
				part.into[p.out] = append(part.into[p.out], p)
			}
		}
	}
	return l, nil
}

// sample is the production over columns of t.
func (p production) sample(t table) *term {
	out := &term{kind: p.out, form: p.form}
	for _, in := range p.ins {
		a := &term{kind: in, form: "INTERVAL '1 day'"}
		for _, c := range t.cols {
			if c.kind == in {
				a.form = c.name
				break
			}
		}
		out.args = append(out.args, a)
	}
	return out
}
