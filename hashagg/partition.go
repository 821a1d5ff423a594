package hashagg

import (
	"context"
	"sync"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// partition is a set of groups with tickets of its own: a table of keys and the
// states. What one worker has seen is one, and so are the groups in a range of
// hashes. One goroutine at a time may use it.
type partition struct {
	mu      sync.Mutex // for those that several workers use
	sink    *Sink
	split   bool // it has a range of hashes
	account func(name string) *memory.Account
	table   keyTable // nil before the first row
	why     string   // it has this form
	space   *ticketSpace
	grouper Grouper
	states  *states
	tickets []uint32
	frozen  bool  // it takes no more keys
	taken   int64 // rows, and groups with their states, that came from others

	onDisk   bool // it has no table: all rows go to run
	run      *run // what it has on disk, nil if nothing
	runShift uint // bits of hashes that chose the partition
}

// newFront returns a partition for one worker's own groups.
func (s *Sink) newFront() *partition {
	return &partition{sink: s, account: s.tables.Account}
}

// open makes the table, which the first keys decide on.
func (p *partition) open(first []*vector.Vector) {
	f := p.sink.facts()
	f.split = p.split
	p.table, p.space, p.why = p.sink.newKeyTable(first, f, p.account(tableAccount))
	p.grouper = p.table.grouper()
	p.states = p.sink.newStates(p.account(statesAccount))
	p.states.sparse = p.space.base > 0
}

// groups is about the number of groups.
func (p *partition) groups() int {
	if p.table == nil {
		return 0
	}
	return p.space.bound() - int(p.space.base)
}

// group returns the tickets of the keys' rows, valid until the next call, and
// makes room for the states.
func (p *partition) group(keys []*vector.Vector, n int, w *work) ([]uint32, error) {
	start := operators.Now()
	if p.table == nil {
		p.open(keys)
	}
	p.tickets = vector.Resize(p.tickets, n)
	if err := p.grouper.Groups(keys, p.tickets); err != nil {
		return nil, err
	}
	w.group += operators.Now() - start
	return p.tickets, p.states.grow(p.space.bound())
}

// add adds the rows whose group there is or for which there is room, and
// returns the others, valid until the next call.
func (p *partition) add(in *input, w *work) (rest []uint32, err error) {
	tickets, all, err := p.find(in.keys, in.n, w)
	if err != nil {
		return nil, err
	}
	var s *splitRows
	if !all {
		s = w.split(tickets)
		all = len(s.misses) == 0
	}
	if all {
		return nil, p.states.update(tickets, in.cols, in.rows)
	}
	return s.misses, s.update(p.states, in)
}

// find returns the tickets of the keys' rows, and whether all have one: else it
// is absentTicket or more. When there is no memory for more groups the partition
// takes no more keys.
func (p *partition) find(keys []*vector.Vector, n int, w *work) (tickets []uint32, all bool, err error) {
	if !p.frozen {
		tickets, err = p.group(keys, n, w)
		if err == nil && p.states.short && !p.space.forced {
			p.freeze()
		}
		if err == nil || !p.sink.yields(err) {
			return tickets, true, err
		}
		p.freeze()
	}
	if tickets, err = p.lookup(keys, n, w); err != nil {
		return nil, false, err
	}
	return tickets, false, p.states.grow(p.space.bound())
}

// splitRows are the rows of a batch by whether their key has a ticket, in memory
// that is kept from batch to batch.
type splitRows struct {
	hits, found []uint32 // rows that have one, and their tickets
	misses      []uint32
	args        argumentRows
}

// split sorts rows by their tickets, valid until the next call.
func (w *work) split(tickets []uint32) *splitRows {
	s := &w.rowsBy
	s.hits, s.found, s.misses = s.hits[:0], s.found[:0], s.misses[:0]
	for i, t := range tickets {
		if t < absentTicket {
			s.hits, s.found = append(s.hits, uint32(i)), append(s.found, t)
		} else {
			s.misses = append(s.misses, uint32(i))
		}
	}
	return s
}

// update adds the rows that have a ticket to the states.
func (s *splitRows) update(to *states, in *input) error {
	if len(s.hits) == 0 {
		return nil
	}
	args, rows, err := s.args.gather(to.columns, in.cols, s.hits, in.rows)
	if err != nil {
		return err
	}
	return to.update(s.found, args, rows)
}

// seal ends adding, and returns the tickets that have a group.
func (p *partition) seal() (set ticketSet) {
	if p.table == nil {
		return nil
	}
	p.grouper.Close()
	set.grow(p.space.bound())
	p.space.addUsed(set)
	if p.space.base > 0 {
		p.states.addUsed(set, p.space.base, 0, 1)
	}
	return set
}

// size is above every ticket.
func (p *partition) size() int {
	if p.table == nil {
		return 0
	}
	return p.states.n
}

// parts returns the groups as a part of the result, or none.
func (p *partition) parts() []part {
	if p.table == nil {
		return nil
	}
	return []part{p.part()}
}

// part is parts of a partition that has had a row.
func (p *partition) part() part {
	return part{table: p.table, states: p.states, used: p.seal(), hi: p.size(), count: 1}
}

// merge adds the groups of the keys' rows that there are or for which there is
// room, and returns the other rows, valid until the next call. Row i has number
// at[i] in states.
func (p *partition) merge(keys []*vector.Vector, states [][]*vector.Vector, at []uint32, w *work) (rest []uint32, err error) {
	p.taken += int64(len(at))
	tickets, all, err := p.find(keys, len(at), w)
	if err != nil {
		return nil, err
	}
	if all {
		return nil, p.states.mergeRows(tickets, states, at)
	}
	s := w.split(tickets)
	if len(s.hits) == 0 {
		return s.misses, nil
	}
	for i, h := range s.hits {
		s.hits[i] = at[h]
	}
	return s.misses, p.states.mergeRows(s.found, states, s.hits)
}

// freeze ends taking new keys.
func (p *partition) freeze() {
	p.grouper.Freeze()
	p.frozen, p.states.short = true, false
}

// force makes the partition take what memory it needs.
func (p *partition) force() {
	p.space.forced = true
	p.states.yielding = true
}

// lookup returns the tickets of the keys' rows, absentTicket or more for keys
// that a frozen partition does not have.
func (p *partition) lookup(keys []*vector.Vector, n int, w *work) ([]uint32, error) {
	start := operators.Now()
	p.tickets = vector.Resize(p.tickets, n)
	err := p.grouper.Groups(keys, p.tickets)
	w.group += operators.Now() - start
	return p.tickets, err
}

// like reports whether tickets of p and o mean the same keys.
func (p *partition) like(o *partition) bool {
	a, ok := p.table.(*fieldKeys)
	b, okay := o.table.(*fieldKeys)
	return ok && okay && a.packed == nil && b.packed == nil && a.layout.same(b.layout)
}

// absorb adds the groups of o, which is like p.
func (p *partition) absorb(ctx context.Context, o *partition, w *work) (err error) {
	base := int(p.space.base)
	if err := p.states.absorb(ctx, o.states, min(base, o.states.n), p.sink.Workers()); err != nil {
		return err
	}
	used := o.seal()
	var rest, at []uint32
	for t := base; t < o.size(); t++ {
		if used.has(uint32(t)) {
			rest, at = append(rest, uint32(t)), append(at, uint32(t-base))
		}
	}
	if len(rest) == 0 {
		return nil
	}
	p.grouper.Close() // it may be frozen
	p.grouper, p.frozen = p.table.grouper(), false
	p.force() // few, as they are outside of what the hints let expect
	keys, err := o.table.keys(rest)
	if err != nil {
		return err
	}
	states, err := o.states.export(base, o.size())
	if err != nil {
		return err
	}
	_, err = p.merge(keys, states, at, w)
	return err
}

// reset empties the partition and keeps most of its memory.
func (p *partition) reset() error {
	p.grouper.Close()
	p.table.reset()
	p.grouper, p.frozen = p.table.grouper(), false
	return p.states.reset()
}

// close gives the memory back; the partition is then empty and can be used
// again.
func (p *partition) close() {
	if p.table == nil {
		return
	}
	p.states.close()
	p.table.close()
	p.table, p.space, p.grouper, p.states, p.frozen = nil, nil, nil, nil, false
}
