package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// distinct puts the set of a group's values in front of another accumulator,
// which gets each value once, when it is new. The sets of all groups are one
// table, so none has an object of its own. NULL is no value. Of several columns
// the values are rows, in the form of tuples.
//
// The exchange form is the sets. The other accumulator's result must not depend
// on the order or the positions of its values.
type distinct struct {
	inner   Accumulator
	count   bool // inner counts rows: it needs no values
	own     slot // the other accumulator's
	width   int  // of its words
	grown   int  // tickets that it has room for
	set     cells
	members members
	tuples  *tuples // nil of one column
	tickets []uint32
	words   []uint64
	rows    []uint32 // numbers of rows that are not NULL
	fresh   []uint32 // numbers of rows whose values are new
	gather  *vector.Vector
}

// bindDistinct puts a set in front of agg. What it counts, if it is count, are the
// values.
func bindDistinct(name string, agg *Aggregate, types []arrow.DataType) *Aggregate {
	if len(agg.State) == 0 {
		return agg // it keeps nothing
	}
	t := types[0]
	if len(types) > 1 {
		t = arrow.BinaryTypes.Binary
	}
	outer := *agg
	outer.State = []arrow.DataType{arrow.BinaryTypes.Binary}
	outer.Sets, outer.Atomic, outer.values = true, nil, t
	outer.New = func(slab *Slab, at int) Accumulator {
		inner := agg.New(slab, at)
		_, counts := inner.(*count)
		d := &distinct{
			inner: inner, count: counts, own: slot{slab, at}, width: agg.Words,
			set: newCells(2, 2), members: newMembers(name, t),
		}
		if len(types) > 1 {
			d.tuples = newTuples(name, types)
		}
		return d
	}
	return &outer
}

// distinctOf returns what binds calls of a function with DISTINCT too.
func distinctOf(bind func(string, []arrow.DataType, Modifiers) (*Aggregate, error)) func(string, []arrow.DataType, Modifiers) (*Aggregate, error) {
	return func(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
		agg, err := bind(name, args, m)
		if err != nil || !m.Distinct {
			return agg, err
		}
		if len(args) == 0 {
			return nil, &BindError{Function: name, Problem: "DISTINCT needs a column", Hint: "write " + name + "(distinct column)", Part: PartDistinct}
		}
		return bindDistinct(name, agg, args), nil
	}
}

// Grow grows the other accumulator.
func (d *distinct) Grow(n int) {
	d.grown = max(d.grown, n)
	d.inner.Grow(n)
}

// Update adds the values of the batch that are new in their groups.
func (d *distinct) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	if d.tuples == nil {
		return d.add(tickets, args[0])
	}
	v, err := d.tuples.encode(args, len(tickets))
	if err != nil {
		return err
	}
	return d.add(tickets, v)
}

// add adds the values of v that are new in their groups.
func (d *distinct) add(tickets []uint32, v *vector.Vector) error {
	d.set.blind = d.own.slab.blind
	d.members.open(d.own.slab.blind)
	n := len(tickets)
	words, valid, err := d.members.load(v, n)
	if err != nil {
		return err
	}
	if valid == nil {
		d.fresh = d.set.addPairs(tickets, words, d.fresh[:0])
	} else {
		d.rows = d.rows[:0]
		for i := range n {
			if valid.Get(i) {
				d.rows = append(d.rows, uint32(i))
			}
		}
		d.tickets, d.words = vector.Resize(d.tickets, len(d.rows)), vector.Resize(d.words, len(d.rows))
		for k, i := range d.rows {
			d.tickets[k], d.words[k] = tickets[i], words[i]
		}
		d.fresh = d.set.addPairs(d.tickets, d.words, d.fresh[:0])
		for k, i := range d.fresh {
			d.fresh[k] = d.rows[i]
		}
	}
	return d.feed(tickets, func() (_ *vector.Vector, err error) {
		d.gather, err = vector.Gather(d.gather, v, d.fresh)
		return d.gather, err
	})
}

// feed gives the fresh rows to the other accumulator; gather returns their
// values.
func (d *distinct) feed(tickets []uint32, gather func() (*vector.Vector, error)) error {
	if len(d.fresh) == 0 {
		return nil
	}
	d.tickets = vector.Resize(d.tickets, len(d.fresh))
	for k, i := range d.fresh {
		d.tickets[k] = tickets[i]
	}
	if d.count {
		return d.inner.Update(d.tickets, nil, Ordinals{})
	}
	v, err := gather()
	if err != nil {
		return err
	}
	args := []*vector.Vector{v}
	if d.tuples != nil {
		if args, err = d.tuples.decode(v); err != nil {
			return err
		}
	}
	return d.inner.Update(d.tickets, args, Ordinals{})
}

// Merge adds the values of sets that are new.
func (d *distinct) Merge(tickets []uint32, states []*vector.Vector) error {
	d.set.blind = d.own.slab.blind
	d.members.open(d.own.slab.blind)
	words, owners, err := d.members.unpack(states[0], tickets)
	if err != nil {
		return err
	}
	d.fresh = d.set.addPairs(owners, words, d.fresh[:0])
	return d.feed(owners, func() (*vector.Vector, error) {
		d.words = vector.Resize(d.words, len(d.fresh))
		for k, i := range d.fresh {
			d.words[k] = words[i]
		}
		return d.members.values(d.words)
	})
}

// State returns the sets, or vector.ErrTooLong.
func (d *distinct) State(lo, hi int) ([]*vector.Vector, error) {
	ranges := d.set.ranges(lo, hi)
	starts := d.set.starts(ranges, lo, hi)
	return one(d.members.pack(d.set.together(ranges, starts, lo, 1), starts))
}

// empty forgets the sets, and what the other accumulator has made of them.
func (d *distinct) empty() {
	d.inner.Reset()
	words, stride := d.own.rows()
	for at := 0; at < len(words); at += stride {
		clear(words[at : at+d.width])
	}
	d.inner.Grow(d.grown)
	d.set.close()
	d.members.close()
	d.words = nil
}

// forget empties the sets: the other accumulator keeps what it has made of them.
func (d *distinct) forget() {
	d.set.reset()
	d.members.reset()
}

// missing appends to rows the numbers of those of n rows of v whose values the
// set of ticket 0 does not have. They are flat, and none is NULL.
func (d *distinct) missing(v *vector.Vector, n int, rows []uint32) ([]uint32, error) {
	words, _, err := d.members.load(v, n)
	if err != nil {
		return nil, err
	}
	d.tickets = vector.Resize(d.tickets, n)
	clear(d.tickets)
	first := cellKey(0, 0)
	for i, h := range d.set.prepare(d.tickets, nil, words) {
		if !d.set.hasPair(h, first, words[i]) {
			rows = append(rows, uint32(i))
		}
	}
	return rows, nil
}

// Final returns the results of the other accumulator.
func (d *distinct) Final(lo, hi int) (*vector.Vector, error) { return d.inner.Final(lo, hi) }

// Bytes returns the memory of the sets and of the other accumulator.
func (d *distinct) Bytes() int64 {
	n := d.inner.Bytes() + d.set.held() + d.members.bytes() + 8*int64(cap(d.words)) +
		4*int64(cap(d.tickets)+cap(d.rows)+cap(d.fresh))
	if d.tuples != nil {
		n += d.tuples.bytes()
	}
	return n
}

// Reset empties the sets.
func (d *distinct) Reset() {
	d.inner.Reset()
	d.grown = 0
	d.set.reset()
	d.members.reset()
}

// Free gives the memory of the sets back.
func (d *distinct) Free() {
	d.inner.Free()
	d.set.close()
	d.members.close()
}
