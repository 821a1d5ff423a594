package hashagg

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// count counts rows, or rows whose argument is not NULL. A state is one word:
// the number.
type count struct {
	slot
	valid vector.Bitmap
}

func bindCount(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	if len(args) > 1 && !m.Distinct {
		return nil, &BindError{Function: name, Problem: fmt.Sprintf("takes 0 or 1 arguments, not %d", len(args)), Hint: "write count(*), count(column) or count(distinct column, other)"}
	}
	return &Aggregate{
		Result:  arrow.PrimitiveTypes.Int64,
		State:   []arrow.DataType{arrow.PrimitiveTypes.Uint64},
		Words:   1,
		NotNull: true,
		Marks:   true,
		New:     func(slab *Slab, at int) Accumulator { return &count{slot: slot{slab, at}} },
		Atomic:  func(of Accumulator, _ func() error) AtomicUpdater { return &atomicCount{of: of.(*count)} },
	}, nil
}

// Update counts the rows of the batch.
func (c *count) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	words, stride := c.rows()
	if len(args) == 0 {
		c.countAll(words, stride, tickets)
		return nil
	}
	v := args[0]
	if v.Type.ID() == arrow.NULL {
		return nil
	}
	var valid vector.Bitmap
	valid, c.valid = rowsValid(c.valid, v, len(tickets))
	if valid == nil {
		c.countAll(words, stride, tickets)
	} else {
		countValid(words, stride, tickets, valid)
	}
	return nil
}

//go:noinline
func countRows(words []uint64, stride int, tickets []uint32) {
	for _, t := range tickets {
		words[int(t)*stride]++
	}
}

// countAll counts rows, in the first word of a slab's rows.
func (s *slot) countAll(words []uint64, stride int, tickets []uint32) {
	if s.slab.Clustered {
		countClustered(words, stride, tickets)
	} else {
		countRows(words, stride, tickets)
	}
}

//go:noinline
func countValid(words []uint64, stride int, tickets []uint32, valid vector.Bitmap) {
	for i, t := range tickets {
		words[int(t)*stride] += uint64(valid[i>>3] >> (i & 7) & 1)
	}
}

// Merge adds counts.
func (c *count) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := c.rows()
	n := vector.Values[uint64](states[0])
	for i, t := range tickets {
		words[int(t)*stride] += n[i]
	}
	return nil
}

// State returns the counts.
func (c *count) State(lo, hi int) ([]*vector.Vector, error) {
	v, err := c.Final(lo, hi)
	if err != nil {
		return nil, err
	}
	v.Type = arrow.PrimitiveTypes.Uint64
	return []*vector.Vector{v}, nil
}

// Final returns the counts.
func (c *count) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := c.rows()
	v := vector.New(arrow.PrimitiveTypes.Int64, hi-lo)
	out := vector.Values[uint64](v)
	for i := range out {
		out[i] = words[(lo+i)*stride]
	}
	return v, nil
}

// Bytes returns the size of what is kept for validity.
func (c *count) Bytes() int64 { return int64(cap(c.valid)) }

// atomicCount is one worker's access to a count's states.
type atomicCount struct {
	of    *count
	valid vector.Bitmap
}

// Update counts the rows of the batch.
func (c *atomicCount) Update(tickets []uint32, args []*vector.Vector) error {
	words, stride := c.of.rows()
	var valid vector.Bitmap
	if len(args) > 0 {
		if args[0].Type.ID() == arrow.NULL {
			return nil
		}
		valid, c.valid = rowsValid(c.valid, args[0], len(tickets))
	}
	countAtomically(words, stride, tickets, valid)
	return nil
}

//go:noinline
func countAtomically(words []uint64, stride int, tickets []uint32, valid vector.Bitmap) {
	for i, t := range tickets {
		if valid.Get(i) {
			atomic.AddUint64(&words[int(t)*stride], 1)
		}
	}
}
