package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// min_by and max_by, and any_value, first and last with an ORDER BY, keep the
// value of the row that comes first by other columns, and of equals the one that
// any_value, first or last would keep.
//
// The words of a state are those of position, whose key decides between equals,
// and behind them the rank of the row. The exchange form is that of position,
// and the rank.
type best struct {
	slot
	value positioned
	rank  ranking

	wins    []uint32
	tickets []uint32
	keys    []uint64
	gather  *vector.Vector
}

// positioned keeps the value of a row by the row's key; see position.
type positioned interface {
	Accumulator
	keysOf(n int, v *vector.Vector, rows Ordinals) []uint64
	consider(tickets []uint32, keys []uint64, v *vector.Vector)
}

// ranking knows how rows stand to each other in an order.
type ranking interface {
	// load reads the columns of the order for the rows of keys, and changes what
	// the rank of a row adds to its key; 0, of a row that does not count, stays.
	load(by []*vector.Vector, keys []uint64) error
	// read reads ranks in exchange form.
	read(ranks *vector.Vector)
	// wins puts the keys and ranks of rows that are before those of their
	// tickets in their place, and appends those rows to out.
	wins(tickets []uint32, keys []uint64, out []uint32) []uint32
	// ranks returns those of tickets lo up to hi in exchange form.
	ranks(lo, hi int) (*vector.Vector, error)
	grow(n int)
	bytes() int64
	reset()
	free()
}

// nullRank says what becomes of a row whose order is NULL.
type nullRank int

const (
	nullsRanked  nullRank = iota // it has its place
	nullsDropped                 // it does not count
)

// bindBest returns the function that keeps a value of type t, the first by
// columns of types by in these directions. A row whose value is NULL counts for
// firstRow and lastRow.
func bindBest(name string, t arrow.DataType, by []arrow.DataType, order []Direction, o order, nulls nullRank) (*Aggregate, error) {
	for _, c := range append(by[:len(by):len(by)], t) {
		if err := refuseLists(name, c); err != nil {
			return nil, err
		}
	}
	if t.ID() == arrow.NULL || nulls == nullsDropped && by[0].ID() == arrow.NULL {
		return bindNull(t), nil
	}
	value := bindPosition(t, o)
	var forms []rankForm
	for _, c := range by {
		forms = append(forms, rankFormOf(c))
	}
	word := len(by) == 1 && isWord(by[0])
	rank, size := arrow.DataType(arrow.BinaryTypes.Binary), textWords
	if word {
		rank, size = arrow.PrimitiveTypes.Uint64, 1
	}
	return &Aggregate{
		Result: t,
		State:  append(value.State[:2:2], rank),
		Words:  value.Words + size,
		New: func(slab *Slab, at int) Accumulator {
			b := &best{slot: slot{slab, at}, value: newPosition(position{slot: slot{slab, at}, arg: t, order: o})}
			if word {
				b.rank = &wordRank{slot: b.slot, at: value.Words, members: newMembers(name, by[0]), typ: by[0], Direction: order[0], nulls: nulls}
			} else {
				b.rank = &bytesRank{slot: b.slot, at: value.Words, order: order, forms: forms, nulls: nulls, text: text{slot: slot{slab, at + value.Words}}}
			}
			return b
		},
	}, nil
}

// Grow notes the number of tickets.
func (b *best) Grow(n int) {
	b.value.Grow(n)
	b.rank.grow(n)
}

// Update considers the rows of the batch.
func (b *best) Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error {
	keys := b.value.keysOf(len(tickets), args[0], rows)
	if err := b.rank.load(args[1:], keys); err != nil {
		return err
	}
	return b.consider(tickets, keys, args[0])
}

// Merge considers the rows that other states have kept.
func (b *best) Merge(tickets []uint32, states []*vector.Vector) error {
	b.rank.read(states[2])
	return b.consider(tickets, vector.Values[uint64](states[0]), states[1])
}

// consider takes the values of the rows that are the first of their tickets by
// now. Their keys are taken back, for the value to be taken with them.
func (b *best) consider(tickets []uint32, keys []uint64, v *vector.Vector) (err error) {
	b.wins = b.rank.wins(tickets, keys, b.wins[:0])
	words, stride := b.rows()
	kept := b.wins[:0]
	b.tickets, b.keys = b.tickets[:0], b.keys[:0]
	for _, i := range b.wins {
		if at := int(tickets[i]) * stride; words[at] == keys[i] {
			words[at] = 0
			kept = append(kept, i)
			b.tickets, b.keys = append(b.tickets, tickets[i]), append(b.keys, keys[i])
		}
	}
	if len(kept) == 0 {
		return nil
	}
	if b.gather, err = vector.Gather(b.gather, v, kept); err != nil {
		return err
	}
	b.value.consider(b.tickets, b.keys, b.gather)
	return nil
}

// State returns the keys, the values and the ranks.
func (b *best) State(lo, hi int) ([]*vector.Vector, error) {
	out, err := b.value.State(lo, hi)
	if err != nil {
		return nil, err
	}
	ranks, err := b.rank.ranks(lo, hi)
	return append(out, ranks), err
}

// Final returns the values.
func (b *best) Final(lo, hi int) (*vector.Vector, error) { return b.value.Final(lo, hi) }

// Bytes returns the memory of the value and of the ranks.
func (b *best) Bytes() int64 {
	return b.value.Bytes() + b.rank.bytes() + 4*int64(cap(b.wins)+cap(b.tickets)) + 8*int64(cap(b.keys))
}

// Reset empties both.
func (b *best) Reset() {
	b.value.Reset()
	b.rank.reset()
}

// Free frees both.
func (b *best) Free() {
	b.value.Free()
	b.rank.free()
}

// extremeBy is min_by and max_by: the value of x where y is least or greatest,
// of rows where neither is NULL.
type extremeBy struct{ order Direction }

func (e extremeBy) bind(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	switch {
	case len(m.Constants) > 0 && m.Distinct:
		return nil, &BindError{Function: name, Problem: "does not take DISTINCT with a number", Hint: "write " + name + "(column, by, 3)", Part: PartDistinct}
	case len(m.Constants) > 0:
		return bindFew(name, args, few{order: e.order, from: 1}, m)
	}
	return bindBest(name, args[0], args[1:], []Direction{e.order}, firstValue, nullsDropped)
}
