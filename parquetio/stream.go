package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// stream decodes morsels for one worker. It holds at most one file open.
type stream struct {
	scan   *Scan
	mem    *memory.Account
	codecs codecs

	src     ReaderAt // of morsel.file, nil before the first is opened
	open    int      // which file src is
	columns []*columnReader
	batch   vector.Batch    // all columns
	out     vector.Batch    // what is given of them
	cut     []vector.Vector // parts of the columns that come out

	morsel   morsel
	active   bool
	rows     int                // per batch of the morsel
	piece    int                // which of the morsel's ranges is read
	at       int64              // next row of it
	behind   int64              // rows of the morsel that are done
	reported int64              // of the morsel's bytes
	selector operators.Selector // nil: all rows are chosen
	seen     vector.Batch       // what it looks at
	column   int                // being worked on, for messages; -1 for none
	err      error              // sticks
	work     scanWork
}

func newStream(s *Scan) *stream {
	st := &stream{scan: s, open: -1, column: -1}
	st.mem = s.opt.Budget.Account("reading Parquet")
	st.batch.Cols = make([]*vector.Vector, len(s.fields))
	st.work.columns = make([]columnWork, len(s.fields))
	st.cut = make([]vector.Vector, s.schema.NumFields())
	if s.opt.Where != nil {
		st.selector = s.opt.Where.Selector()
	}
	return st
}

// Next returns the next batch; see operators.Stream. An error ends the stream.
func (s *stream) Next(ctx context.Context) (b *vector.Batch, err error) {
	if s.err != nil {
		return nil, s.err
	}
	defer func() {
		if r := recover(); r != nil {
			b, err = nil, s.place(fmt.Errorf("decoding panicked%s: %v", origin(), r))
		}
		s.err = err
	}()
	for b == nil && err == nil {
		switch {
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case !s.active || s.piece == len(s.morsel.ranges):
			err = s.advance(ctx)
		default:
			b, err = s.read()
		}
	}
	return b, err
}

