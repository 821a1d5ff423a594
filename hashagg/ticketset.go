package hashagg

import "math/bits"

// ticketSet is a set of tickets, 64 to a word. Its zero value is empty.
type ticketSet []uint64

// grow makes room for tickets below n.
func (s *ticketSet) grow(n int) {
	if need := (n+63)/64 - len(*s); need > 0 {
		*s = append(*s, make([]uint64, need)...)
	}
}

func (s ticketSet) has(t uint32) bool { return s[t>>6]>>(t&63)&1 != 0 }

func (s ticketSet) set(t uint32) { s[t>>6] |= 1 << (t & 63) }

// setAll adds tickets. Reading first keeps lines of the cache clean: after the
// first rows hardly a ticket is new.
//
//go:noinline
func (s ticketSet) setAll(tickets []uint32) {
	for _, t := range tickets {
		if s[t>>6]>>(t&63)&1 == 0 {
			s.set(t)
		}
	}
}

// setRange adds the tickets lo up to hi.
func (s ticketSet) setRange(lo, hi uint32) {
	for ; lo < hi && lo&63 != 0; lo++ {
		s.set(lo)
	}
	for ; lo+64 <= hi; lo += 64 {
		s[lo>>6] = ^uint64(0)
	}
	for ; lo < hi; lo++ {
		s.set(lo)
	}
}

// clearRange removes the tickets lo up to hi.
func (s ticketSet) clearRange(lo, hi uint32) {
	for ; lo < hi; lo++ {
		s[lo>>6] &^= 1 << (lo & 63)
	}
}

// len returns the number of tickets.
func (s ticketSet) len() (n int64) {
	for _, w := range s {
		n += int64(bits.OnesCount64(w))
	}
	return n
}
