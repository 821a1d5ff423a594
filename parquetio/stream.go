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
	batch   vector.Batch

	morsel   morsel
	active   bool
	rows     int   // per batch of the morsel
	at       int64 // next row of the morsel
	reported int64 // of the morsel's bytes
	column   int   // being worked on, for messages; -1 for none
	err      error // sticks
	work     scanWork
}

func newStream(s *Scan) *stream {
	st := &stream{scan: s, open: -1, column: -1}
	st.mem = s.opt.Budget.Account("reading Parquet")
	st.batch.Cols = make([]*vector.Vector, s.schema.NumFields())
	st.work.columns = make([]columnWork, s.schema.NumFields())
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
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	for !s.active || s.at == s.morsel.hi {
		if err := s.advance(ctx); err != nil {
			return nil, err
		}
	}
	return s.read()
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
	s.at, s.reported, s.active, s.rows = s.morsel.lo, 0, true, s.scan.opt.BatchRows
	s.work.morsels++
	if s.morsel.lo == 0 {
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

// start sets the column readers to the morsel's first row.
func (s *stream) start() error {
	file := s.scan.files[s.morsel.file]
	t := operators.Now()
	for k, leaf := range s.scan.cols[s.morsel.file] {
		s.column = k
		if err := s.reader(k, &file.columns[leaf]); err != nil {
			return err
		}
		c, chunk := s.columns[k], &file.meta.groups[s.morsel.group].chunks[leaf]
		if err := c.reset(s.src, file, chunk); err != nil {
			return err
		}
		s.rows = min(s.rows, chunk.rowsPerBatch(c.col))
		if err := c.skip(s.morsel.lo); err != nil {
			return err
		}
		t = s.lap(k, t)
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

// read decodes the next batch of the morsel.
func (s *stream) read() (*vector.Batch, error) {
	n := int(min(int64(s.rows), s.morsel.hi-s.at))
	t := operators.Now()
	for k := range s.batch.Cols {
		s.column = k
		v, err := s.columns[k].read(n)
		if err != nil {
			return nil, s.place(err)
		}
		s.batch.Cols[k] = v
		s.work.columns[k].rows += int64(n)
		t = s.lap(k, t)
	}
	s.column = -1
	s.batch.Len = n
	s.batch.Row = s.morsel.row + uint64(s.at-s.morsel.lo)
	s.at += int64(n)
	s.report()
	return &s.batch, nil
}

// report tells the progress: bytes in proportion to rows.
func (s *stream) report() {
	if s.scan.opt.Progress == nil {
		return
	}
	done := mulDiv(s.morsel.bytes, s.at-s.morsel.lo, s.morsel.hi-s.morsel.lo)
	if done > s.reported {
		s.scan.opt.Progress(done - s.reported)
		s.reported = done
	}
}

// finish checks that the chunks end where the morsel's last row group does.
func (s *stream) finish() error {
	file := s.scan.files[s.morsel.file]
	if s.morsel.hi < file.meta.groups[s.morsel.group].rows {
		return nil
	}
	t := operators.Now()
	for k, c := range s.columns {
		s.column = k
		if err := c.finish(); err != nil {
			return err
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

// Close gives back the stream's file and memory.
func (s *stream) Close() error {
	err := s.closeFile()
	s.codecs.close()
	s.scan.mu.Lock()
	s.scan.done.add(&s.work)
	s.scan.mu.Unlock()
	s.columns, s.batch.Cols = nil, nil
	s.mem.Close()
	s.active, s.err = false, io.EOF
	return err
}
