package parquetio

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/colagg/colagg/vector"
)

const (
	// rowGroupRows is the most rows of a row group: enough for the overhead
	// per column chunk not to matter, few enough for readers to share a file.
	rowGroupRows = 122880
	// rowGroupBytes bounds the values of a row group before compression; it
	// is what the writer holds in memory.
	rowGroupBytes = 32 << 20
	// leastGroupBytes is the least bound that can be asked for instead.
	leastGroupBytes = 4 << 20
	// maxRowGroups is what the library's row group numbers, 16 bits with a
	// sign, can count.
	maxRowGroups = 1<<15 - 1
	// pieceRows and pieceBytes bound what the library gets at once; it looks
	// at the size of a page between two pieces only.
	pieceRows  = 1024
	pieceBytes = 1 << 20
	// maxValueBytes keeps pages, which hold at most a piece more than their
	// limit of 1 MiB, below the 2 GiB that Parquet's 32-bit sizes can say.
	maxValueBytes = 1 << 30
)

var errClosed = errors.New("parquetio: writing to a closed file")

// Writer writes one Parquet file: row groups of at most 122,880 rows or 32 MiB
// of values (see LimitRowGroups), data pages v1, Snappy, dictionaries where strings repeat. It is
// not safe for concurrent use.
type Writer struct {
	sink   *sink
	schema *arrow.Schema
	root   *schema.GroupNode
	cols   []outColumn
	file   *file.Writer // nil until the first row or Close
	group  file.BufferedRowGroupWriter
	// What the open row group holds, and the whole file.
	groupRows, groupBytes int
	most                  int // groupBytes at which it is closed
	rows                  int64
	err                   error // the first failure, or errClosed
}

// NewWriter returns a Writer of a Parquet file to w. Columns are stored in
// their own Arrow type where Parquet has it; seconds become milliseconds,
// date64 becomes a DATE, decimals are big-endian numbers of the fewest bytes,
// and a column is REQUIRED unless its field is nullable. A list is a group of
// three levels ("Lists" in the format's LogicalTypes.md) whose elements are
// OPTIONAL. Types that Parquet
// lacks (durations), lists of such, two columns with one name and an empty schema give an
// error. Nothing is written to w before the first Write or Close.
//
// Statistics are written for every column but floating-point ones, whose
// bounds the library gets wrong where values are infinite or NaN.
func NewWriter(w io.Writer, s *arrow.Schema) (*Writer, error) {
	node, err := rootOf(s)
	if err != nil {
		return nil, fmt.Errorf("parquetio: writing a file: %w", err)
	}
	out := &Writer{sink: &sink{w: w}, schema: s, root: node, most: rowGroupBytes}
	for _, f := range s.Fields() {
		out.cols = append(out.cols, outColumn{field: f, encode: encoderFor(valueType(f.Type))})
	}
	return out, nil
}

// LimitRowGroups makes row groups of about so many bytes of values, from 4 to 32
// MiB. A Writer holds up to three times as much: pages before compression, those
// after it, and what their buffers have grown ahead. It is called before Write.
func (w *Writer) LimitRowGroups(bytes int64) {
	w.most = int(min(max(bytes, leastGroupBytes), rowGroupBytes))
}

// Bytes returns the number of bytes that the underlying writer has taken;
// after Close that is the size of the file.
func (w *Writer) Bytes() int64 { return w.sink.n }

// Write adds the rows of b that count. The vectors, in any form, are of the
// types of the schema, in its order; b is not kept. A value that Parquet
// cannot hold (a decimal with too many digits, seconds that overflow in
// milliseconds, a NULL in a column that is not nullable) is an error. After an
// error the file is lost: every later call returns the same error.
func (w *Writer) Write(b *vector.Batch) error {
	if w.err != nil {
		return w.err
	}
	if err := w.check(b); err != nil {
		return w.fail(err)
	}
	rows := make([]uint32, 0, pieceRows)
	for next := 0; next < b.Rows(); next += len(rows) {
		var size int
		rows, size = piece(rows[:0], b, next, rowGroupRows-w.groupRows)
		if err := w.protect(func() error { return w.add(b, rows, size) }); err != nil {
			return w.fail(err)
		}
	}
	return nil
}

// Close writes what is left and the footer, and returns the first error of
// the Writer's life; the file is whole only if there is none. It does not close
// the underlying writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	if err := w.protect(w.finish); err != nil {
		return w.fail(err)
	}
	w.err = errClosed
	return nil
}

func (w *Writer) fail(err error) error {
	w.err = fmt.Errorf("parquetio: writing a file: %w", err)
	w.file, w.group = nil, nil
	return w.err
}

// protect runs do, turns a panic of the library into an error, and looks at
// the sink afterwards: the library drops some of its errors.
func (w *Writer) protect(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil && w.sink.err == nil {
			err = fmt.Errorf("the Parquet library panicked: %v", r)
		}
		if w.sink.err != nil {
			err = w.sink.err
		}
	}()
	return do()
}

func (w *Writer) check(b *vector.Batch) error {
	if len(b.Cols) != len(w.cols) {
		return fmt.Errorf("a batch has %d columns, the schema %d", len(b.Cols), len(w.cols))
	}
	for i, v := range b.Cols {
		f := w.cols[i].field
		if !arrow.TypeEqual(v.Type, f.Type) {
			return fmt.Errorf("column %q is %s in the schema and %s in a batch", f.Name, f.Type, v.Type)
		}
		if v.Len != b.Len {
			return fmt.Errorf("column %q of a batch of %d rows has %d", f.Name, b.Len, v.Len)
		}
	}
	return nil
}

// add writes the listed rows of b, which hold size bytes, to the open row
// group, and closes it when it is full.
func (w *Writer) add(b *vector.Batch, rows []uint32, size int) error {
	if w.file == nil {
		w.file = newFile(w.sink, w.root, w.cols, b)
	}
	if w.group == nil {
		if w.file.NumRowGroups() == maxRowGroups {
			return fmt.Errorf("the file has %d row groups, the most that are possible", maxRowGroups)
		}
		w.group, w.groupRows, w.groupBytes = w.file.AppendBufferedRowGroup(), 0, 0
	}
	for i := range w.cols {
		cw, err := w.group.Column(i)
		if err != nil {
			return err
		}
		if err := w.cols[i].write(cw, b.Cols[i], rows); err != nil {
			return fmt.Errorf("column %q: %w", w.cols[i].field.Name, err)
		}
	}
	w.rows += int64(len(rows))
	w.groupRows += len(rows)
	w.groupBytes += size
	if w.groupRows >= rowGroupRows || w.groupBytes >= w.most {
		return w.flush()
	}
	return nil
}

func (w *Writer) flush() error {
	err := w.group.Close()
	w.group, w.groupRows, w.groupBytes = nil, 0, 0
	return err
}

func (w *Writer) finish() error {
	if w.file == nil {
		w.file = newFile(w.sink, w.root, w.cols, nil)
	}
	if w.group != nil {
		if err := w.flush(); err != nil {
			return err
		}
	}
	// The library's Close drops the error of the footer.
	if err := w.file.FlushWithFooter(); err != nil {
		return err
	}
	if n := int64(w.file.NumRows()); n != w.rows {
		return fmt.Errorf("%d rows were given and %d are in the footer", w.rows, n)
	}
	return w.file.Close()
}
