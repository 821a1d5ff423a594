package colagg_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colagg/colagg"
)

// sqlRows runs a statement.
func sqlRows(t *testing.T, e *colagg.Engine, q colagg.Query) []string {
	t.Helper()
	res, err := e.Query(t.Context(), q)
	if err != nil {
		t.Fatalf("%s: %v", q.SQL, err)
	}
	rows, err := statementRows(res)
	if err != nil {
		t.Fatalf("%s: %v", q.SQL, err)
	}
	return rows
}

func TestSQLArguments(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{})
	day := time.Date(2024, 4, 20, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		text string
		args []any
		want string
	}{
		{"SELECT count(*) FROM 'testdata/trips.parquet' WHERE city = $1 AND fare > $2", []any{"Bern", 20}, "150"},
		{"SELECT count(*) FROM $2 WHERE city = $1 AND city = $1", []any{"Bern", "testdata/trips.parquet"}, "1081"},
		{"SELECT count(*) FROM ? WHERE city = ? LIMIT ? OFFSET ?", []any{colagg.Files(trips), "Bern", 1, uint8(0)}, "1081"},
		{"SELECT $1, $2, $3, $4, $5, $6", []any{nil, true, int8(-3), "it's", 2.5, float32(0.5)}, "NULL\ttrue\t-3\tit's\t2.5\t0.5"},
		{"SELECT sum(x) FROM $1", []any{colagg.Records(int64Reader(t, []int64{1, 2}, []int64{39}))}, "42"},
		{"SELECT count(*) FROM 'testdata/trips.parquet' WHERE day = $1", []any{day}, "155"},
	} {
		res, err := e.SQL(t.Context(), c.text, c.args...)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if rows, err := statementRows(res); err != nil || len(rows) != 1 || rows[0] != c.want {
			t.Errorf("%s: %q, %v, want %q", c.text, rows, err, c.want)
		}
	}
	for _, c := range []struct {
		q    colagg.Query
		want string
	}{
		{colagg.Query{SQL: "SELECT $2", Args: []any{1}}, "parameter 2 has no argument: there are 1 (at position 8"},
		{colagg.Query{SQL: "SELECT $1", Args: []any{1, 2}}, "argument 2 is not used"},
		{colagg.Query{SQL: "SELECT $1", Args: []any{struct{}{}}}, "argument 1: a value of type struct {} cannot be written in SQL"},
		{colagg.Query{SQL: "SELECT $1", Args: []any{colagg.Files(trips)}}, "the argument of $1 is a Source, which only FROM takes"},
		{colagg.Query{SQL: "SELECT id FROM $1", Args: []any{7}}, "FROM takes a Source or the name of a file"},
		{colagg.Query{SQL: "SELECT 1", Limit: 3}, "Query.SQL is a whole query"},
		{colagg.Query{SQL: "SELECT 1", From: colagg.Files(trips)}, "Query.SQL is a whole query"},
		{colagg.Query{From: colagg.Files(trips), Args: []any{1}}, "Query.Args are those of Query.SQL"},
		{colagg.Query{From: colagg.Files(trips), Where: "id = $1"}, "parameters are of statements only"},
	} {
		wantError(t, failQuery(t, e, c.q), colagg.BadQuery, c.want)
	}
	q := colagg.Query{SQL: "SELECT id FROM 'a' UNION (SELECT id FROM (SELECT id FROM $1)) EXCEPT FROM \"b\"", Args: []any{colagg.Files(trips)}}
	if sources, err := q.Sources(); err != nil || len(sources) != 3 {
		t.Errorf("%v, %v", sources, err)
	}
}

// TestSQLExplained runs nothing.
func TestSQLExplained(t *testing.T) {
	checkLeaks(t)
	p, err := newEngine(t, colagg.Options{}).Explain(t.Context(), colagg.Query{
		SQL: "SELECT city, sum(fare) / 2 AS h FROM 'testdata/trips.parquet' WHERE fare > 3 GROUP BY ROLLUP (city) HAVING count(*) > 3 UNION ALL SELECT 'x', 1.5 ORDER BY h LIMIT 3"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, pipe := range p.Pipelines {
		names = append(names, pipe.Name+":")
		for _, op := range pipe.Operators {
			names = append(names, op.Name)
		}
	}
	if got := strings.Join(names, " "); got != "aggregation: scan filter expand aggregate ordering: groups having project scan project project concat order output: output" {
		t.Errorf("%s\n%s", got, p)
	}
}

// TestSQLSpills compares answers with little memory to those with much, and wants
// something on disk.
func TestSQLSpills(t *testing.T) {
	checkLeaks(t)
	var parts []string
	for k := range 8 {
		parts = append(parts, fmt.Sprintf("SELECT id + %d AS id, distance, fare, tip, pickup FROM '%s'", 5000*k, trips))
	}
	rows := "(" + strings.Join(parts, " UNION ALL ") + ")"
	for n, text := range []string{
		"SELECT id, distance, fare FROM " + rows + " UNION SELECT id + 50000, distance, tip * 1.5 FROM " + rows + " ORDER BY ALL",
		"SELECT id, distance, fare FROM " + rows + " INTERSECT ALL SELECT id, distance, fare FROM " + rows + " WHERE id % 3 > 0 ORDER BY ALL",
		"SELECT id, distance, pickup FROM " + rows + " EXCEPT ALL SELECT id, distance, pickup FROM " + rows + " WHERE id % 2 = 0 ORDER BY ALL",
		"SELECT id, distance, pickup FROM " + rows + " EXCEPT SELECT id, distance, pickup FROM " + rows + " WHERE id % 5 > 1 ORDER BY ALL",
		"SELECT DISTINCT id * 2 AS d, pickup, fare FROM " + rows + " ORDER BY ALL",
		"SELECT id, distance, sum(fare) / count(*) AS a, max(pickup) FROM " + rows + " GROUP BY id, distance HAVING sum(fare) > 20 ORDER BY a DESC, id",
		"SELECT id, pickup, count(*), sum(tip) FILTER (WHERE fare > 10) FROM " + rows + " GROUP BY ROLLUP (id, pickup) ORDER BY ALL",
		"SELECT n, count(*), sum(s) FROM (SELECT id AS i, pickup, fare, distance, count(*) AS n, sum(tip) AS s, max(pickup), min(fare), avg(distance) FROM " + rows + " GROUP BY i, pickup, fare, distance) GROUP BY n ORDER BY n",
	} {
		if testing.Short() && n%2 > 0 {
			continue
		}
		want := sqlRows(t, newEngine(t, colagg.Options{Workers: 1}), colagg.Query{SQL: text})
		strategy := colagg.Strategies()[n%len(colagg.Strategies())]
		res, err := newEngine(t, colagg.Options{Workers: 3, MemoryLimit: 4 << 20, BatchRows: 2000}).Query(t.Context(), colagg.Query{SQL: text, Strategy: strategy})
		if err != nil {
			t.Errorf("%s, %s: %v", strategy, text[:30], err)
			continue
		}
		got, err := statementRows(res)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s, %s: %d rows, want %d; %v; %s", strategy, text[:30], len(got), len(want), err, firstDifference(got, want))
		}
		if s := res.Stats(); s.SpilledBytes == 0 {
			t.Errorf("%s, %s: nothing on disk: %+v", strategy, text[:30], s)
		}
	}
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
	return ""
}
