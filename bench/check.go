package main

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// tolerance is the relative difference that two floating-point aggregates may
// have: engines add in different orders.
const tolerance = 1e-9

// comparison compares answers, which are Parquet files, with a reference; the
// order of rows does not matter. It uses DuckDB in this process.
type comparison struct {
	duck      *duckEngine
	q         question
	dir       string
	reference []columnType
	groups    int64
}

// newComparison loads the reference. It is an error if its keys are not
// unique.
func newComparison(ctx context.Context, q question, dir, reference string) (*comparison, error) {
	c := &comparison{duck: &duckEngine{}, q: q, dir: dir}
	if _, err := c.duck.open(ctx, job{Threads: 2}); err != nil {
		return nil, err
	}
	var err error
	if c.reference, err = c.load(ctx, "a", reference); err == nil {
		c.groups, err = c.number(ctx, "SELECT count(*) FROM a")
	}
	var distinct int64
	if err == nil {
		distinct, err = c.distinct(ctx, "a")
	}
	if err == nil && distinct != c.groups {
		err = fmt.Errorf("the answer of %s has %d groups, of which %d are distinct", reference, c.groups, distinct)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// load makes a view of an engine's answer. Keys that an engine gives as bytes
// become text, since the generated ones are.
func (c *comparison) load(ctx context.Context, view, name string) ([]columnType, error) {
	from := "read_parquet(" + quote(filepath.Join(c.dir, name+".parquet")) + ")"
	types, err := describe(ctx, c.duck.conn, from)
	if err != nil {
		return nil, err
	}
	if len(types) != len(c.q.keys)+len(c.q.aggs) {
		return nil, fmt.Errorf("the answer of %s has %d columns and not %d", name, len(types), len(c.q.keys)+len(c.q.aggs))
	}
	var list []string
	for _, t := range types {
		if t.typ == "BLOB" {
			list = append(list, fmt.Sprintf("decode(%s) AS %s", t.name, t.name))
		} else {
			list = append(list, t.name)
		}
	}
	_, err = c.duck.conn.ExecContext(ctx, "CREATE OR REPLACE TEMP VIEW "+view+" AS SELECT "+strings.Join(list, ", ")+" FROM "+from)
	return types, err
}

func (c *comparison) number(ctx context.Context, query string) (n int64, err error) {
	return n, c.duck.conn.QueryRowContext(ctx, query).Scan(&n)
}

// distinct is the number of different keys in an answer.
func (c *comparison) distinct(ctx context.Context, view string) (int64, error) {
	return c.number(ctx, "SELECT count(*) FROM (SELECT DISTINCT "+strings.Join(c.q.keys, ", ")+" FROM "+view+")")
}

// with compares another engine's answer and says how it differs, "" if not.
func (c *comparison) with(ctx context.Context, name string) (diff string, err error) {
	types, err := c.load(ctx, "b", name)
	if err != nil {
		return "", err
	}
	rows, err := c.number(ctx, "SELECT count(*) FROM b")
	if err != nil {
		return "", err
	}
	if rows != c.groups {
		return fmt.Sprintf("%d groups instead of %d", rows, c.groups), nil
	}
	distinct, err := c.distinct(ctx, "b")
	if err != nil {
		return "", err
	}
	if distinct != rows {
		return fmt.Sprintf("%d groups, of which %d are distinct", rows, distinct), nil
	}
	var on, same, show []string
	for _, k := range c.q.keys {
		on = append(on, fmt.Sprintf("a.%s IS NOT DISTINCT FROM b.%s", k, k))
		show = append(show, "a."+k)
	}
	for _, a := range c.q.aggs {
		same = append(same, equal(a.As, typeOf(c.reference, a.As), typeOf(types, a.As), lastPlace(name)))
		show = append(show, "a."+a.As, "b."+a.As)
	}
	from := " FROM a JOIN b ON " + strings.Join(on, " AND ")
	good := strings.Join(same, " AND ")
	var joined, bad int64
	query := "SELECT count(*), count(*) FILTER (WHERE (" + good + ") IS NOT TRUE)" + from
	if err := c.duck.conn.QueryRowContext(ctx, query).Scan(&joined, &bad); err != nil {
		return "", err
	}
	if joined != c.groups {
		return fmt.Sprintf("%d of %d groups have the same keys", joined, c.groups), nil
	}
	if bad == 0 {
		return "", nil
	}
	var example string
	query = "SELECT concat_ws(' | ', " + strings.Join(show, ", ") + ")" + from + " WHERE (" + good + ") IS NOT TRUE LIMIT 1"
	if err := c.duck.conn.QueryRowContext(ctx, query).Scan(&example); err != nil && err != sql.ErrNoRows {
		return "", err
	}
	return fmt.Sprintf("%d of %d groups differ, such as %s: %s", bad, c.groups, strings.Join(show, " | "), example), nil
}

func (c *comparison) close() { c.duck.close() }

func typeOf(types []columnType, name string) string {
	for _, t := range types {
		if strings.EqualFold(t.name, name) {
			return t.typ
		}
	}
	return ""
}

// lastPlace is how far, in units of the last decimal, an engine's averages of
// decimals may be from the true value: colagg rounds, others may cut off.
func lastPlace(engine string) float64 {
	if engine == "colagg" {
		return 0.5
	}
	return 1
}

// equal is the condition that column col is the same in a and b. Exact types
// of one scale must be equal; otherwise (floating point on a side, or averages
// of decimals rounded to different scales) the tolerance applies, and so many
// units of the last place for each side that is a decimal.
func equal(col, ta, tb string, units float64) string {
	sa, sb := scale(ta), scale(tb)
	if sa >= 0 && sa == sb {
		return fmt.Sprintf("a.%s IS NOT DISTINCT FROM b.%s", col, col)
	}
	slack := 0.0
	for _, s := range []int{sa, sb} {
		if s > 0 {
			slack += units * math.Pow(10, -float64(s))
		}
	}
	x, y := "a."+col+"::DOUBLE", "b."+col+"::DOUBLE"
	return fmt.Sprintf("(%[1]s IS NOT DISTINCT FROM %[2]s OR isfinite(%[1]s) AND isfinite(%[2]s) AND abs(%[1]s - %[2]s) <= %[3]g * greatest(abs(%[1]s), abs(%[2]s)) + %[4]g)",
		x, y, tolerance, slack*1.000001)
}

// scale is the number of decimals of an exact type, and -1 for others.
func scale(typ string) int {
	var precision, s int
	if n, _ := fmt.Sscanf(typ, "DECIMAL(%d,%d)", &precision, &s); n == 2 {
		return s
	}
	if strings.HasSuffix(typ, "INT") || strings.HasSuffix(typ, "INTEGER") {
		return 0
	}
	return -1
}
