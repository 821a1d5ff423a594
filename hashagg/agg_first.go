package hashagg

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// any_value, first and last keep one row's value: that of the first row that is
// not NULL, of the first row and of the last row in the order of the input. All
// three keep the row with the greatest key, which is the row's position, or its
// complement, shifted left by one; the lowest bit says that the value is not
// NULL. No row has the key 0, the empty state.
//
// The exchange form is the key and the value.
type position struct {
	slot
	arg   arrow.DataType
	order order
	keys  []uint64
	valid vector.Bitmap
}

// order says which row is kept.
type order int

const (
	firstValue order = iota
	firstRow
	lastRow
)

// lastPosition is above the position of any row. The two highest bits of keys are
// free for best.
const lastPosition = 1 << 60

// bind binds any_value, first and last. In an order of their own, the last row
// is the first of the opposite one.
func (o order) bind(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	if len(m.Order) == 0 {
		return bindPosition(args[0], o), nil
	}
	by := slices.Clone(m.Order)
	for i := range by {
		if o == lastRow {
			by[i] = Direction{Desc: !by[i].Desc, NullsFirst: !by[i].NullsFirst}
		}
	}
	return bindBest(name, args[0], args[1:], by, o, nullsRanked)
}

func bindPosition(t arrow.DataType, o order) *Aggregate {
	if t.ID() == arrow.NULL {
		return bindNull(t)
	}
	words := 2
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.FIXED_SIZE_BINARY:
		words = 1 + textWords
	case arrow.DECIMAL128, arrow.DECIMAL256:
		words = 1 + vector.Width(t)/8
	}
	return &Aggregate{
		Result: t,
		State:  []arrow.DataType{arrow.PrimitiveTypes.Uint64, t},
		Words:  words,
		New: func(slab *Slab, at int) Accumulator {
			return newPosition(position{slot: slot{slab, at}, arg: t, order: o})
		},
	}
}

func newPosition(p position) positioned {
	switch p.arg.ID() {
	case arrow.STRING, arrow.BINARY, arrow.FIXED_SIZE_BINARY:
		return &positionText{position: p, text: text{slot: slot{p.slab, p.at + 1}}}
	case arrow.DECIMAL128:
		return &positionFixed[[2]uint64]{position: p, take: takeDecimals[[2]uint64]}
	case arrow.DECIMAL256:
		return &positionFixed[[4]uint64]{position: p, take: takeDecimals[[4]uint64]}
	case arrow.BOOL:
		return &positionFixed[uint8]{position: p, take: takeWords[uint8]}
	case arrow.FLOAT16:
		return &positionFixed[uint32]{position: p, take: takeWords[uint32]}
	}
	switch vector.Width(p.arg) {
	case 1:
		return &positionFixed[uint8]{position: p, take: takeWords[uint8]}
	case 2:
		return &positionFixed[uint16]{position: p, take: takeWords[uint16]}
	case 4:
		return &positionFixed[uint32]{position: p, take: takeWords[uint32]}
	}
	return &positionFixed[uint64]{position: p, take: takeWords[uint64]}
}

// keysOf returns the keys of the first n rows of v; 0 for rows that do not
// count.
func (p *position) keysOf(n int, v *vector.Vector, rows Ordinals) []uint64 {
	p.keys = vector.Resize(p.keys, n)
	keys := p.keys
	base, step := (rows.First+1)<<1|1, uint64(2)
	if p.order != lastRow {
		base, step = (lastPosition-rows.First)<<1|1, -step
	}
	switch {
	case rows.Rows != nil:
		for i, at := range rows.Rows[:n] {
			keys[i] = base + step*at
		}
	case rows.Sel == nil:
		for i := range keys {
			keys[i] = base + step*uint64(i)
		}
	default:
		for i, at := range rows.Sel[:n] {
			keys[i] = base + step*uint64(at)
		}
	}
	var valid vector.Bitmap
	valid, p.valid = rowsValid(p.valid, v, n)
	if valid == nil {
		return keys
	}
	null := ^uint64(1) // what is left of a NULL row's key
	if p.order == firstValue {
		null = 0
	}
	for i := range keys {
		if !valid.Get(i) {
			keys[i] &= null
		}
	}
	return keys
}

