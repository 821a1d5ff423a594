package parquetio

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
)

// ScanOptions says how a Scan reads. The zero value means defaults.
type ScanOptions struct {
	// BatchRows is the number of rows per batch; 0 means 8192.
	BatchRows int
	// Workers is how many streams will read; it decides into how many morsels
	// large row groups are split. 0 means 1.
	Workers int
	// Budget is what the streams' buffers are accounted to; nil is no limit.
	Budget *memory.Budget
	// Progress, if not nil, is told how many more of the scan's Bytes are
	// behind it. It is called from several goroutines.
	Progress func(delta int64)
	// Where, if not nil, chooses the rows that come out.
	Where *Where
	// SkipChecksums makes a page whose checksum is wrong no error. Without it
	// the checksums of the pages that have one are compared; 0 is none.
	SkipChecksums bool
}

// DefaultBatchRows is the rows per batch where ScanOptions does not tell.
const DefaultBatchRows = 8192

// Scan reads columns of files. It implements operators.Source.
type Scan struct {
	files   []*File
	cols    [][]int
	fields  []arrow.Field // of all columns
	schema  *arrow.Schema // of those that come out
	opt     ScanOptions
	parts   []part
	skips   skips
	index   *memory.Account // of the parts' pages
	morsels []morsel
	first   []int // columns in the order in which they are decoded: those of Where
	later   []int // and the others
	split   int64 // least rows of a part of a row group
	bytes   int64
	rows    int64
	next    atomic.Int64

	mu   sync.Mutex
	done scanWork // of the streams that are closed
}

// morsel is what a stream takes at a time: a row group, or a part of it.
type morsel struct {
	part
	begins bool  // the first of its row group
	bytes  int64 // its part of the compressed bytes
}

const (
	// splitRows is the least rows that a part of a row group has: below, what
	// is done once per part (its dictionary, and the page that its first row
	// is in the middle of) is no longer small beside the rows.
	splitRows = 256 << 10
	// morselsPerWorker is how many morsels there should be, so that workers
	// end at about the same time.
	morselsPerWorker = 4
)

// NewScan returns a scan of columns of files: column k of its batches is leaf
// cols[f][k] of files[f] and is called names[k]. The leaves of one column must
// have equal types. Without columns, batches have a length only, known from
// the footers, and no file is opened.
//
// A column that cannot be read, or is in an encoding or codec that is not
// supported, is an *UnsupportedError; a chunk that does not fit its file is a
// *CorruptError.
func NewScan(files []*File, cols [][]int, names []string, opt ScanOptions) (*Scan, error) {
	return newScan(files, cols, names, opt, splitRows)
}

func newScan(files []*File, cols [][]int, names []string, opt ScanOptions, split int64) (*Scan, error) {
	if len(files) != len(cols) {
		panic("BUG: parquetio.NewScan: files and cols differ in length")
	}
	if opt.BatchRows <= 0 {
		opt.BatchRows = DefaultBatchRows
	}
	opt.Workers = max(opt.Workers, 1)
	if opt.Budget == nil {
		opt.Budget = memory.NewBudget(0)
	}
	s := &Scan{files: files, cols: cols, opt: opt, split: split}
	if len(files) == 0 && len(names) > 0 {
		panic("BUG: parquetio.NewScan: columns of no files")
	}
	fields := make([]arrow.Field, len(names))
	for f, file := range files {
		if len(cols[f]) != len(names) {
			panic("BUG: parquetio.NewScan: cols and names differ in length")
		}
		for k, c := range cols[f] {
			if err := file.Usable(c); err != nil {
				return nil, err
			}
			col := &file.columns[c]
			if f == 0 {
				fields[k] = arrow.Field{Name: names[k], Type: col.Type}
			}
			fields[k].Nullable = fields[k].Nullable || col.Nullable
		}
	}
	keep := len(fields)
	if opt.Where != nil {
		s.first, keep = opt.Where.Columns, opt.Where.Keep
	}
	for k := range fields {
		if !slices.Contains(s.first, k) {
			s.later = append(s.later, k)
		}
	}
	s.fields, s.schema = fields, arrow.NewSchema(fields[:keep:keep], nil)
	s.done.columns = make([]columnWork, len(fields))
	s.leftByStatistics()
	s.plan()
	return s, nil
}

// Memory returns about how many bytes a stream takes of the budget: for each
// column of the row group that needs most, what is read at once and a page of
// the usual size.
func (s *Scan) Memory() int64 {
	const page = 5 << 18 // writers end a page when it has 1 MiB
	most := int64(0)
	for _, p := range s.parts {
		var size int64
		for _, c := range s.cols[p.file] {
			m := &s.files[p.file].meta.groups[p.group].chunks[c]
			size += min(max(m.packed, 0), windowSize) + min(max(m.unpacked, 0), page)
		}
		most = max(most, size)
	}
	return most + int64(len(s.fields))*8*int64(s.opt.BatchRows)
}

