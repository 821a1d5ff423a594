package hashagg

import (
	"math/rand/v2"
	"testing"
)

// TestForetell draws rows from sets of keys and compares the forecast after
// some of them with the number of keys in all.
func TestForetell(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, c := range []struct{ keys, some, all int }{
		{10, 1000, 100_000}, {1000, 1000, 100_000}, {1000, 8192, 1_000_000}, {100_000, 8192, 1_000_000},
		{1_000_000, 8192, 2_000_000}, {500_000, 100_000, 1_000_000},
	} {
		seen := map[int]bool{}
		early := 0
		for i := range c.all {
			seen[r.IntN(c.keys)] = true
			if i == c.some-1 {
				early = len(seen)
			}
		}
		got, want := float64(foretell(early, int64(c.some), int64(c.all))), float64(len(seen))
		if got < 0.6*want || got > 1.7*want {
			t.Errorf("%d of %d rows with %d of %d keys: foretold %.0f", c.some, c.all, early, len(seen), got)
		}
	}
	for _, c := range []struct {
		seen      int
		some, all int64
		want      int
	}{
		{0, 0, 100, 0}, {5, 5, 5, 5}, {100, 100, 1000, 1000}, {100, 50, 1000, 1000}, {7, 1000, 100, 7}, {1, 1 << 40, 1 << 41, 1},
	} {
		if got := foretell(c.seen, c.some, c.all); got != c.want {
			t.Errorf("%d groups in %d of %d rows: foretold %d, want %d", c.seen, c.some, c.all, got, c.want)
		}
	}
}
