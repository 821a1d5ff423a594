package hashagg

import (
	"cmp"
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// measured is a line of testdata/costs.csv.
type measured struct {
	facts
	what     string
	strategy Strategy
	ms       float64
	mib      float64
}

func measurements(t *testing.T) (out []measured) {
	t.Helper()
	file, err := os.Open("testdata/costs.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) float64 {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, l := range lines[1:] {
		m := measured{what: strings.Join(l[:3], " "), strategy: Strategy(l[3]), ms: number(l[6]), mib: number(l[8])}
		calls, function, _ := strings.Cut(l[2], "x")
		m.facts = facts{rows: int64(number(l[5])), workers: int(number(l[4])), calls: int(number(calls)), form: l[0], fixed: 2, free: 1 << 40,
			front: frontGroups, striped: stripedTickets, many: manyWorkers, slotRows: slotRows}
		m.groups = int64(held(float64(m.rows), number(l[1])))
		m.words, m.atomic = m.calls, l[0] != "array" && function != "min"
		switch {
		case function == "min":
			m.textStates, m.words, m.texts, m.fixed = m.calls, textWords*m.calls, 1, 1
		case function == "count":
			m.fixed = 1
		}
		switch l[0] {
		case "bytes":
			m.keyBytes, m.keyTexts = 12, 1
		case "long":
			m.form, m.keyBytes, m.keyTexts = formBytes, 49, 1
		}
		if m.keyTexts > 0 {
			m.fixed--
		}
		out = append(out, m)
	}
	return out
}

// TestCosts holds estimates to measurements, and what would be chosen by them to
// the best that was measured of the same input.
func TestCosts(t *testing.T) {
	type cell struct{ best, chosen float64 }
	cells, lines := map[string]*cell{}, 0
	for _, m := range measurements(t) {
		lines++
		c := cells[m.what]
		if c == nil {
			c = &cell{best: math.Inf(1)}
			cells[m.what] = c
		}
		c.best = min(c.best, m.ms)
		pick, _ := choose(m.facts)
		if to, _ := rechoose(m.facts); to == inPartitions {
			pick = PartitionRows // the first batch makes it go over
		}
		if pick == m.strategy {
			c.chosen = m.ms
		}
		i := slices.IndexFunc(m.estimate(), func(c Cost) bool { return c.Strategy == m.strategy })
		got := m.estimate()[i]
		if r := got.Time.Seconds() * 1e3 / m.ms; r < 0.55 || r > 1.7 {
			t.Errorf("%s, %s: %v predicted, %.1f ms measured", m.what, m.strategy, got.Time, m.ms)
		}
		if r := float64(got.Memory) / (m.mib * (1 << 20)); m.mib >= 16 && (r < 0.5 || r > 1.4) || r > 5 {
			t.Errorf("%s, %s: %d MiB predicted, %.0f measured", m.what, m.strategy, got.Memory>>20, m.mib)
		}
	}
	far := 0
	for what, c := range cells {
		r := c.chosen / c.best
		if r == 0 || r > 1.2 {
			t.Errorf("%s: %.1f ms chosen, %.1f are the best", what, c.chosen, c.best)
		}
		if r > 1.1 {
			far++
		}
	}
	if lines < 150 || 5*far > len(cells) {
		t.Errorf("of %d measurements, %d of %d choices are not within 1.10 times the best", lines, far, len(cells))
	}
}

// TestCostsGrow holds estimates to what must be so whatever the constants: more
// rows, groups and words never take less time, more workers never more work than
// there is, and everything that a budget refuses does not fit.
func TestCostsGrow(t *testing.T) {
	for _, form := range []string{formArray, formPacked, formBytes} {
		for rows := int64(1000); rows < 1e10; rows *= 7 {
			for groups := int64(1); groups <= rows; groups *= 11 {
				for _, workers := range []int{1, 2, 15, 64} {
					f := facts{rows: rows, groups: groups, workers: workers, calls: 2, words: 2, fixed: 2, form: form, keyBytes: 20,
						front: frontGroups, striped: stripedTickets, many: manyWorkers}
					more, wider := f, f
					more.rows *= 2
					wider.words *= 2
					for i, c := range f.estimate() {
						if c.Time <= 0 || c.Memory <= 0 || c.Fits {
							t.Fatalf("%+v: %+v", f, c)
						}
						if m := more.estimate()[i]; m.Time < c.Time {
							t.Errorf("%+v: %s takes %v, with twice the rows %v", f, c.Strategy, c.Time, m.Time)
						}
						if w := wider.estimate()[i]; w.Time < c.Time || w.Memory < c.Memory {
							t.Errorf("%+v: %s %+v, with twice the words %+v", f, c.Strategy, c, w)
						}
					}
				}
			}
		}
	}
}

// TestChooseWithinTheBudget has a budget that only the smallest fits, and one
// that none does.
func TestChooseWithinTheBudget(t *testing.T) {
	f := facts{rows: 50e6, groups: 3e6, workers: 8, calls: 8, words: 20, fixed: 9, form: formBytes, keyBytes: 30, keyTexts: 1,
		front: frontGroups, striped: stripedTickets, many: manyWorkers}
	costs := f.estimate()
	least := slices.MinFunc(costs, func(a, b Cost) int { return cmp.Compare(a.Memory, b.Memory) })
	for _, free := range []int64{0, least.Memory - 1, least.Memory} {
		f.free = free
		if got, reason := choose(f); got != least.Strategy {
			t.Errorf("of %d bytes: %s because %q, want %s", free, got, reason, least.Strategy)
		}
	}
}
