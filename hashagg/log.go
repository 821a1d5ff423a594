package hashagg

import (
	"cmp"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// valueLog keeps values by group for functions that need all of them: rows of
// one or more columns, each with its ticket and, if order matters, the position
// of its row in the input. Rows are appended to a chunk; when it is full, or is
// read, it is sorted by ticket, by counting, and never changed again. So the rows
// of a range of tickets are a run of each chunk, and nothing is kept per group:
// an int64 takes 16 bytes, and 12 where order does not matter.
//
// A worker's rows come in the order of the input, and a chunk ends where they
// jump, so chunks of several workers mostly need only be put in order to have
// each group's rows in order.
//
// The exchange form is a list per column, and one of positions before them if
// they are kept.
type valueLog struct {
	columns []logColumn
	ordered bool // positions are kept
	mixed   bool // the rows of a group need not be in the order of positions

	chunks []*logChunk
	n      int   // rows
	held   int64 // bytes of the chunks
	last   uint64
	merged []uint32 // tickets of rows that are being merged

	mu   sync.Mutex // guards what seal changes
	open *logChunk  // the last one, if it takes rows
}

const (
	// logChunkRows is the rows of a chunk: few enough to be sorted in the
	// second-level cache of a core, 300 KiB with an int64 each, many enough for
	// the runs of a window of groups to be long.
	logChunkRows = 16 << 10
	// firstLogRows is the room of a new log, of which there may be thousands.
	firstLogRows = 64
	// logSlack is the part of all rows, one in so many, for which a chunk that
	// is not whole may have unused room.
	logSlack = 8
	// logJump is the distance of positions at which a chunk ends: workers take
	// turns after 64K rows or more.
	logJump = 64 << 10
	// leastLogRows is how many rows a chunk has on average where some end
	// early.
	leastLogRows = 1 << 10
)

// logChunk is rows of a log. Memory is for room rows, n of them are used.
type logChunk struct {
	n, room int
	lo, hi  uint64 // positions of all rows
	tickets []uint32
	base    uint64   // position of the row whose entry in near is 0
	near    []uint32 // positions
	far     []uint64 // positions instead, where they are 2^32 or more apart
	data    [][]byte // by column
	valid   []vector.Bitmap
}

func newValueLog(types []arrow.DataType, ordered bool) *valueLog {
	l := &valueLog{ordered: ordered}
	for _, t := range types {
		l.columns = append(l.columns, newLogColumn(t))
	}
	return l
}

// bytes returns the memory held. It is safe while windows are made.
func (l *valueLog) bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.held + int64(4*cap(l.merged))
	for i := range l.columns {
		n += l.columns[i].texts.size
	}
	return n
}

// reset drops all rows.
func (l *valueLog) reset() {
	l.chunks, l.open, l.n, l.held, l.mixed, l.last = nil, nil, 0, 0, false, 0
	for i := range l.columns {
		l.columns[i].texts = logTexts{}
	}
}

// logRows are rows that are to be appended, one for each ticket: row at[i] of
// each column for ticket tickets[i], or row from + i if at is nil.
type logRows struct {
	tickets []uint32
	at      []uint32
	from    int
	rows    Ordinals // of the columns' rows
}

// slice returns rows lo up to hi.
func (r logRows) slice(lo, hi int) logRows {
	r.tickets = r.tickets[lo:hi]
	if r.at != nil {
		r.at = r.at[lo:hi]
	} else {
		r.from += lo
	}
	return r
}

// row returns the row of the columns that row i is.
func (r *logRows) row(i int) int {
	if r.at != nil {
		return int(r.at[i])
	}
	return r.from + i
}

func (r *logRows) bytes() int64 {
	return int64(4*cap(r.tickets) + 4*cap(r.at) + 8*cap(r.rows.Rows))
}

// append adds rows of the columns.
func (l *valueLog) append(r logRows, cols []*vector.Vector) {
	for lo := 0; lo < len(r.tickets); {
		c := l.chunk(len(r.tickets) - lo)
		hi := min(len(r.tickets), lo+c.room-c.n)
		copy(c.tickets[c.n:], r.tickets[lo:hi])
		if l.ordered {
			l.place(c, r.slice(lo, hi))
		}
		for k := range l.columns {
			l.columns[k].put(l, c, k, cols[k], r.slice(lo, hi))
		}
		c.n += hi - lo
		l.n += hi - lo
		if c.n == logChunkRows {
			l.seal()
		}
		lo = hi
	}
}

// chunk returns the open chunk, with room for a row at least, and for want rows
// if it is not too many.
func (l *valueLog) chunk(want int) *logChunk {
	if c := l.open; c != nil {
		if c.n == c.room {
			l.grow(c, c.n+max(min(want, l.n/logSlack), c.n/4))
		}
		return c
	}
	c := &logChunk{data: make([][]byte, len(l.columns)), valid: make([]vector.Bitmap, len(l.columns))}
	l.chunks, l.open = append(l.chunks, c), c
	l.grow(c, max(firstLogRows, l.n/logSlack))
	return c
}

