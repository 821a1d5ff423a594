package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

func TestFindProgram(t *testing.T) {
	psql := "psql"
	if runtime.GOOS == "windows" {
		psql = "psql.exe"
	}
	dir := t.TempDir()
	t.Setenv("PATH", filepath.Join(dir, "nothing"))
	for _, version := range []string{"9", "15", "14"} {
		bin := filepath.Join(dir, "postgresql", version, "bin")
		if err := os.MkdirAll(bin, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, psql), nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	patterns := []string{filepath.Join(dir, "postgresql", "*", "bin")}
	if path, err := findProgram(psql, "", patterns); err != nil || path != filepath.Join(dir, "postgresql", "15", "bin", psql) {
		t.Errorf("found %q, %v", path, err)
	}
	nine := filepath.Join(dir, "postgresql", "9", "bin")
	if path, err := findProgram(psql, nine, patterns); err != nil || path != filepath.Join(nine, psql) {
		t.Errorf("found %q, %v", path, err)
	}
	if _, err := findProgram("initdb", "", patterns); !errors.Is(err, errNoPostgres) || !strings.Contains(err.Error(), "initdb") {
		t.Errorf("a missing program gives %v", err)
	}
}

const explained = `[{"Plan": {"Node Type": "Aggregate", "Strategy": "Hashed", "Partial Mode": "Finalize", "Actual Rows": 592.00, "Peak Memory Usage": 400,
	"Plans": [{"Node Type": "Gather", "Workers Launched": 2, "Actual Rows": 1500, "Plans": [{"Node Type": "Aggregate", "Strategy": "Hashed",
	"Partial Mode": "Partial", "Peak Memory Usage": 300, "Disk Usage": 20, "Plans": [{"Node Type": "Seq Scan", "Sort Space Used": 5, "Sort Space Type": "Disk", "Actual Rows": 1000, "Actual Loops": 3}]}]}]},
	"Planning Time": 0.5, "Execution Time": 25.25}]`

func TestExplained(t *testing.T) {
	e, err := parseExplained(explained)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Plan.String(), "Finalize HashAggregate, Gather (2 workers), Partial HashAggregate, Seq Scan"; got != want {
		t.Errorf("the plan is %q, want %q", got, want)
	}
	memory, disk := e.Plan.space()
	if memory != 700<<10 || disk != 25<<10 || e.Execution != 25.25 || e.Planning != 0.5 || e.Plan.Rows != 592 || !e.Plan.partial() {
		t.Errorf("memory %d, disk %d, %+v", memory, disk, e)
	}
	if e.Plan.Below[0].Below[0].Below[0].partial() {
		t.Error("a scan counts as partial aggregation")
	}
	for _, text := range []string{"", "[]", "[{}]", "QUERY PLAN"} {
		if _, err := parseExplained(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestPostgresReport(t *testing.T) {
	r := &pgReport{Lines: []*pgRow{{System: "PostgreSQL", Setting: "serial", Seconds: []float64{4, 2, 3}, Plan: "HashAggregate, Seq Scan", Memory: 5e6},
		{System: "colagg", Setting: "auto", Seconds: []float64{0.5, 1.5}}}, Differs: []string{"shared: 1 of 2 groups differ"}}
	var out strings.Builder
	r.print(&out)
	for _, want := range []string{"PostgreSQL  serial             3000  3.00        5          0        HashAggregate, Seq Scan", "colagg      auto               1000  1.00", "DIFFERS shared: 1 of 2"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// TestPostgresMissing wants a clear error where there is no server.
func TestPostgresMissing(t *testing.T) {
	dir := t.TempDir()
	err := command(t.Context(), []string{"postgres", "-data", dir}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "gen -only wide") {
		t.Errorf("without data: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wide.parquet"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := command(t.Context(), []string{"postgres", "-data", dir, "-bin", dir}, io.Discard); !errors.Is(err, errNoPostgres) {
		t.Errorf("without a server: %v", err)
	}
}

// TestPostgresCommand loads a small table into a temporary server; the answers
// must be the same.
func TestPostgresCommand(t *testing.T) {
	if _, err := findProgram("initdb", "", pgFolders); err != nil {
		t.Skip("PostgreSQL is not installed")
	}
	dir, temp := t.TempDir(), t.TempDir()
	if err := command(t.Context(), []string{"gen", "-dir", dir, "-only", "wide", "-scale", "0.001"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	// The server's user must be able to enter the folder.
	for d := temp; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "p.json")
	var out strings.Builder
	err := command(t.Context(), []string{"postgres", "-data", dir, "-temp", temp, "-runs", "1", "-workers", "1", "-work-mem", "64MB", "-shared-buffers", "32MB", "-json", file}, &out)
	if err != nil {
		t.Fatal(err, out.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var back pgReport
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if want := 3 + len(colagg.Strategies()); len(back.Lines) != want || back.Rows != 3000 || back.Groups != 592 || len(back.Differs) != 0 {
		t.Fatalf("%d lines, want %d; %d rows, %d groups, %v", len(back.Lines), want, back.Rows, back.Groups, back.Differs)
	}
	if plan := back.Lines[0].Plan; plan != "HashAggregate, Seq Scan" {
		t.Errorf("the serial plan is %s", plan)
	}
	if plan := back.Lines[1].Plan; plan != "Finalize HashAggregate, Gather (1 worker), Partial HashAggregate, Seq Scan" {
		t.Errorf("the parallel plan is %s", plan)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
