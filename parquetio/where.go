package parquetio

import (
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Where chooses the rows that a scan gives. Its columns are decoded first; of the
// others, only what holds rows that were chosen.
type Where struct {
	// Keep is how many of the scan's columns come out: the first ones.
	Keep int
	// Columns are those, of all, that the choice is made by, in rising order.
	Columns []int
	// Selector makes what chooses, for one stream.
	Selector func() operators.Selector
	// Domains are, for columns by their numbers, values of which a row must have
	// one to be chosen: row groups and pages without are not read. Never says that
	// no row can be chosen.
	Domains map[int]vector.Domain
	Never   bool
}

// rowRange is rows lo up to hi of a row group.
type rowRange struct{ lo, hi int64 }

// part is what is left to be read of a row group.
type part struct {
	file, group int
	row         uint64 // position of the group's first row in the whole input
	ranges      []rowRange
	pages       [][]pageLocation // of each column; nil: not known, or all are wanted
}

func (p *part) rows() (n int64) {
	for _, r := range p.ranges {
		n += r.hi - r.lo
	}
	return n
}

// pagesOf is the offset index of column k, or nil.
func (p *part) pagesOf(k int) []pageLocation {
	if p.pages == nil {
		return nil
	}
	return p.pages[k]
}

// cut returns rows lo up to hi of those of ranges, counted through.
func cut(ranges []rowRange, lo, hi int64) (out []rowRange) {
	at := int64(0)
	for _, r := range ranges {
		n := r.hi - r.lo
		a, b := max(lo-at, 0), min(hi-at, n)
		if a < b {
			out = append(out, rowRange{r.lo + a, r.lo + b})
		}
		at += n
	}
	return out
}

// skips counts row groups that need not be read, by what told so, and pages that
// the page index told of in the others.
type skips struct {
	statistics, bloom, dictionary, pageIndex int
	pages, bytes                             int64 // of pages in row groups that are read
	groupBytes                               int64
	unusable                                 int   // indexes and filters that are damaged
	read                                     int64 // bytes, to find that out
}

// leftByStatistics lists the row groups that have rows and, by their statistics, may have
// some that are chosen.
func (s *Scan) leftByStatistics() {
	row := uint64(0)
	for f, file := range s.files {
		for g := range file.meta.groups {
			rows := file.meta.groups[g].rows
			if rows == 0 {
				continue
			}
			if s.mayChoose(f, g) {
				s.parts = append(s.parts, part{file: f, group: g, row: row, ranges: []rowRange{{0, rows}}})
			} else {
				s.skips.statistics++
				s.skips.groupBytes += s.groupBytes(f, g)
			}
			row += uint64(rows)
		}
	}
	s.rows = int64(row)
}

func (s *Scan) mayChoose(f, g int) bool {
	if s.opt.Where == nil {
		return true
	}
	for k, d := range s.opt.Where.Domains {
		if !s.files[f].mayHave(g, s.cols[f][k], d) {
			return false
		}
	}
	return !s.opt.Where.Never
}

// groupBytes is the compressed size of the columns in a row group.
func (s *Scan) groupBytes(f, g int) (size int64) {
	for _, c := range s.cols[f] {
		size += s.files[f].meta.groups[g].chunks[c].packed
	}
	return size
}