// seal ends the open chunk, if there is one.
func (l *valueLog) seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.open
	if c == nil {
		return
	}
	c.sort(l.columns)
	if c.room-c.n > c.n/logSlack {
		l.grow(c, c.n)
	}
	l.open = nil
}

// jump ends the open chunk if the row that comes next is far from its last.
func (l *valueLog) jump(next uint64) {
	if c := l.open; l.ordered && c != nil && leastLogRows*len(l.chunks) <= l.n && next-c.hi > logJump {
		l.seal()
	}
}

// take moves the rows of from, whose tickets mean the same groups, to l.
func (l *valueLog) take(from *valueLog) {
	l.seal()
	from.seal()
	for k := range l.columns {
		if vector.IsBytes(l.columns[k].typ) {
			l.columns[k].texts.take(&from.columns[k].texts, from.chunks, k)
		}
	}
	l.chunks = append(l.chunks, from.chunks...)
	l.n += from.n
	l.held += from.held
	l.last = max(l.last, from.last)
	l.mixed = l.mixed || from.mixed
	if l.ordered && !l.mixed {
		slices.SortFunc(l.chunks, func(a, b *logChunk) int { return cmp.Compare(a.lo, b.lo) })
		for i := 1; i < len(l.chunks); i++ {
			l.mixed = l.mixed || l.chunks[i].lo <= l.chunks[i-1].hi
		}
	}
	from.reset()
}

// grow gives c room for about n rows.
func (l *valueLog) grow(c *logChunk, n int) {
	n = min((n+63)&^63, logChunkRows)
	l.held -= c.bytes()
	c.tickets = resized(c.tickets, n)
	if c.far != nil {
		c.far = resized(c.far, n)
	} else if l.ordered {
		c.near = resized(c.near, n)
	}
	for k := range c.data {
		c.data[k] = resized(c.data[k], n*l.columns[k].width)
		if c.valid[k] != nil {
			c.valid[k] = resized(c.valid[k], n/8)
		}
	}
	c.room = n
	l.held += c.bytes()
}

// resized returns s with n elements and not more memory than those need.
func resized[T any](s []T, n int) []T {
	out := make([]T, n)
	copy(out, s)
	return out
}

func (c *logChunk) bytes() int64 {
	n := int64(4*len(c.tickets) + 4*len(c.near) + 8*len(c.far))
	for k := range c.data {
		n += int64(len(c.data[k]) + len(c.valid[k]))
	}
	return n
}

// place stores the positions of rows.
func (l *valueLog) place(c *logChunk, r logRows) {
	if c.n == 0 {
		c.lo = r.rows.At(r.row(0))
		c.base, c.hi = c.lo-1<<31, c.lo
	}
	lo, hi, last, mixed, base := c.lo, c.hi, l.last, l.mixed, c.base
	for k := range r.tickets {
		o := r.rows.At(r.row(k))
		mixed = mixed || o < last
		lo, hi, last = min(lo, o), max(hi, o), max(last, o)
		if d := o - base; c.far == nil && d < 1<<32 {
			c.near[c.n+k] = uint32(d)
			continue
		}
		if c.far == nil {
			l.held -= c.bytes()
			c.far = make([]uint64, c.room)
			for j, d := range c.near[:c.n+k] {
				c.far[j] = base + uint64(d)
			}
			c.near = nil
			l.held += c.bytes()
		}
		c.far[c.n+k] = o
	}
	c.lo, c.hi, l.last, l.mixed = lo, hi, last, mixed
}

// position returns where in the input row i stood.
func (c *logChunk) position(i int) uint64 {
	if c.far != nil {
		return c.far[i]
	}
	return c.base + uint64(c.near[i])
}

// mergedRows is how many rows of lists are appended at once.
const mergedRows = 4 << 10

// merge adds the rows of states in exchange form; row i is for tickets[i].
func (l *valueLog) merge(tickets []uint32, states []*vector.Vector) {
	first := states[0]
	cols := make([]*vector.Vector, len(states))
	for k, s := range states {
		cols[k] = s.Child
	}
	r := logRows{from: int(first.Offsets[0])}
	if l.ordered {
		r.rows.Rows = vector.Values[uint64](cols[0])
		cols = cols[1:]
	}
	flush := func() {
		r.tickets = l.merged
		l.append(r, cols)
		r.from += len(l.merged)
		l.merged = l.merged[:0]
	}
	for i, t := range tickets {
		for range first.Offsets[i+1] - first.Offsets[i] {
			l.merged = append(l.merged, t)
			if len(l.merged) == mergedRows {
				flush()
			}
		}
	}
	flush()
}
