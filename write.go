package colagg

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/colagg/colagg/parquetio"
	"github.com/colagg/colagg/vector"
)

// rowGroupShare is the part of the memory limit, one in so many, that the values
// of a row group may take when they are written: with 20 columns of 500 bytes a
// row a writer held 70 MB without a bound.
const rowGroupShare = 16

// WriteParquet writes the rows that have not been read yet to w as a Parquet
// file, and leaves none. It does not close w. After an error what w holds is
// not a Parquet file.
func (r *Result) WriteParquet(w io.Writer) error {
	r.dropRecord()
	out := &sink{w: w}
	pw, err := parquetio.NewWriter(out, r.schema)
	if err != nil {
		return r.writeError(out, err)
	}
	pw.LimitRowGroups(r.run.engine.limit / rowGroupShare)
	if err = r.each(pw.Write); err == nil { // else no footer makes a whole file of a part
		err = pw.Close()
	}
	return r.writeError(out, err)
}

// WriteArrow writes the rows that have not been read yet to w as an Arrow IPC
// file, and leaves none. It does not close w. After an error what w holds is
// not an Arrow file.
func (r *Result) WriteArrow(w io.Writer) error {
	r.dropRecord()
	out := &sink{w: w}
	iw, err := ipc.NewFileWriter(out, ipc.WithSchema(r.schema))
	if err != nil {
		return r.writeError(out, err)
	}
	err = r.each(func(b *vector.Batch) error {
		rec, err := vector.ToRecord(r.schema, b)
		if err != nil {
			return err
		}
		defer rec.Release()
		if err := iw.Write(rec); err != nil {
			return err
		}
		return out.err
	})
	if err == nil {
		err = iw.Close()
	}
	return r.writeError(out, err)
}

// each calls f with every batch that is left.
func (r *Result) each(f func(*vector.Batch) error) error {
	for {
		b, err := r.nextBatch()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(b); err != nil {
			return err
		}
	}
}

// writeError puts the first error of out before what a writer made of it.
func (r *Result) writeError(out *sink, err error) error {
	if out.err != nil {
		return &Error{Kind: IO, Offset: -1, Err: fmt.Errorf("colagg: writing: %w", out.err)}
	}
	var known *Error
	if err == nil || errors.As(err, &known) || r.ctx.Err() != nil {
		return err
	}
	return &Error{Kind: Unsupported, Offset: -1, Err: err, Hint: "this result cannot be in such a file"}
}

// sink keeps the first error of a writer for ever and takes a short write for
// one: the file writers above it lose such errors.
type sink struct {
	w   io.Writer
	n   int64
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	s.n += int64(max(0, n))
	s.err = err
	return n, err
}

// Seek tells the position, which is all that the Arrow file writer asks.
func (s *sink) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		panic("BUG: the Arrow file writer moves back")
	}
	return s.n, nil
}
