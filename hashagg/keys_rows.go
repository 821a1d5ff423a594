package hashagg

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// rowKeys is the form for everything else: the columns of a row are written
// one after the other as bytes, and that is the key. A fixed-width column takes
// its bytes, in canonical form; a text column 4 bytes of length and its bytes,
// or its interned number in 1 to 4 bytes. A number that does not fit these is
// all ones there and follows after the last column in 4 bytes. NULLs are zeros,
// and a row that has some ends with a bitmap of them, so that the encoding can
// be read back in one way only.
type rowKeys struct {
	types    []arrow.DataType
	interned []internedColumn // by column
	space    *ticketSpace
	table    *bytesTable
}

const internedAccount = "the values of a key column"

// internedColumn is a text column whose values are numbered.
type internedColumn struct {
	texts *textKeys // nil where the bytes themselves are used
	width int       // bytes of a number
}

// escape is the number, in width bytes, that says that the number follows.
func (c internedColumn) escape() uint32 { return uint32(1<<(8*c.width) - 1) }

// newRowKeys interns the text columns that come dictionary-coded in the first
// batch: their entries are then looked up once per dictionary, not per row.
func newRowKeys(types []arrow.DataType, first []*vector.Vector, space *ticketSpace, k knobs) *rowKeys {
	r := &rowKeys{types: types, interned: make([]internedColumn, len(types)), space: space, table: newBytesTable(space, k)}
	for i, t := range types {
		if isString(t) && first[i].Codes != nil {
			s := newTicketSpace(1, space.account.Beside(internedAccount), space.growing)
			// Room for four times the entries of the first dictionary.
			width := (bits.Len(uint(4*first[i].Dict.Len+4)) + 7) / 8
			r.interned[i] = internedColumn{&textKeys{typ: t, space: s, table: newBytesTable(s, k)}, min(width, 4)}
		}
	}
	return r
}

func (k *rowKeys) form() string { return "bytes" }

func (k *rowKeys) reset() {
	k.space.reset()
	k.table.reset()
	for _, c := range k.interned {
		if c.texts != nil {
			c.texts.reset()
		}
	}
}

func (k *rowKeys) close() {
	k.space.close()
	k.table.region.Free()
	for _, c := range k.interned {
		if c.texts != nil {
			c.texts.close()
		}
	}
}

func (k *rowKeys) grouper() Grouper { return k.rowGrouper() }

func (k *rowKeys) rowGrouper() *rowGrouper {
	g := &rowGrouper{keys: k, probe: bytesProbe{table: k.table, issuer: &issuer{space: k.space}}}
	g.columns = make([]keyReader, len(k.types))
	for i := range g.columns {
		if t := k.interned[i].texts; t != nil {
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
	more    []uint8 // numbers that follow, by row
	follow  bool    // a row has some
}

// Freeze ends the numbering of texts too: a text without a number gets one that
// no key has.
func (g *rowGrouper) Freeze() {
	g.probe.issuer.frozen = true
	for i := range g.columns {
		if in := g.columns[i].interner; in != nil {
			in.Freeze()
		}
	}
}

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
	if err := g.number(cols, n); err != nil {
		return err
	}
	if err := g.layOut(cols, n); err != nil {
		return err
	}
	for c := range cols {
		if g.columns[c].interner != nil {
			g.putNumbers(c)
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
	if g.follow {
		g.putEscaped()
	}
	g.putMasks(cols, n)
	return nil
}

// number looks up the numbers of texts, and counts those that do not fit.
func (g *rowGrouper) number(cols []*vector.Vector, n int) error {
	g.follow = false
	for c, v := range cols {
		if g.columns[c].interner == nil {
			continue
		}
		ids, err := g.columns[c].ids(v, n)
		if err != nil {
			return err
		}
		if v.MayHaveNulls() {
			for i := range ids {
				if v.IsNull(i) {
					ids[i] = 0
				}
			}
		}
		escape, most := g.keys.interned[c].escape(), uint32(0)
		for _, id := range ids {
			most = max(most, id)
		}
		if most < escape {
			continue
		}
		if !g.follow {
			g.follow, g.more = true, vector.Resize(g.more, n)
			clear(g.more)
		}
		for i, id := range ids {
			if id >= escape {
				g.more[i]++
			}
		}
	}
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
			fixed += g.keys.interned[c].width
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
		if g.follow {
			at += 4 * int(g.more[i])
		}
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

func (g *rowGrouper) putNumbers(c int) {
	w, escape := g.keys.interned[c].width, g.keys.interned[c].escape()
	data, cursor := g.data, g.cursor
	for i, id := range g.columns[c].numbers {
		id = min(id, escape)
		at := cursor[i]
		switch b := data[at:]; w {
		case 1:
			b[0] = byte(id)
		case 2:
			binary.LittleEndian.PutUint16(b, uint16(id))
		case 3:
			b[0], b[1], b[2] = byte(id), byte(id>>8), byte(id>>16)
		default:
			binary.LittleEndian.PutUint32(b, id)
		}
		cursor[i] = at + int32(w)
	}
}

// putEscaped writes the numbers that did not fit.
func (g *rowGrouper) putEscaped() {
	for c := range g.columns {
		if g.columns[c].interner == nil {
			continue
		}
		escape := g.keys.interned[c].escape()
		for i, id := range g.columns[c].numbers {
			if id >= escape {
				binary.LittleEndian.PutUint32(g.data[g.cursor[i]:], id)
				g.cursor[i] += 4
			}
		}
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
	var short []byte
	for i, t := range tickets {
		if r := row(dir, t); r[1] >= tagLong {
			out.decode(i, longKey(arena, r[1]))
		} else {
			short = appendKey(short[:0], arena, r)
			out.decode(i, short)
		}
	}
	return out.finish()
}
