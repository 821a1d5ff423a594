package hashagg

import (
	"slices"
	"sort"

	"github.com/colagg/colagg/vector"
)

// sort makes each segment dense, its cells in the order of their first words, in
// the memory that it has. It may be called by several goroutines at once.
func (c *cells) sort() {
	if c.sorted.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sorted.Load() {
		return
	}
	var scratch []uint64
	for i := range c.segments {
		scratch = c.sortSegment(&c.segments[i], scratch)
	}
	c.sorted.Store(true)
}

// scatter undoes sort.
func (c *cells) scatter() {
	c.sorted.Store(false)
	for i := range c.segments {
		old := c.segments[i]
		c.allot(&c.segments[i], old.slots)
		for at := 0; at < old.used*c.width; at += c.width {
			c.put(old.words[at : at+c.width])
		}
		c.free(&old)
	}
}

func (c *cells) sortSegment(s *segment, scratch []uint64) []uint64 {
	w, n := c.width, 0
	all, some := ^uint64(0), uint64(0)
	for at := 0; at < len(s.words); at += w {
		first := s.words[at]
		if first == 0 {
			continue
		}
		all, some = all&first, some|first
		copy(s.words[n:n+w], s.words[at:at+w])
		n += w
	}
	cells := s.words[:n]
	if n <= insertionCells*w {
		insertCells(cells, w)
		return scratch
	}
	scratch = vector.Resize(scratch, n)
	from, to := cells, scratch
	for shift := uint(0); shift < 64; shift += 8 {
		if (all^some)>>shift&0xff == 0 {
			continue // the same in all
		}
		radixPass(to, from, w, shift)
		from, to = to, from
	}
	if &from[0] != &cells[0] {
		copy(cells, from)
	}
	return scratch
}

// radixPass moves cells of w words in the order of eight bits of their first
// words, otherwise as they come.
func radixPass(to, from []uint64, w int, shift uint) {
	var starts [257]int
	for at := 0; at < len(from); at += w {
		starts[from[at]>>shift&0xff+1] += w
	}
	for k := range 256 {
		starts[k+1] += starts[k]
	}
	if w == 1 {
		for _, x := range from {
			k := x >> shift & 0xff
			to[starts[k]] = x
			starts[k]++
		}
		return
	}
	for at := 0; at < len(from); at += 2 {
		k := from[at] >> shift & 0xff
		b := starts[k]
		to[b], to[b+1] = from[at], from[at+1]
		starts[k] = b + 2
	}
}

// insertionCells is how few cells are sorted by insertion.
const insertionCells = 24

// insertCells sorts cells of w words by insertion.
func insertCells(cells []uint64, w int) {
	for at := w; at < len(cells); at += w {
		first, last := cells[at], cells[at+w-1]
		k := at
		for ; k > 0 && cells[k-w] > first; k -= w {
			copy(cells[k:k+w], cells[k-w:k])
		}
		cells[k], cells[k+w-1] = first, last
		if w == 1 {
			cells[k] = first
		}
	}
}

// ranges returns the cells of tickets lo up to hi, of each segment that has any,
// in the order of their first words. They share the table's memory and are valid
// until the next insertion. It may be called by several goroutines at once.
func (c *cells) ranges(lo, hi int) [][]uint64 {
	c.sort()
	var out [][]uint64
	for i := range c.segments {
		s := &c.segments[i]
		from := s.search(c.width, cellKey(uint32(lo), 0))
		to := from + sort.Search(s.used-from, func(k int) bool { return s.words[(from+k)*c.width] >= cellKey(uint32(hi), 0) })
		if from < to {
			out = append(out, s.words[from*c.width:to*c.width])
		}
	}
	return out
}

// search returns the number of cells of a sorted segment whose first words are
// below first.
func (s *segment) search(width int, first uint64) int {
	return sort.Search(s.used, func(k int) bool { return s.words[k*width] >= first })
}

// starts returns, for cells from ranges, where those of each ticket from lo up
// to hi begin when they are brought together, and at the end their number.
func (c *cells) starts(ranges [][]uint64, lo, hi int) []int {
	starts := make([]int, hi-lo+1)
	for _, r := range ranges {
		for at := 0; at < len(r); at += c.width {
			starts[int(cellTicket(r[at]))-lo+1]++
		}
	}
	for i := range hi - lo {
		starts[i+1] += starts[i]
	}
	return starts
}

// together returns word k of cells from ranges, brought together by ticket: those
// of ticket t are at starts[t-lo] up to starts[t-lo+1].
func (c *cells) together(ranges [][]uint64, starts []int, lo, k int) []uint64 {
	out := make([]uint64, starts[len(starts)-1])
	next := slices.Clone(starts)
	for _, r := range ranges {
		for at := 0; at < len(r); at += c.width {
			n := &next[int(cellTicket(r[at]))-lo]
			out[*n] = r[at+k]
			*n++
		}
	}
	return out
}
