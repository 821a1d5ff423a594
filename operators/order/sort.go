package order

import (
	"cmp"
	"slices"

	"github.com/colagg/colagg/vector"
)

// entry is a row while it is sorted.
type entry struct {
	head       uint64
	chunk, row uint32
}

// entryBytes is the size of an entry and of one more that sorting needs.
const entryBytes = 2 * 16

// added orders entries by when their rows came.
func (e entry) added(o entry) int {
	if e.chunk != o.chunk {
		return cmp.Compare(e.chunk, o.chunk)
	}
	return cmp.Compare(e.row, o.row)
}

const (
	// fewEntries are sorted by comparing values: words pay from about here on.
	fewEntries = 24
	// radixEntries is from how many on counting digits beats comparing words.
	radixEntries = 512
	// deepWords is how many words of a value are looked at one by one; equal
	// ones that go on are compared as a whole.
	deepWords = 4
)

// sorter sorts the entries of a store, in memory that it uses again.
type sorter struct {
	keys   []column
	chunks []*chunk
	all    []entry
	spare  []entry
	rising bool // rows have come in the order of their positions
}

// sorted returns the entries of all rows of s in the order of the keys, with
// their heads; they are valid until the next call.
func (w *sorter) sorted(s *store) []entry {
	w.chunks, w.rising = s.filled(), s.rising
	w.all, w.spare = vector.Resize(w.all, s.rows), vector.Resize(w.spare, s.rows)
	n := 0
	for k, c := range w.chunks {
		for i := range c.rows() {
			w.all[n] = entry{chunk: uint32(k), row: uint32(i)}
			n++
		}
	}
	w.sort(w.all, 0, 0)
	if len(w.all) <= fewEntries { // which were not sorted by heads
		for i, e := range w.all {
			w.all[i].head = headOf(w.keys, w.chunks[e.chunk].cols, int(e.row))
		}
	}
	return w.all
}

// headOf returns the head of a row.
func headOf(keys []column, cols []*vector.Vector, row int) uint64 {
	return keys[0].head(cols[keys[0].at], row)
}

// sort orders entries that are equal in all keys before key, and in that one's
// words before level. They come in the order in which their rows came, and those
// that stay equal keep it.
func (s *sorter) sort(all []entry, key, level int) {
	switch {
	case len(all) < 2:
		return
	case key == len(s.keys):
		s.settle(all)
		return
	case len(all) <= fewEntries || level == deepWords:
		slices.SortFunc(all, func(a, b entry) int { return s.compare(a, b, key) })
		return
	}
	c := &s.keys[key]
	for i, e := range all {
		v := s.chunks[e.chunk].cols[c.at]
		if level == 0 {
			all[i].head = c.head(v, int(e.row))
		} else {
			all[i].head = c.word(v, level, int(e.row))
		}
	}
	s.byHead(all)
	for lo, hi := 0, 0; lo < len(all); lo = hi {
		w := all[lo].head
		for hi = lo + 1; hi < len(all) && all[hi].head == w; hi++ {
		}
		equal, run := all[lo:hi], all[lo:hi]
		if level == 0 && w == c.null {
			equal = s.cutNulls(equal, key)
		}
		if c.more(w, level) {
			s.sort(equal, key, level+1)
		} else {
			s.sort(equal, key+1, 0)
		}
		if key == 0 && level == 0 && len(run) > 1 {
			for i := range run {
				run[i].head = w
			}
		}
	}
}

// cutNulls sorts the NULLs among entries with the head of NULL, puts them on
// their side and returns the others.
func (s *sorter) cutNulls(all []entry, key int) []entry {
	c := &s.keys[key]
	nulls, n := s.spare[:0], 0
	for _, e := range all {
		if s.chunks[e.chunk].cols[c.at].IsNull(int(e.row)) {
			nulls = append(nulls, e)
		} else {
			all[n] = e
			n++
		}
	}
	if c.rank > 0 {
		copy(all[n:], nulls)
		s.sort(all[n:], key+1, 0)
		return all[:n]
	}
	copy(all[len(nulls):], all[:n])
	n = copy(all, nulls)
	s.sort(all[:n], key+1, 0)
	return all[n:]
}

// compare orders two entries by the keys from key on, and their positions.
func (s *sorter) compare(a, b entry, key int) int {
	x, y := s.chunks[a.chunk].cols, s.chunks[b.chunk].cols
	for i := key; i < len(s.keys); i++ {
		c := &s.keys[i]
		if r := c.compare(x[c.at], int(a.row), y[c.at], int(b.row)); r != 0 {
			return r
		}
	}
	if s.rising {
		return a.added(b)
	}
	return cmp.Compare(positionOf(x, int(a.row)), positionOf(y, int(b.row)))
}

// settle orders entries whose keys are all equal.
func (s *sorter) settle(all []entry) {
	if !s.rising {
		slices.SortFunc(all, func(a, b entry) int { return s.compare(a, b, len(s.keys)) })
	}
}

// positionOf returns the position of a row, which the last column has.
func positionOf(cols []*vector.Vector, row int) uint64 {
	return vector.View[uint64](cols[len(cols)-1].Data)[row]
}

// byHead sorts by heads and keeps the order of equal ones.
func (s *sorter) byHead(all []entry) {
	if len(all) >= radixEntries {
		radix(all, s.spare[:len(all)])
		return
	}
	slices.SortFunc(all, func(a, b entry) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return a.added(b)
	})
}

// radix sorts by heads, byte by byte from the lowest; bytes that all entries
// share are left out.
func radix(all, spare []entry) {
	var counts [8][256]uint32
	for _, e := range all {
		for d := range counts {
			counts[d][byte(e.head>>(8*d))]++
		}
	}
	from, to := all, spare
	for d := range counts {
		if int(counts[d][byte(all[0].head>>(8*d))]) == len(all) {
			continue
		}
		var at [256]uint32
		sum := uint32(0)
		for b, n := range counts[d] {
			at[b] = sum
			sum += n
		}
		for _, e := range from {
			b := byte(e.head >> (8 * d))
			to[at[b]] = e
			at[b]++
		}
		from, to = to, from
	}
	if &from[0] != &all[0] {
		copy(all, from)
	}
}
