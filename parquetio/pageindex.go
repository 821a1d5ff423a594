package parquetio

import (
	"errors"
	"slices"
	"sort"

	"github.com/colagg/colagg/vector"
)

// pageLocation is a data page as the offset index has it.
type pageLocation struct {
	at     int64
	size   int32
	first  int64 // number of its first row in the row group
	wanted bool  // it has rows that may be chosen
}

// columnIndex has the bounds of each data page of a chunk. It shares the memory of
// what it was read from.
type columnIndex struct {
	empty  []bool // no row has a value
	lo, hi [][]byte
	nulls  []int64 // nil: not known
}

var errPageIndex = errors.New("a page has another number of rows than the page index says")

// parseOffsetIndex reads the locations of pages.
func parseOffsetIndex(b []byte) ([]pageLocation, error) {
	r := &thriftReader{b: b}
	var pages []pageLocation
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		if id != 1 {
			r.skip(t)
			continue
		}
		n := r.list(t, thriftStruct)
		pages = make([]pageLocation, 0, preallocate(n))
		for ; n > 0 && r.err == nil; n-- {
			pages = append(pages, r.pageLocation())
		}
	}
	return pages, r.err
}

func (r *thriftReader) pageLocation() (p pageLocation) {
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		switch id {
		case 1:
			p.at = r.int64(t)
		case 2:
			p.size = r.int32(t)
		case 3:
			p.first = r.int64(t)
		default:
			r.skip(t)
		}
	}
	return p
}

// located reports whether pages can be those of a chunk of so many rows: one after
// the other within the chunk, each with rows.
func (m *chunkMeta) located(pages []pageLocation, rows int64) bool {
	at, row := m.dataAt, int64(-1)
	for _, p := range pages {
		if p.at < at || p.size <= 0 || p.first <= row || row < 0 && p.first != 0 {
			return false
		}
		at, row = p.at+int64(p.size), p.first
	}
	return len(pages) > 0 && row < rows && at-m.start() <= m.packed+slack
}

func parseColumnIndex(b []byte) (*columnIndex, error) {
	r := &thriftReader{b: b}
	x := &columnIndex{}
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		switch id {
		case 1:
			for n := r.list(t, thriftTrue); n > 0 && r.err == nil; n-- {
				x.empty = append(x.empty, r.byte() == thriftTrue)
			}
		case 2:
			x.lo = r.binaries(t)
		case 3:
			x.hi = r.binaries(t)
		case 5:
			x.nulls = []int64{}
			for n := r.list(t, thriftI64); n > 0 && r.err == nil; n-- {
				x.nulls = append(x.nulls, r.zigzag())
			}
		default:
			r.skip(t)
		}
	}
	return x, r.err
}

func (r *thriftReader) binaries(t byte) (out [][]byte) {
	for n := r.list(t, thriftBinary); n > 0 && r.err == nil; n-- {
		b := r.binary(thriftBinary)
		if b == nil {
			b = []byte{}
		}
		out = append(out, b)
	}
	return out
}

// fits reports whether x is of so many pages.
func (x *columnIndex) fits(pages int) bool {
	return len(x.empty) == pages && len(x.lo) == pages && len(x.hi) == pages && (x.nulls == nil || len(x.nulls) == pages)
}

// mayHave reports whether a row of page i may be in d.
func (x *columnIndex) mayHave(c *Column, i int, d vector.Domain) bool {
	if x.empty[i] {
		return d.Null
	}
	if d.Null && c.Nullable && (x.nulls == nil || x.nulls[i] != 0) {
		return true
	}
	b, ok := c.boundsOf(x.lo[i], x.hi[i])
	return len(d.Spans) > 0 && (!ok || b.meets(d))
}

// pageRows is the rows of page i.
func pageRows(pages []pageLocation, i int, rows int64) rowRange {
	if i+1 < len(pages) {
		rows = pages[i+1].first
	}
	return rowRange{pages[i].first, rows}
}

