package colagg

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// columnHint says which of the columns may have been meant by name.
func columnHint(name string, columns []string) string {
	near := nearest(name, columns)
	switch {
	case len(columns) == 0:
		return "there are no columns"
	case len(columns) == 1:
		return "the only column is " + columns[0]
	case len(near) > 0:
		return fmt.Sprintf("nearest of the %d columns: %s", len(columns), strings.Join(near, ", "))
	case len(columns) <= maxListed:
		return fmt.Sprintf("the %d columns are %s", len(columns), listNames(columns))
	}
	return fmt.Sprintf("the %d columns are %s; Engine.Describe lists them", len(columns), listNames(columns))
}

// maxNearest is how many similar names a message offers.
const maxNearest = 3

// nearest returns the names most like name, best first: within a third of its
// length in edits, or beginning with it, or containing it.
func nearest(name string, names []string) []string {
	type scored struct {
		name  string
		score int
	}
	var found []scored
	want := foldPlain(name)
	allowed := max(1, (len([]rune(want))+2)/3)
	for _, n := range names {
		have := foldPlain(n)
		d := editDistance(want, have, allowed)
		switch {
		case d <= allowed:
		case len(want) >= 2 && strings.HasPrefix(have, want), len(have) >= 2 && strings.HasPrefix(want, have):
			d = allowed + 1
		case len(want) >= 3 && strings.Contains(have, want):
			d = allowed + 2
		default:
			continue
		}
		found = append(found, scored{n, d})
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	out := make([]string, 0, maxNearest)
	for _, s := range found[:min(maxNearest, len(found))] {
		out = append(out, s.name)
	}
	return out
}

// foldPlain removes what is easily mistaken: case, spaces, quotes and
// underscores.
func foldPlain(s string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "", `"`, "").Replace(strings.ToLower(s))
}

// editDistance counts the insertions, deletions and replacements of runes
// between a and b (Levenshtein's distance); above limit it may stop early with
// any larger number.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return limit + 1
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			d := diagonal
			if r != s {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(y)]
}
