package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSQL gives the statement in three ways.
func TestSQL(t *testing.T) {
	statement := "SELECT city, count(*) AS n -- of trips\nFROM '" + data("trips.parquet") + "'\nGROUP BY 1 HAVING n > 900 ORDER BY n DESC;\n"
	const want = "city,n\nBern,1081\nKyoto,977\n"
	file := filepath.Join(t.TempDir(), "q.sql")
	write(t, file, statement)
	if got := must(t, "sql", statement); got != want {
		t.Errorf("argument: %s", got)
	}
	if got := must(t, "sql", "--file", file); got != want {
		t.Errorf("file: %s", got)
	}
	for _, args := range [][]string{{"sql"}, {"sql", "-"}, {"sql", "--file", "-"}} {
		s := newSandbox()
		s.stdin = strings.NewReader(statement)
		if status, stdout, stderr := s.run(args...); status != 0 || stdout != want {
			t.Errorf("%q: status %d, %q, %s", args, status, stdout, stderr)
		}
	}
	out := filepath.Join(t.TempDir(), "n.parquet")
	must(t, "sql", "--strategy", "partial", "--threads", "2", "-o", out, statement)
	if got := must(t, "sql", "FROM '"+out+"' SELECT sum(n)"); got != "sum(n)\n2058\n" {
		t.Errorf("%s", got)
	}
	if got := must(t, "sql", "--analyze", "SELECT DISTINCT vendor FROM '"+data("trips.parquet")+"' EXCEPT SELECT vendor FROM '"+data("trips.parquet")+"' WHERE id > 3"); !strings.Contains(got, "aggregate except of vendor") || !strings.Contains(got, "concat") {
		t.Errorf("%s", got)
	}
}

func TestSQLErrors(t *testing.T) {
	trips := data("trips.parquet")
	file := filepath.Join(t.TempDir(), "trips.parquet")
	must(t, "sql", "-o", file, "FROM '"+trips+"' SELECT id")
	for _, c := range []struct {
		args   []string
		status int
		want   []string
	}{
		{[]string{"sql"}, 2, []string{"there is no statement; see 'colagg sql --help'"}},
		{[]string{"sql", "select", "1"}, 2, []string{"there are 2 arguments"}},
		{[]string{"sql", "--file", "x.sql", "select 1"}, 2, []string{"not both"}},
		{[]string{"sql", "--file", "nowhere.sql"}, 1, []string{"nowhere.sql: no such file"}},
		{[]string{"sql", "SELECT citty\nFROM '" + trips + "'"}, 2, []string{"there is no column citty (at line 1, position 8); nearest of the 13 columns: city\n  line 1: SELECT citty\n                 ^\n"}},
		{[]string{"sql", "SELECT city\nFROM '" + trips + "'\nWHERE fare > = 3"}, 2, []string{"(at line 3, position 14)", "\n  line 3: WHERE fare > = 3\n                       ^\n"}},
		{[]string{"sql", "SELECT city FROM 'nowhere.parquet'"}, 1, []string{"nowhere.parquet: no such file"}},
		{[]string{"sql", "-o", file, "SELECT id FROM '" + trips + "' UNION SELECT id FROM (SELECT id FROM '" + file + "')"}, 2, []string{"is the input"}},
		{[]string{"sql", "SELECT $1 FROM '" + trips + "'"}, 2, []string{"parameter 1 has no argument"}},
		{[]string{"query", trips, "--having", "count(*) > x"}, 2, []string{"\n  --having count(*) > x\n                      ^\n"}},
	} {
		status, stdout, stderr := newSandbox().run(c.args...)
		if status != c.status || stdout != "" {
			t.Errorf("%q: status %d; output %q; %s", c.args, status, stdout, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%q: no %q in %s", c.args, want, stderr)
			}
		}
	}
}
