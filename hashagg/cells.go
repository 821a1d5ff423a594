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
// scaled to the number of slots, which need not be a power of two. So growing
// keeps the order, and is done in place, from back to front: it needs no second
// table, and a page is taken from the system once.
type cells struct {
	width, keyed int
	salt         uint64
	blind        uint64   // bits of every hash that are cleared, for tests
	words        []uint64 // of all slots
	slots        int
	used         int
	limit        int // used cells from which on it must grow
	region       memory.Region
	hashes       []uint64
	touched      uint64 // what touch has read, kept so that reading is not dropped

	mu     sync.Mutex
	sorted atomic.Bool
	chunks []chunk // when sorted
}

const (
	firstCells = 16
	// doubledCells is the size up to which a table doubles; a larger one grows by
	// half, so that it is never much larger than it need be.
	doubledCells = 1 << 20
	// keptCells is the size up to which an emptied table keeps its memory.
	keptCells = 64 << 10
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

// place returns the position in words where a key with hash h is looked for
// first.
func (c *cells) place(h uint64) int {
	at, _ := bits.Mul64(h, uint64(c.slots))
	return int(at) * c.width
}

// ready makes the table ready for insertions: it has slots, and is not sorted.
func (c *cells) ready() {
	if c.sorted.Load() {
		c.scatter()
	}
	if c.slots == 0 {
		c.extend(firstCells)
	}
}

// extend gives the table so many slots; those that it had stay as they are.
func (c *cells) extend(slots int) {
	c.words = vector.View[uint64](c.region.Grow(8 * slots * c.width))[:slots*c.width]
	c.slots, c.limit = slots, slots/3*2
}

// more is the number of slots that the table grows to.
func (c *cells) more() int {
	if c.slots < doubledCells {
		return 2 * c.slots
	}
	return c.slots + c.slots/2
}

// grow makes room for more cells. A cell's new place is behind all that are still
// to be moved, but for some at the front, and such as come to the end of the
// table; those are put in afterwards.
func (c *cells) grow() {
	old, w := len(c.words), c.width
	c.extend(c.more())
	words := c.words
	var late []uint64
	at := old - w
	for ; at >= 0; at -= w {
		first, last := words[at], words[at+w-1]
		if first == 0 {
			continue
		}
		to := c.place(c.hash(first, last))
		if to <= at {
			break
		}
		words[at] = 0
		for to < len(words) && words[to] != 0 {
			to += w
		}
		if to == len(words) {
			late = append(late, first, last)
			continue
		}
		words[to+w-1] = last
		words[to] = first
	}
	for ; at >= 0; at -= w {
		if words[at] != 0 {
			late = append(late, words[at], words[at+w-1])
			words[at] = 0
		}
	}
	c.used -= len(late) / 2
	for i := 0; i < len(late); i += 2 {
		c.put(late[i], late[i+1])
	}
}

// put inserts a cell whose key is not there, with these first and last words.
func (c *cells) put(first, last uint64) {
	if c.used >= c.limit {
		c.grow()
	}
	w := c.width
	at := c.place(c.hash(first, last))
	for c.words[at] != 0 {
		if at += w; at == len(c.words) {
			at = 0
		}
	}
	c.used++
	c.words[at+w-1] = last
	c.words[at] = first
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
	if len(c.words) >= nearCells {
		c.touch(hashes)
	}
	return hashes
}

// nearCells is the number of words from which on cells are mostly not in the
// caches of a core.
const nearCells = 128 << 10

// touch reads the first slots of hashes: see Slab.touch.
//
//go:noinline
func (c *cells) touch(hashes []uint64) {
	read := uint64(0)
	words, slots, w := c.words, uint64(c.slots), c.width
	for _, h := range hashes {
		at, _ := bits.Mul64(h, slots)
		read |= words[int(at)*w]
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
	at, words := c.place(h), c.words
	for {
		switch {
		case words[at] == 0:
			if c.used >= c.limit {
				c.put(first, second)
				return true
			}
			c.used++
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

// hasPair reports whether a key of two words with hash h is there.
func (c *cells) hasPair(h, first, second uint64) bool {
	at, words := c.place(h), c.words
	for words[at] != 0 && (words[at] != first || words[at+1] != second) {
		if at += 2; at == len(words) {
			at = 0
		}
	}
	return words[at] != 0
}

// seconds appends to dst the second words of cells from position at of words on,
// as many as dst has room for, and returns the position after them. The table
// must be ready.
func (c *cells) seconds(dst []uint64, at int) ([]uint64, int) {
	for ; at < len(c.words) && len(dst) < cap(dst); at += c.width {
		if c.words[at] != 0 {
			dst = append(dst, c.words[at+1])
		}
	}
	return dst, at
}

// expect makes an empty table large enough for n cells, unless it is so already.
func (c *cells) expect(n int) {
	c.ready()
	if slots := n + n/2 + firstCells; slots > c.slots {
		c.extend(slots)
	}
}

// crowded reports whether n more cells may make the table grow to more than most
// bytes.
func (c *cells) crowded(n int, most int64) bool {
	return c.used+n >= c.limit && 8*int64(c.width)*int64(c.more()) > most
}

// addCode inserts a key of one word with hash h, where cells have one, and
// reports whether it was not there.
func (c *cells) addCode(h, first uint64) bool {
	at, words := c.place(h), c.words
	for {
		switch words[at] {
		case 0:
			if c.used >= c.limit {
				c.put(first, first)
				return true
			}
			c.used++
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

// hasCode reports whether a key of one word with hash h is there.
func (c *cells) hasCode(h, first uint64) bool {
	at, words := c.place(h), c.words
	for words[at] != 0 && words[at] != first {
		if at += c.width; at == len(words) {
			at = 0
		}
	}
	return words[at] != 0
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
	at, words := c.place(h), c.words
	for words[at] != first {
		if words[at] == 0 {
			if c.used >= c.limit {
				c.put(first, more)
				return
			}
			c.used++
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
func (c *cells) held() int64 { return int64(c.region.Len()) + 8*int64(cap(c.hashes)) }

// reset empties the table, and keeps its memory if that is little.
func (c *cells) reset() {
	if c.slots > keptCells {
		c.close()
	}
	clear(c.words)
	c.used, c.chunks = 0, nil
	c.sorted.Store(false)
}

// close gives the memory back; the table is empty then.
func (c *cells) close() {
	c.region.Free()
	c.words, c.slots, c.used, c.limit, c.chunks = nil, 0, 0, 0, nil
	c.sorted.Store(false)
}