// plan makes morsels of the parts.
func (s *Scan) plan() {
	s.morsels, s.bytes = nil, 0
	pieces, want := int64(1), morselsPerWorker*s.opt.Workers
	if s.opt.Workers > 1 && len(s.parts) > 0 && len(s.parts) < want {
		pieces = int64((want + len(s.parts) - 1) / len(s.parts))
	}
	for _, p := range s.parts {
		rows := p.rows()
		size := mulDiv(s.groupBytes(p.file, p.group), rows, s.files[p.file].meta.groups[p.group].rows)
		n := max(1, min(pieces, rows/s.split))
		for i := range n {
			m := morsel{part: p, begins: i == 0, bytes: mulDiv(size, i+1, n) - mulDiv(size, i, n)}
			m.ranges = cut(p.ranges, mulDiv(rows, i, n), mulDiv(rows, i+1, n))
			s.morsels = append(s.morsels, m)
		}
		s.bytes += size
	}
}

// mulDiv returns a·b/c for numbers that are not negative, b ≤ c.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(q)
}

// Schema returns the columns that come out; one is nullable if it is so in some
// file.
func (s *Scan) Schema() *arrow.Schema { return s.schema }

// Left returns how many rows have to be looked at, as far as it is known by now.
func (s *Scan) Left() (n int64) {
	for i := range s.parts {
		n += s.parts[i].rows()
	}
	return n
}

// Bytes returns the compressed bytes of what is read of the chunks, about.
func (s *Scan) Bytes() int64 { return s.bytes }

// Rows returns the number of rows of all files.
func (s *Scan) Rows() int64 { return s.rows }

// Stream returns a stream that shares the morsels with the other ones.
func (s *Scan) Stream() (operators.Stream, error) {
	return newStream(s), nil
}

// Usable checks what is known of a leaf before any page is read: nil means
// that it can be scanned as far as the footer tells. Otherwise it is an
// *UnsupportedError or a *CorruptError.
func (f *File) Usable(leaf int) error {
	c := &f.columns[leaf]
	refuse := func(group int, what, hint string) error {
		return &UnsupportedError{File: f.Name(), RowGroup: group, Column: c.Name(), What: what, Hint: hint}
	}
	if c.Repeated {
		what := "it is part of a "
		if c.Depth == len(c.Path) {
			what = "it is a "
		}
		return refuse(-1, what+c.Container, "lists and maps cannot be queried yet")
	}
	if c.Type == nil {
		return refuse(-1, c.Problem, "")
	}
	for g := range f.meta.groups {
		m := &f.meta.groups[g].chunks[leaf]
		switch {
		case m.encrypted:
			return refuse(g, "column is encrypted", "decrypt the file with the program that wrote it")
		case m.elsewhere:
			return refuse(g, "the column's pages are in another file", "read the files that hold the pages")
		case m.missing:
			return &CorruptError{File: f.Name(), RowGroup: g, Column: c.Name(), Err: fmt.Errorf("the footer does not describe it")}
		case !codecKnown(m.codec):
			return refuse(g, "compression codec "+codecName(m.codec)+" is not supported", "write the file with another codec, such as zstd or snappy")
		case m.encodings&^knownEncodings != 0:
			return refuse(g, fmt.Sprintf("%s is not supported", encodingName(bits.TrailingZeros32(m.encodings&^knownEncodings))), "")
		}
		if err := f.checkChunk(g, leaf); err != nil {
			return &CorruptError{File: f.Name(), RowGroup: g, Column: c.Name(), Err: err}
		}
	}
	return nil
}

// checkChunk finds chunks that contradict the schema, the row group or the
// file.
func (f *File) checkChunk(group, leaf int) error {
	g := &f.meta.groups[group]
	m := &g.chunks[leaf]
	switch {
	case m.physical != f.columns[leaf].leaf.physical:
		return fmt.Errorf("the chunk's physical type is not the schema's")
	case m.values != g.rows:
		return fmt.Errorf("the chunk has %d values where the row group has %d rows", m.values, g.rows)
	case g.rows > 0 && (m.dataAt < int64(len(magic)) || m.packed < 0 || m.dataAt > f.end || m.packed > f.end):
		return fmt.Errorf("the pages (%d bytes at %d) lie outside the file", m.packed, m.dataAt)
	}
	return nil
}
