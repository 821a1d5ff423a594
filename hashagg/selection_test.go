package hashagg

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSelection selects in slices of shapes that quickselect dislikes, and
// compares with sorting.
func TestSelection(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 11, 12, 13, 100, 3001} {
		for shape, value := range map[string]func(i int) uint64{
			"random":     func(int) uint64 { return r.Uint64() },
			"few":        func(int) uint64 { return uint64(r.IntN(3)) },
			"same":       func(int) uint64 { return 7 },
			"rising":     func(i int) uint64 { return uint64(i) },
			"falling":    func(i int) uint64 { return uint64(-i) },
			"organ pipe": func(i int) uint64 { return uint64(min(i, n-i)) },
			"saw":        func(i int) uint64 { return uint64(i % 10) },
			"one out":    func(i int) uint64 { return uint64(max(0, i-n+2)) },
		} {
			words, rows := make([]uint64, n), make([]headedRow, n)
			for i := range words {
				words[i] = value(i)
				rows[i] = headedRow{words[i], uint32(i)}
			}
			sorted := slices.Sorted(slices.Values(words))
			for _, k := range []int{0, n / 3, n / 2, n - 1} {
				s, h := slices.Clone(words), slices.Clone(rows)
				selectWord(s, k)
				selectRow(h, k, func(x, y headedRow) int { return cmp.Compare(x.head, y.head) })
				for i := range s {
					if s[k] != sorted[k] || h[k].head != sorted[k] || (s[i] > s[k]) && i < k || (s[i] < s[k]) && i > k || (h[i].head > h[k].head) && i < k || (h[i].head < h[k].head) && i > k {
						t.Fatalf("%d values, %s: number %d is %d and %d, not %d", n, shape, k, s[k], h[k].head, sorted[k])
					}
				}
				slices.Sort(s)
				if !slices.Equal(s, sorted) {
					t.Fatalf("%d values, %s: values are lost", n, shape)
				}
			}
		}
	}
}

func TestFractions(t *testing.T) {
	for text, want := range map[string]fraction{
		"0": {0, 1}, "0.0": {0, 1}, "-0": {0, 1}, "1": {1, 1}, "1.00": {1, 1}, "0.5": {5, 10}, ".5": {5, 10}, "00.250": {25, 100},
		"0.000000000000000001": {1, 1e18}, "0.999999999999999999": {999999999999999999, 1e18},
		"5e-1": {5e17, 1e18}, "1e-400": {0, 1e18}, "0.33333333333333333333": {333333333333333312, 1e18},
	} {
		got, err := fractionOf("f", Modifiers{Constants: []Constant{{NumberConstant, text}}})
		if err != nil || got != want {
			t.Errorf("%s is %v, error %v, not %v", text, got, err, want)
		}
	}
	for _, c := range []struct {
		part       fraction
		n          int
		disc, cont string
	}{
		{fraction{5, 10}, 1, "0", "0 0"},
		{fraction{5, 10}, 4, "1", "1 5"},
		{fraction{5, 10}, 5, "2", "2 0"},
		{fraction{0, 1}, 9, "0", "0 0"},
		{fraction{1, 1}, 9, "8", "8 0"},
		{fraction{1, 10}, 10, "0", "0 9"},
		{fraction{1, 10}, 11, "1", "1 0"},
		{fraction{999999999999999999, 1e18}, 1 << 40, fmt.Sprint(1<<40 - 1), fmt.Sprint(1<<40-2, uint64(1e18-(1<<40-1)))},
	} {
		k, rest := c.part.continuous(c.n)
		if disc, cont := fmt.Sprint(c.part.discrete(c.n)), fmt.Sprint(k, rest); disc != c.disc || cont != c.cont {
			t.Errorf("%v of %d: discrete %s, not %s; continuous %s, not %s", c.part, c.n, disc, c.disc, cont, c.cont)
		}
	}
}
