package hashagg

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// cells is a second level of table: what a group may have many of, keyed by the
// group's ticket and something else. It is open addressing over pointer-free
// memory, so a group has no object of its own.
//
// A cell is one word, or two. The first is ticket + 1, shifted by 32 bits, and
// 32 bits that are part of the key; 0 is an empty cell. The second is the rest of
// the key where width is 2 and keyed is too, else what the key is mapped to.
//
// The hash of a key is salted by the table: the cells of one are read in the
// order of their hashes, and inserted in the order of the same hashes they would
// crowd together at the beginning of the next. The slot of a key is its hash
// scaled to the number of slots, so that growing keeps the order and writes from
// front to back.
//
// There is one segment until splitCells, then segmentCount of them by the top
// bits of the hash. Each grows by half when it is two thirds full, so that
// growing never doubles the memory: no more than one segment is there twice.
type cells struct {
	width, keyed int
	salt         uint64
	blind        uint64 // bits of every hash that are cleared, for tests
	segments     []segment
	bits         uint // segments are 1 << bits
	bytes        int64
	hashes       []uint64
	touched      uint64 // what touch has read, kept so that reading is not dropped

	mu     sync.Mutex
	sorted atomic.Bool // each segment is dense and in order of first words
}

// segment is the cells of a range of hashes.
type segment struct {
	words  []uint64
	slots  int
	used   int
	limit  int // used cells from which on it must grow
	region memory.Region
}

const (
	firstCells   = 16
	splitCells   = 32 << 10 // of one segment, in slots
	segmentBits  = 6
	segmentCount = 1 << segmentBits
	// cellRows is how many rows are looked up at once; their slots are brought
	// near before.
	cellRows = 1024
)

func newCells(width, keyed int) cells {
	return cells{width: width, keyed: keyed, salt: hash64(vector.NextID())}
}

// cellKey is the first word of a cell.
func cellKey(ticket, low uint32) uint64 { return (uint64(ticket)+1)<<32 | uint64(low) }

// cellTicket is the ticket of a cell's first word.
func cellTicket(first uint64) uint32 { return uint32(first>>32) - 1 }

func (c *cells) hash(first, second uint64) uint64 {
	if c.keyed == 1 {
		return hash64(first^c.salt) &^ c.blind
	}
	return hashWords(first^c.salt, second) &^ c.blind
}

// place returns the segment of a hash, and the position in its words where the
// key is looked for first.
func (c *cells) place(h uint64) (*segment, int) {
	s := &c.segments[h>>(64-c.bits)]
	at, _ := bits.Mul64(h<<c.bits, uint64(s.slots))
	return s, int(at) * c.width
}

// ready makes the table ready for insertions: it has a segment, and is not
// sorted.
func (c *cells) ready() {
	if c.sorted.Load() {
		c.scatter()
	}
	if c.segments == nil {
		c.segments = make([]segment, 1)
		c.allot(&c.segments[0], firstCells)
	}
}

// allot gives s so many empty slots.
func (c *cells) allot(s *segment, slots int) {
	n := 8 * slots * c.width
	*s = segment{slots: slots, limit: slots / 3 * 2}
	s.words = vector.View[uint64](s.region.Fixed(n))
	c.bytes += int64(n)
}

// free gives the memory of s back.
func (c *cells) free(s *segment) {
	c.bytes -= int64(8 * s.slots * c.width)
	s.region.Free()
	s.words = nil
}

// grow makes room in s, or splits it if it is the only one.
func (c *cells) grow(s *segment) {
	old := *s
	defer c.free(&old)
	if c.bits == 0 && old.slots >= splitCells {
		c.segments, c.bits = make([]segment, segmentCount), segmentBits
		for i := range c.segments {
			c.allot(&c.segments[i], splitCells/segmentCount*2)
		}
	} else {
		slots := old.slots * 2
		if c.bits > 0 {
			slots = old.slots + old.slots/2
		}
		c.allot(s, slots)
	}
	for at := 0; at < len(old.words); at += c.width {
		if old.words[at] != 0 {
			c.put(old.words[at : at+c.width])
		}
	}
}

// put inserts a cell whose key is not there.
func (c *cells) put(cell []uint64) {
	h := c.hash(cell[0], cell[len(cell)-1])
	s, at := c.place(h)
	for s.used >= s.limit {
		c.grow(s)
		s, at = c.place(h)
	}
	for s.words[at] != 0 {
		if at += c.width; at == len(s.words) {
			at = 0
		}
	}
	s.used++
	copy(s.words[at:], cell)
}

