package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// Grouper turns the keys of rows into tickets. It is one worker's access to a
// keyTable that others use at the same time.
type Grouper interface {
	// Groups sets tickets[i] to the ticket of row i of the key columns, and
	// makes groups of keys not seen before. len(tickets) is the number of
	// rows.
	Groups(keys []*vector.Vector, tickets []uint32) error
	// Freeze ends the making of groups: a key that has none gets absentTicket
	// or more.
	Freeze()
	// Close gives back what the worker had set aside.
	Close()
}

// keyTable holds the groups of a query in one form of key.
type keyTable interface {
	grouper() Grouper
	// keys returns the key columns of the given tickets.
	keys(tickets []uint32) ([]*vector.Vector, error)
	// form names the form for reports.
	form() string
	// reset removes all groups, whose groupers may not be used any more.
	reset()
	// close gives the memory back to the budget.
	close()
}

// knobs make rare paths reachable in tests.
type knobs struct {
	hashMask    uint64 // ANDed to hashes
	slots       int    // slots of a new hash table: a power of two
	block       uint32 // tickets a worker takes at once
	striped     int    // tickets above which states are shared
	partitions  int    // hash partitions: a power of two
	stageRows   int    // rows that wait for a partition
	frontGroups int    // groups of a worker's own table in front of partitions
	windowRows  int64  // rows between two looks at the counters of the hybrid
	crowded     int    // tickets above which crowded states are shared
	manyWorkers int    // workers from which on many groups go to partitions
	slotRows    int64  // least rows of input for each possible key that gets a ticket
	leastGroups int    // groups that a table takes whatever memory there is
	leastStates int64  // bytes that their states may take beside the slab
	fullSets    int64  // bytes of a worker's states with sets above which they are shared
}

// firstSlots is the size of a new hash table: 32 KiB of slots, so that small
// results stay in the first-level cache.
const firstSlots = 4096

func defaultKnobs() knobs {
	return knobs{hashMask: ^uint64(0), slots: firstSlots, block: blockTickets, striped: stripedTickets, slotRows: slotRows,
		partitions: partitionCount, stageRows: stageRows, frontGroups: frontGroups, crowded: crowdedTickets, manyWorkers: manyWorkers, windowRows: windowRows, leastGroups: leastGroups, leastStates: leastStates, fullSets: fullSets}
}

// newKeyTable chooses the narrowest form of key that the columns allow, looking
// at their types, the hints, the facts and the first batch, and says why if the
// keys could have been tickets.
func (s *Sink) newKeyTable(first []*vector.Vector, f facts, account *memory.Account) (_ keyTable, _ *ticketSpace, why string) {
	types, hints, k := s.types, s.cfg.Ranges, s.knobs
	space := newTicketSpace(k.block, account, &s.growing)
	if len(types) == 1 {
		switch t := types[0]; {
		case isString(t):
			return &textKeys{typ: t, space: space, table: newBytesTable(space, k)}, space, ""
		case vector.Width(t) == 8 && !hinted(hints, 0):
			return &wordKeys{typ: t, space: space, table: newPackedTable(space, k)}, space, ""
		}
	}
	rows := newRowKeys(types, first, space, k)
	l, ok := newLayout(types, hints, rows.interned, first)
	if !ok {
		return rows, space, ""
	}
	if l.slots > 0 {
		var seen sample
		if l.slots > fewSlots && f.roomy(l.slots) {
			seen, _ = l.sampleWords(first, rows) // without one there is no array
		}
		if ok, why = f.array(l.slots, seen); ok {
			return newArrayKeys(l, rows), space, why
		}
	}
	return newFieldKeys(l, rows, k), space, why
}

// isString reports whether keys of type t are compared as byte strings of any
// length when alone.
func isString(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.FIXED_SIZE_BINARY, arrow.DECIMAL128, arrow.DECIMAL256:
		return true
	}
	return vector.IsBytes(t)
}

func hinted(hints []Range, i int) bool {
	return i < len(hints) && hints[i].OK && uint64(hints[i].Hi)-uint64(hints[i].Lo) < 1<<arrayBits
}

// oneGroup is the table of a query without keys: ticket 0 is the group of all
// rows and is there without any.
type oneGroup struct{}

func (oneGroup) grouper() Grouper                            { return oneGroup{} }
func (oneGroup) keys([]uint32) ([]*vector.Vector, error)     { return nil, nil }
func (oneGroup) form() string                                { return "none" }
func (oneGroup) close()                                      {}
func (oneGroup) reset()                                      {}
func (oneGroup) Freeze()                                     {}
func (oneGroup) Close()                                      {}
func (oneGroup) Groups(_ []*vector.Vector, t []uint32) error { clear(t); return nil }

const tableAccount = "the table of groups"

// formOf names the form of t, which is nil when there was no row.
func formOf(t keyTable) string {
	if t == nil {
		return "none"
	}
	return t.form()
}
