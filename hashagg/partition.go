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
	taken   int64 // rows, and groups with their states, that came from others
}

// newFront returns a partition for one worker's own groups.
func (s *Sink) newFront() *partition {
	return &partition{sink: s, account: s.cfg.Budget.Account}
}

// open makes the table, which the first keys decide on.
func (p *partition) open(first []*vector.Vector) {
	f := p.sink.facts()
	f.split = p.split
	p.table, p.space, p.why = p.sink.newKeyTable(first, f, p.account(tableAccount))
	p.grouper = p.table.grouper()
	p.states = newStates(p.sink.cfg.Calls, p.account(statesAccount))
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

func (p *partition) add(in *input, w *work) error {
	tickets, err := p.group(in.keys, in.n, w)
	if err != nil {
		return err
	}
	return p.states.update(tickets, in.cols, in.rows)
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

// merge adds the groups of the keys' rows; row i has number at[i] in states. It
// takes the lock.
func (p *partition) merge(keys []*vector.Vector, states [][]*vector.Vector, at []uint32, w *work) error {
	w.lock(&p.mu)
	defer p.mu.Unlock()
	p.taken += int64(len(at))
	tickets, err := p.group(keys, len(at), w)
	if err != nil {
		return err
	}
	return p.states.mergeRows(tickets, states, at)
}

// freeze ends taking new keys.
func (p *partition) freeze() { p.grouper.Freeze() }

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
	p.grouper = p.table.grouper()
	keys, err := o.table.keys(rest)
	if err != nil {
		return err
	}
	states, err := o.states.export(base, o.size())
	if err != nil {
		return err
	}
	return p.merge(keys, states, at, w)
}

// reset empties the partition and keeps most of its memory.
func (p *partition) reset() error {
	p.grouper.Close()
	p.table.reset()
	p.grouper = p.table.grouper()
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
	p.table, p.space, p.grouper, p.states = nil, nil, nil, nil
}
