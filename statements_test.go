package colagg_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
)

// statementEntry is an entry of testdata/sql/*.test; see make.py there.
type statementEntry struct {
	place, head, query string
	rows               []string
}

func statementEntries(t *testing.T) (out []statementEntry) {
	t.Helper()
	files, err := filepath.Glob("testdata/sql/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files, %v", err)
	}
	for _, file := range files {
		for i, entry := range strings.Split(strings.TrimRight(string(readFile(t, file)), "\n"), "\n\n") {
			e := statementEntry{place: fmt.Sprintf("%s, entry %d", filepath.Base(file), i+1)}
			if strings.HasPrefix(entry, "#") {
				continue
			}
			rest, ok := "", false
			e.head, rest, _ = strings.Cut(entry, "\n")
			if e.query, rest, ok = strings.Cut(rest, "\n----"); ok && rest != "" {
				e.rows = strings.Split(rest[1:], "\n")
			}
			out = append(out, e)
		}
	}
	return out
}

// cellText spells a value as make.py does.
func cellText(a arrow.Array, i int) string {
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		return "NULL"
	}
	switch v := a.(type) {
	case *array.Float64:
		return strconv.FormatFloat(v.Value(i)+0, 'g', 12, 64)
	case *array.Float32:
		return strconv.FormatFloat(float64(v.Value(i))+0, 'g', 12, 64)
	case *array.List:
		lo, hi := v.ValueOffsets(i)
		var cells []string
		for k := lo; k < hi; k++ {
			cells = append(cells, cellText(v.ListValues(), int(k)))
		}
		return "[" + strings.Join(cells, " ") + "]"
	}
	text := a.ValueStr(i)
	switch a.DataType().ID() {
	case arrow.TIMESTAMP:
		text = strings.TrimSuffix(text, "Z")
	case arrow.DECIMAL128, arrow.DECIMAL256:
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
	}
	return text
}

// statementRows returns the rows of an answer, each with tabs between the values.
func statementRows(res *colagg.Result) (rows []string, err error) {
	for rec, err := range res.Batches() {
		if err != nil {
			return nil, err
		}
		for i := range int(rec.NumRows()) {
			var cells []string
			for _, c := range rec.Columns() {
				cells = append(cells, cellText(c, i))
			}
			rows = append(rows, strings.Join(cells, "\t"))
		}
	}
	return rows, nil
}

// TestStatements runs the queries of testdata/sql, each with several engines and
// strategies.
func TestStatements(t *testing.T) {
	checkLeaks(t)
	engines := []*colagg.Engine{
		newEngine(t, colagg.Options{Workers: 1}),
		newEngine(t, colagg.Options{Workers: 3, BatchRows: 7}),
		newEngine(t, colagg.Options{Workers: 2, BatchRows: 100, MemoryLimit: 3 << 20}),
		newEngine(t, colagg.Options{Workers: 4, BatchRows: 1}),
	}
	strategies := colagg.Strategies()
	entries := statementEntries(t)
	for n, e := range entries {
		if message, ok := strings.CutPrefix(e.head, "error "); ok {
			res, err := engines[0].SQL(t.Context(), e.query)
			if err == nil {
				_, err = statementRows(res)
			}
			if err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("%s: %s\ngives the error %v", e.place, e.query, err)
			}
			continue
		}
		for k, eng := range engines {
			if k == len(engines)-1 && n%5 > 0 {
				continue // rows one by one take long
			}
			q := colagg.Query{SQL: e.query, Strategy: strategies[(n+k)%len(strategies)]}
			res, err := eng.Query(t.Context(), q)
			if err != nil {
				t.Errorf("%s: %s\n%v", e.place, e.query, err)
				break
			}
			rows, err := statementRows(res)
			if strings.Contains(e.head, "any order") {
				slices.Sort(rows)
			}
			if err != nil || !slices.Equal(rows, e.rows) {
				t.Errorf("%s, %s: %s\ngives %q, %v\n want %q", e.place, q.Strategy, e.query, rows, err, e.rows)
				break
			}
			checkPlan(t, e, res)
		}
	}
}

// checkPlan holds the figures of a plan to each other.
func checkPlan(t *testing.T, e statementEntry, res *colagg.Result) {
	t.Helper()
	p := res.Plan()
	for _, pipe := range p.Pipelines {
		for _, op := range pipe.Operators {
			if op.RowsOut.Actual < 0 || op.RowsIn.Actual < 0 || op.Time < 0 {
				t.Errorf("%s: %s\n%s of %s: %+v", e.place, e.query, op.Name, pipe.Name, op)
			}
		}
	}
	if p.String() == "" || res.Stats().RowsOut != int64(len(e.rows)) {
		t.Errorf("%s: %+v", e.place, res.Stats())
	}
}
