package hashagg

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// rowKeys is the form for everything else: the columns of a row are written
// one after the other as bytes, and that is the key. A fixed-width column takes
// its bytes, in canonical form; a text column 4 bytes of length and its bytes,
// or 4 bytes of its interned number. NULLs are zeros, and a row that has some
// ends with a bitmap of them, so that the encoding can be read back in one way
// only.
type rowKeys struct {
	types    []arrow.DataType
	interned []*textKeys // by column; nil where the bytes themselves are used
	space    *ticketSpace
	table    *bytesTable
}

// newRowKeys interns the text columns that come dictionary-coded in the first
// batch: their entries are then looked up once per dictionary, not per row.
func newRowKeys(types []arrow.DataType, first []*vector.Vector, space *ticketSpace, budget *memory.Budget, k knobs) *rowKeys {
	r := &rowKeys{types: types, interned: make([]*textKeys, len(types)), space: space, table: newBytesTable(space, k)}
	for i, t := range types {
		if isString(t) && first[i].Codes != nil {
			s := newTicketSpace(1, budget.Account("the values of a key column"))
			r.interned[i] = &textKeys{typ: t, space: s, table: newBytesTable(s, k)}
		}
	}
	return r
}

func (k *rowKeys) form() string { return "bytes" }

func (k *rowKeys) reset() {
	k.space.reset()
	k.table.reset()
	for _, t := range k.interned {
		if t != nil {
			t.reset()
		}
	}
}

func (k *rowKeys) close() {
	k.space.close()
	k.table.region.Free()
	for _, t := range k.interned {
		if t != nil {
			t.close()
		}
	}
}

func (k *rowKeys) grouper() Grouper { return k.rowGrouper() }

func (k *rowKeys) rowGrouper() *rowGrouper {
	g := &rowGrouper{keys: k, probe: bytesProbe{table: k.table, issuer: &issuer{space: k.space}}}
	g.columns = make([]keyReader, len(k.types))
	for i := range g.columns {
		if t := k.interned[i]; t != nil {
			g.columns[i].interner = t.grouper()
		}
	}
	return g
}

type rowGrouper struct {
	keys    *rowKeys
	probe   bytesProbe
	columns []keyReader
	flat    []*vector.Vector
	data    []byte
	offsets []int32
	cursor  []int32
}

// Freeze leaves the numbers of texts, which go on.
func (g *rowGrouper) Freeze() { g.probe.issuer.frozen = true }

func (g *rowGrouper) Close() {
	g.probe.issuer.close()
	for i := range g.columns {
		if in := g.columns[i].interner; in != nil {
			in.Close()
		}
	}
}

func (g *rowGrouper) Groups(cols []*vector.Vector, tickets []uint32) error {
	if err := g.encode(cols, len(tickets)); err != nil {
		return err
	}
	return g.probe.find(g.data, g.offsets, nil, tickets)
}

// encode writes all rows, one column at a time.
func (g *rowGrouper) encode(cols []*vector.Vector, n int) error {
	if err := g.layOut(cols, n); err != nil {
		return err
	}
	for c, v := range cols {
		if g.columns[c].interner != nil {
			ids, err := g.columns[c].ids(v, n)
			if err != nil {
				return err
			}
			g.putIDs(v, ids)
			continue
		}
		f := g.flat[c]
		switch w := vector.Width(f.Type); {
		case vector.IsBytes(f.Type):
			g.putText(f, n)
		case w > 8 || f.Type.ID() == arrow.FIXED_SIZE_BINARY:
			g.putWide(f, n, w)
		case f.Type.ID() != arrow.NULL:
			g.putWords(f, g.columns[c].wordsOf(f, n), max(w, 1))
		}
	}
	g.putMasks(cols, n)
	return nil
}

