package oracle_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testdata is the folder of the scripts, seen from this package's.
const testdata = "../../testdata"

// block is one query of a script with its answer. The files are written by
// testdata/make.py, which asks other engines; nothing here can rewrite them.
//
//	== title
//	from file, folder or pattern    one line each
//	by entry of Query.GroupBy
//	agg entry of Query.Aggs
//	--
//	names, tab-separated
//	types
//	a line of cells for each group, or "sha256 of N rows: …"
//
// or, in place of -- and what follows, "error word | word": the kind of the error
// and its message contain the words.
type block struct {
	title string
	file  string
	line  int
	from  []string
	by    []string
	aggs  []string
	rows  rowsClauses
	words []string // of the error
	want  answer
}

// answer is a result: names and types of the columns, and the rows as cells.
type answer struct {
	names, types []string
	rows         [][]string
	digest       string // in place of rows
}

// scripts returns the blocks of all scripts, by file.
func scripts(t *testing.T) map[string][]block {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testdata, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Fatalf("only %d scripts in %s", len(files), testdata)
	}
	out := map[string][]block{}
	for _, f := range files {
		blocks, err := parseScript(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".txt")] = blocks
	}
	return out
}

func parseScript(path string) ([]block, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var blocks []block
	b := new(block) // lines before the first block
	answering := false
	for i, line := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "==":
			blocks = append(blocks, block{title: rest, file: filepath.Base(path), line: i + 1})
			b, answering = &blocks[len(blocks)-1], false
		case line == "":
			answering = false
		case answering:
			b.want.add(line)
		case word == "from":
			b.from = append(b.from, filepath.Join(testdata, filepath.FromSlash(rest)))
		case word == "by":
			b.by = append(b.by, rest)
		case word == "agg":
			b.aggs = append(b.aggs, rest)
		case b.rows.read(word, rest):
		case word == "error":
			b.words = strings.Split(rest, " | ")
		case line == "--":
			answering = true
		case word != "#":
			return nil, fmt.Errorf("%s:%d: what is %q?", path, i+1, line)
		}
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("%s: no blocks", path)
	}
	return blocks, nil
}

// add takes the next line of an answer.
func (a *answer) add(line string) {
	cells := strings.Split(line, "\t")
	switch {
	case a.names == nil:
		a.names = cells
	case a.types == nil:
		a.types = cells
	case strings.HasPrefix(line, "sha256 of "):
		a.digest = line
	default:
		a.rows = append(a.rows, cells)
	}
}

// hash returns the digest of the rows in the form of a script.
func (a *answer) hash() string {
	lines := make([]string, len(a.rows))
	for i, r := range a.rows {
		lines[i] = strings.Join(r, "\t")
	}
	slices.Sort(lines)
	return fmt.Sprintf("sha256 of %d rows: %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n"))))
}
