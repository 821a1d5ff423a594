package main

import (
	"encoding/csv"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// tiny makes a measurement short.
var tiny = []string{"--rows", "4000", "--runs", "1", "--threads", "2"}

// series returns which lines an SVG document has, panel by panel, and fails if
// it is not well formed.
func series(t *testing.T, document string) (lines []string, panels int) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return lines, panels
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "g" {
			continue
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "data-line":
				lines = append(lines, a.Value)
			case a.Name.Local == "class" && a.Value == "panel":
				panels++
			}
		}
	}
}

func TestBench(t *testing.T) {
	strategies := colagg.Strategies()
	for name, c := range map[string]struct{ figures, points int }{
		"skew": {3, 8 + 8 + 8}, "scale": {2, 2 + 2}, "aggregates": {1, 7},
	} {
		dir := t.TempDir()
		csvPath, svgPath := filepath.Join(dir, name+".csv"), filepath.Join(dir, name+".svg")
		write(t, csvPath, "what was there") // is replaced
		stdout := must(t, append([]string{"bench", name, "-o", dir}, tiny...)...)
		if got := names(t, dir); got != name+".csv "+name+".svg" {
			t.Errorf("%s wrote %s", name, got)
		}
		if strings.Count(stdout, "million rows per second\n") != c.figures || !strings.HasSuffix(stdout, "┘\nwritten to "+csvPath+" and "+svgPath+"\n") {
			t.Errorf("%s", stdout)
		}
		rows, err := csv.NewReader(strings.NewReader(read(t, csvPath))).ReadAll()
		if err != nil || len(rows) != 1+c.points*len(strategies) || len(rows[0]) != 17 {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		for i, row := range rows[1:] {
			if row[2] != strategies[i%len(strategies)] || row[9] != "4000" || slices.Contains(row, "") || row[15] == "0.000" {
				t.Errorf("%s: row %d is %q", name, i+1, row)
			}
		}
		lines, panels := series(t, read(t, svgPath))
		if panels != 2*c.figures || !slices.Equal(lines, slices.Repeat(strategies, panels)) {
			t.Errorf("%s: %d panels with the lines %q", name, panels, lines)
		}
	}
}

func TestBenchStrategies(t *testing.T) {
	dir := t.TempDir()
	stdout := must(t, append([]string{"bench", "scale", "--output", dir, "--strategies", "shared, serial,shared"}, tiny...)...)
	if !strings.Contains(stdout, "│ workers │ shared │ serial │\n") {
		t.Error(stdout)
	}
	must(t, append([]string{"bench", "scale", "--output", dir, "--strategies", "shared"}, tiny...)...)
	if lines, panels := series(t, read(t, filepath.Join(dir, "scale.svg"))); panels != 2 || !slices.Equal(lines, []string{"shared", "shared"}) {
		t.Errorf("without serial: %d panels with the lines %q", panels, lines)
	}
}

// The same seed gives the same rows, another one others; and so do rows and
// groups.
func TestBenchRows(t *testing.T) {
	groups := func(args ...string) string {
		dir := t.TempDir()
		must(t, append([]string{"bench", "aggregates", "--runs", "1", "--strategies", "serial", "-o", dir}, args...)...)
		rows, err := csv.NewReader(strings.NewReader(read(t, filepath.Join(dir, "aggregates.csv")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows[1][10]
	}
	one := groups("--rows", "2_000", "--groups", "1000")
	if again := groups("--rows", "2000", "--groups", "1_000", "--seed", "1"); again != one {
		t.Errorf("%s groups and %s", one, again)
	}
	if other := groups("--rows", "2000", "--groups", "1000", "--seed", "2"); other == one {
		t.Errorf("%s groups with another seed too", one)
	}
	if n := groups("--rows", "1"); n != "1" {
		t.Errorf("%s groups of one row", n)
	}
	if n := groups("--rows", "2000"); n != "100" {
		t.Errorf("%s groups by default", n)
	}
}

func TestBenchErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"skew x", 2, "colagg bench skew takes no arguments"},
		{"skew --rows 0", 2, "--rows must be between 1 and 1000000000, not 0"},
		{"skew --rows 1_000_000_001", 2, "--rows must be between"},
		{"skew --rows 20M", 2, "--rows"},
		{"skew --groups 0", 2, "--groups must be between 1 and the number of rows"},
		{"skew --rows 10 --groups 11", 2, "which is 10; not 11"},
		{"skew --threads 0", 2, "--threads must be between 1 and 4096"},
		{"skew --threads 4097", 2, "--threads must be between 1 and 4096"},
		{"skew --runs 0", 2, "--runs must be between 1 and 1000"},
		{"skew --seed -1", 2, "--seed"},
		{"skew --strategies serial,best", 2, `there is no strategy "best"; the strategies are auto, `},
		{"skew --strategies=", 2, "--strategies has an empty value"},
		{"skew --strategies ,", 2, `there is no strategy ""`},
		{"skew --output=", 2, "--output has an empty value"},
		{"skew --progress loud", 2, `unknown value "loud" of --progress`},
		{"skew -o " + file, 2, "output " + file + " is no directory"},
		{"skew -o nothing", 2, "output nothing is no directory"},
		{"skew -o nothing/", 2, "output nothing/ is no directory"},
		{"scew", 2, `colagg bench has no command "scew"; did you mean 'skew'?`},
		{"figures", 2, `colagg bench has no command "figures"; there are skew, scale, aggregates`},
	} {
		status, stdout, stderr := newSandbox().run(append([]string{"bench"}, strings.Fields(c.args)...)...)
		if status != c.status || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s%s", c.args, status, stdout, stderr)
		}
	}
}

