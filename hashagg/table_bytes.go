package hashagg

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// The top byte of a key's second word says what the two words are. Values up
// to shortKey are the length of a byte string held in the words themselves.
const (
	shortKey  = 15
	tagShift  = 56
	tagPacked = uint64(0xfd) << tagShift // first word: packed or raw key
	tagNull   = uint64(0xfe) << tagShift // the NULL of a single key column
	tagLong   = uint64(0xff) << tagShift // first word: 8 bytes; rest: place in the arena
)

// bytesTable maps byte strings to tickets. A slot holds the top half of the
// key's hash and the ticket + 1, and 0 when empty; it is set once, by compare
// and swap, when the key is in place. So lookups take no lock: workers pass the
// gate once for a batch, and all come out only to replace the slots by more.
type bytesTable struct {
	space  *ticketSpace
	mask   uint64 // ANDed to every hash; tests clear bits
	gate   gate
	slots  []uint64
	region memory.Region // memory of slots
	shift  uint
}

func newBytesTable(space *ticketSpace, k knobs) *bytesTable {
	t := &bytesTable{space: space, mask: k.hashMask}
	t.gate.open(space.growing)
	t.setSlots(k.slots)
	return t
}

// setSlots gives the table n empty slots.
func (t *bytesTable) setSlots(n int) {
	t.region = memory.Region{}
	t.slots = vector.View[uint64](t.region.Fixed(8 * n))
	t.shift = uint(64 - bits.TrailingZeros(uint(n)))
}

// bytesProbe is one worker's access to a bytesTable.
type bytesProbe struct {
	table  *bytesTable
	issuer *issuer
	hashes []uint64
	words  []keyWord
	missed []uint32
	long   []longMatch
	// touched is what touch has read, kept so that reading is not dropped.
	touched byte
}

// longMatch is a row whose long key may be that at a place in the arena.
type longMatch struct {
	row   uint32
	place uint64
}

// keyWord holds the words by which a byte string is compared. It is a struct so
// that the compiler keeps it in registers, which it does not do with an array: a
// sixth of the time of a whole query by one text key of 12 bytes.
type keyWord struct{ head, tail uint64 }

// keyWordOf returns the words of data[lo:hi]: all of it where it is short, else
// its first 8 bytes and tagLong.
func keyWordOf(data []byte, lo, hi int) keyWord {
	n := hi - lo
	if n > shortKey {
		return keyWord{binary.LittleEndian.Uint64(data[lo:]), tagLong}
	}
	if lo+16 > len(data) {
		return lastKeyWord(data[lo:hi])
	}
	head, tail := binary.LittleEndian.Uint64(data[lo:]), binary.LittleEndian.Uint64(data[lo+8:])
	if n < 8 {
		return keyWord{head & (1<<(8*uint(n)) - 1), uint64(n) << tagShift}
	}
	return keyWord{head, tail&(1<<(8*uint(n-8))-1) | uint64(n)<<tagShift}
}

// lastKeyWord is keyWordOf for a short key with no 16 bytes left to load.
func lastKeyWord(p []byte) keyWord {
	var b [16]byte
	copy(b[:], p)
	return keyWord{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]) | uint64(len(p))<<tagShift}
}

func hashWords(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xe7037ed1a0b428db)
	return (hi ^ lo) * 0xd6e8feb86659fd93
}

// find sets tickets[i] to the ticket of the i-th string, whose bytes are
// data[offsets[i]:offsets[i+1]], and makes new groups. Rows that valid
// excludes are left alone.
func (p *bytesProbe) find(data []byte, offsets []int32, valid vector.Bitmap, tickets []uint32) error {
	n := len(tickets)
	p.hashes, p.words = vector.Resize(p.hashes, n), vector.Resize(p.words, n)
	mask := p.table.mask
	for i := range p.hashes {
		lo, hi := int(offsets[i]), int(offsets[i+1])
		w := keyWordOf(data, lo, hi)
		p.words[i] = w
		if w.tail == tagLong {
			p.hashes[i] = xxhash.Sum64(data[lo:hi]) & mask
		} else {
			p.hashes[i] = hashWords(w.head, w.tail) & mask
		}
	}
	p.table.gate.enter()
	defer p.table.gate.leave()
	for lo := 0; lo < n; lo += probeRows {
		hi := min(lo+probeRows, n)
		for _, i := range p.probe(data, offsets, lo, hi, tickets) {
			if !valid.Get(int(i)) {
				continue
			}
			if err := p.insert(int(i), data[offsets[i]:offsets[i+1]], tickets); err != nil {
				return err
			}
		}
	}
	return nil
}

