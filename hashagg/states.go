package hashagg

import (
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// states are the states of all aggregates of a query for a range of tickets
// from 0.
type states struct {
	calls   []Call
	slab    Slab
	accs    []Accumulator
	n       int // tickets that have states
	account *memory.Account
	args    []*vector.Vector
}

func newStates(calls []Call, budget *memory.Budget) *states {
	s := &states{calls: calls, account: budget.Account("the states of groups")}
	for _, c := range calls {
		s.slab.Stride += c.Agg.Words
	}
	at := 0
	for _, c := range calls {
		s.accs = append(s.accs, c.Agg.New(&s.slab, at))
		at += c.Agg.Words
	}
	return s
}

// grow makes tickets below n usable.
func (s *states) grow(n int) error {
	if n <= s.n {
		return nil
	}
	if err := s.account.Resize(s.bytes() - s.slab.Bytes() + 8*int64(n)*int64(s.slab.Stride)); err != nil {
		return err
	}
	s.slab.Grow(n)
	for _, a := range s.accs {
		a.Grow(n)
	}
	s.n = n
	return s.charge()
}

func (s *states) bytes() int64 {
	b := s.slab.Bytes()
	for _, a := range s.accs {
		b += a.Bytes()
	}
	return b
}

func (s *states) charge() error { return s.account.Resize(s.bytes()) }

// update adds the rows of cols to the states of their tickets.
func (s *states) update(tickets []uint32, cols []*vector.Vector, rows Ordinals) error {
	for i, a := range s.accs {
		s.args = s.args[:0]
		for _, c := range s.calls[i].Args {
			s.args = append(s.args, cols[c])
		}
		if err := a.Update(tickets, s.args, rows); err != nil {
			return s.calls[i].wrap(err)
		}
	}
	return s.charge()
}

// merge adds the states of from's tickets lo up to hi to s's tickets from at
// on.
func (s *states) merge(at uint32, from *states, lo, hi int, scratch []uint32) ([]uint32, error) {
	scratch = vector.Resize(scratch, hi-lo)
	for i := range scratch {
		scratch[i] = at + uint32(i)
	}
	if err := s.grow(int(at) + hi - lo); err != nil {
		return scratch, err
	}
	for i, a := range s.accs {
		cols, err := from.accs[i].State(lo, hi)
		if err == nil {
			err = a.Merge(scratch, cols)
		}
		if err != nil {
			return scratch, s.calls[i].wrap(err)
		}
	}
	return scratch, s.charge()
}

// final returns the results of tickets lo up to hi.
func (s *states) final(lo, hi int) ([]*vector.Vector, error) {
	out := make([]*vector.Vector, len(s.accs))
	for i, a := range s.accs {
		v, err := a.Final(lo, hi)
		if err != nil {
			return nil, s.calls[i].wrap(err)
		}
		out[i] = v
	}
	return out, nil
}

func (s *states) close() {
	s.account.Close()
	s.slab.Free()
	s.accs, s.n = nil, 0
}
