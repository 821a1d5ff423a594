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
	// smallTable is the size up to which growing costs little, and rows in hand,
	// which are counted and not yet looked up, mislead.
	smallTable = 1 << 16
	// fewRepeats is the number of rows whose keys have come before from which on
	// they tell how many keys there are.
	fewRepeats = 8
	// mostGrowth bounds the factor: the first rows tell little.
	mostGrowth = 64
)

// forecast is what is known of the number of groups to come.
type forecast struct {
	total int64        // rows of input, -1 if not known
	rows  atomic.Int64 // rows seen
}

// slotsFor returns the size of a table of n slots, or of a larger one that has
// room for the ticket, and accounts for the slots that it has more, of so many
// bytes each. The size that is best is only a guess, which must not take more
// than half of what the budget has left if a smaller one will do.
func (s *ticketSpace) slotsFor(n int, ticket uint32, bytes int64) (int, error) {
	seen := s.before(ticket)
	if seen < capacity(n) {
		return n, nil
	}
	size := s.forecast.slots(n, seen)
	for seen < capacity(size/2) && bytes*int64(size-n) > s.account.Free()/2 {
		size /= 2
	}
	return size, s.resize(bytes * int64(size-n))
}

// slots returns the size of a table that takes the place of one of n slots, which
// has no room for one more key than have been seen. A table of 5M keys that grows
// by 4 and by 4 is filled again and again by one worker while the others wait, a
// fifth of the time, and ends twice as large as it need be.
func (f *forecast) slots(n, seen int) int {
	old := n
	if f.total < 0 {
		for seen >= capacity(n) {
			n *= growth
		}
		return n
	}
	groups := foretell(seen, f.rows.Load(), f.total)
	if old <= smallTable {
		n *= growth
	}
	for seen >= capacity(n) || n < mostGrowth*old && groups > capacity(n) {
		n *= 2
	}
	return n
}

// foretell returns how many groups there will be in all rows, as many as have
// been seen in some: as if the keys of rows were drawn from a set of equally
// frequent ones.
func foretell(seen int, some, all int64) int {
	d, n := float64(seen), float64(all)
	rows := max(float64(some), d)
	if n <= rows || seen == 0 {
		return seen
	}
	if rows-d < fewRepeats {
		return int(min(d*n/rows, math.MaxInt32))
	}
	// d = keys·(1 − exp(−rows/keys)), for a number of keys between d and what
	// one repeated row lets expect.
	lo, hi := d, rows*rows
	for range 64 {
		keys := math.Sqrt(lo * hi)
		if -keys*math.Expm1(-rows/keys) < d {
			lo = keys
		} else {
			hi = keys
		}
	}
	return int(min(-hi*math.Expm1(-n/hi), math.MaxInt32))
}
