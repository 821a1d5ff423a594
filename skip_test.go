package colagg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// conditions makes conditions of the columns of testdata/skip.
type conditions struct{ *rand.Rand }

func (r conditions) date() string {
	return fmt.Sprintf("'%d-%02d-%02d'", 1990+r.IntN(9), 1+r.IntN(12), 1+r.IntN(28))
}

func (r conditions) word() string {
	return fmt.Sprintf("'%s%d'", []string{"alpha", "beta", "gamma", "delta", "omega"}[r.IntN(5)], r.IntN(8))
}

// value is a column and a function for constants of its type.
func (r conditions) value() (column string, constant func() string) {
	number := func(format string, lo, hi int) func() string {
		return func() string { return fmt.Sprintf(format, lo+r.IntN(hi-lo)) }
	}
	switch r.IntN(13) {
	case 0:
		return "n", number("%d", -10, 6100)
	case 1:
		return "d", r.date
	case 2:
		return "ts", func() string { return fmt.Sprintf("timestamp '2001-%02d-%02d 10:00:00'", 1+r.IntN(12), 1+r.IntN(28)) }
	case 3:
		return "f", number("%d.25e0", -60, 60)
	case 4:
		return "g", number("%d.5", -5, 110)
	case 5:
		return "s", number("'key %06d'", 390, 510)
	case 6:
		return "long", func() string {
			return "'" + strings.Repeat("common beginning of a long text ", 3) + fmt.Sprint(7900+r.IntN(2200)) + "'"
		}
	case 7:
		return "u", func() string { return fmt.Sprint(uint64(1<<63) + uint64(7900+r.IntN(2200))<<40) }
	case 8:
		return "w", func() string { return fmt.Sprint(1<<31 + 7900 + r.IntN(2200)) }
	case 9:
		return "i8", number("%d", -130, 130)
	case 10:
		return "p", number("%d.49", -50, 110)
	case 11:
		return "word", r.word
	}
	return "even", number("%d", -10, 20010)
}

func (r conditions) atom() string {
	column, constant := r.value()
	switch r.IntN(12) {
	case 0:
		return fmt.Sprintf("%s between %s and %s", column, constant(), constant())
	case 1:
		return fmt.Sprintf("%s %sin (%s, %s, %s)", column, []string{"", "not "}[r.IntN(2)], constant(), constant(), constant())
	case 2:
		return fmt.Sprintf("%s is %snull", []string{column, "gaps"}[r.IntN(2)], []string{"", "not "}[r.IntN(2)])
	case 3:
		return fmt.Sprintf("s like 'key 000%d%s'", 39+r.IntN(12), []string{"%", "_"}[r.IntN(2)])
	case 4:
		return []string{"b", "not b", "b is not true", "f = 0", "f > 1e300", "f <= -1e300", "u > w", "n + i8 > 3000", "gaps < 1500", "true"}[r.IntN(10)]
	case 5:
		return fmt.Sprintf("%s is %sdistinct from %s", column, []string{"", "not "}[r.IntN(2)], constant())
	}
	return fmt.Sprintf("%s %s %s", column, []string{"=", "=", "<>", "<", "<=", ">", ">="}[r.IntN(7)], constant())
}

func (r conditions) condition(depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return r.atom()
	}
	text := "(" + r.condition(depth-1) + []string{") and (", ") and (", ") or ("}[r.IntN(3)] + r.condition(depth-1) + ")"
	if r.IntN(8) == 0 {
		text = "not (" + text + ")"
	}
	return text
}

// spelledRows spells the rows that a query gives.
func spelledRows(t *testing.T, e *Engine, q Query) (rows []string) {
	t.Helper()
	res, err := e.Query(context.Background(), q)
	if err != nil {
		t.Fatalf("%s: %v", q.Where, err)
	}
	defer res.Release()
	for res.Next() {
		rec := res.Record()
		for i := range int(rec.NumRows()) {
			var b strings.Builder
			for _, c := range rec.Columns() {
				b.WriteString(c.ValueStr(i) + "|")
			}
			rows = append(rows, b.String())
		}
	}
	if res.Err() != nil {
		t.Fatalf("%s: %v", q.Where, res.Err())
	}
	return rows
}

