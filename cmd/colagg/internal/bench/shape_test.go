package bench

import (
	"math"
	"slices"
	"testing"
)

const (
	testRows   = 200_000
	testGroups = 1000
)

// counts returns how many rows each group has.
func counts(t *testing.T, s Shape, groups, rows int64) []int64 {
	t.Helper()
	next := s.groups(groups, rows, newSource(7, groupStream))
	n := make([]int64, groups)
	for row := range rows {
		g := next(row)
		if g < 0 || g >= groups {
			t.Fatalf("%s: row %d is in group %d of %d", s.Name, row, g, groups)
		}
		n[g]++
	}
	return n
}

func sum(n []int64) (total float64) {
	for _, v := range n {
		total += float64(v)
	}
	return total
}

// chi2 is Pearson's statistic of counts against weights, divided by the degrees
// of freedom: close to 1 if the counts are drawn with these weights.
func chi2(n []int64, weight func(i int) float64) float64 {
	var all float64
	for i := range n {
		all += weight(i)
	}
	rows, total := sum(n), 0.0
	for i, v := range n {
		want := rows * weight(i) / all
		total += (float64(v) - want) * (float64(v) - want) / want
	}
	return total / float64(len(n)-1)
}

// fits allows six standard deviations of the statistic.
func fits(t *testing.T, name string, n []int64, weight func(i int) float64) {
	t.Helper()
	if x, slack := chi2(n, weight), 6*math.Sqrt(2/float64(len(n)-1)); math.Abs(x-1) > slack {
		t.Errorf("%s: chi2 per degree is %.3f, not within %.3f of 1", name, x, slack)
	}
}

func equal(int) float64 { return 1 }

func TestUniform(t *testing.T) {
	fits(t, "uniform", counts(t, Uniform(), testGroups, testRows), equal)
}

func TestHeavyHitter(t *testing.T) {
	for _, percent := range shares() {
		n := counts(t, Heavy(percent), testGroups, testRows)
		want := max(percent/100, 1.0/testGroups)
		slack := 6 * math.Sqrt(want*(1-want)/testRows)
		if got := float64(n[0]) / testRows; math.Abs(got-want) > slack {
			t.Errorf("%g %%: the group has %.4f of the rows", percent, got)
		}
		fits(t, Heavy(percent).Name, n[1:], equal)
	}
}

func TestEightyTwenty(t *testing.T) {
	n := counts(t, EightyTwenty(), testGroups, testRows)
	if got := sum(n[:testGroups/5]) / testRows; math.Abs(got-0.8) > 6*math.Sqrt(0.16/testRows) {
		t.Errorf("the fifth has %.4f of the rows", got)
	}
	fits(t, "the fifth", n[:testGroups/5], equal)
	fits(t, "the others", n[testGroups/5:], equal)
}

func TestZipf(t *testing.T) {
	for _, exponent := range []float64{0.5, 1, 1.5} {
		// Few groups, so that each is expected to have enough rows.
		n := counts(t, Zipf(exponent), 100, testRows)
		fits(t, Zipf(exponent).Name, n, func(i int) float64 { return math.Pow(float64(i+1), -exponent) })
	}
}

func TestSorted(t *testing.T) {
	next := Sorted().groups(testGroups, testRows, newSource(1, groupStream))
	var last int64
	for row := range int64(testRows) {
		g := next(row)
		if g < last || g > last+1 {
			t.Fatalf("row %d: group %d after %d", row, g, last)
		}
		last = g
	}
	n := counts(t, Sorted(), testGroups, testRows)
	if lo, hi := slices.Min(n), slices.Max(n); lo < testRows/testGroups-1 || hi > testRows/testGroups+1 {
		t.Errorf("groups have %d to %d rows", lo, hi)
	}
}

// In waves a stretch of rows sees few groups, and all see all of them.
func TestWaves(t *testing.T) {
	next := Waves().groups(testGroups, testRows, newSource(1, groupStream))
	var row int64
	for range waves * 10 {
		seen := map[int64]bool{}
		for range testRows / waves / 10 {
			seen[next(row)] = true
			row++
		}
		if most := testGroups/10 + testGroups/wavesWindow + 1; len(seen) > most {
			t.Errorf("a tenth of a wave has %d groups, more than %d", len(seen), most)
		}
	}
	n := counts(t, Waves(), testGroups, testRows)
	if slices.Min(n) == 0 {
		t.Error("there are groups without rows")
	}
	if half := sum(n[:testGroups/2]) / testRows; math.Abs(half-0.5) > 0.02 {
		t.Errorf("one half of the groups has %.3f of the rows", half)
	}
}

// All shapes work with the fewest groups and rows, and give the same for the
// same seed only.
func TestShapes(t *testing.T) {
	var all []Shape
	for _, p := range shapes(Options{}, "", "", Fixed).Points {
		all = append(all, p.Shape)
	}
	for _, s := range append(all, Heavy(0), Heavy(95)) {
		for _, c := range [][2]int64{{1, 1}, {1, 10}, {2, 3}, {3, 3}, {5, 100}, {64, 64}} {
			counts(t, s, c[0], c[1])
		}
		draw := func(seed uint64) (out []int64) {
			next := s.groups(500, 100, newSource(seed, groupStream))
			for row := range int64(100) {
				out = append(out, next(row))
			}
			return out
		}
		if !slices.Equal(draw(1), draw(1)) {
			t.Errorf("%s differs from run to run", s.Name)
		}
		if s.Name != "sorted" && slices.Equal(draw(1), draw(2)) {
			t.Errorf("%s does not depend on the seed", s.Name)
		}
	}
}
