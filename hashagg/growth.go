package hashagg

import (
	"math"
	"sync/atomic"
)

// capacity is how many keys go into n slots: with linear probing, a table 5/8
// full takes 1.8 steps for a key that is there.
func capacity(n int) int { return n / 8 * 5 }

const (
	// growth is the factor by which tables grow when nothing is known.
	growth = 4
	// mostGrowth bounds the factor: the first rows tell little.
	mostGrowth = 64
)

// forecast is what is known of the number of groups to come.
type forecast struct {
	total int64        // rows of input, -1 if not known
	rows  atomic.Int64 // rows seen
}

// slotsFor returns the size of a table of n slots, or of a larger one that has
// room for the ticket. A table of 5M keys that grows by 4 and by 4 is filled
// again and again by one worker while the others wait, a fifth of the time, and
// ends twice as large as it need be.
func (s *ticketSpace) slotsFor(n, ticket int) int {
	if ticket < capacity(n) {
		return n
	}
	old := n
	if s.forecast.total < 0 {
		for ticket >= capacity(n) {
			n *= growth
		}
		return n
	}
	groups := s.forecast.groups(ticket - int(s.base))
	for ticket >= capacity(n) || n < mostGrowth*old && groups+int(s.base) > capacity(n) {
		n *= 2
	}
	return n
}

// groups returns how many groups there will be, as many as have been seen now:
// as if the keys of rows were drawn from a set of equally frequent ones.
func (f *forecast) groups(seen int) int {
	rows := float64(f.rows.Load())
	d, n := float64(seen), float64(f.total)
	if rows < d {
		rows = d
	}
	if n <= rows {
		return seen
	}
	// d = all·(1 − exp(−rows/all)) for the number of all keys.
	if d > rows*0.99 {
		return int(min(d*n/rows, math.MaxInt32))
	}
	lo, hi := d, 64*rows
	for range 40 {
		all := (lo + hi) / 2
		if all*(1-math.Exp(-rows/all)) < d {
			lo = all
		} else {
			hi = all
		}
	}
	return int(min(hi*(1-math.Exp(-n/hi)), math.MaxInt32))
}