// A directory that takes no files is found before anything is measured.
func TestBenchReadOnly(t *testing.T) {
	dir, want := t.TempDir(), "permission denied"
	switch {
	case os.Geteuid() == 0 && runtime.GOOS == "linux":
		dir, want = "/proc", "no such file" // binds the superuser too
	case os.Geteuid() <= 0:
		t.Skip("no directory refuses files to this user here")
	default:
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	status, _, stderr := newSandbox().run("bench", "skew", "--rows", "100_000_000", "--runs", "1000", "-o", dir)
	if status != 1 || !strings.Contains(stderr, want) {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// A name in the way leaves neither file of the two behind.
func TestBenchInTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "scale.svg"), 0o700); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := newSandbox().run(append([]string{"bench", "scale", "-o", dir}, tiny...)...)
	if status != 1 || !strings.Contains(stderr, "scale.svg is a directory") || names(t, dir) != "scale.svg" {
		t.Errorf("status %d, %s; there is %s", status, stderr, names(t, dir))
	}
}

func TestBenchMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(16 << 30)) // as of a machine that has no more
	status, _, stderr := newSandbox().run("bench", "skew", "--rows", "1_000_000_000", "-o", t.TempDir())
	if status != 2 || !strings.Contains(stderr, "more than half of the memory") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestBenchProgress(t *testing.T) {
	s := newSandbox()
	status, _, stderr := s.run(append([]string{"bench", "scale", "--progress", "always", "-o", t.TempDir()}, tiny...)...)
	if status != 0 || !strings.Contains(stderr, "uniform ") || !strings.HasSuffix(stderr, "\r") || strings.Contains(stderr, "\x1b[3") {
		t.Errorf("status %d, %q", status, stderr)
	}
	s.stderrTerminal = true // over before the bar appears
	if _, _, stderr := s.run(append([]string{"bench", "scale", "-o", t.TempDir()}, tiny...)...); stderr != "" {
		t.Errorf("auto: %q", stderr)
	}
}

func TestBenchHelp(t *testing.T) {
	got := must(t, "bench")
	if got != must(t, "bench", "--help") || got != must(t, "help", "bench") {
		t.Error("three ways to help differ")
	}
	for _, want := range []string{"skew        Speed against the skew", "scale       Speed", "aggregates  Speed", "colagg bench scale --threads 16 -o figures"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	got = must(t, "bench", "skew", "--help")
	for _, want := range []string{"0, 2,\n5, 10, 20, 50, 75 and 95 %", "20\nmillion rows in a million groups: --rows 20_000_000", "--strategies LIST", `"auto,serial,`, "skew.csv and skew.svg", "--progress WHEN"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