// probeRows is how many rows are looked up at once: what is brought near for
// them, slots, keys and hundreds of bytes of long keys, stays in the
// second-level cache. With 13 text keys of 90 bytes in a row, a whole batch at a
// time took a tenth more of the query.
const probeRows = 1024

// probe looks the keys of rows lo up to hi up in the first slot that has the top
// half of their hash, and returns the rows for which that was not enough:
// gathering slots, then keys, then what is long of them, lets the cache misses
// of many rows overlap.
func (p *bytesProbe) probe(data []byte, offsets []int32, lo, hi int, tickets []uint32) []uint32 {
	probeSlots(p.table.slots, p.table.shift, p.hashes[lo:hi], tickets[lo:hi])
	dir := *p.table.space.dir.Load()
	missed := p.missed[:0]
	p.long = p.long[:0]
	for i, t := range tickets[lo:hi] {
		i += lo
		if t == noTicket {
			missed = append(missed, uint32(i))
			continue
		}
		switch r, w := row(dir, t), p.words[i]; {
		case w.tail == tagLong && r[0] == w.head && r[1] >= tagLong:
			p.long = append(p.long, longMatch{uint32(i), r[1] &^ tagLong})
		case r[0] != w.head || r[1] != w.tail || w.tail == tagLong:
			missed = append(missed, uint32(i))
		}
	}
	if len(p.long) == 0 {
		p.missed = missed
		return missed
	}
	arena := *p.table.space.arena.Load()
	p.touch(arena, offsets)
	for _, m := range p.long {
		if !bytes.Equal(longKey(arena, m.place), data[offsets[m.row]:offsets[m.row+1]]) {
			missed = append(missed, m.row)
		}
	}
	p.missed = missed
	return missed
}

// probeSlots sets tickets[i] to the ticket in the first slot that may be that of
// hashes[i], or noTicket.
//
//go:noinline
func probeSlots(slots []uint64, shift uint, hashes []uint64, tickets []uint32) {
	tickets = tickets[:len(hashes)]
	mask := uint64(len(slots) - 1)
	for i, h := range hashes {
		at := h >> shift
		s := atomic.LoadUint64(&slots[at&mask])
		for s != 0 && (s^h)>>32 != 0 {
			at++
			s = atomic.LoadUint64(&slots[at&mask])
		}
		tickets[i] = uint32(s) - 1
	}
}

// touch reads the long keys that may match, a byte of each line of the cache.
func (p *bytesProbe) touch(arena [][]byte, offsets []int32) {
	for _, m := range p.long {
		slab, at := arena[m.place>>32], int(uint32(m.place))
		end := min(at+4+int(offsets[m.row+1]-offsets[m.row]), len(slab))
		for ; at < end; at += 64 {
			p.touched += slab[at]
		}
	}
}

// insert finds row i slot by slot, or makes it a new group. The caller is
// inside the gate; it comes out while the table grows.
func (p *bytesProbe) insert(i int, key []byte, tickets []uint32) error {
	t := p.table
	h, w := p.hashes[i], p.words[i]
	top := h &^ math32
	at := h >> t.shift
	for {
		s := atomic.LoadUint64(&t.slots[at])
		switch {
		case s == 0 && p.issuer.frozen:
			tickets[i] = noTicket
			return nil
		case s == 0:
			n, full, err := t.room(p.issuer)
			if err != nil {
				return err
			}
			if full {
				t.gate.leave()
				err := t.grow(n)
				t.gate.enter()
				if err != nil {
					return err
				}
				at = h >> t.shift
				continue
			}
			if err := p.place(n, w, key); err != nil {
				return err
			}
			if atomic.CompareAndSwapUint64(&t.slots[at], 0, top|uint64(n+1)) {
				p.issuer.use()
				tickets[i] = n
				return nil
			}
		case s&^math32 == top && t.equal(uint32(s)-1, w, key):
			tickets[i] = uint32(s) - 1
			return nil
		default:
			at = (at + 1) & uint64(len(t.slots)-1)
		}
	}
}

