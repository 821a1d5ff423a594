package hashagg

import (
	"encoding/binary"

	"github.com/colagg/colagg/vector"
)

// textWords is the number of slab words of a byte string: its first eight
// bytes, zero-padded, as a number whose order is theirs, and a reference. The
// reference is 0 for none, 1 + the length for strings of up to eight bytes,
// which have no other memory, and firstRef + a place in the arena for longer
// ones.
const (
	textWords = 2
	inline    = 8
	firstRef  = 16
)

// text keeps one byte string per ticket.
type text struct {
	slot
	arena arena
	n     int // tickets in use
	codes textOperand
}

// Grow notes the number of tickets, by which compaction waits.
func (x *text) Grow(n int) { x.n = max(x.n, n) }

// set makes p the string of the state in row, whose prefix is given.
func (x *text) set(row []uint64, prefix uint64, p []byte) {
	row[0] = prefix
	old := row[1]
	switch {
	case len(p) <= inline:
		if old >= firstRef {
			x.arena.drop(old - firstRef)
		}
		row[1] = 1 + uint64(len(p))
	case old >= firstRef && x.arena.replace(old-firstRef, p):
	default:
		if old >= firstRef {
			x.arena.drop(old - firstRef)
		}
		row[1] = firstRef + x.arena.add(p)
	}
}

// get returns the string of the state in row, which must not be empty. buf is
// used for short strings.
func (x *text) get(row []uint64, buf *[inline]byte) []byte {
	if row[1] >= firstRef {
		return x.arena.at(row[1] - firstRef)
	}
	binary.BigEndian.PutUint64(buf[:], row[0])
	return buf[:row[1]-1]
}

// compact moves the strings in use to a new arena once more bytes are dead than
// alive, and enough of them to pay for a look at every ticket.
func (x *text) compact() {
	if x.arena.dead < minDead+16*int64(x.n) || 2*x.arena.dead < x.arena.used {
		return
	}
	words, stride := x.rows()
	var to arena
	for t := range x.n {
		row := words[t*stride : t*stride+textWords]
		if row[1] >= firstRef {
			row[1] = firstRef + to.add(x.arena.at(row[1]-firstRef))
		}
	}
	x.arena = to
}

// Bytes returns the size of the arena and of what is kept per dictionary.
func (x *text) Bytes() int64 { return x.arena.size + x.codes.bytes() }

// Reset drops all strings.
func (x *text) Reset() { x.arena, x.n = arena{}, 0 }

// minDead keeps small arenas from being compacted all the time.
const minDead = 64 << 10

// arena holds byte strings, each after its length in four bytes, in chunks that
// never move. A place is a chunk's number and a position in it. The zero arena
// is empty.
type arena struct {
	chunks [][]byte
	size   int64 // bytes of all chunks
	used   int64 // bytes of all strings and lengths, dead ones included
	dead   int64
}

const (
	firstChunk = 1 << 10
	lastChunk  = 1 << 20
)

func (a *arena) add(p []byte) uint64 {
	need := 4 + len(p)
	k := len(a.chunks) - 1
	if k < 0 || cap(a.chunks[k])-len(a.chunks[k]) < need {
		size := max(need, firstChunk)
		if k >= 0 {
			size = max(need, min(2*cap(a.chunks[k]), lastChunk))
		}
		a.chunks = append(a.chunks, make([]byte, 0, size))
		a.size += int64(size)
		k++
	}
	c := a.chunks[k]
	place := uint64(k)<<32 | uint64(len(c))
	c = binary.LittleEndian.AppendUint32(c, uint32(len(p)))
	a.chunks[k] = append(c, p...)
	a.used += int64(need)
	return place
}

func (a *arena) at(place uint64) []byte {
	c := a.chunks[place>>32][uint32(place):]
	n := binary.LittleEndian.Uint32(c)
	return c[4 : 4+n : 4+n]
}

// drop counts a string as dead.
func (a *arena) drop(place uint64) { a.dead += 4 + int64(len(a.at(place))) }

// replace overwrites a string with one that is not longer, or returns false.
func (a *arena) replace(place uint64, p []byte) bool {
	old := a.at(place)
	if len(p) > len(old) {
		return false
	}
	copy(old, p)
	a.dead += int64(len(old) - len(p))
	binary.LittleEndian.PutUint32(a.chunks[place>>32][uint32(place):], uint32(len(p)))
	return true
}

// textOperand reads byte strings, fixed-size ones too, and their prefixes.
type textOperand struct {
	prefixes []uint64
	id       uint64 // of the dictionary that prefixes belong to, or 0
}

// prefix returns the first eight bytes of data[lo:hi] as a number, zero-padded.
func prefix(data []byte, lo, hi int) uint64 {
	n := hi - lo
	if lo+8 <= len(data) {
		p := binary.BigEndian.Uint64(data[lo:])
		if n < 8 {
			p &^= 1<<(64-8*n) - 1
		}
		return p
	}
	var b [8]byte
	copy(b[:], data[lo:hi])
	return binary.BigEndian.Uint64(b[:])
}

// load computes the prefixes of the first n rows of v, or of its dictionary's
// entries if it has one; those are kept for the next batch.
func (o *textOperand) load(v *vector.Vector, n int) []uint64 {
	src := v
	if v.Dict != nil {
		src, n = v.Dict, v.Dict.Len
		if src.ID != 0 && src.ID == o.id {
			return o.prefixes
		}
	}
	o.id = 0
	if v.Dict != nil {
		o.id = src.ID
	}
	o.prefixes = vector.Resize(o.prefixes, n)
	if src.Offsets != nil {
		for i := range o.prefixes {
			o.prefixes[i] = prefix(src.Data, int(src.Offsets[i]), int(src.Offsets[i+1]))
		}
		return o.prefixes
	}
	w := vector.Width(src.Type)
	for i := range o.prefixes {
		o.prefixes[i] = prefix(src.Data, i*w, i*w+w)
	}
	return o.prefixes
}

func (o *textOperand) bytes() int64 { return 8 * int64(cap(o.prefixes)) }