// layOut flattens the columns that are not interned, and sets offsets and
// cursor to where each row begins.
func (g *rowGrouper) layOut(cols []*vector.Vector, n int) (err error) {
	g.flat = vector.Resize(g.flat, len(cols))
	g.offsets, g.cursor = vector.Resize(g.offsets, n+1), vector.Resize(g.cursor, n)
	fixed, mask := 0, 0
	var text []*vector.Vector
	for c, v := range cols {
		if g.columns[c].interner != nil {
			fixed += 4
		} else {
			if g.flat[c], err = vector.Flatten(v); err != nil {
				return err
			}
			switch {
			case vector.IsBytes(v.Type):
				fixed += 4
				text = append(text, g.flat[c])
			case v.Type.ID() == arrow.BOOL:
				fixed++
			default:
				fixed += vector.Width(v.Type)
			}
		}
		if v.MayHaveNulls() {
			mask = (len(cols) + 7) / 8
		}
	}
	at := 0
	for i := range n {
		g.offsets[i], g.cursor[i] = int32(at), int32(at)
		at += fixed
		for _, t := range text {
			if !t.IsNull(i) {
				at += int(t.Offsets[i+1] - t.Offsets[i])
			}
		}
		if mask > 0 && anyNull(cols, i) {
			at += mask
		}
		if at > vector.MaxBytes {
			return vector.ErrTooLong
		}
	}
	g.offsets[n] = int32(at)
	g.data = vector.Resize(g.data, at)
	return nil
}

func anyNull(cols []*vector.Vector, i int) bool {
	for _, v := range cols {
		if v.IsNull(i) {
			return true
		}
	}
	return false
}

func (g *rowGrouper) putIDs(v *vector.Vector, ids []uint32) {
	nulls := v.MayHaveNulls()
	for i, id := range ids {
		if nulls && v.IsNull(i) {
			id = 0
		}
		binary.LittleEndian.PutUint32(g.data[g.cursor[i]:], id)
		g.cursor[i] += 4
	}
}

func (g *rowGrouper) putText(v *vector.Vector, n int) {
	for i := range n {
		var p []byte
		if v.Valid.Get(i) {
			p = v.Data[v.Offsets[i]:v.Offsets[i+1]]
		}
		at := g.cursor[i]
		binary.LittleEndian.PutUint32(g.data[at:], uint32(len(p)))
		copy(g.data[at+4:], p)
		g.cursor[i] = at + 4 + int32(len(p))
	}
}

func (g *rowGrouper) putWide(v *vector.Vector, n, w int) {
	for i := range n {
		at := g.data[g.cursor[i]:][:w]
		if v.Valid.Get(i) {
			copy(at, v.Data[i*w:])
		} else {
			clear(at)
		}
		g.cursor[i] += int32(w)
	}
}

func (g *rowGrouper) putWords(v *vector.Vector, words []uint64, w int) {
	for i, x := range words {
		if !v.Valid.Get(i) {
			x = 0
		}
		at := g.cursor[i]
		switch w {
		case 8:
			binary.LittleEndian.PutUint64(g.data[at:], x)
		case 4:
			binary.LittleEndian.PutUint32(g.data[at:], uint32(x))
		case 2:
			binary.LittleEndian.PutUint16(g.data[at:], uint16(x))
		default:
			g.data[at] = byte(x)
		}
		g.cursor[i] = at + int32(w)
	}
}

// putMasks writes the bitmaps of the rows that have NULLs.
func (g *rowGrouper) putMasks(cols []*vector.Vector, n int) {
	for i := range n {
		mask := g.data[g.cursor[i]:g.offsets[i+1]]
		if len(mask) == 0 {
			continue
		}
		clear(mask)
		for c, v := range cols {
			if v.IsNull(i) {
				mask[c>>3] |= 1 << (c & 7)
			}
		}
	}
}

func (k *rowKeys) keys(tickets []uint32) ([]*vector.Vector, error) {
	out := k.newOutput(len(tickets))
	dir, arena := *k.space.dir.Load(), *k.space.arena.Load()
	var b []byte
	for i, t := range tickets {
		b = appendKey(b[:0], arena, row(dir, t))
		out.decode(i, b)
	}
	return out.finish()
}
