package hashagg

import (
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// Accumulator keeps the states of one aggregate function, one per ticket. Only
// one goroutine at a time may change it; State and Final only read, and may
// run at once on several goroutines.
type Accumulator interface {
	// Grow makes tickets below n usable; new ones have the empty state. The
	// slab, if the states are in one, has been grown by its owner.
	Grow(n int)
	// Update adds row i of args to the state of tickets[i]. Args are flat,
	// coded or constant vectors of the types that the function was bound to.
	// rows tells where in the input each row stood.
	Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error
	// Merge adds row i of states, in the form of State, to that of
	// tickets[i].
	Merge(tickets []uint32, states []*vector.Vector) error
	// State returns the states of tickets lo up to hi in exchange form: one
	// flat vector for each type of Aggregate.State.
	State(lo, hi int) ([]*vector.Vector, error)
	// Final returns the results of tickets lo up to hi as a flat vector of
	// type Aggregate.Result.
	Final(lo, hi int) (*vector.Vector, error)
	// Bytes returns the memory held outside the slab.
	Bytes() int64
	// Reset empties all states and keeps the memory. The slab is reset by its
	// owner.
	Reset()
	// Free gives the memory outside the slab back. The accumulator must not be
	// used afterwards.
	Free()
}

// Ordinals are positions in the input, counted in rows over all files: that of
// row i is Rows[i] where Rows is not nil, else First + Sel[i] where Sel is not
// nil, else First + i.
type Ordinals struct {
	First uint64
	Sel   []uint32
	Rows  []uint64
}

// At returns the position of row i.
func (o Ordinals) At(i int) uint64 {
	if o.Rows != nil {
		return o.Rows[i]
	}
	if o.Sel != nil {
		return o.First + uint64(o.Sel[i])
	}
	return o.First + uint64(i)
}

// slice returns the ordinals of rows lo up to hi.
func (o Ordinals) slice(lo, hi int) Ordinals {
	switch {
	case o.Rows != nil:
		return Ordinals{Rows: o.Rows[lo:hi]}
	case o.Sel != nil:
		return Ordinals{First: o.First, Sel: o.Sel[lo:hi]}
	}
	return Ordinals{First: o.First + uint64(lo)}
}

// gather returns the ordinals of the rows that sel lists; the memory of scratch
// may be used, and is returned grown.
func (o Ordinals) gather(sel []uint32, scratch []uint64) (Ordinals, []uint64) {
	scratch = vector.Resize(scratch, len(sel))
	for i, r := range sel {
		scratch[i] = o.At(int(r))
	}
	return Ordinals{Rows: scratch}, scratch
}

// Aggregate is an aggregate function bound to the types of its arguments.
type Aggregate struct {
	Name    string           // canonical name of the function
	Args    []arrow.DataType // count(*) has none
	Result  arrow.DataType
	State   []arrow.DataType // columns of the exchange form
	Words   int              // 64-bit words in a slab row
	NotNull bool             // no result is NULL
	Marks   bool             // a row whose arguments are not NULL leaves no slab row zero
	Sets    bool             // a state may hold many values, and is slow to merge
	// values is the type of the values in whose sets the states are, nil for other
	// states: accumulators are *distinct then.
	values arrow.DataType
	// New returns an accumulator whose states are words at up to at+Words of
	// the rows of slab.
	New func(slab *Slab, at int) Accumulator
	// Take, if there is one, moves all states of from, whose tickets mean the
	// same groups, to the accumulator to, at less cost than State and Merge. It
	// leaves from empty.
	Take func(to, from Accumulator)
	// Atomic, which is nil for functions whose state is not one word that can be
	// changed in one step, returns one worker's access to the states of an
	// accumulator that New has made. Charge accounts for what they take outside
	// of the slab.
	Atomic func(of Accumulator, charge func() error) AtomicUpdater
}

// AtomicUpdater adds rows to states that other workers add to at the same time,
// each with an AtomicUpdater of its own. Meanwhile nobody calls a method of the
// Accumulator, nor moves the slab.
type AtomicUpdater interface {
	// Update is that of Accumulator, of a function that does not ask where rows
	// stood.
	Update(tickets []uint32, args []*vector.Vector) error
}

// Slab is a pointer-free array of rows of Stride words, one row per ticket.
// Words moves when it grows.
type Slab struct {
	Stride int
	Words  []uint64
	// Clustered says that the tickets of the batch in hand mostly repeat the
	// one before.
	Clustered bool
	region    memory.Region
	// outside guards what accumulators keep outside of Words, while workers
	// change states at the same time.
	outside sync.Mutex
	blind   uint64 // bits of hashes of values that are cleared, for tests
}

// Grow makes rows below n usable; new ones are zero.
func (s *Slab) Grow(n int) {
	if need := n * s.Stride; need > len(s.Words) {
		s.Words = vector.View[uint64](s.region.Grow(8 * need))[:need]
	}
}

// Bytes returns the memory held.
func (s *Slab) Bytes() int64 { return int64(s.region.Len()) }

// Reset zeroes all rows and keeps the memory.
func (s *Slab) Reset() {
	clear(s.Words)
	s.Words = s.Words[:0]
}

// Free gives the memory back.
func (s *Slab) Free() {
	s.region.Free()
	s.Words = nil
}
