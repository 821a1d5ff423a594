package oracle_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/colagg/colagg"
	"github.com/colagg/colagg/internal/oracle"
)

// collection returns the folder of real Parquet files: COLAGG_TEST_DATA, or
// shared/data beside the module. Tests that need it are skipped without it.
func collection(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("COLAGG_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "expected.jsonl")); err != nil {
		t.Skipf("no collection of real files in %s; COLAGG_TEST_DATA may name its folder", dir)
	}
	return dir
}

// realFile is what DuckDB says of a file of the collection.
type realFile struct {
	File    string       `json:"file"`
	Rows    int64        `json:"rows"`
	Error   string       `json:"error"`
	Columns []realColumn `json:"columns"`
}

type realColumn struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Nested   bool   `json:"nested"`
	Error    string `json:"error"`
	Count    int64  `json:"count"`
	Distinct int64  `json:"distinct"`
	Min      string `json:"min"`
	Max      string `json:"max"`
	MinCut   bool   `json:"min_cut"` // Min is only the beginning
	MaxCut   bool   `json:"max_cut"`
	Sum      string `json:"sum"`

	spelled string // the name as in a query; "" is Name in quotes
}

func realFiles(t *testing.T, dir string) []realFile {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []realFile
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r realFile
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRealFiles compares count, distinct values, minimum, maximum and sum of
// every flat column of the collection with DuckDB's, and where that does not
// agree with pyarrow's. What neither has must be in the table of differences,
// with the reason.
func TestRealFiles(t *testing.T) {
	dir := collection(t)
	second := secondOpinions(t)
	used := map[string]bool{}
	for i, f := range realFiles(t, dir) {
		if testing.Short() && i%20 != 0 {
			continue
		}
		name := strings.TrimPrefix(f.File, "files/")
		for what, diff := range f.differences(filepath.Join(dir, filepath.FromSlash(f.File))) {
			key := strings.TrimSuffix(name+" "+what, " ")
			if facts, ok := second[key]; ok && strings.HasSuffix(diff, facts) {
				continue
			}
			reason, known := differences[key]
			used[key] = true
			switch {
			case !known:
				t.Errorf("%s: %s", key, diff)
			case !strings.Contains(diff, reason.says):
				t.Errorf("%s: %s; known as %q", key, diff, reason.says)
			}
		}
	}
	for key := range differences {
		if !used[key] && !testing.Short() {
			t.Errorf("%s: is in the table of differences, but there is none", key)
		}
	}
}

// secondOpinions returns pyarrow's answers, by file and column, in the form in
// which differences end.
func secondOpinions(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, "second.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if c := strings.Split(line, "\t"); len(c) == 6 {
			for i := range 2 {
				if f, err := strconv.ParseFloat(c[4+i], 64); err == nil && strings.Contains(c[4+i], ".0") {
					c[4+i] = oracle.Float(f)
				}
			}
			out[strings.TrimSuffix(c[0]+" "+c[1], " ")] = fmt.Sprintf("count %s, distinct %s, min %s, max %s", c[2], c[3], c[4], c[5])
		}
	}
	if len(out) < 100 {
		t.Fatalf("only %d second opinions", len(out))
	}
	return out
}

// differences returns how the engine's answers differ from f, by column; "" is
// the whole file. What DuckDB refuses may be refused or answered; an answer is a
// difference, so that the table says what it is.
func (f *realFile) differences(path string) map[string]string {
	out := map[string]string{}
	got, _, err := one(colagg.Query{From: colagg.Files(path)})
	switch {
	case f.Error != "":
		for _, c := range columns(path) {
			if d := c.differs(path); d != "" {
				out[c.Name] = d
			}
		}
		return out
	case err != nil:
		out[""] = fmt.Sprintf("refused: %v", err)
		return out
	case got[0] != fmt.Sprint(f.Rows):
		out[""] = fmt.Sprintf("%s rows, want %d", got[0], f.Rows)
		return out
	}
	for _, c := range f.Columns {
		if c.Nested {
			continue
		}
		if d := c.differs(path); d != "" {
			out[c.Name] = d
		}
	}
	return out
}

// columns returns the columns of a file that DuckDB refuses, or none if the
// engine refuses it too.
func columns(path string) []realColumn {
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		return nil
	}
	defer eng.Close()
	info, err := eng.Describe(context.Background(), colagg.Files(path))
	if err != nil {
		return nil
	}
	var out []realColumn
	for _, c := range info[0].Columns {
		if !c.Repeated {
			out = append(out, realColumn{spelled: c.Name, Name: strings.Trim(c.Name, `"`), Error: "the file"})
		}
	}
	return out
}

