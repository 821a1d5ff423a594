package main

import (
	"strings"
	"testing"
)

// TestDiffer asks a few hundred generated statements; each difference must be
// explained.
func TestDiffer(t *testing.T) {
	var out strings.Builder
	c := campaign{out: &out, seed: 1, end: 300, counts: map[string]int{}}
	if err := c.run(t.Context()); err != nil || c.bad > 0 {
		t.Fatalf("%d differences, %v\n%s", c.bad, err, out.String())
	}
	if same := c.counts["same"]; same < c.done/3 {
		t.Errorf("only %d answers with rows are the same\n%s", same, out.String())
	}
}

// TestDiffersSees compares answers that differ.
func TestDiffersSees(t *testing.T) {
	number := func(f float64) datum { return floatCell(f) }
	rows := func(rows ...[]datum) response { return response{rows: rows} }
	for name, c := range map[string]struct {
		a, b             response
		inexact, ordered bool
		same             bool
	}{
		"order":            {rows([]datum{textCell("a")}, []datum{textCell("b")}), rows([]datum{textCell("b")}, []datum{textCell("a")}), false, true, false},
		"multiset":         {rows([]datum{textCell("a")}, []datum{textCell("b")}), rows([]datum{textCell("b")}, []datum{textCell("a")}), false, false, true},
		"a row more":       {rows([]datum{textCell("a")}), rows([]datum{textCell("a")}, []datum{textCell("a")}), false, false, false},
		"last digit":       {rows([]datum{number(0.1)}), rows([]datum{number(0.1 + 1e-12)}), false, false, false},
		"last digit, free": {rows([]datum{number(0.1)}), rows([]datum{number(0.1 + 1e-12)}), true, false, true},
		"text and number":  {rows([]datum{textCell("1")}), rows([]datum{fromDuck(int32(1), "")}), false, false, false},
		"NULL":             {rows([]datum{fromDuck(nil, "")}), rows([]datum{number(0)}), true, false, false},
	} {
		if diff := differs(c.a, c.b, []bool{c.inexact}, c.ordered); (diff == "") != c.same {
			t.Errorf("%s: %q", name, diff)
		}
	}
}
