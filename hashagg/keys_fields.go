package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// fieldKeys is the form for key columns that fit in one word together: the
// word itself is the ticket where the possible keys are few, else it is hashed.
// A key with a value outside of its field (the layout rests on hints and on the
// first dictionaries) lives in rows instead, in the same tickets.
type fieldKeys struct {
	layout layout
	packed *packedTable // nil if the word is the ticket
	rows   *rowKeys
}

func newFieldKeys(l layout, rows *rowKeys, k knobs) *fieldKeys {
	return &fieldKeys{layout: l, rows: rows, packed: newPackedTable(rows.space, k)}
}

// newArrayKeys returns fieldKeys whose tickets are the words.
func newArrayKeys(l layout, rows *rowKeys) *fieldKeys {
	rows.space.reserve(l.slots)
	return &fieldKeys{layout: l, rows: rows}
}

func (k *fieldKeys) form() string {
	if k.packed == nil {
		return "array"
	}
	return "packed"
}

func (k *fieldKeys) reset() {
	k.rows.reset()
	if k.packed != nil {
		k.packed.reset()
	}
}

func (k *fieldKeys) close() {
	k.rows.close()
	if k.packed != nil {
		k.packed.region.Free()
	}
}

func (k *fieldKeys) grouper() Grouper {
	g := k.fieldGrouper()
	if len(k.layout.fields) == 1 {
		return newDictionaryGrouper(g)
	}
	return g
}

func (k *fieldKeys) fieldGrouper() *fieldGrouper {
	rows := k.rows.rowGrouper()
	g := &fieldGrouper{keys: k, rows: rows, codes: make([]fieldCodes, len(k.layout.fields))}
	if k.packed != nil {
		g.packed = packedProbe{table: k.packed, issuer: rows.probe.issuer}
	}
	return g
}

type fieldGrouper struct {
	keys   *fieldKeys
	rows   *rowGrouper
	packed packedProbe

	word   []uint64 // packed keys, when they are hashed
	wide   []uint32 // rows whose key does not fit
	subset []*vector.Vector
	found  []uint32
	codes  []fieldCodes // by column
}

func (g *fieldGrouper) Freeze() { g.rows.Freeze() }

func (g *fieldGrouper) Close() { g.rows.Close() }

func (g *fieldGrouper) Groups(cols []*vector.Vector, tickets []uint32) (err error) {
	n := len(tickets)
	g.wide = g.wide[:0]
	if g.keys.packed == nil {
		err = pack(g, tickets, cols)
	} else {
		g.word = vector.Resize(g.word, n)
		if err = pack(g, g.word, cols); err != nil {
			return err
		}
		err = eachRun(n, g.wide, func(lo, hi int) error { return g.packed.find(g.word[lo:hi], tickets[lo:hi]) })
	}
	if err != nil || len(g.wide) == 0 {
		return err
	}
	return g.wideRows(cols, tickets)
}

// pack sets dst to the packed keys and lists in g.wide the rows that do not
// fit.
func pack[T uint32 | uint64](g *fieldGrouper, dst []T, cols []*vector.Vector) error {
	some := false
	if index, ok := any(dst).([]uint32); ok {
		var err error
		if some, err = g.packCodes(index, cols); err != nil {
			return err
		}
	}
	if !some {
		clear(dst)
	}
	var over bool
	for c, v := range cols {
		f := &g.keys.layout.fields[c]
		if g.codes[c].packed {
			continue
		}
		if f.intern != nil {
			ids, err := g.rows.columns[c].ids(v, len(dst))
			if err != nil {
				return err
			}
			over = packField(dst, ids, f, 0, v) || over
		} else {
			over = packField(dst, g.rows.columns[c].wordsOf(v, len(dst)), f, f.lo, v) || over
		}
	}
	if over {
		g.listWide(cols, len(dst))
	}
	return nil
}

