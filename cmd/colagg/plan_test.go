package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// TestPlanForms asks for plans in every form, on standard output and in files.
func TestPlanForms(t *testing.T) {
	begins := map[string]string{"text": "Plan, ", "json": "{\n  \"version\": 1,", "html": "<!DOCTYPE html>\n"}
	for _, flag := range []string{"--explain", "--analyze"} {
		query := []string{"query", data("trips.parquet"), "-g", "city", "-a", "sum(fare)"}
		if got := must(t, append(query, flag)...); !strings.HasPrefix(got, "Plan, ") {
			t.Errorf("%s: %s", flag, got)
		}
		for form, begin := range begins {
			if got := must(t, append(query, flag+"="+form)...); !strings.HasPrefix(got, begin) || !strings.Contains(got, "city") {
				t.Errorf("%s=%s: %s", flag, form, got)
			}
			for _, name := range []string{"plan." + form, "plan." + strings.ToUpper(form), "plan"} {
				path := filepath.Join(t.TempDir(), name)
				args := append(query, flag, "-o", path)
				if name == "plan" {
					args[len(args)-3] += "=" + form
				}
				if got := must(t, args...); got != "" {
					t.Errorf("%v: printed %s", args, got)
				}
				if got := read(t, path); !strings.HasPrefix(got, begin) {
					t.Errorf("%v: %s", args, got)
				}
				if got := names(t, filepath.Dir(path)); got != name {
					t.Errorf("%v left %s", args, got)
				}
			}
		}
	}
}

func TestPlanIsOfTheQuery(t *testing.T) {
	for flag, executed := range map[string]bool{"--explain=json": false, "--analyze=JSON": true} {
		var p colagg.Plan
		text := must(t, "query", data("trips.parquet"), "-g", "city", "--limit", "3", "--memory", "64MiB", "--threads", "1", flag)
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		out := p.Pipelines[1].Operators[0]
		if p.Executed != executed || p.Memory.Limit != 64<<20 || out.Detail != "no more than 3 rows" || executed != (out.RowsOut.Actual == 3) {
			t.Errorf("%s: %+v", flag, p)
		}
	}
}

// Failures leave no file, and look as they do without a plan.
func TestPlanErrors(t *testing.T) {
	trips, dir := data("trips.parquet"), t.TempDir()
	path := filepath.Join(dir, "plan.html")
	for _, c := range []wrongLine{
		{[]string{"query", trips, "--explain", "--analyze"}, 2, []string{"exclude each other"}},
		{[]string{"query", trips, "--explain=xml"}, 2, []string{`"xml"`, "text, json, html"}},
		{[]string{"query", trips, "--analyze="}, 2, []string{"--analyze has an empty value"}},
		{[]string{"query", trips, "--explain="}, 2, []string{"--explain has an empty value"}},
		{[]string{"query", trips, "--analyze", "html"}, 2, []string{"--analyze=html"}},
		{[]string{"query", trips, "--explain", "-f", "csv"}, 2, []string{"--format", "--explain=json"}},
		{[]string{"query", trips, "--explain", "-g", "citty", "-o", path}, 2, []string{"citty"}},
		{[]string{"query", data("overflow.parquet"), "--analyze", "-a", "sum(v)", "-o", path}, 1, []string{"sum(v)"}},
		{[]string{"query", trips, "--analyze", "-o", filepath.Join(dir, "nowhere", "x")}, 1, []string{"no such file"}},
	} {
		status, stdout, stderr := newSandbox().run(c.args...)
		if status != c.status || stdout != "" || strings.Count(stderr, "\n") != 1 && !pointed.MatchString(stderr) {
			t.Errorf("%v: status %d, output %q, %s", c.args, status, stdout, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%v: no %q in %s", c.args, want, stderr)
			}
		}
	}
	if got := names(t, dir); got != "" {
		t.Errorf("left %s", got)
	}
	// The plan does not replace an input.
	same := filepath.Join(dir, "trips.parquet")
	write(t, same, read(t, trips))
	before, _ := os.Stat(same)
	if status, _, stderr := newSandbox().run("query", same, "--explain", "-o", same); status != 2 || !strings.Contains(stderr, "is the input") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if after, err := os.Stat(same); err != nil || after.Size() != before.Size() {
		t.Errorf("the input has changed: %v", err)
	}
}

func TestPlanCompletion(t *testing.T) {
	for _, flag := range []string{"--explain=", "--analyze="} {
		_, stdout, _ := newSandbox().run("__completeNoDesc", "query", data("trips.parquet"), flag)
		if !strings.HasPrefix(stdout, "text\njson\nhtml\n:") {
			t.Errorf("%s: %s", flag, stdout)
		}
	}
}
