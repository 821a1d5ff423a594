package colagg

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg/parquetio"
	"github.com/colagg/colagg/vector"
)

type recordsSource struct{ reader array.RecordReader }

func (s recordsSource) open(context.Context) (table, error) {
	if s.reader == nil {
		return nil, badQuery("the record reader is nil")
	}
	t := &recordTable{reader: s.reader}
	for i, f := range s.reader.Schema().Fields() {
		t.add(f, nil, []int{i})
	}
	return t, nil
}

// recordTable is an Arrow record reader with its leaves.
type recordTable struct {
	reader array.RecordReader
	leaves []column
	at     [][]int // field numbers from the root to each leaf
}

func (t *recordTable) add(f arrow.Field, above []string, at []int) {
	path := append(above[:len(above):len(above)], f.Name)
	if s, ok := f.Type.(*arrow.StructType); ok {
		for i, child := range s.Fields() {
			t.add(child, path, append(at[:len(at):len(at)], i))
		}
		return
	}
	c := column{path: path}
	switch f.Type.(type) {
	case *arrow.MapType:
		c.repeated, c.container, c.depth = true, "map", len(path)
	case arrow.ListLikeType:
		c.repeated, c.container, c.depth = true, "list", len(path)
	default:
		typ, err := vector.VectorType(f.Type)
		if c.typ = typ; err != nil {
			c.typ, c.problem = nil, fmt.Sprintf("Arrow type %s is not supported", f.Type)
		}
	}
	t.leaves, t.at = append(t.leaves, c), append(t.at, at)
}

func (t *recordTable) columns() []column { return t.leaves }

func (t *recordTable) rows() int64 { return -1 }

func (t *recordTable) title() string { return "Arrow records" }

func (t *recordTable) scan(cols []int, names []string, opt scanOptions) (scan, error) {
	s := &recordScan{reader: t.reader, batchRows: opt.batchRows, dicts: make([]seenDictionary, len(cols))}
	fields := make([]arrow.Field, len(cols))
	for k, c := range cols {
		fields[k] = arrow.Field{Name: names[k], Type: t.leaves[c].typ, Nullable: true}
		s.at = append(s.at, t.at[c])
	}
	s.schema = arrow.NewSchema(fields, nil)
	return opt.filtered(s), nil
}

// recordScan cuts the records of a reader into batches for several streams.
type recordScan struct {
	reader    array.RecordReader
	schema    *arrow.Schema
	at        [][]int
	batchRows int

	mu      sync.Mutex // guards what follows and the reader
	current *sharedRecord
	from    int   // rows of current that are given out
	rows    int64 // rows of all records so far, current included
	dicts   []seenDictionary
	err     error // what ended the reader
	streams int   // not yet closed
}

// sharedRecord is a record as vectors; rec is retained once for each stream
// that has a batch of it, and once while it is current.
type sharedRecord struct {
	rec  arrow.Record
	cols []*vector.Vector
	row  uint64
}

// seenDictionary is the last dictionary of a column: an Arrow producer repeats
// it in every record, and one identity for all lets work done per entry be kept.
type seenDictionary struct {
	of    arrow.ArrayData
	entry *vector.Vector
}

func (s *recordScan) Schema() *arrow.Schema { return s.schema }
func (s *recordScan) Left() int64           { return notKnown }

func (s *recordScan) Prepare(context.Context) error { return nil }
func (s *recordScan) Bytes() int64                  { return 0 }
func (s *recordScan) Memory() int64                 { return 0 }

func (s *recordScan) Rows() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows
}

func (s *recordScan) Report() parquetio.ScanReport {
	r := parquetio.ScanReport{Columns: make([]parquetio.ColumnReport, len(s.at))}
	for k, f := range s.schema.Fields() {
		r.Columns[k].Name, r.Columns[k].Type = f.Name, f.Type
	}
	return r
}

func (s *recordScan) Range(int) (lo, hi int64, ok bool) { return 0, 0, false }

func (s *recordScan) Distinct(int) (values, of int64, ok bool) { return 0, 0, false }

// take returns the next rows lo up to hi of a record, retained for the caller.
func (s *recordScan) take() (r *sharedRecord, lo, hi int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.current == nil || s.from == int(s.current.rec.NumRows()) {
		if s.err == nil {
			s.err = s.advance()
		}
		if s.err != nil {
			return nil, 0, 0, s.err
		}
	}
	lo = s.from
	s.from = min(lo+s.batchRows, int(s.current.rec.NumRows()))
	s.current.rec.Retain()
	return s.current, lo, s.from, nil
}

// advance makes the reader's next record the current one.
func (s *recordScan) advance() error {
	s.drop()
	if !s.reader.Next() {
		s.dropDictionaries()
		if err := s.reader.Err(); err != nil && err != io.EOF {
			return &Error{Kind: IO, Offset: -1, Err: fmt.Errorf("colagg: reading Arrow records: %w", err)}
		}
		return io.EOF
	}
	rec := s.reader.Record()
	r := &sharedRecord{rec: rec, cols: make([]*vector.Vector, len(s.at)), row: uint64(s.rows)}
	for k := range s.at {
		v, err := s.vector(rec, k)
		if err != nil {
			return err
		}
		if !arrow.TypeEqual(v.Type, s.schema.Field(k).Type) {
			return &Error{Kind: Unsupported, Offset: -1, Err: fmt.Errorf("colagg: a record has type %s in column %s, which the schema says is %s",
				v.Type, s.schema.Field(k).Name, s.schema.Field(k).Type)}
		}
		r.cols[k] = v
	}
	rec.Retain()
	s.current, s.from = r, 0
	s.rows += rec.NumRows()
	return nil
}

func (s *recordScan) drop() {
	if s.current != nil {
		s.current.rec.Release()
		s.current = nil
	}
}

func (s *recordScan) dropDictionaries() {
	for k, d := range s.dicts {
		if d.of != nil {
			d.of.Release()
		}
		s.dicts[k] = seenDictionary{}
	}
}

// vector returns column k of rec. A field of a struct is NULL where the struct
// is.
func (s *recordScan) vector(rec arrow.Record, k int) (*vector.Vector, error) {
	a := rec.Column(s.at[k][0])
	var nulls []arrow.Array
	for _, i := range s.at[k][1:] {
		if a.NullN() > 0 {
			nulls = append(nulls, a)
		}
		a = a.(*array.Struct).Field(i)
	}
	v, err := vector.FromArrow(a)
	if err != nil {
		return nil, &Error{Kind: Unsupported, Offset: -1, Err: fmt.Errorf("colagg: column %s of Arrow records: %w", s.schema.Field(k).Name, err)}
	}
	if d, ok := a.(*array.Dictionary); ok {
		s.shareDictionary(k, v, d)
	}
	for _, parent := range nulls {
		v.Valid = withNulls(v, parent)
	}
	return v, nil
}

func (s *recordScan) shareDictionary(k int, v *vector.Vector, a *array.Dictionary) {
	of := a.Data().Dictionary()
	if seen := s.dicts[k]; seen.of == of {
		v.Dict = seen.entry
		return
	} else if seen.of != nil {
		seen.of.Release()
	}
	of.Retain()
	s.dicts[k] = seenDictionary{of, v.Dict}
}

func withNulls(v *vector.Vector, parent arrow.Array) vector.Bitmap {
	valid := vector.NewBitmap(v.Len)
	for i := range v.Len {
		if v.Valid.Get(i) && parent.IsValid(i) {
			valid.Set(i)
		} else if v.Codes != nil {
			v.Codes[i] = 0
		}
	}
	return valid
}
