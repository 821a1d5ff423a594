package oracle_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/colagg/colagg"
)

// rowsClauses are what a block of the scripts in the folder "ordered" has more,
// one line each:
//
//	select entry of Query.Select
//	order entry of Query.OrderBy
//	limit number
//	offset number
//	distinct
//
// Their answers are in order; a digest is "sha256 of N rows in order: …".
type rowsClauses struct {
	selects, order []string
	limit, offset  int64
	distinct       bool
}

// read takes a line of a script and reports whether it is one of these.
func (c *rowsClauses) read(word, rest string) bool {
	var err error
	switch word {
	case "select":
		c.selects = append(c.selects, rest)
	case "order":
		c.order = append(c.order, rest)
	case "limit":
		c.limit, err = strconv.ParseInt(rest, 10, 64)
	case "offset":
		c.offset, err = strconv.ParseInt(rest, 10, 64)
	case "distinct":
		c.distinct = true
	default:
		return false
	}
	return err == nil
}

func (b *block) query() colagg.Query {
	return colagg.Query{From: colagg.Files(b.from...), GroupBy: b.by, Aggs: b.aggs,
		Select: b.rows.selects, OrderBy: b.rows.order, Limit: b.rows.limit, Offset: b.rows.offset, Distinct: b.rows.distinct}
}

// inOrder says where got is not want, or returns "".
func inOrder(want, got answer) string {
	if !slices.Equal(want.names, got.names) || !slices.Equal(want.types, got.types) {
		return fmt.Sprintf("columns %q %q, want %q %q", got.names, got.types, want.names, want.types)
	}
	rows, wanted := sorted(got, got.types, 0), sorted(want, got.types, 0)
	if want.digest != "" {
		lines := make([]string, len(got.rows))
		for i, r := range got.rows {
			lines[i] = strings.Join(r, "\t")
		}
		if h := fmt.Sprintf("sha256 of %d rows in order: %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n")))); h != want.digest {
			return fmt.Sprintf("%s, want %s; it begins with\n%s", h, want.digest, table(got.rows))
		}
		return ""
	}
	if len(rows) != len(wanted) {
		return fmt.Sprintf("%d rows, want %d:\n%s\nwant:\n%s", len(rows), len(wanted), table(rows), table(wanted))
	}
	for i := range wanted {
		if !slices.Equal(rows[i], wanted[i]) {
			return fmt.Sprintf("row %d is %q, want %q", i, rows[i], wanted[i])
		}
	}
	return ""
}

// rowOptions are the ways to run the blocks; all must give the same rows. The
// last ones have so little memory that what is sorted goes to disk.
func rowOptions() []colagg.Options {
	var out []colagg.Options
	for _, workers := range []int{1, 2, 4} {
		for _, batch := range []int{3, 64, 8192} {
			out = append(out, colagg.Options{Workers: workers, BatchRows: batch})
		}
		out = append(out, colagg.Options{Workers: workers, BatchRows: 300, MemoryLimit: int64(workers) * 256 << 10},
			colagg.Options{Workers: workers, BatchRows: 300, MemoryLimit: int64(workers) * 768 << 10})
	}
	return out
}

// TestOrderedScripts runs every block of testdata/ordered/*.txt in every way.
func TestOrderedScripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata, "ordered", "*.txt"))
	if err != nil || len(files) < 6 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	var spilled, refused atomic.Int64
	t.Run("all", func(t *testing.T) {
		for _, f := range files {
			blocks, err := parseScript(f)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
				t.Parallel()
				for _, b := range blocks {
					b.checkRows(t, &spilled, &refused)
				}
			})
		}
	})
	t.Logf("%d runs went to disk, %d had too little memory", spilled.Load(), refused.Load())
	if !testing.Short() && spilled.Load() < 25 {
		t.Error("too few runs went to disk")
	}
}

// checkRows counts the runs that went to disk, and those that were refused
// because of what else they need memory for.
func (b *block) checkRows(t *testing.T, spilled, refused *atomic.Int64) {
	t.Helper()
	for i, opt := range rowOptions() {
		if len(b.want.rows) == 0 && opt.BatchRows == 3 || testing.Short() && i%7 != 3 {
			continue // batches of 3 rows of tens of thousands
		}
		got, stats, err := runRows(opt, b.query())
		if opt.MemoryLimit > 0 && errors.Is(err, colagg.ErrMemoryLimit) {
			refused.Add(1)
			continue
		}
		if err != nil {
			t.Errorf("%s:%d: %+v: %v", b.file, b.line, opt, err)
			continue
		}
		if stats.SpilledBytes > 0 {
			spilled.Add(1)
		}
		if d := inOrder(b.want, got); d != "" {
			t.Errorf("%s:%d: %+v: %s", b.file, b.line, opt, d)
		}
		if stats.RowsOut != int64(len(got.rows)) {
			t.Errorf("%s:%d: %d rows have come, by the figures %d", b.file, b.line, len(got.rows), stats.RowsOut)
		}
	}
}

func runRows(opt colagg.Options, q colagg.Query) (answer, colagg.Stats, error) {
	eng, err := colagg.New(opt)
	if err != nil {
		return answer{}, colagg.Stats{}, err
	}
	defer eng.Close()
	res, err := eng.Query(context.Background(), q)
	if err != nil {
		return answer{}, colagg.Stats{}, err
	}
	defer res.Release()
	a, err := drain(res)
	return a, res.Stats(), err
}
