package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// memoryFolder has the data sets of `bench memory`, small.
func memoryFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := command(t.Context(), []string{"gen", "-dir", dir, "-scale", "0.001", "-only", "memory-*,wide"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMemoryCommand runs all cases small: every answer that colagg gives must be
// DuckDB's, and nothing may be left.
func TestMemoryCommand(t *testing.T) {
	dir := memoryFolder(t)
	before := fileNames(t, dir)
	for _, mode := range memoryModes {
		var out strings.Builder
		figures := filepath.Join(t.TempDir(), "m.json")
		err := command(t.Context(), []string{"memory", "-data", dir, "-mode", mode, "-budgets", "32MB,none", "-json", figures}, &out)
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		text, err := os.ReadFile(figures)
		if err != nil {
			t.Fatal(err)
		}
		var rep memoryReport
		if err := json.Unmarshal(text, &rep); err != nil {
			t.Fatal(err)
		}
		for _, c := range memoryCases() {
			if strings.Contains(c.sql, "array_agg") && !slices.Contains(colagg.Functions(), "array_agg") {
				continue
			}
			free := rep.find(c.name, "colagg", "none")
			if free == nil || free.Error != "" {
				t.Errorf("%s, %s: %v", mode, c.name, free)
				continue
			}
			if free.Rows == 0 || free.Peak < 1e6 || free.time() <= 0 || len(free.CPU) != 1 {
				t.Errorf("%s, %s: figures are missing: %+v", mode, c.name, free)
			}
		}
		if !rep.missing("duckdb-py") && (rep.Versions["duckdb-py"] == "" || rep.find("integers", "duckdb-py", "none").time() == 0) {
			t.Errorf("%s: nothing of DuckDB:\n%s", mode, out.String())
		}
	}
	if after := fileNames(t, dir); !slices.Equal(before, after) {
		t.Errorf("left: %v, were %v", after, before)
	}
}

func fileNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestMemoryWrongAnswer lets a program that gives the rows of another query
// stand for colagg.
func TestMemoryWrongAnswer(t *testing.T) {
	dir := memoryFolder(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	binary, err := buildColagg(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, only, edit, want string }{
		{"rows less", "distinct", `--offset 1`, "instead of"},
		{"another order", "order", `--order-by v`, "other rows"}, // named first, so it counts first
		{"it fails", "integers", `--max-temp x`, "--max-temp"},
	} {
		program := filepath.Join(t.TempDir(), "colagg")
		script := "#!" + sh + "\nq=$1; f=$2; shift 2\nexec '" + binary + "' $q \"$f\" " + c.edit + " \"$@\"\n"
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err := command(t.Context(), []string{"memory", "-data", dir, "-only", c.only, "-budgets", "1GB", "-engines", "colagg", "-colagg", program}, &out)
		if wrong := !strings.Contains(c.want, "--"); wrong != errors.Is(err, errMemory) || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v\n%s", c.name, err, out.String())
		}
	}
}

func TestFingerprint(t *testing.T) {
	of := func(columns, rows string) fingerprint {
		t.Helper()
		f, err := fingerprintOf(t.Context(), fingerprintSQL(strings.Split(columns, "|"), "(VALUES "+rows+") t(a, b)"))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	want := of("a|b", "(1, 'x'), (2, 'y'), (2, 'y')")
	if diff := of("a|b", "(2, 'y'), (1, 'x'), (2, 'y')").differs(want); diff != "" {
		t.Errorf("another order: %s", diff)
	}
	for _, rows := range []string{"(1, 'y'), (2, 'x'), (2, 'y')", "(1, 'x'), (1, 'x'), (2, 'y')", "(1, 'x'), (2, 'y'), (2, NULL)", "(1, 'x'), (2, 'y')"} {
		if of("a|b", rows).differs(want) == "" {
			t.Errorf("%s are not told apart", rows)
		}
	}
	if _, err := fingerprintOf(t.Context(), "SELECT nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a query that fails: %v", err)
	}
}

// TestMemoryUsage lets a process hold and write a known number of bytes.
func TestMemoryUsage(t *testing.T) {
	dir := t.TempDir()
	p := memoryPlan{threads: 1, timeout: 1e11}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	p.colagg = filepath.Join(dir, "program")
	script := `#!` + python + `
import sys, os
block = bytearray(300_000_000)
for i in range(0, len(block), 4096): block[i] = 1
open(os.path.join(sys.argv[sys.argv.index("--temp-dir") + 1], "waste"), "wb").write(block[:5_000_000])
open(sys.argv[sys.argv.index("-o") + 1], "wb").write(block[:3_000_000])
`
	if err := os.WriteFile(p.colagg, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	u, err := p.do(t.Context(), task{engine: "colagg", dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if u.peak >= 0 && (u.peak < 300_000_000 || u.peak > 400_000_000) {
		t.Errorf("peak %d of some 300 MB", u.peak)
	}
	if u.spilled >= 0 && (u.spilled < 5_000_000 || u.spilled > 5_100_000) {
		t.Errorf("spilled %d of 5 MB", u.spilled)
	}
	if u.seconds <= 0 || u.cpu <= 0 {
		t.Errorf("times %g and %g", u.seconds, u.cpu)
	}
	p.timeout = 1e6
	if _, err := p.do(t.Context(), task{engine: "colagg", dir: dir}); err == nil || !strings.Contains(err.Error(), "stopped after 1ms") {
		t.Errorf("a process that takes too long: %v", err)
	}
}

func TestMemoryReport(t *testing.T) {
	at := func(engine, budget string, bytes int64, seconds float64, peak int64) *memoryResult {
		return &memoryResult{Case: "c", Engine: engine, Budget: budget, Bytes: bytes, Seconds: []float64{seconds}, CPU: []float64{1}, Peak: peak, Spilled: -1}
	}
	r := &memoryReport{Mode: "graceful", Engines: []string{"colagg", "duckdb-py"}, Results: []*memoryResult{
		at("colagg", "none", 0, 2, 500e6), at("duckdb-py", "none", 0, 3, 500e6),
		at("colagg", "1/2", 100e6, 3, 148e6), at("duckdb-py", "1/2", 100e6, 3, 149e6), // exactly 1.5 times, and even
		at("colagg", "1/4", 50e6, 4.5, 98e6), at("duckdb-py", "1/4", 50e6, 4, 1), // more than twice, behind
		at("colagg", "1/10", 20e6, 6, 1), at("duckdb-py", "1/10", 20e6, 1, 1),
	}}
	r.Results[7].Error = "no memory left"
	var out strings.Builder
	r.print(&out)
	for _, want := range []string{
		"colagg: 3 of 3 answered; the peak is within the budget and 48 MB in 3 of 3\n",
		"duckdb-py: 2 of 3 answered; the peak is within the budget and 48 MB in 2 of 3\n  beyond: c 1/2 (49)\n",
		"colagg at 1/2: within 1.5 times the time in memory in 1 of 1\n",
		"colagg at 1/4: within 2 times the time in memory in 0 of 1\n",
		"duckdb-py at 1/2: within 1.5 times the time in memory in 1 of 1; colagg at or ahead of it in 1 of 1\n",
		"duckdb-py at 1/4: within 2 times the time in memory in 1 of 1; colagg at or ahead of it in 0 of 1\n",
		"duckdb-py at 1/10: within 3 times the time in memory in 0 of 1; colagg at or ahead of it in 1 of 1\n",
		"FAILED c, 1/10, duckdb-py: no memory left\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	r.Results[2].Differs = "other rows"
	if r.differing() != 1 || r.find("c", "colagg", "1/2").time() != 0 {
		t.Error("a wrong answer counts")
	}
}

func TestBudgets(t *testing.T) {
	got, err := parseBudgets("64MB, 2GiB,none")
	if err != nil || !slices.Equal(got, []budget{{"64MB", 64e6}, {"2GiB", 2 << 30}, inMemory}) {
		t.Errorf("%v %v", got, err)
	}
	for _, args := range []string{"-budgets 64", "-budgets 0MB", "-budgets 1.5GB", "-mode fast", "-runs 0", "-engines polars", "-only q1", "-mode graceful -engines duckdb-py"} {
		if _, _, err := parseMemory(strings.Fields(args)); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}
