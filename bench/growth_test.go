package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// made returns a model with known parameters.
func made() fit {
	return fit{Strategy: "shared", Start1: 50e-6, Start2: 80e-6, Scan: 1e-9, Create: 40e-9, Merge: 25e-9, Output: 6e-9, At: []fitGroups{
		{Groups: 1000, Serial: 0.5e-3, Work: 4e-9, Extra: 1e-9}, {Groups: 100_000, Work: 10e-9, Extra: 2e-9}, {Groups: 1_000_000, Work: 30e-9},
	}}
}

// TestModelRecovers fits times that the model itself gives and wants its
// parameters and its times back.
func TestModelRecovers(t *testing.T) {
	const fewer, more = 400_000, 4_000_000
	want := made()
	var ps points
	var groups []int64
	for i, at := range want.At {
		groups = append(groups, at.Groups)
		for _, rows := range []int64{fewer, more} {
			for w := 1; w <= 2; w++ {
				s, most := want.predict(i, rows, w)
				if s != most {
					t.Fatalf("with %d workers there are two times, %g and %g", w, s, most)
				}
				ps = append(ps, measurement{rows, at.Groups, w, s, want.Output * held(float64(rows), at.Groups)})
			}
		}
	}
	got, err := fitModel(fit{Strategy: "shared", Start1: want.Start1, Start2: want.Start2, Scan: want.Scan}, ps, fewer, more, groups)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6*math.Abs(want)+1e-15 {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("create", got.Create, want.Create)
	near("merge", got.Merge, want.Merge)
	near("output", got.Output, want.Output)
	for i, at := range want.At {
		near("serial", got.At[i].Serial, at.Serial)
		near("work", got.At[i].Work, at.Work)
		near("extra", got.At[i].Extra, at.Extra)
	}
	if _, err := fitModel(fit{}, ps[1:], fewer, more, groups); err == nil {
		t.Error("a model came out of too few measurements")
	}
}

func TestModelPredicts(t *testing.T) {
	f := made()
	// 1,000 groups: every worker sees all of them.
	least, most := f.predict(0, 4_000_000, 4)
	base := 50e-6 + 3*30e-6 + 0.5e-3 + 4e6*5e-9/4 + 65e-9*1000 + 6e-9*1000
	if math.Abs(least-(base+4e6*1e-9*1.5)) > 1e-12 || math.Abs(most-(base+4e6*1e-9*3)) > 1e-12 {
		t.Errorf("4 workers take %g to %g", least, most)
	}
	least, most = f.processor(0, 4_000_000, 4)
	base = 50e-6 + 3*30e-6 + 0.5e-3 + 4e6*5e-9 + 4*65e-9*1000 + 6e-9*1000
	if math.Abs(least-base) > 1e-12 || math.Abs(most-(base+2*4e6*1e-9)) > 1e-12 {
		t.Errorf("4 workers use %g to %g", least, most)
	}
}

func TestHeldAndSolve(t *testing.T) {
	if d := held(10, 10); math.Abs(d-10*(1-math.Pow(0.9, 10))) > 1e-12 {
		t.Errorf("10 rows meet %g of 10 groups", d)
	}
	if d := held(1e9, 1000); math.Abs(d-1000) > 1e-9 {
		t.Errorf("a billion rows meet %g of 1000 groups", d)
	}
	for _, c := range []struct{ xa, ya, la, xb, yb, lb, x, y float64 }{
		{1, 1, 5, 10, 1, 23, 2, 3},
		{1, 1, 1, 10, 1, 20, 2, 0}, // y would be -1.1
		{1, 1, 9, 10, 3, 9, 0, 3},  // x would be negative
		{1, 1, 5, 2, 2, 8, 4, 0},   // no single solution
	} {
		if x, y := solve(equation{c.xa, c.ya, c.la}, equation{c.xb, c.yb, c.lb}); x != c.x || y != c.y {
			t.Errorf("%+v: got %g and %g", c, x, y)
		}
	}
	if a := anchorGroups([]int64{1000, 100_000, 1_000_000}, 400_000); a != 100_000 {
		t.Errorf("the anchor is %d", a)
	}
}

func TestGrowthReport(t *testing.T) {
	r := &growthReport{Rows: []int64{100, 1000}, Groups: []int64{10, 100}, Strategies: []string{"shared"}}
	for _, p := range []point{{Rows: 100, Groups: 10, Workers: 2, Time: 1}, {Rows: 1000, Groups: 10, Workers: 2, Time: 5},
		{Rows: 100, Groups: 100, Workers: 2, Time: 2}, {Rows: 1000, Groups: 100, Workers: 2, Time: 8}, {Rows: 1000, Groups: 100, Workers: 1, Time: 12}} {
		p.Strategy = "shared"
		r.Points = append(r.Points, &p)
	}
	var out strings.Builder
	r.print(&out)
	for _, want := range []string{"shared        5.00         4.00       1.60", "12000  8000  1.50x"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// TestGrowthCommand runs it small, from the command line to the file.
func TestGrowthCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.json")
	var out strings.Builder
	if err := command(t.Context(), strings.Fields("growth -rows 20000 -groups 10,100 -runs 1 -check 3 -json "+file), &out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var back growthReport
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if n := len(back.Strategies); len(back.Points) != 8*n || len(back.Checks) != n || len(back.Fits) == 0 ||
		len(back.Predictions) != len(back.Fits)*2*len(modelWorkers) {
		t.Errorf("%d points, %d checks, %d fits, %d predictions of %d strategies", len(back.Points), len(back.Checks), len(back.Fits), len(back.Predictions), n)
	}
	for _, f := range back.Fits {
		if f.Strategy == "auto" || f.Strategy == "serial" {
			t.Errorf("%s has a model", f.Strategy)
		}
	}
	for _, args := range []string{"-rows 10", "-groups 5", "-keys none", "-check 1", "-strategies none"} {
		if err := command(t.Context(), append([]string{"growth"}, strings.Fields(args)...), io.Discard); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}