// packCodes sets dst to the fields of the columns that are packed by code, and
// reports false if there are none and dst is as it was.
func (g *fieldGrouper) packCodes(dst []uint32, cols []*vector.Vector) (some bool, err error) {
	var last *fieldCodes // ready, but not packed yet
	var codes []uint32
	for c, v := range cols {
		k := &g.codes[c]
		ok, err := k.ready(&g.keys.layout.fields[c], v, &g.rows.columns[c])
		switch {
		case err != nil:
			return false, err
		case !ok:
		case some:
			k.packed = addFields(dst, v.Codes, k.fields)
		case last == nil:
			last, codes = k, v.Codes
		default:
			// The first two together take a third less time than one after the other.
			k.packed = setFieldPair(dst, codes, last.fields, v.Codes, k.fields)
			last.packed, last, some = k.packed, nil, true
		}
		if some && ok && !k.packed {
			known(dst)
		}
	}
	if last != nil {
		some = true
		if last.packed = setFields(dst, codes, last.fields); !last.packed {
			known(dst)
		}
	}
	return some, nil
}

// known clears what marks rows with a field that does not fit.
func known(dst []uint32) {
	for i := range dst {
		dst[i] &^= unknownField
	}
}

// packField reports whether a row did not fit; what it packs for such rows is
// of no use but within the field.
func packField[T uint32 | uint64, W uint32 | uint64](dst []T, words []W, f *field, lo uint64, v *vector.Vector) bool {
	size, mask, shift := f.size, uint64(1)<<f.bits-1, f.shift
	dst = dst[:len(words)]
	over := uint64(0)
	if v.Type.ID() == arrow.NULL {
		return false
	}
	if !v.MayHaveNulls() {
		for i, w := range words {
			x := uint64(w) - lo + 1
			if x-1 >= size {
				over = 1
			}
			dst[i] |= T(x&mask) << shift
		}
		return over != 0
	}
	coded := v.Dict != nil && v.Dict.MayHaveNulls()
	for i, w := range words {
		if !v.Valid.Get(i) || coded && v.IsNull(i) {
			continue
		}
		x := uint64(w) - lo + 1
		if x-1 >= size {
			over = 1
		}
		dst[i] |= T(x&mask) << shift
	}
	return over != 0
}

// listWide looks for the rows that do not fit; it runs only for batches that
// have one.
func (g *fieldGrouper) listWide(cols []*vector.Vector, n int) {
	for i := range n {
		for c, v := range cols {
			f := &g.keys.layout.fields[c]
			if g.codes[c].packed || v.IsNull(i) || f.typ.ID() == arrow.NULL {
				continue
			}
			if w := g.rows.columns[c].word(i) - f.lo; w >= f.size {
				g.wide = append(g.wide, uint32(i))
				break
			}
		}
	}
}

func (g *fieldGrouper) wideRows(cols []*vector.Vector, tickets []uint32) (err error) {
	if g.subset == nil {
		g.subset = make([]*vector.Vector, len(cols))
	}
	for c, v := range cols {
		if g.subset[c], err = vector.Gather(g.subset[c], v, g.wide); err != nil {
			return err
		}
	}
	g.found = vector.Resize(g.found, len(g.wide))
	if err := g.rows.Groups(g.subset, g.found); err != nil {
		return err
	}
	for k, i := range g.wide {
		tickets[i] = g.found[k]
	}
	return nil
}

func (k *fieldKeys) keys(tickets []uint32) ([]*vector.Vector, error) {
	out := k.rows.newOutput(len(tickets))
	dir, arena := *k.rows.space.dir.Load(), *k.rows.space.arena.Load()
	for i, t := range tickets {
		key := uint64(t)
		if k.packed != nil || t >= k.rows.space.base {
			r := row(dir, t)
			if r[1] != tagPacked {
				out.decode(i, appendKey(nil, arena, r))
				continue
			}
			key = r[0]
		}
		for c := range k.layout.fields {
			f := &k.layout.fields[c]
			if x := key >> f.shift & (1<<f.bits - 1); x == 0 {
				out.cols[c].null(i)
			} else {
				out.cols[c].word(i, x-1+f.lo)
			}
		}
	}
	return out.finish()
}