// origin names the code that panicked, for the deferred function that recovers.
func origin() string {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(3, pc)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf(" in %s, line %d", f.Function, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// advance ends the current morsel and begins the next.
func (s *stream) advance(ctx context.Context) error {
	if s.active {
		if err := s.finish(); err != nil {
			return s.place(err)
		}
		s.active = false
	}
	i := s.scan.next.Add(1) - 1
	if i >= int64(len(s.scan.morsels)) {
		return io.EOF
	}
	s.morsel = s.scan.morsels[i]
	s.piece, s.at, s.behind = 0, s.morsel.ranges[0].lo, 0
	s.reported, s.active, s.rows = 0, true, s.scan.opt.BatchRows
	s.work.morsels++
	if s.morsel.begins {
		s.work.groups++
	}
	if len(s.batch.Cols) == 0 {
		return nil
	}
	if err := s.openFile(ctx); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return s.place(err)
	}
	return nil
}

// openFile makes the morsel's file the open one.
func (s *stream) openFile(ctx context.Context) error {
	if s.src != nil && s.open == s.morsel.file {
		return nil
	}
	file := s.scan.files[s.morsel.file]
	if err := s.closeFile(); err != nil {
		return err
	}
	src, err := file.in.Open(ctx)
	if err != nil {
		return fmt.Errorf("parquetio: opening %s: %w", SpellName(file.Name()), err)
	}
	s.src, s.open = src, s.morsel.file
	if src.Size() != file.size {
		return &CorruptError{File: file.Name(), RowGroup: -1, Err: errors.New("the file's size has changed since its footer was read")}
	}
	return nil
}

func (s *stream) closeFile() error {
	if s.src == nil {
		return nil
	}
	err := s.src.Close()
	s.src = nil
	if err != nil {
		return fmt.Errorf("parquetio: closing %s: %w", SpellName(s.scan.files[s.open].Name()), err)
	}
	return nil
}

// start sets the column readers to the morsel's row group.
func (s *stream) start() error {
	file := s.scan.files[s.morsel.file]
	for k, leaf := range s.scan.cols[s.morsel.file] {
		s.column = k
		if err := s.reader(k, &file.columns[leaf]); err != nil {
			return err
		}
		c, chunk := s.columns[k], &file.meta.groups[s.morsel.group].chunks[leaf]
		c.reset(s.src, file, chunk, s.morsel.pagesOf(k))
		s.rows = min(s.rows, chunk.rowsPerBatch(c.col))
	}
	s.column = -1
	return nil
}

// batchBytes is how large the values of one column in a batch should be at
// most.
const batchBytes = 64 << 20

// rowsPerBatch bounds the rows of a batch by the size of the chunk's values.
func (m *chunkMeta) rowsPerBatch(c *Column) int {
	size := int64(vector.Width(c.Type))
	if size == 0 && m.values > 0 {
		size = m.unpacked / m.values
	}
	return int(max(1, batchBytes/max(1, size)))
}

// reader makes s.columns[k] fit a leaf. The readers of one file fit the next
// where the values are stored alike.
func (s *stream) reader(k int, col *Column) error {
	if k < len(s.columns) {
		if s.columns[k].fits(col) {
			return nil
		}
		if err := s.columns[k].mem.free(); err != nil {
			return err
		}
		s.columns = slices.Delete(s.columns, k, k+1)
	}
	c := newColumnReader(col, &spender{account: s.mem}, &s.codecs, &s.work.columns[k])
	c.verify = !s.scan.opt.SkipChecksums
	s.columns = slices.Insert(s.columns, k, c)
	return nil
}

// read decodes the next rows of the morsel; nil if none of them is chosen.
func (s *stream) read() (*vector.Batch, error) {
	n := int(min(int64(s.rows), s.morsel.ranges[s.piece].hi-s.at))
	at := s.at
	s.pass(n)
	if err := s.decode(s.scan.first, at, n, nil); err != nil {
		return nil, err
	}
	sel, lo, hi := []uint32(nil), 0, n
	if s.selector != nil {
		s.seen = vector.Batch{Cols: s.batch.Cols, Len: n, Row: s.morsel.row + uint64(at)}
		var err error
		if sel, err = s.selector.Select(&s.seen); err != nil {
			return nil, err
		}
		if len(sel) == 0 {
			return nil, nil
		}
		sel, lo, hi = s.trim(sel, n)
	}
	if err := s.decode(s.scan.later, at+int64(lo), hi-lo, sel); err != nil {
		return nil, err
	}
	s.out = vector.Batch{Cols: s.batch.Cols[:s.scan.schema.NumFields()], Sel: sel, Len: hi - lo, Row: s.morsel.row + uint64(at) + uint64(lo)}
	return &s.out, nil
}

// trim leaves out the rows before the first and behind the last that is chosen,
// of the columns that are decoded already too; sel is nil if no other is left.
func (s *stream) trim(sel []uint32, n int) (_ []uint32, lo, hi int) {
	lo, hi = int(sel[0])&^7, int(sel[len(sel)-1])+1
	if lo > 0 || hi < n {
		for _, k := range s.scan.first {
			if k < len(s.cut) {
				vector.Slice(&s.cut[k], s.batch.Cols[k], lo, hi)
				s.batch.Cols[k] = &s.cut[k]
			}
		}
	}
	if lo > 0 {
		for i := range sel {
			sel[i] -= uint32(lo)
		}
	}
	if len(sel) == hi-lo {
		return nil, lo, hi
	}
	return sel, lo, hi
}

// decode reads n rows from row at of the row group on, of some columns: those that
// sel lists, or all of them.
func (s *stream) decode(columns []int, at int64, n int, sel []uint32) error {
	t := operators.Now()
	for _, k := range columns {
		s.column = k
		c := s.columns[k]
		if err := c.seek(at); err != nil {
			return s.place(err)
		}
		v, err := c.read(n, sel)
		if err != nil {
			return s.place(err)
		}
		s.batch.Cols[k] = v
		s.work.columns[k].rows += int64(n)
		t = s.lap(k, t)
	}
	s.column = -1
	return nil
}

// pass moves on by n rows.
func (s *stream) pass(n int) {
	s.at += int64(n)
	s.behind += int64(n)
	if s.at == s.morsel.ranges[s.piece].hi {
		if s.piece++; s.piece < len(s.morsel.ranges) {
			s.at = s.morsel.ranges[s.piece].lo
		}
	}
	s.report()
}

// report tells the progress: bytes in proportion to rows.
func (s *stream) report() {
	if s.scan.opt.Progress == nil {
		return
	}
	done := mulDiv(s.morsel.bytes, s.behind, s.morsel.rows())
	if done > s.reported {
		s.scan.opt.Progress(done - s.reported)
		s.reported = done
	}
}

// finish checks that those chunks which were read to their last row end there.
func (s *stream) finish() error {
	t := operators.Now()
	for k, c := range s.columns {
		s.column = k
		if c.row() == c.promised {
			if err := c.finish(); err != nil {
				return err
			}
		}
		t = s.lap(k, t)
	}
	s.column = -1
	return nil
}

// place adds to an error where it came up.
func (s *stream) place(err error) error {
	file := s.scan.files[s.morsel.file]
	column := ""
	if s.column >= 0 {
		column = file.columns[s.scan.cols[s.morsel.file][s.column]].Name()
	}
	var enc encodingError
	switch {
	case errors.As(err, &enc):
		return &UnsupportedError{File: file.Name(), RowGroup: s.morsel.group, Column: column, What: err.Error()}
	case errors.As(err, new(ioError)), errors.Is(err, memory.ErrLimit), errors.Is(err, vector.ErrTooLong):
		return fmt.Errorf("parquetio: %s%w", place(file.Name(), s.morsel.group, column), err)
	}
	return &CorruptError{File: file.Name(), RowGroup: s.morsel.group, Column: column, Err: err}
}

// Close gives back the stream's file and memory. Batches are empty then: a vector
// that somebody still has a pointer to would keep all buffers of its column.
func (s *stream) Close() error {
	err := s.closeFile()
	for _, c := range s.columns {
		if c != nil {
			*c = columnReader{}
		}
	}
	s.codecs.close()
	if s.selector != nil {
		s.selector.Close()
	}
	s.scan.mu.Lock()
	s.scan.done.add(&s.work)
	s.scan.mu.Unlock()
	s.columns, s.batch.Cols = nil, nil
	s.mem.Close()
	s.active, s.err = false, io.EOF
	return err
}
