package parquetio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// expected is what another engine says of a file of the collection.
type expected struct {
	File    string
	Rows    int
	Error   string
	Columns []expectedColumn
}

type expectedColumn struct {
	Name, Type      string
	Nested          bool
	Error           string
	Count, Distinct int
	Min, Max, Sum   *string
	MinCut          bool `json:"min_cut"`
	MaxCut          bool `json:"max_cut"`
}

// collection returns the folder of real files of other projects, or skips the
// test.
func collection(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("COLAGG_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "expected.jsonl")); err != nil {
		t.Skip("no collection of real files here: ", err)
	}
	return dir
}

func readExpected(t testing.TB, dir string) []expected {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []expected
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e expected
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// TestCollection reads every flat column of every file and compares with what
// DuckDB says. Where the two differ and DuckDB is not right, the file is in
// known.
func TestCollection(t *testing.T) {
	dir := collection(t)
	for _, want := range readExpected(t, dir) {
		name := strings.TrimPrefix(want.File, "files/")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, diff := range compareFile(filepath.Join(dir, want.File), want) {
				if why := excuse(name); why != "" {
					t.Logf("%s (%s)", diff, why)
				} else {
					t.Error(diff)
				}
			}
		})
	}
}

func compareFile(path string, want expected) (diffs []string) {
	f, err := ReadFooter(context.Background(), diskFile(path))
	if err != nil {
		if !typed(err) {
			return []string{fmt.Sprintf("error without a type: %v", err)}
		}
		if want.Error == "" {
			return []string{"footer: " + err.Error()}
		}
		return nil
	}
	if want.Error != "" {
		diffs = append(diffs, "DuckDB fails: "+want.Error)
	} else if f.NumRows() != int64(want.Rows) {
		diffs = append(diffs, fmt.Sprintf("%d rows, want %d", f.NumRows(), want.Rows))
	}
	used := map[int]bool{}
	for _, c := range want.Columns {
		if c.Nested {
			continue
		}
		leaf := findLeaf(f, c.Name, used)
		if leaf < 0 {
			diffs = append(diffs, fmt.Sprintf("no column %q", c.Name))
			continue
		}
		used[leaf] = true
		for _, d := range compareColumn(f, leaf, c, ScanOptions{BatchRows: 1000}) {
			diffs = append(diffs, fmt.Sprintf("%q (%s): %s", c.Name, c.Type, d))
		}
	}
	return diffs
}

func typed(err error) bool {
	return errors.As(err, new(*CorruptError)) || errors.As(err, new(*UnsupportedError))
}

func findLeaf(f *File, name string, used map[int]bool) int {
	for i, c := range f.Columns() {
		if len(c.Path) == 1 && c.Path[0] == name && !used[i] {
			return i
		}
	}
	// DuckDB renames columns whose names differ in case only.
	for i, c := range f.Columns() {
		base, _, _ := strings.Cut(strings.ToLower(name), "_")
		if len(c.Path) == 1 && strings.HasPrefix(strings.ToLower(c.Path[0]), base) && !used[i] {
			return i
		}
	}
	return -1
}

func compareColumn(f *File, leaf int, want expectedColumn, opt ScanOptions) []string {
	s := summarizer{t: f.Columns()[leaf].Type}
	err := scanAll(f, []int{leaf}, opt, func(b *vector.Batch) { s.add(b.Cols[0]) })
	if err != nil {
		if !typed(err) {
			return []string{"error without a type: " + err.Error()}
		}
		if want.Error == "" {
			return []string{err.Error()}
		}
		return nil
	}
	if want.Error != "" {
		return []string{"DuckDB fails: " + want.Error}
	}
	got := s.summary()
	var diffs []string
	if got.count != want.Count || got.distinct != want.Distinct {
		diffs = append(diffs, fmt.Sprintf("count %d, distinct %d, want %d, %d", got.count, got.distinct, want.Count, want.Distinct))
	}
	if want.Count == 0 || want.Type == "INTERVAL" {
		return diffs
	}
	if !same(s.t, got.min, want.Min, want.MinCut, 0) {
		diffs = append(diffs, fmt.Sprintf("min %s, want %s", got.min, *want.Min))
	}
	if !same(s.t, got.max, want.Max, want.MaxCut, 0) {
		diffs = append(diffs, fmt.Sprintf("max %s, want %s", got.max, *want.Max))
	}
	if want.Sum != nil && !same(s.t, got.sum, want.Sum, false, 1e-9*got.magnitude) {
		diffs = append(diffs, fmt.Sprintf("sum %s, want %s", got.sum, *want.Sum))
	}
	return diffs
}

func same(t arrow.DataType, got string, want *string, cut bool, tolerance float64) bool {
	if want == nil {
		return got == ""
	}
	w := *want
	if cut {
		return strings.HasPrefix(got, w)
	}
	switch t.ID() {
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		a, _ := strconv.ParseFloat(got, 64)
		b, err := strconv.ParseFloat(strings.TrimPrefix(w, "-nan"), 64)
		if strings.HasSuffix(w, "nan") {
			return math.IsNaN(a)
		}
		return err == nil && (a == b || math.Abs(a-b) <= max(tolerance, 1e-6*math.Abs(b)))
	case arrow.TIMESTAMP:
		return got == strings.TrimSuffix(w, "+00")
	case arrow.TIME32, arrow.TIME64:
		return got == strings.TrimSuffix(w, "+00")
	case arrow.FIXED_SIZE_BINARY:
		return got == strings.ToUpper(strings.ReplaceAll(w, "-", ""))
	}
	return strings.TrimPrefix(got, "0") == strings.TrimPrefix(w, "0")
}
