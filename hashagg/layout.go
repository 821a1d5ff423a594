package hashagg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// arrayBits is the widest packed key that is used as a ticket: 4M groups of 4
// words take 128 MiB for each worker.
const arrayBits = 22

// field is the place of one key column in a packed key. Its value there is 0
// for NULL, else the column's word − lo + 1, which is at most size. The
// word of a text column is the number that its interner gives.
type field struct {
	typ    arrow.DataType
	intern *textKeys
	hinted bool // lo and bits rest on a hint
	lo     uint64
	size   uint64 // values
	bits   uint
	shift  uint
}

// layout is how the key columns share a word.
type layout struct {
	fields []field
	bits   uint
	slots  int // words are below that; 0 if there are too many
}

// newLayout packs the columns as tightly as their types and the hints allow.
// It reports false if they do not fit in 64 bits.
func newLayout(types []arrow.DataType, hints []Range, interned []internedColumn, first []*vector.Vector) (layout, bool) {
	l := layout{fields: make([]field, len(types))}
	texts := 0
	for i, t := range types {
		f := field{typ: t, intern: interned[i].texts}
		w := vector.Width(t)
		switch {
		case f.intern != nil:
			// Room for four times the entries of the first dictionary.
			f.bits = uint(bits.Len(uint(4*first[i].Dict.Len + 4)))
			texts++
		case t.ID() == arrow.NULL:
			f.bits = 1
		case t.ID() == arrow.BOOL:
			f.bits = 2
		case w == 0 || w > 8 || t.ID() == arrow.FIXED_SIZE_BINARY:
			return l, false
		case i < len(hints) && hints[i].OK:
			f.hinted, f.lo = true, uint64(hints[i].Lo)
			f.bits = uint(bits.Len64(uint64(hints[i].Hi) - f.lo + 1))
		default:
			f.bits = uint(8*w) + 1
			if signed(t) {
				f.lo = -(uint64(1) << (8*w - 1))
			}
		}
		if f.bits == 0 || f.bits > 64 {
			return l, false
		}
		f.size = 1<<f.bits - 1
		l.fields[i] = f
		l.bits += f.bits
	}
	if l.bits > 64 {
		return l, false
	}
	if l.bits > arrayBits && texts > 0 {
		l.widen(texts)
	}
	shift := uint(0)
	for i := range l.fields {
		l.fields[i].shift = shift
		shift += l.fields[i].bits
	}
	if l.bits > arrayBits {
		return l, true
	}
	l.slots = 1 << l.bits
	if f := &l.fields[0]; len(types) == 1 && f.hinted {
		f.size = uint64(hints[0].Hi) - f.lo + 1
		l.slots = int(f.size) + 1
	}
	return l, true
}

// widen shares the bits that are left among the text columns.
func (l *layout) widen(texts int) {
	more := (64 - l.bits) / uint(texts)
	for i := range l.fields {
		if f := &l.fields[i]; f.intern != nil {
			b := min(32, f.bits+more)
			l.bits += b - f.bits
			f.bits, f.size = b, 1<<b-1
		}
	}
}

func signed(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64,
		arrow.TIMESTAMP, arrow.DURATION:
		return true
	}
	return false
}

// same reports whether a word means the same key in l and m.
func (l layout) same(m layout) bool {
	if len(l.fields) != len(m.fields) {
		return false
	}
	for i := range l.fields {
		if a, b := l.fields[i], m.fields[i]; a.intern != nil || b.intern != nil || a.lo != b.lo || a.size != b.size || a.shift != b.shift {
			return false
		}
	}
	return l.slots == m.slots
}

// eachRun calls f for the ranges of rows between those that skip lists in
// rising order.
func eachRun(n int, skip []uint32, f func(lo, hi int) error) error {
	lo := 0
	for _, s := range skip {
		if lo < int(s) {
			if err := f(lo, int(s)); err != nil {
				return err
			}
		}
		lo = int(s) + 1
	}
	if lo < n {
		return f(lo, n)
	}
	return nil
}
