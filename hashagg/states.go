package hashagg

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// states are the states of all aggregates of a query for a range of tickets
// from 0.
type states struct {
	calls   []Call
	columns []int // that the calls read
	filters filters
	slab    Slab
	accs    []Accumulator
	n       int // tickets that have states
	account *memory.Account
	args    []*vector.Vector
	run     []vector.Vector // a run of a batch's rows
	runs    []*vector.Vector
	touched uint64 // what touching has read, kept so that reading is not dropped

	// yielding states take what they need in any case, and tell by short that
	// there was no memory for more groups, and by swollen that there was none
	// for what those that there are have grown by.
	yielding, short, swollen bool
	// only is the memory for groups where there is one only, which cannot yield
	// though others could.
	only int64
	over *overflow // where sets of that group go, nil if there are none
	fair int64     // what states may take of that memory before their sets go there

	piece int64 // bytes of values that are kept that are looked at together

	sparse bool      // some tickets have no group
	seen   ticketSet // those that have one, beside those whose slab row says so
}

func newStates(calls []Call, account *memory.Account) *states {
	s := &states{calls: calls, columns: argumentColumns(calls), filters: newFilters(calls), account: account, piece: windowBytes}
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
	need := s.bytes() - s.slab.Bytes() + 8*int64(n)*int64(s.slab.Stride)
	if s.yielding {
		s.short = s.account.Force(need) || s.short
	} else if err := s.resize(need); err != nil {
		return err
	}
	s.slab.Grow(n)
	for _, a := range s.accs {
		a.Grow(n)
	}
	s.n = n
	return s.charge()
}

func (s *states) bytes() int64 { return s.slab.Bytes() + 8*int64(cap(s.seen)) + s.elsewhere() }

// elsewhere is the memory of states that the slab does not hold.
func (s *states) elsewhere() (b int64) {
	for _, a := range s.accs {
		b += a.Bytes()
	}
	return b
}

// fullSets is how much memory a worker's states take at most where there are sets
// among them: then most values are new, and each would be put in once more to
// merge them. 20M values in 1000 groups took 4.8 s of processor time and 1.4 GB
// without.
const fullSets = 32 << 20

// full reports whether the states have sets and take more than so many bytes.
func (s *states) full(most int64) bool { return haveSets(s.calls) && s.bytes() > most }

// haveSets reports whether a state of some call may hold many values.
func haveSets(calls []Call) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return c.Agg.Sets })
}

func (s *states) charge() error {
	if !s.yielding {
		return s.chargeOnly()
	}
	if s.account.Force(s.bytes()) && s.elsewhere() > 0 {
		s.swollen = true
	}
	return nil
}

// chargeOnly is charge for states that do not yield. Sets of values go to disk,
// but for small ones, which others that will go there may be in the way of.
func (s *states) chargeOnly() error {
	if s.over == nil || s.account.Resize(s.bytes()) == nil {
		return s.resize(s.bytes())
	}
	if err := s.over.shed(s, s.fair); err != nil {
		return err
	}
	if all := s.bytes(); all-s.over.sets(s) <= leastGroup {
		s.account.Force(all)
		return nil
	}
	if err := s.over.shed(s, 0); err != nil {
		return err
	}
	return s.resize(s.bytes())
}

// resize sets what the account holds of states that do not yield.
func (s *states) resize(bytes int64) error {
	err := s.account.Resize(bytes)
	switch {
	case err == nil || s.only == 0:
		return err
	case bytes > leastGroup:
		return &GroupSizeError{Bytes: bytes, Limit: s.only}
	}
	s.account.Force(bytes)
	return nil
}

