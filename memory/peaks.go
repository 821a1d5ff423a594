package memory

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// share is what the accounts of one name hold of a budget together.
type share struct {
	name       string
	used, peak atomic.Int64
}

// AccountPeak is the most bytes that the accounts of one name have held of a
// budget: all of them together, at one moment. Names may have their peaks at
// different moments, so the peaks of all are together at least the budget's.
// What is being refused or given back at the moment of the peak may be in it.
type AccountPeak struct {
	Name string
	Peak int64
}

// Peaks lists the names of b's own accounts and those of its parts, by falling
// peaks. It may be called while they are in use.
func (b *Budget) Peaks() []AccountPeak {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []AccountPeak
	for _, s := range b.names {
		out = append(out, AccountPeak{s.name, s.peak.Load()})
	}
	slices.SortStableFunc(out, func(x, y AccountPeak) int { return cmp.Compare(y.Peak, x.Peak) })
	return out
}

// share returns that of name.
func (b *Budget) share(name string) *share {
	if b.part {
		return b.parent.share(name)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.names {
		if s.name == name {
			return s
		}
	}
	s := &share{name: name}
	b.names = append(b.names, s)
	return s
}

// take draws n bytes, or none. The name's bytes are counted before the
// budget's and given back after them, so that the peaks of all names are never
// less together than the budget's.
func (a *Account) take(n int64) bool {
	now := a.share.used.Add(n)
	if !a.budget.take(n) {
		a.share.used.Add(-n)
		return false
	}
	a.share.reached(now)
	return true
}

// force counts n bytes that the budget has no room for.
func (s *share) force(n int64) { s.reached(s.used.Add(n)) }

func (s *share) reached(now int64) {
	for p := s.peak.Load(); now > p && !s.peak.CompareAndSwap(p, now); p = s.peak.Load() {
	}
}

func (a *Account) give(n int64) {
	a.budget.give(n)
	a.share.used.Add(-n)
}
