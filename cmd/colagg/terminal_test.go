package main

import (
	"strings"
	"testing"
	"time"
)

func TestTerminal(t *testing.T) {
	s := newSandbox()
	s.stdoutTerminal = true
	_, stdout, _ := s.run("query", data("trips.parquet"), "-a", "count(*) as n, max(city) as city")
	if want := "┌──────┬───────┐\n│    n │ city  │\n├──────┼───────┤\n│ 5000 │ Turin │\n└──────┴───────┘\n"; stdout != want {
		t.Errorf("%s", stdout)
	}
	_, stdout, _ = s.run("query", data("trips.parquet"), "-g", "id")
	if !strings.HasSuffix(stdout, "\n5,000 rows (40 shown)\n") || strings.Count(stdout, "\n") != 40+1+4+1 {
		t.Errorf("%s", stdout)
	}
	for _, format := range []string{"parquet", "arrow"} {
		status, stdout, stderr := s.run("query", data("trips.parquet"), "-f", format)
		if status != 2 || stdout != "" || !strings.Contains(stderr, "-o") {
			t.Errorf("%s on a terminal: status %d, %s", format, status, stderr)
		}
	}
	if status, stdout, _ := s.run("query", data("trips.parquet"), "-f", "csv"); status != 0 || stdout != "count(*)\n5000\n" {
		t.Errorf("csv on a terminal: %d, %s", status, stdout)
	}
}

func TestTerminalColors(t *testing.T) {
	for _, c := range []struct {
		env, value string
		terminal   bool
		colors     bool
	}{
		{"TERM", "xterm", true, true}, {"TERM", "dumb", true, false}, {"NO_COLOR", "1", true, false}, {"TERM", "xterm", false, false},
	} {
		s := newSandbox()
		s.stdoutTerminal = c.terminal
		s.getenv = func(name string) string { return map[string]string{c.env: c.value}[name] }
		_, stdout, _ := s.run("query", data("trips.parquet"), "-g", "city", "-f", "table")
		if strings.Contains(stdout, "\x1b[") != c.colors || !strings.Contains(stdout, "NULL") {
			t.Errorf("%+v: %q", c, stdout)
		}
	}
}

// A terminal of any width, of none too, and no terminal at all.
func TestTerminalWidths(t *testing.T) {
	for _, columns := range []int{0, 1, 20, 80, 10000} {
		s := newSandbox()
		s.stdoutTerminal, s.columns = true, columns
		if status, stdout, stderr := s.run("query", data("trips.parquet"), "-g", "city,vendor,day"); status != 0 || stdout == "" || stderr != "" {
			t.Errorf("%d columns: status %d, %s", columns, status, stderr)
		}
		if status, stdout, stderr := s.run("schema", data("trips.parquet")); status != 0 || stdout == "" || stderr != "" {
			t.Errorf("schema in %d columns: status %d, %s", columns, status, stderr)
		}
	}
}

func TestProgress(t *testing.T) {
	query := []string{"query", data("trips.parquet"), "-g", "city", "-a", "sum(fare)"}
	s := newSandbox()
	plain, stdout, stderr := s.run(query...)
	if plain != 0 || stderr != "" {
		t.Errorf("no terminal: %q", stderr)
	}
	_, with, stderr := s.run(append(query, "--progress", "always")...)
	if !strings.Contains(stderr, "reading") || !strings.HasSuffix(stderr, "\r") {
		t.Errorf("always: %q", stderr)
	}
	if with != stdout {
		t.Errorf("the bar has changed the output: %q", with)
	}
	s.stderrTerminal = true
	for _, mode := range []string{"auto", "never"} { // auto: over before the bar appears
		if _, _, stderr := s.run(append(query, "--progress", mode)...); stderr != "" {
			t.Errorf("%s: %q", mode, stderr)
		}
	}
}

func TestProgressAppears(t *testing.T) {
	s := newSandbox()
	s.stderrTerminal = true
	p, err := newProgress(&s.environ, progressAuto)
	if err != nil || p == nil {
		t.Fatal(p, err)
	}
	p.report(1<<20, 4<<20)
	if s.err.Len() > 0 {
		t.Errorf("at once: %q", s.err.String())
	}
	p.appear = time.Now()
	p.report(2<<20, 4<<20)
	if got := s.err.String(); !strings.Contains(got, "reading  50%") {
		t.Errorf("later: %q", got)
	}
	p.report(4<<20, 4<<20)
	p.report(5<<20, 4<<20)
	p.stop()
	n := s.err.Len()
	if got := s.err.String(); !strings.HasSuffix(got, " \r") {
		t.Errorf("not cleared: %q", got)
	}
	p.report(3<<20, 4<<20)
	p.stop()
	if s.err.Len() != n {
		t.Errorf("drawn after its end: %q", s.err.String()[n:])
	}
	s.getenv = func(string) string { return "dumb" }
	if p, err := newProgress(&s.environ, progressAuto); p != nil || err != nil {
		t.Errorf("a bar on a dumb terminal: %v", err)
	}
}