const math32 = 1<<32 - 1

// room returns the next ticket, or full if the table must grow first: only
// tickets below capacity go in, so the rest of the slots stay empty.
func (t *bytesTable) room(is *issuer) (n uint32, full bool, err error) {
	n, err = is.next()
	return n, t.space.before(n) >= capacity(len(t.slots)), err
}

// place writes the key of ticket n, which no one else can see yet.
func (p *bytesProbe) place(n uint32, w keyWord, key []byte) error {
	if w.tail == tagLong {
		loc, err := p.issuer.store(key)
		if err != nil {
			return err
		}
		w.tail |= loc
	}
	*row(*p.table.space.dir.Load(), n) = [keyWords]uint64{w.head, w.tail}
	return nil
}

func (t *bytesTable) equal(n uint32, w keyWord, key []byte) bool {
	r := row(*t.space.dir.Load(), n)
	if w.tail != tagLong {
		return r[0] == w.head && r[1] == w.tail
	}
	return r[0] == w.head && r[1]&tagLong == tagLong && bytes.Equal(longKey(*t.space.arena.Load(), r[1]), key)
}

func longKey(arena [][]byte, w uint64) []byte {
	b := arena[w&^tagLong>>32][uint32(w):]
	n := int(binary.LittleEndian.Uint32(b))
	return b[4 : 4+n]
}

// reset empties all slots.
func (t *bytesTable) reset() { clear(t.slots) }

// grow makes room for the given ticket, as packedTable.grow does: the top bits of
// the hash are both the slot and what a slot keeps.
func (t *bytesTable) grow(ticket uint32) error {
	var region memory.Region
	planned, err := t.gate.grow(func() (*move, error) {
		n, err := t.space.slotsFor(len(t.slots), ticket, 8)
		if err != nil || n == len(t.slots) {
			return nil, err
		}
		old, rest := t.slots, leftovers[uint64]{}
		region = t.region
		return &move{
			blocks: (len(old) + moveSlots - 1) / moveSlots,
			begin:  func() { t.setSlots(n) },
			block: func(k int) {
				lo := k * moveSlots
				rest.add(t.moveBlock(old, lo, min(lo+moveSlots, len(old))))
			},
			end: func() { t.insertAll(rest.all) },
		}, nil
	})
	if planned {
		region.Free()
	}
	return err
}

// moveBlock moves old[lo:hi] to the slots that are theirs, and returns what does
// not go there.
func (t *bytesTable) moveBlock(old []uint64, lo, hi int) (rest []uint64) {
	wider := len(t.slots) / len(old)
	own, from := t.slots[lo*wider:hi*wider], uint64(lo*wider)
	for _, s := range old[lo:hi] {
		if s == 0 {
			continue
		}
		at := s&^math32>>t.shift - from // huge if it is below from
		for at < uint64(len(own)) && own[at] != 0 {
			at++
		}
		if at >= uint64(len(own)) {
			rest = append(rest, s)
			continue
		}
		own[at] = s
	}
	return rest
}

// insertAll puts slots where they belong.
func (t *bytesTable) insertAll(slots []uint64) {
	mask := uint64(len(t.slots) - 1)
	for _, s := range slots {
		at := s &^ math32 >> t.shift
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}

// keySize returns the length of the key in words w; 0 for NULL.
func keySize(arena [][]byte, w *[keyWords]uint64) int {
	switch {
	case w[1] >= tagLong:
		return len(longKey(arena, w[1]))
	case w[1] >= tagPacked:
		return 0
	}
	return int(w[1] >> tagShift)
}

// appendKey appends the bytes of the key in words w to dst.
func appendKey(dst []byte, arena [][]byte, w *[keyWords]uint64) []byte {
	if w[1] >= tagLong {
		return append(dst, longKey(arena, w[1])...)
	}
	n := w[1] >> tagShift
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], w[0])
	binary.LittleEndian.PutUint64(b[8:], w[1])
	return append(dst, b[:n]...)
}