// update adds the rows of cols to the states of their tickets.
func (s *states) update(tickets []uint32, cols []*vector.Vector, rows Ordinals) error {
	if s.sparse && !s.marked(cols) {
		s.seen.grow(s.n)
		s.seen.setAll(tickets)
	}
	s.slab.Clustered = clustered(tickets)
	if 8*len(s.slab.Words) < farBytes {
		if err := s.add(tickets, cols, rows); err != nil {
			return err
		}
		return s.charge()
	}
	if len(s.run) < len(cols) {
		s.run, s.runs = make([]vector.Vector, len(cols)), make([]*vector.Vector, len(cols))
	}
	for lo := 0; lo < len(tickets); lo += touchedRows {
		hi := min(lo+touchedRows, len(tickets))
		s.touched |= s.slab.touch(tickets[lo:hi])
		for _, c := range s.columns {
			vector.Slice(&s.run[c], cols[c], lo, hi)
			s.runs[c] = &s.run[c]
		}
		if err := s.add(tickets[lo:hi], s.runs, rows.slice(lo, hi)); err != nil {
			return err
		}
	}
	clear(s.run) // lest they keep buffers of the reader
	return s.charge()
}

// marked reports whether updating with cols leaves no slab row of a ticket zero.
func (s *states) marked(cols []*vector.Vector) bool {
	for _, c := range s.calls {
		null := func(a int) bool { return cols[a].MayHaveNulls() }
		if c.Agg.Marks && !c.Filter.OK && !slices.ContainsFunc(c.Args, null) {
			return true
		}
	}
	return false
}

// addUsed adds the tickets below limit that have a group to set. Number i is
// the ticket that ticketOf gives.
func (s *states) addUsed(set ticketSet, limit uint32, k, count int) {
	stride := s.slab.Stride
	words := s.slab.Words
	for i := range s.n {
		t := ticketOf(uint32(i), k, count)
		if t >= limit {
			return
		}
		some := uint64(0)
		for _, w := range words[i*stride : i*stride+stride] {
			some |= w
		}
		if some != 0 || i>>6 < len(s.seen) && s.seen.has(uint32(i)) {
			set.set(t)
		}
	}
}

const (
	// farBytes is the size of a slab from which on its rows are mostly not in
	// the caches of a core.
	farBytes = 4 << 20
	// touchedRows is how many rows are brought near at once; a multiple of 8.
	touchedRows = 1024
)

// touch reads the rows of tickets, so that they come near: a loop that does
// nothing else has many more reads under way at once than one that works on
// what it reads. With 1M groups and a sum and a count, 15 ns a row instead of
// 24.
//
//go:noinline
func (s *Slab) touch(tickets []uint32) (read uint64) {
	words, stride := s.Words, s.Stride
	for _, t := range tickets {
		read |= words[int(t)*stride]
	}
	if stride > 8 {
		for _, t := range tickets {
			read |= words[int(t)*stride+stride-1]
		}
	}
	return read
}

