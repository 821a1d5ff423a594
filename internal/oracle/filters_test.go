package oracle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// filterCase is a condition and the ids of the rows for which it is true.
type filterCase struct {
	name, where, rows string
}

// filterCases reads testdata/filters/*.txt, which testdata/make.py writes:
// "where" and a condition, with line feeds as \n, and on the next line "rows" and
// the ids of rows for which DuckDB finds it true.
func filterCases(t *testing.T) []filterCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testdata, "filters", "*.txt"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	var out []filterCase
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		for i, line := range lines {
			if where, ok := strings.CutPrefix(line, "where "); ok {
				rows, ok := strings.CutPrefix(lines[i+1], "rows")
				if !ok {
					t.Fatalf("%s:%d: no rows", f, i+2)
				}
				out = append(out, filterCase{fmt.Sprintf("%s:%d", filepath.Base(f), i+1), strings.ReplaceAll(where, `\n`, "\n"), strings.TrimSpace(rows)})
			}
		}
	}
	return out
}

// filterOptions are the ways in which every condition is run.
var filterOptions = []colagg.Options{{Workers: 1, BatchRows: 8192}, {Workers: 1, BatchRows: 3}, {Workers: 3, BatchRows: 17}}

// TestFilterScripts gives the rows that DuckDB finds, in their order, and counts
// them.
func TestFilterScripts(t *testing.T) {
	cases := filterCases(t)
	if len(cases) < 2000 {
		t.Fatalf("only %d conditions", len(cases))
	}
	from := colagg.Files(filepath.Join(testdata, "filters", "values.parquet"))
	for i, c := range cases {
		if testing.Short() && i%8 > 0 {
			continue
		}
		for _, opt := range filterOptions {
			got, stats, err := runRows(opt, colagg.Query{From: from, Where: c.where, Select: []string{"id"}})
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, c.where, err)
				break
			}
			if ids := joined(got); ids != c.rows {
				t.Errorf("%s: %s (%d workers, batches of %d):\nrows %s\nwant %s", c.name, c.where, opt.Workers, opt.BatchRows, ids, c.rows)
				break
			}
			if stats.Rows != 240 {
				t.Errorf("%s: %d rows of input", c.name, stats.Rows)
			}
		}
		n := len(strings.Fields(c.rows))
		got, _, err := runRows(filterOptions[i%3], colagg.Query{From: from, Where: c.where})
		if err != nil || joined(got) != fmt.Sprint(n) {
			t.Errorf("%s: %s: counted %s, want %d (%v)", c.name, c.where, joined(got), n, err)
		}
	}
}

// joined spells a result of one column.
func joined(a answer) string {
	var cells []string
	for _, r := range a.rows {
		cells = append(cells, r...)
	}
	return strings.Join(cells, " ")
}

// TestFiltersUnderStrategies groups what a filter leaves in every way; the
// reference keeps the same rows by their ids.
func TestFiltersUnderStrategies(t *testing.T) {
	from := colagg.Files(filepath.Join(testdata, "filters", "values.parquet"))
	for i, c := range filterCases(t) {
		if i%97 > 0 {
			continue
		}
		for _, by := range [][]string{{"xs"}, {"xi8", "yb"}, {"ys", "xd"}} {
			in := "id IN (" + strings.Join(append(strings.Fields(c.rows), "NULL"), ", ") + ")"
			q := colagg.Query{From: from, Where: in, GroupBy: by, Aggs: []string{"count(*)", "sum(id)", "min(xf64)", "first(ys)"}, OrderBy: by}
			want, _, err := variant{"serial", 1, 8192}.run(q)
			if err != nil {
				t.Fatalf("%s: %v", in, err)
			}
			q.Where = c.where
			for _, v := range variants(240) {
				got, _, err := v.run(q)
				if err != nil {
					t.Fatalf("%s: %s: %v", c.where, v, err)
				}
				if d := inOrder(want, got); d != "" {
					t.Fatalf("%s by %s: %s: %s", c.where, by, v, d)
				}
			}
		}
	}
}