// recordsOf reads a whole file.
func recordsOf(t *testing.T, e *Engine, path string) (*arrow.Schema, []arrow.Record) {
	t.Helper()
	res, err := e.Query(context.Background(), Query{From: Files(path), Select: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	var recs []arrow.Record
	for res.Next() {
		rec := res.Record()
		rec.Retain()
		recs = append(recs, rec)
	}
	if res.Err() != nil {
		t.Fatal(res.Err())
	}
	return res.Schema(), recs
}

// TestSkippingChangesNothing compares what filters give of files, parts of which
// are not read, with what they give of all of their rows as Arrow records.
func TestSkippingChangesNothing(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	files, err := filepath.Glob("testdata/skip/*.parquet")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for i, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			r := conditions{rand.New(rand.NewPCG(7, uint64(i)))}
			for range rounds {
				e, err := New(Options{Workers: 1 + r.IntN(2), BatchRows: []int{13, 500, 8192}[r.IntN(3)]})
				if err != nil {
					t.Fatal(err)
				}
				q := Query{Select: []string{"n", "long", "f", "word", "gaps", "b", "s", "p"}[r.IntN(8):], Where: r.condition(2)}
				schema, recs := recordsOf(t, e, path)
				rr, err := array.NewRecordReader(schema, recs)
				if err != nil {
					t.Fatal(err)
				}
				q.From = Records(rr)
				want := spelledRows(t, e, q)
				q.From = Files(path)
				got := spelledRows(t, e, q)
				if strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Fatalf("%s: %d rows where %d are right", q.Where, len(got), len(want))
				}
			}
		})
	}
}

// TestWhatIsSkipped has conditions of which parts of the files have no row.
func TestWhatIsSkipped(t *testing.T) {
	e, err := New(Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	const no = -1 // pages
	for _, c := range []struct {
		file, where                         string
		statistics, bloom, dictionary, page int64
		pages                               int64
	}{
		{"ordered", "d < '1990-01-01'", 4, 0, 0, 0, 0},
		{"ordered", "n between 1600 and 1700", 3, 0, 0, 0, no},
		{"ordered", "n = 10 or n in (5999, 7000)", 2, 0, 0, 0, no},
		{"ordered", "s like 'key 0004%' and n > 4600", 3, 0, 0, 0, no},
		{"ordered", "long > 'd'", 4, 0, 0, 0, 0},
		{"ordered", "n is null", 4, 0, 0, 0, 0},
		{"ordered", "n / (n - n) > 1 and n > 9000", 4, 0, 0, 0, 0},
		{"ordered", "u >= 0 or n < 10", 0, 0, 0, 0, 0},
		{"ordered", "f > 100", 0, 0, 0, 0, 0}, // NaN is above
		{"ordered", "gaps is null and n < 600", 3, 0, 0, 1, 0},
		{"ordered", "gaps is not null and n between 800 and 1200", 3, 0, 0, 0, no},
		{"ordered", "word = 'beta3'", 0, 0, 4, 0, 0},
		{"random", "n >= 0", 0, 0, 0, 0, 0},
		{"random", "even = 10001", 0, 0, 4, 0, 0},
		{"plain", "n = 1", 0, 0, 0, 0, 0}, // without statistics
		{"plain", "d > '2020-01-01'", 6, 0, 0, 0, 0},
		{"bloom", "even = 10001", 0, 9, 0, 0, 0},
		{"bloom", "even = 10001 or even in (10003, 10005)", 0, 8, 0, 0, 0}, // some are taken to be there
		{"bloom", "p = 0.01", 0, 10, 0, 0, 0},
		{"bloom", "f = 0.12345e0", 0, 10, 0, 0, 0},
		{"bloom", "s = 'key 000444x'", 0, 10, 0, 0, 0},
	} {
		res, err := e.Query(context.Background(), Query{From: Files("testdata/skip/" + c.file + ".parquet"), Aggs: []string{"count(*)", "min(long)"}, Where: c.where})
		if err != nil {
			t.Fatal(err)
		}
		u := scanOf(res.Plan())
		k := u.Skips
		if k.ByStatistics != c.statistics || k.ByBloomFilter != c.bloom || k.ByDictionary != c.dictionary || k.ByPageIndex != c.page ||
			c.pages == no != (k.Pages > 0) || u.RowGroupsSkipped != c.statistics+c.bloom+c.dictionary+c.page {
			t.Errorf("%s of %s: skipped %d, %+v; want %+v", c.where, c.file, u.RowGroupsSkipped, k, c)
		}
		res.Release()
	}
}

func scanOf(p *Plan) *ScanUse { return p.Pipelines[0].Operators[0].Scan }
