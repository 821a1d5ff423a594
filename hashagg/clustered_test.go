package hashagg

import (
	"math/rand/v2"
	"testing"
)

func TestClustered(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	make := func(n int, next func(last uint32) uint32) []uint32 {
		out, last := []uint32{}, uint32(0)
		for range n {
			last = next(last)
			out = append(out, last)
		}
		return out
	}
	heavy := func(share float64) func(uint32) uint32 {
		return func(uint32) uint32 {
			if r.Float64() < share {
				return 7
			}
			return r.Uint32N(1000)
		}
	}
	runs := func(length int) func(uint32) uint32 {
		return func(last uint32) uint32 {
			if r.IntN(length) == 0 {
				return last + 1
			}
			return last
		}
	}
	for _, c := range []struct {
		name    string
		tickets []uint32
		want    bool
	}{
		{"none", nil, false},
		{"few rows", make(100, heavy(1)), false},
		{"one group", make(8192, heavy(1)), true},
		{"one group has 98 %", make(8192, heavy(0.98)), true},
		{"one group has half", make(8192, heavy(0.5)), false},
		{"even", make(8192, heavy(0)), false},
		{"runs of 50", make(8192, runs(50)), true},
		{"runs of 2", make(8192, runs(2)), false},
	} {
		if got := clustered(c.tickets); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
