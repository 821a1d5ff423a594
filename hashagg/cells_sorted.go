package hashagg

import (
	"slices"
	"sort"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// chunk is a run of slots of a sorted table whose cells, so many of them, are at
// its beginning, in the order of their first words.
type chunk struct{ at, cells int }

const (
	// mostChunks is in how many chunks a table is sorted: what sorting one needs
	// is a small part of the table then.
	mostChunks = 64
	// leastChunk is the least slots of one.
	leastChunk = 16 << 10
)

// sort brings the cells of each chunk together, in the order of their first
// words. It may be called by several goroutines at once.
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
	step := max(leastChunk, (c.slots+mostChunks-1)/mostChunks) * c.width
	c.chunks = nil
	for at := 0; at < len(c.words); at += step {
		var n int
		n, scratch = sortCells(c.words[at:min(at+step, len(c.words))], c.width, scratch)
		c.chunks = append(c.chunks, chunk{at, n})
	}
	c.sorted.Store(true)
}

// scatter undoes sort.
func (c *cells) scatter() {
	slots, words, chunks, region := c.slots, c.words, c.chunks, c.region
	c.region, c.words, c.chunks, c.used = memory.Region{}, nil, nil, 0
	c.sorted.Store(false)
	c.extend(slots)
	for _, k := range chunks {
		for at := k.at; at < k.at+k.cells*c.width; at += c.width {
			c.put(words[at], words[at+c.width-1])
		}
	}
	region.Free()
}

// sortCells moves the cells in slots to the beginning, in the order of their
// first words, and returns their number. Scratch may be used, and is returned
// grown.
func sortCells(slots []uint64, w int, scratch []uint64) (int, []uint64) {
	n := 0
	all, some := ^uint64(0), uint64(0)
	for at := 0; at < len(slots); at += w {
		first := slots[at]
		if first == 0 {
			continue
		}
		all, some = all&first, some|first
		slots[n], slots[n+w-1] = first, slots[at+w-1]
		n += w
	}
	cells := slots[:n]
	if n <= insertionCells*w {
		insertCells(cells, w)
		return n / w, scratch
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
	return n / w, scratch
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

// ranges returns the cells of tickets lo up to hi, of each chunk that has any, in
// the order of their first words. They share the table's memory and are valid
// until the next insertion. It may be called by several goroutines at once.
func (c *cells) ranges(lo, hi int) [][]uint64 {
	c.sort()
	var out [][]uint64
	for _, k := range c.chunks {
		all := c.words[k.at : k.at+k.cells*c.width]
		from := c.search(all, cellKey(uint32(lo), 0))
		all = all[from:]
		if to := c.search(all, cellKey(uint32(hi), 0)); to > 0 {
			out = append(out, all[:to])
		}
	}
	return out
}

// search returns the position in sorted cells of the first that is not below
// first.
func (c *cells) search(sorted []uint64, first uint64) int {
	w := c.width
	return w * sort.Search(len(sorted)/w, func(k int) bool { return sorted[k*w] >= first })
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