// one returns the cells of the only row of a query's answer, and the types.
func one(q colagg.Query) (cells, types []string, err error) {
	a, _, err := variant{"auto", 2, 0}.run(q)
	if err != nil {
		return nil, nil, err
	}
	if len(a.rows) != 1 {
		return nil, nil, fmt.Errorf("%d rows", len(a.rows))
	}
	return a.rows[0], a.types, nil
}

// differs says how the engine's answers for the column differ, or "".
func (c *realColumn) differs(path string) string {
	name := c.spelled
	if name == "" {
		name = `"` + strings.ReplaceAll(c.Name, `"`, `""`) + `"`
	}
	src := colagg.Files(path)
	got, types, err := one(colagg.Query{From: src, Aggs: []string{"count(" + name + "), min(" + name + "), max(" + name + ")"}})
	if err != nil && c.Error != "" {
		return ""
	}
	if err != nil {
		return fmt.Sprintf("refused: %v", err)
	}
	groups, stats, err := variant{"shared", 3, 1000}.run(colagg.Query{From: src, GroupBy: []string{name}})
	if err != nil {
		return fmt.Sprintf("refused as a key: %v", err)
	}
	distinct := stats.Groups
	for _, row := range groups.rows {
		if row[0] == "NULL" {
			distinct--
		}
	}
	facts := fmt.Sprintf("count %s, distinct %d, min %s, max %s", got[0], distinct, got[1], got[2])
	switch {
	case c.Error != "":
		return "answered: " + facts
	case got[0] != fmt.Sprint(c.Count) || distinct != c.Distinct || c.Count > 0 &&
		(!c.sameValue(types[1], got[1], c.Min, c.MinCut) || !c.sameValue(types[2], got[2], c.Max, c.MaxCut)):
		return fmt.Sprintf("want count %d, distinct %d, min %s, max %s, not %s", c.Count, c.Distinct, c.Min, c.Max, facts)
	case c.Count > 0 && c.Sum != "":
		return c.sumDiffers(src, name)
	}
	return ""
}

// sumDiffers compares the sum; one that does not fit 64 bits must be refused.
func (c *realColumn) sumDiffers(src colagg.Source, name string) string {
	got, types, err := one(colagg.Query{From: src, Aggs: []string{"sum(" + name + ")"}})
	if err != nil {
		want, ok := new(big.Int).SetString(c.Sum, 10)
		if ok && !want.IsInt64() && strings.Contains(err.Error(), c.Sum) {
			return ""
		}
		return fmt.Sprintf("sum refused: %v", err)
	}
	if strings.HasPrefix(types[0], "float") {
		if !near(got[0], strings.Replace(c.Sum, "-nan", "nan", 1), 1e-9, noise*float64(c.Count)) {
			return fmt.Sprintf("sum %s, want %s", got[0], c.Sum)
		}
		return ""
	}
	if !c.sameValue(types[0], got[0], c.Sum, false) {
		return fmt.Sprintf("sum %s, want %s", got[0], c.Sum)
	}
	return ""
}

// noise is what may be left of a value near 1 in a sum of floats that cancel.
const noise = 1e-16

// beforeChrist is DuckDB's spelling of years before 1.
var beforeChrist = regexp.MustCompile(`^(\d+)-(\d\d-\d\d) \(BC\)`)

// sameValue compares a cell of a type with DuckDB's spelling of the value.
func (c *realColumn) sameValue(typ, cell, want string, cut bool) bool {
	switch {
	case c.Type == "INTERVAL": // kept as 12 bytes
		return strings.HasPrefix(cell, "x'")
	case c.Type == "UUID":
		want = "x'" + strings.ReplaceAll(want, "-", "") + "'"
	case typ == "utf8":
		want = oracle.Quote(want)
	case strings.HasPrefix(typ, "binary"), strings.HasPrefix(typ, "fixed_size_binary"):
		want = "x'" + strings.ToLower(want) + "'"
	case strings.HasPrefix(typ, "float"):
		return near(cell, strings.Replace(want, "-nan", "nan", 1), 1e-7, 0) // float32 is spelled by its own digits
	case strings.HasPrefix(typ, "decimal"):
		if sign, digits, ok := strings.Cut(want, "."); ok && strings.Trim(sign, "-") == "" {
			want = sign + "0." + digits
		}
	case strings.HasPrefix(typ, "timestamp"), strings.HasPrefix(typ, "date"):
		want = strings.Replace(want, "+00", "Z", 1)
		if m := beforeChrist.FindStringSubmatch(want); m != nil {
			year, _ := strconv.Atoi(m[1])
			want = fmt.Sprintf("-%04d-%s", year-1, m[2]) + want[len(m[0]):]
		}
	case strings.HasPrefix(typ, "time"):
		want = strings.TrimSuffix(want, "+00")
	}
	if cut {
		return strings.HasPrefix(cell, strings.TrimRight(want, `"'`))
	}
	return cell == want
}