// prepare computes the hashes of cells and brings their slots near. seconds may
// be nil if keys have one word.
func (c *cells) prepare(tickets []uint32, lows []uint32, seconds []uint64) []uint64 {
	c.hashes = vector.Resize(c.hashes, len(tickets))
	hashes := c.hashes
	switch {
	case lows != nil:
		for i, t := range tickets {
			hashes[i] = hash64(cellKey(t, lows[i])^c.salt) &^ c.blind
		}
	default:
		seconds = seconds[:len(tickets)]
		for i, t := range tickets {
			hashes[i] = hashWords(cellKey(t, 0)^c.salt, seconds[i]) &^ c.blind
		}
	}
	if c.bytes >= nearCells {
		c.touch(hashes)
	}
	return hashes
}

// nearCells is the size from which on cells are mostly not in the caches of a
// core.
const nearCells = 1 << 20

// touch reads the first slots of hashes: see Slab.touch.
//
//go:noinline
func (c *cells) touch(hashes []uint64) {
	read := uint64(0)
	for _, h := range hashes {
		s, at := c.place(h)
		read |= s.words[at]
	}
	c.touched |= read
}

// addPairs inserts keys of two words, a ticket and a value each, and appends to
// fresh the numbers of those that were not there, each once.
func (c *cells) addPairs(tickets []uint32, values []uint64, fresh []uint32) []uint32 {
	c.ready()
	for lo := 0; lo < len(tickets); lo += cellRows {
		hi := min(lo+cellRows, len(tickets))
		hashes := c.prepare(tickets[lo:hi], nil, values[lo:hi])
		for i, h := range hashes {
			if c.addPair(h, cellKey(tickets[lo+i], 0), values[lo+i]) {
				fresh = append(fresh, uint32(lo+i))
			}
		}
	}
	return fresh
}

// addPair inserts a key with hash h and reports whether it was not there.
func (c *cells) addPair(h, first, second uint64) bool {
	s, at := c.place(h)
	words := s.words
	for {
		switch {
		case words[at] == 0:
			if s.used >= s.limit {
				c.put([]uint64{first, second})
				return true
			}
			s.used++
			words[at], words[at+1] = first, second
			return true
		case words[at] == first && words[at+1] == second:
			return false
		}
		if at += 2; at == len(words) {
			at = 0
		}
	}
}

// addCode inserts a key of one word with hash h, where cells have one, and
// reports whether it was not there.
func (c *cells) addCode(h, first uint64) bool {
	s, at := c.place(h)
	words := s.words
	for {
		switch words[at] {
		case 0:
			if s.used >= s.limit {
				c.put([]uint64{first})
				return true
			}
			s.used++
			words[at] = first
			return true
		case first:
			return false
		}
		if at++; at == len(words) {
			at = 0
		}
	}
}

// addCounts adds n[i], or 1 if n is nil, to what the key of tickets[i] and
// lows[i] is mapped to.
func (c *cells) addCounts(tickets, lows []uint32, n []uint64) {
	c.ready()
	for lo := 0; lo < len(tickets); lo += cellRows {
		hi := min(lo+cellRows, len(tickets))
		for i, h := range c.prepare(tickets[lo:hi], lows[lo:hi], nil) {
			i += lo
			more := uint64(1)
			if n != nil {
				more = n[i]
			}
			c.addCount(h, cellKey(tickets[i], lows[i]), more)
		}
	}
}

// addCount adds more to what a key with hash h is mapped to.
func (c *cells) addCount(h, first, more uint64) {
	s, at := c.place(h)
	words := s.words
	for words[at] != first {
		if words[at] == 0 {
			if s.used >= s.limit {
				c.put([]uint64{first, more})
				return
			}
			s.used++
			words[at], words[at+1] = first, more
			return
		}
		if at += 2; at == len(words) {
			at = 0
		}
	}
	words[at+1] += more
}

// held is the memory of the table.
func (c *cells) held() int64 { return c.bytes + 8*int64(cap(c.hashes)) }

// reset empties the table, and keeps its memory if that is little.
func (c *cells) reset() {
	if len(c.segments) == 1 && !c.sorted.Load() {
		s := &c.segments[0]
		clear(s.words)
		s.used = 0
		return
	}
	c.close()
}

// close gives the memory back; the table is empty then.
func (c *cells) close() {
	for i := range c.segments {
		c.free(&c.segments[i])
	}
	c.segments, c.bits = nil, 0
	c.sorted.Store(false)
}
