package hashagg

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// logColumn is a column of a valueLog: how its values are kept in chunks, with
// width bytes each. Booleans take a byte, byte strings a reference to texts.
type logColumn struct {
	typ   arrow.DataType
	width int
	texts logTexts
}

func newLogColumn(t arrow.DataType) logColumn {
	c := logColumn{typ: t, width: vector.Width(t)}
	switch {
	case t.ID() == arrow.BOOL:
		c.width = 1
	case vector.IsBytes(t):
		c.width = 8
	}
	return c
}

// put stores rows of v as rows of the chunk from ch.n on; the column is its
// k-th.
func (c *logColumn) put(l *valueLog, ch *logChunk, k int, v *vector.Vector, r logRows) {
	n := len(r.tickets)
	if v.MayHaveNulls() {
		c.putValid(l, ch, k, v, r)
	} else if ch.valid[k] != nil {
		ch.valid[k].SetRange(ch.n, ch.n+n)
	}
	from := v
	if v.Dict != nil {
		if from = v.Dict; from.Len == 0 {
			return // no row has a value
		}
	}
	dst := ch.data[k][ch.n*c.width : (ch.n+n)*c.width]
	if v.Flat() && r.at == nil && c.width == vector.Width(c.typ) {
		copy(dst, v.Data[r.from*c.width:])
		return
	}
	entry := func(i int) int {
		if v.Dict != nil {
			return v.Code(r.row(i))
		}
		return r.row(i)
	}
	switch {
	case c.typ.ID() == arrow.BOOL:
		for i := range n {
			e := entry(i)
			dst[i] = from.Data[e>>3] >> (e & 7) & 1
		}
	case vector.IsBytes(c.typ):
		refs := vector.View[uint64](dst)
		for i := range refs {
			e := entry(i)
			refs[i] = 0
			if from.Valid.Get(e) {
				refs[i] = c.texts.add(from.Data[from.Offsets[e]:from.Offsets[e+1]])
			}
		}
	case c.width == 8 && v.Codes != nil && r.at == nil:
		values := vector.View[uint64](from.Data)
		out := vector.View[uint64](dst)
		for i, code := range v.Codes[r.from : r.from+n] {
			out[i] = values[code]
		}
	case c.width == 8 && v.Flat():
		values := vector.View[uint64](from.Data)
		out := vector.View[uint64](dst)
		for i, e := range r.at {
			out[i] = values[e]
		}
	default:
		w := c.width
		for i := range n {
			copy(dst[i*w:i*w+w], from.Data[entry(i)*w:])
		}
	}
}

// putValid stores which rows have a value, from the chunk's first NULL on.
func (c *logColumn) putValid(l *valueLog, ch *logChunk, k int, v *vector.Vector, r logRows) {
	for i := range r.tickets {
		null := v.IsNull(r.row(i))
		if null && ch.valid[k] == nil {
			ch.valid[k] = vector.NewBitmap(ch.room)
			ch.valid[k].SetRange(0, ch.n+i)
			l.held += int64(len(ch.valid[k]))
		}
		switch {
		case ch.valid[k] == nil:
		case null:
			ch.valid[k].Clear(ch.n + i)
		default:
			ch.valid[k].Set(ch.n + i)
		}
	}
}

// logTexts keeps byte strings that stay until all are dropped. A reference
// holds up to seven bytes itself: the highest bit, the length in the next seven,
// the bytes. Others are a chunk's number in 23 bits, and place and length
// there in 20 bits each; a string that is longer than that has a chunk alone.
type logTexts struct {
	chunks [][]byte
	open   int // the chunk that is filled; strings alone in one may follow it
	size   int64
}

const (
	inlineText  = 1 << 63
	textBits    = 20
	ownChunk    = 1<<textBits - 1 // and longer
	mostTexts   = 1 << 23
	inlineBytes = 7
)

// take moves the strings of from to x, and corrects the references to them in
// column k of chunks.
func (x *logTexts) take(from *logTexts, chunks []*logChunk, k int) {
	first := uint64(len(x.chunks)) << (2 * textBits)
	for _, c := range chunks {
		refs := vector.View[uint64](c.data[k])[:c.n]
		for i, ref := range refs {
			if ref != 0 && ref&inlineText == 0 {
				refs[i] = ref + first
			}
		}
	}
	x.chunks = append(x.chunks, from.chunks...)
	x.size += from.size
}

func (x *logTexts) add(p []byte) uint64 {
	if len(p) <= inlineBytes {
		ref := inlineText | uint64(len(p))<<56
		for i, b := range p {
			ref |= uint64(b) << (8 * i)
		}
		return ref
	}
	if len(x.chunks) >= mostTexts {
		panic("BUG: more than eight terabytes of texts in memory")
	}
	if len(p) >= ownChunk {
		x.chunks = append(x.chunks, append(make([]byte, 0, len(p)), p...))
		x.size += int64(len(p))
		return uint64(len(x.chunks)-1)<<(2*textBits) | ownChunk
	}
	if len(x.chunks) == 0 || cap(x.chunks[x.open])-len(x.chunks[x.open]) < len(p) {
		room := max(len(p), min(int(x.size/logSlack), 1<<textBits), firstChunk)
		x.open = len(x.chunks)
		x.chunks = append(x.chunks, make([]byte, 0, room))
		x.size += int64(room)
	}
	c := x.chunks[x.open]
	x.chunks[x.open] = append(c, p...)
	return uint64(x.open)<<(2*textBits) | uint64(len(c))<<textBits | uint64(len(p))
}

// length returns the length of the string of a reference.
func (x *logTexts) length(ref uint64) int {
	switch n := int(ref & ownChunk); {
	case ref&inlineText != 0:
		return int(ref >> 56 & 0x7f)
	case ref == 0:
		return 0 // of a NULL
	case n == ownChunk:
		return len(x.chunks[ref>>(2*textBits)])
	default:
		return n
	}
}

// appendTo appends the string of a reference to dst.
func (x *logTexts) appendTo(dst []byte, ref uint64) []byte {
	if ref&inlineText != 0 {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], ref)
		return append(dst, b[:ref>>56&0x7f]...)
	}
	n := x.length(ref)
	if n == 0 {
		return dst
	}
	at := ref >> textBits & ownChunk
	if n >= ownChunk {
		at = 0
	}
	return append(dst, x.chunks[ref>>(2*textBits)][at:int(at)+n]...)
}
