package render

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
)

// Format names a text format.
type Format string

// The text formats.
const (
	Table    Format = "table"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	JSON     Format = "json"
	NDJSON   Format = "ndjson"
	Markdown Format = "markdown"
)

// Screen says how a table is fitted to where it is shown. The zero value
// means no limits and no colors.
type Screen struct {
	// Rows is the most rows shown; those in the middle are left out. 0 means
	// all.
	Rows int
	// Columns is the most character cells in a line; long values are cut to
	// keep to it. 0 means no limit.
	Columns int
	// Faint is put before a NULL, and Reset after it: escape sequences, or
	// empty.
	Faint, Reset string
}

// Writer writes the records of one result in a text format.
type Writer interface {
	// Write adds the rows of rec. It keeps nothing of rec.
	Write(rec arrow.Record) error
	// Close ends the document. It does not close what is written to.
	Close() error
}

// New returns a writer of records with the given schema. Nothing is written
// before the first Write or Close. It fails if a column's type has no text
// form, and for JSON and NDJSON if two columns have one name.
func New(format Format, w io.Writer, schema *arrow.Schema, screen Screen) (Writer, error) {
	for _, f := range schema.Fields() {
		if !printable(f.Type) {
			return nil, fmt.Errorf("column %q: values of type %s have no text form", f.Name, f.Type)
		}
	}
	if format == Table {
		return newTable(w, schema, screen), nil
	}
	s := &stream{w: w, schema: schema}
	switch format {
	case CSV:
		s.layout = csv{single: schema.NumFields() == 1}
	case TSV:
		s.layout = tsv{}
	case Markdown:
		s.layout = markdown{}
	case JSON, NDJSON:
		keys, err := jsonKeys(schema)
		if err != nil {
			return nil, err
		}
		s.layout = jsonLines{keys: keys}
		if format == JSON {
			s.layout = &jsonArray{keys: keys}
		}
	default:
		return nil, fmt.Errorf("unknown format %q", format)
	}
	return s, nil
}

// layout frames rows. Its methods append to dst.
type layout interface {
	header(dst []byte, fields []arrow.Field) []byte
	row(dst []byte, cols []cells, i int) []byte
	trailer(dst []byte) []byte
}

// flushAt is the number of bytes after which a stream writes what it has.
const flushAt = 64 << 10

// stream writes rows one after another.
type stream struct {
	w       io.Writer
	schema  *arrow.Schema
	layout  layout
	buf     []byte
	cols    []cells
	started bool
}

func (s *stream) Write(rec arrow.Record) error {
	s.start()
	s.cols = bind(s.cols, rec)
	for i := range int(rec.NumRows()) {
		s.buf = s.layout.row(s.buf, s.cols, i)
		if len(s.buf) >= flushAt {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return s.flush()
}

func (s *stream) Close() error {
	s.start()
	s.buf = s.layout.trailer(s.buf)
	return s.flush()
}

func (s *stream) start() {
	if !s.started {
		s.started = true
		s.buf = s.layout.header(s.buf, s.schema.Fields())
	}
}

func (s *stream) flush() error {
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}
