package hashagg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

const (
	// arrayBits is the widest packed key that is used as a ticket: 4M groups of
	// 4 words take 128 MiB for each worker.
	arrayBits = 22
	// fewSlots is how many possible keys are worth a ticket each however few
	// there are: with 4 words, 2 MiB for each worker.
	fewSlots = 1 << 16
	// sampleKeys is how many different keys in the first batch tell something
	// about those that it does not have.
	sampleKeys = 64
	// sampleShare is the share of the possible keys within the reach of the
	// first batch that must be there to give all a ticket.
	sampleShare = 8
)

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

// filled reports whether the first batch looks as if most words that are
// possible have a group: either most of those that come at all come once only,
// whatever share of the rows others have, or those that lie between the least
// and the greatest are there. Few groups in a wide range are better off in a
// small hash table.
func (l layout) filled(first []*vector.Vector, rows *rowKeys) bool {
	g := (&fieldKeys{layout: l, rows: rows}).fieldGrouper()
	defer g.Close()
	words := make([]uint32, first[0].Len)
	if err := pack(g, words, first); err != nil {
		return false
	}
	once, again := make(ticketSet, (l.slots+63)/64), make(ticketSet, (l.slots+63)/64)
	least, most := words[0], words[0]
	for _, w := range words {
		if int(w) >= l.slots {
			continue
		}
		if once.has(w) {
			again.set(w)
		}
		once.set(w)
		least, most = min(least, w), max(most, w)
	}
	distinct := once.len()
	return distinct >= sampleKeys && again.len() <= distinct/2 || distinct >= int64(most-least)/sampleShare
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
