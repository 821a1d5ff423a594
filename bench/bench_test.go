package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary be its own worker and judge, as the command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "worker" || os.Args[1] == "fingerprint") {
		if err := command(context.Background(), os.Args[1:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestAllQuestions generates every data set small and lets the engines of this
// binary answer every question; each answer of colagg must be DuckDB's.
func TestAllQuestions(t *testing.T) {
	dir := t.TempDir()
	if err := command(t.Context(), []string{"gen", "-dir", dir, "-scale", "0.001"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	figures := filepath.Join(dir, "figures.json")
	err := command(t.Context(), []string{"run", "-data", dir, "-runs", "1", "-engines", "floor,scan,colagg,duckdb", "-json", figures}, &out)
	if err != nil || strings.Contains(out.String(), "FAILED") {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, q := range questions() {
		if !strings.Contains(out.String(), q.name+" ") {
			t.Errorf("the table lacks %s:\n%s", q.name, out.String())
		}
	}
	if st, err := os.Stat(figures); err != nil || st.Size() == 0 {
		t.Errorf("no figures: %v", err)
	}
}

// answerFile writes rows as an engine's answer to the question "k, sum(v)".
func answerFile(t *testing.T, dir, engine, rows string) {
	t.Helper()
	d := &duckEngine{}
	if _, err := d.open(t.Context(), job{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	defer d.close()
	query := "COPY (SELECT * FROM (VALUES " + rows + ") t(k, sum_v)) TO " + quote(filepath.Join(dir, engine+".parquet")) + " (FORMAT parquet)"
	if _, err := d.conn.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

func TestComparison(t *testing.T) {
	q := ask("q", "d", "k", "sum:v")
	for _, c := range []struct{ name, reference, other, want string }{
		{"another order", "('a', 1), ('b', 2), (NULL, 3)", "(NULL, 3), ('b', 2), ('a', 1)", ""},
		{"a value", "('a', 1), ('b', 2)", "('a', 1), ('b', 3)", "1 of 2 groups differ"},
		{"a NULL", "('a', 1), ('b', 2)", "('a', 1), ('b', NULL)", "1 of 2 groups differ"},
		{"a key", "('a', 1), ('b', 2)", "('a', 1), ('c', 2)", "1 of 2 groups have the same keys"},
		{"NULL is no text", "('a', 1), (NULL, 2)", "('a', 1), ('NULL', 2)", "1 of 2 groups have the same keys"},
		{"a group less", "('a', 1), ('b', 2)", "('a', 1)", "1 groups instead of 2"},
		{"a group twice", "('a', 1), ('b', 2)", "('a', 1), ('a', 1)", "2 groups, of which 1 are distinct"},
		{"floats nearly", "('a', 1e9::DOUBLE)", "('a', 1e9::DOUBLE + 0.5)", ""},
		{"floats not nearly", "('a', 1e9::DOUBLE)", "('a', 1e9::DOUBLE + 2)", "1 of 1 groups differ"},
		{"NaN", "('a', 'nan'::DOUBLE)", "('a', 'nan'::DOUBLE)", ""},
		{"NaN and a number", "('a', 'nan'::DOUBLE)", "('a', 1::DOUBLE)", "1 of 1 groups differ"},
		{"exact integers", "('a', 9007199254740993)", "('a', 9007199254740992)", "1 of 1 groups differ"},
		{"integer as decimal", "('a', 7)", "('a', 7::DECIMAL(38,0))", ""},
		{"decimal as float", "('a', 0.123457::DECIMAL(19,6))", "('a', 0.1234565001::DOUBLE)", ""},
		{"decimal not as float", "('a', 0.123458::DECIMAL(19,6))", "('a', 0.1234565001::DOUBLE)", "1 of 1 groups differ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			answerFile(t, dir, "duckdb", c.reference)
			answerFile(t, dir, "colagg", c.other)
			cmp, err := newComparison(t.Context(), q, dir, "duckdb")
			if err != nil {
				t.Fatal(err)
			}
			defer cmp.close()
			diff, err := cmp.with(t.Context(), "colagg")
			if err != nil {
				t.Fatal(err)
			}
			if (diff == "") != (c.want == "") || !strings.Contains(diff, c.want) {
				t.Errorf("got %q, want %q", diff, c.want)
			}
		})
	}
}

func TestReferenceKeysUnique(t *testing.T) {
	dir := t.TempDir()
	answerFile(t, dir, "duckdb", "('a', 1), ('a', 1)")
	if _, err := newComparison(t.Context(), ask("q", "d", "k", "sum:v"), dir, "duckdb"); err == nil {
		t.Error("a reference with a group twice was taken")
	}
}

// TestPCG compares with numpy 2's PCG64DXSM from the same state.
func TestPCG(t *testing.T) {
	p := &pcg{hi: 0x0123456789abcdef, lo: 0xfedcba9876543210}
	for i, want := range []uint64{0xa5c2f45958c644a2, 0xd0903e4c1d97f138, 0x41d5d04452fde70e} {
		if got := p.next(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
}

// TestZipf compares frequencies with the law.
func TestZipf(t *testing.T) {
	const n, draws = 1000, 400_000
	harmonic := 0.0
	for k := 1; k <= n; k++ {
		harmonic += 1 / float64(k)
	}
	count := make([]int, n+1)
	r, z := newPCG(1, 1), newZipf(n, 1)
	for range draws {
		count[z.draw(r)]++
	}
	for _, k := range []int{1, 2, 3, 10, 50} {
		want := draws / harmonic / float64(k)
		if got := float64(count[k]); got < 0.93*want || got > 1.07*want {
			t.Errorf("rank %d was drawn %.0f times, want about %.0f", k, got, want)
		}
	}
}

// TestShapes checks what the data sets promise about their groups.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		data   string
		rows   int64
		groups int
		top    float64 // share of the most frequent key
	}{
		{"uniform", 20000, 1000, 0.004}, {"heavy50", 20000, 1000, 0.5}, {"heavy95", 20000, 664, 0.95},
		{"80-20", 20000, 1000, 0.01}, {"zipf", 20000, 1000, 0.134}, {"groups5m", 5000, 5000, 0.0002}, {"wide", 3000, 592, 0.002},
	} {
		list, err := pick(datasets(), c.data, func(d dataset) string { return d.name })
		if err != nil {
			t.Fatal(err)
		}
		next, row, count := list[0].fill(c.rows), make([]int64, len(list[0].raw)), map[int64]int{}
		for i := range c.rows {
			next(i, row)
			count[row[0]]++
		}
		top := 0
		for _, n := range count {
			top = max(top, n)
		}
		if share := float64(top) / float64(c.rows); len(count) < c.groups*9/10 || len(count) > c.groups || share > c.top*1.2 || share < c.top*0.4 {
			t.Errorf("%s: %d groups, the largest with %.4f of the rows; want %d and %.4f", c.data, len(count), share, c.groups, c.top)
		}
	}
}

func TestPick(t *testing.T) {
	list := []string{"h2o-q1", "h2o-q10", "wide"}
	for names, want := range map[string]string{"": "h2o-q1 h2o-q10 wide", "wide,h2o-q1": "h2o-q1 wide", "h2o-*": "h2o-q1 h2o-q10"} {
		got, err := pick(list, names, func(s string) string { return s })
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("pick(%q) = %v, %v", names, got, err)
		}
	}
	if _, err := pick(list, "h2o", func(s string) string { return s }); err == nil {
		t.Error("an unknown name was taken")
	}
}