// intersect returns the rows that are in both lists of ranges.
func intersect(a, b []rowRange) (out []rowRange) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if r := (rowRange{max(a[i].lo, b[j].lo), min(a[i].hi, b[j].hi)}); r.lo < r.hi {
			out = append(out, r)
		}
		if a[i].hi < b[j].hi {
			i++
		} else {
			j++
		}
	}
	return out
}

// rangesOf returns the rows of those pages that may have some in d.
func (x *columnIndex) rangesOf(c *Column, pages []pageLocation, rows int64, d vector.Domain) (out []rowRange) {
	for i := range pages {
		if !x.mayHave(c, i, d) {
			continue
		}
		r := pageRows(pages, i, rows)
		if last := len(out) - 1; last >= 0 && out[last].hi == r.lo {
			out[last].hi = r.hi
		} else {
			out = append(out, r)
		}
	}
	return out
}

// want marks the pages that have rows of ranges, and counts the others.
func want(pages []pageLocation, rows int64, ranges []rowRange) (others, bytes int64) {
	for i := range pages {
		r := pageRows(pages, i, rows)
		at := sort.Search(len(ranges), func(k int) bool { return ranges[k].hi > r.lo })
		if pages[i].wanted = at < len(ranges) && ranges[at].lo < r.hi; !pages[i].wanted {
			others++
			bytes += int64(pages[i].size)
		}
	}
	return others, bytes
}

// runEnd is where the pages that are wanted from page i on end: where page i begins,
// if it is not.
func runEnd(pages []pageLocation, i int) int64 {
	end := pages[i].at
	for ; i < len(pages) && pages[i].wanted; i++ {
		end = pages[i].at + int64(pages[i].size)
	}
	return end
}

// jump goes to the page that has row, if it is behind the next one.
func (c *columnReader) jump(row int64) error {
	if row < c.seen {
		return nil
	}
	i := sort.Search(len(c.pages), func(i int) bool { return c.pages[i].first > row }) - 1
	if i < 0 || c.pages[i].first <= c.seen {
		return nil
	}
	if !c.loaded && c.window.at < c.pages[0].at {
		if err := c.readDictionary(); err != nil {
			return err
		}
	}
	from, _ := slices.BinarySearchFunc(c.pages, c.seen, func(p pageLocation, row int64) int { return int(p.first - row) })
	for _, p := range c.pages[from:i] {
		if p.wanted {
			c.work.skipped++
			c.work.skippedBytes += int64(p.size)
		}
	}
	c.left, c.seen = 0, c.pages[i].first
	c.window.at, c.window.stop = c.pages[i].at, runEnd(c.pages, i)
	return nil
}

// indexed checks that the next page has as many rows as the page index says.
func (c *columnReader) indexed(values int) error {
	if c.pages == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(c.pages, c.seen, func(p pageLocation, row int64) int { return int(p.first - row) })
	if !ok {
		return errPageIndex
	}
	if r := pageRows(c.pages, i, c.promised); r.hi-r.lo != int64(values) {
		return errPageIndex
	}
	return nil
}

// loadFirst begins the chunk and reads its dictionary, and nothing behind it.
func (c *columnReader) loadFirst() error {
	c.pages = []pageLocation{{at: c.chunk.dataAt}}
	if err := c.begin(); err != nil || c.window.at >= c.chunk.dataAt {
		return err
	}
	return c.readDictionary()
}

// readDictionary reads the page at the chunk's beginning, if it is a dictionary.
func (c *columnReader) readDictionary() error {
	before := c.window.at
	h, err := c.window.header(headerSize)
	if err != nil {
		return err
	}
	if h.kind != pageDictionary {
		c.window.at = before
		return nil
	}
	page, err := c.window.take(h.packed)
	if err != nil {
		return err
	}
	return c.dictionaryPage(&h, page)
}