func (s *states) add(tickets []uint32, cols []*vector.Vector, rows Ordinals) error {
	all := callRows{tickets, cols, rows}
	if err := s.filters.load(all); err != nil {
		return err
	}
	for i, a := range s.accs {
		in := s.filters.rows(i, &all)
		if len(in.tickets) == 0 {
			continue
		}
		s.args = s.args[:0]
		for _, c := range s.calls[i].Args {
			s.args = append(s.args, in.cols[c])
		}
		if err := a.Update(in.tickets, s.args, in.rows); err != nil {
			return s.calls[i].wrap(err)
		}
	}
	return nil
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
	if len(from.seen) > 0 {
		s.seen.grow(int(at) + hi - lo)
		for i := lo; i < hi && i>>6 < len(from.seen); i++ {
			if from.seen.has(uint32(i)) {
				s.seen.set(at + uint32(i-lo))
			}
		}
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

// absorb adds the states of from's tickets below n, which mean the same groups
// in s, with up to workers goroutines: each merges one accumulator at a time.
func (s *states) absorb(ctx context.Context, from *states, n, workers int) error {
	if err := s.grow(n); err != nil {
		return err
	}
	for i := 0; i < n && i>>6 < len(from.seen); i++ {
		if from.seen.has(uint32(i)) {
			s.seen.grow(n)
			s.seen.set(uint32(i))
		}
	}
	var next atomic.Int64
	err := operators.Parallel(ctx, min(workers, len(s.accs)), func(ctx context.Context, _ int) error {
		for i := int(next.Add(1)) - 1; i < len(s.accs); i = int(next.Add(1)) - 1 {
			if err := s.absorbOne(ctx, from, n, i); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = from.charge() // what has been taken is no longer from's
	}
	if err != nil {
		return err
	}
	return s.charge()
}

// window returns how many states, n at most, are looked at together.
func (s *states) window(n int) int {
	return s.windowBy(n, func(a *Aggregate) bool { return a.Take != nil })
}

// exported returns how many states, n at most, are brought into exchange form
// together: sets are as long there as they are in memory, though results are not.
func (s *states) exported(n int) int {
	return s.windowBy(n, func(a *Aggregate) bool { return a.Take != nil || a.Sets })
}

// windowBy is window where the functions that long tells have long states.
func (s *states) windowBy(n int, long func(*Aggregate) bool) int {
	kept := int64(0)
	for i, c := range s.calls {
		if long(c.Agg) {
			kept += s.accs[i].Bytes()
		}
	}
	if kept > 0 {
		n = min(n, int(s.piece*int64(max(s.n, 1))/kept))
	}
	return max(n, 1)
}

// movable reports whether all states can be taken.
func movable(calls []Call) bool {
	return !slices.ContainsFunc(calls, func(c Call) bool { return c.Agg.Take == nil })
}

// absorbOne merges accumulator i. Each begins at another place, lest workers
// fight for the lines of the cache that neighbouring words of a row share.
func (s *states) absorbOne(ctx context.Context, from *states, n, i int) error {
	if take := s.calls[i].Agg.Take; take != nil && n >= from.n {
		take(s.accs[i], from.accs[i])
		return nil
	}
	tickets := make([]uint32, min(n, absorbTickets))
	chunks := (n + absorbTickets - 1) / absorbTickets
	for c := range chunks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		lo := (c + i*chunks/len(s.accs)) % chunks * absorbTickets
		hi := min(lo+absorbTickets, n)
		for k := range hi - lo {
			tickets[k] = uint32(lo + k)
		}
		cols, err := from.accs[i].State(lo, hi)
		if err == nil {
			err = s.accs[i].Merge(tickets[:hi-lo], cols)
		}
		if err != nil {
			return s.calls[i].wrap(err)
		}
	}
	return nil
}

// absorbTickets is how many states are exported at once: so few that they are
// merged before they leave the first-level cache.
const absorbTickets = 1 << 10

// export returns the states of tickets lo up to hi in exchange form, by
// aggregate.
func (s *states) export(lo, hi int) (out [][]*vector.Vector, err error) {
	out = make([][]*vector.Vector, len(s.accs))
	for i, a := range s.accs {
		if out[i], err = a.State(lo, hi); err != nil {
			return nil, s.calls[i].wrap(err)
		}
	}
	return out, nil
}

// mergeRows adds the rows at of exported states to those of tickets.
func (s *states) mergeRows(tickets []uint32, exported [][]*vector.Vector, at []uint32) (err error) {
	if s.sparse {
		s.seen.grow(s.n)
		s.seen.setAll(tickets)
	}
	for i, a := range s.accs {
		cols := make([]*vector.Vector, len(exported[i]))
		for c, v := range exported[i] {
			if cols[c], err = vector.Gather(nil, v, at); err != nil {
				return err
			}
		}
		if err := a.Merge(tickets, cols); err != nil {
			return s.calls[i].wrap(err)
		}
	}
	return s.charge()
}

// reset empties the states and keeps their memory.
func (s *states) reset() error {
	s.slab.Reset()
	for _, a := range s.accs {
		a.Reset()
	}
	s.n, s.seen = 0, nil
	s.short, s.swollen = false, false
	return s.charge()
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
	for _, a := range s.accs {
		a.Free()
	}
	s.slab.Free()
	s.accs, s.n = nil, 0
}