// stateKeys returns the keys of tickets lo up to hi.
func (p *position) stateKeys(lo, hi int) *vector.Vector {
	words, stride := p.rows()
	v := vector.New(arrow.PrimitiveTypes.Uint64, hi-lo)
	keys := vector.Values[uint64](v)
	for i := range keys {
		keys[i] = words[(lo+i)*stride]
	}
	return v
}

func (p *position) bytes() int64 { return 8*int64(cap(p.keys)) + int64(cap(p.valid)) }

// positionFixed keeps values of fixed width in the words after the key.
type positionFixed[T vector.Fixed] struct {
	position
	operand operand[T]
	take    func(words []uint64, stride int, tickets []uint32, keys []uint64, vals []T)
}

// Update considers the rows of the batch.
func (p *positionFixed[T]) Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error {
	p.consider(tickets, p.keysOf(len(tickets), args[0], rows), args[0])
	return nil
}

// Merge considers the rows that other states have kept.
func (p *positionFixed[T]) Merge(tickets []uint32, states []*vector.Vector) error {
	p.consider(tickets, vector.Values[uint64](states[0]), states[1])
	return nil
}

func (p *positionFixed[T]) consider(tickets []uint32, keys []uint64, v *vector.Vector) {
	n := len(tickets)
	vals, _, some := p.operand.all(n, v)
	if !some {
		p.operand.expanded = vector.Resize(p.operand.expanded, n)
		vals = p.operand.expanded
		clear(vals)
	}
	words, stride := p.rows()
	p.take(words, stride, tickets, keys, vals)
}

func takeWords[T uint8 | uint16 | uint32 | uint64](words []uint64, stride int, tickets []uint32, keys []uint64, vals []T) {
	keys, vals = keys[:len(tickets)], vals[:len(tickets)]
	for i, t := range tickets {
		b := int(t) * stride
		if keys[i] > words[b] {
			words[b] = keys[i]
			words[b+1] = uint64(vals[i])
		}
	}
}

func takeDecimals[T [2]uint64 | [4]uint64](words []uint64, stride int, tickets []uint32, keys []uint64, vals []T) {
	keys, vals = keys[:len(tickets)], vals[:len(tickets)]
	for i, t := range tickets {
		b := int(t) * stride
		if keys[i] > words[b] {
			words[b] = keys[i]
			v := &vals[i]
			for j := range len(*v) {
				words[b+1+j] = (*v)[j]
			}
		}
	}
}

// State returns the keys and the values.
func (p *positionFixed[T]) State(lo, hi int) ([]*vector.Vector, error) {
	v, err := p.Final(lo, hi)
	return []*vector.Vector{p.stateKeys(lo, hi), v}, err
}

// Final returns the values.
func (p *positionFixed[T]) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := p.rows()
	v := vector.New(p.arg, hi-lo)
	w := vector.Width(p.arg)
	for i := range hi - lo {
		row := words[(lo+i)*stride:]
		if row[0]&1 == 0 {
			setNull(v, i)
			continue
		}
		switch w {
		case 0:
			v.Data[i>>3] |= uint8(row[1]) << (i & 7)
		case 1:
			v.Data[i] = uint8(row[1])
		case 2:
			vector.Values[uint16](v)[i] = p.half(row[1])
		case 4:
			vector.Values[uint32](v)[i] = uint32(row[1])
		default:
			copy(vector.View[uint64](v.Data)[i*w/8:(i+1)*w/8], row[1:])
		}
	}
	return v, nil
}

// half returns a kept value of 16 bits; of a float16, what operand has widened.
func (p *position) half(word uint64) uint16 {
	if p.arg.ID() == arrow.FLOAT16 {
		return floatToHalf(math.Float32frombits(uint32(word)))
	}
	return uint16(word)
}

// Bytes returns the memory kept between batches.
func (p *positionFixed[T]) Bytes() int64 { return p.position.bytes() + p.operand.bytes() }
