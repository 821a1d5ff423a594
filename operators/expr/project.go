package expr

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/operators/expr/calendar"
	"github.com/colagg/colagg/vector"
)

// Output is a column of a Project: one of its source's, or a value of these.
type Output struct {
	Name   string
	Column int
	Value  *Value // nil for Column
}

// Project is a source with columns that are computed of those of another.
type Project struct {
	src     operators.Source
	outputs []Output
	schema  *arrow.Schema
	budget  *memory.Budget
	report  struct{ rows, batches, time atomic.Int64 }
}

// NewProject returns the rows of src with the given columns; values are bound to
// those of src. Buffers draw from budget.
func NewProject(src operators.Source, outputs []Output, budget *memory.Budget) *Project {
	return &Project{src: src, outputs: outputs, schema: ProjectSchema(src.Schema(), outputs), budget: budget}
}

// ProjectSchema is the schema of a Project of a source with the columns of in.
func ProjectSchema(in *arrow.Schema, outputs []Output) *arrow.Schema {
	var fields []arrow.Field
	for _, o := range outputs {
		f := arrow.Field{Nullable: true}
		if o.Value != nil {
			f.Type = o.Value.Type()
		} else {
			f = in.Field(o.Column)
		}
		f.Name = o.Name
		fields = append(fields, f)
	}
	return arrow.NewSchema(fields, nil)
}

// Schema returns the columns.
func (p *Project) Schema() *arrow.Schema { return p.schema }

// Report returns the figures so far; as many rows come out as in.
func (p *Project) Report() Report {
	r := &p.report
	return Report{In: r.rows.Load(), Out: r.rows.Load(), Batches: r.batches.Load(), Time: time.Duration(r.time.Load())}
}

// Stream opens a stream of the source's.
func (p *Project) Stream() (operators.Stream, error) {
	src, err := p.src.Stream()
	if err != nil {
		return nil, err
	}
	s := &projectStream{project: p, src: src, account: p.budget.SmallAccount("expressions"), results: make([]result, len(p.outputs))}
	for i, o := range p.outputs {
		if o.Value != nil {
			s.compiler.text = o.Value.text
			s.results[i] = s.compiler.result(o.Value)
		}
	}
	s.frame.held = &s.compiler.held
	return s, nil
}

type projectStream struct {
	project  *Project
	src      operators.Stream
	account  *memory.Account
	results  []result // nil for columns
	frame    frame
	compiler compiler
	every    []uint32
	out      vector.Batch
}

// Next returns the next batch, whose vectors are the stream's or the source's.
func (s *projectStream) Next(ctx context.Context) (*vector.Batch, error) {
	b, err := s.src.Next(ctx)
	if err != nil {
		return nil, err
	}
	start := operators.Now()
	s.frame.reset(b.Cols, b.Len)
	rows := b.Sel
	if rows == nil {
		rows = s.all(b.Len)
	}
	s.out = vector.Batch{Cols: s.out.Cols[:0], Sel: b.Sel, Len: b.Len, Row: b.Row}
	for i, o := range s.project.outputs {
		if s.results[i] == nil {
			s.out.Cols = append(s.out.Cols, b.Cols[o.Column])
			continue
		}
		v, err := s.results[i].vector(&s.frame, rows)
		if err != nil {
			return nil, fmt.Errorf("expr: computing %s: %w", o.Name, err)
		}
		s.out.Cols = append(s.out.Cols, v)
	}
	if held := s.compiler.held; held > s.account.Size() {
		if err := s.account.Resize(held); err != nil {
			return nil, fmt.Errorf("expr: computing columns: %w", err)
		}
	}
	r := &s.project.report
	r.rows.Add(int64(b.Rows()))
	r.batches.Add(1)
	r.time.Add(int64(operators.Now() - start))
	return &s.out, nil
}

// all returns the numbers of n rows.
func (s *projectStream) all(n int) []uint32 {
	before := cap(s.every)
	if s.every = grow(&s.frame, s.every, n); cap(s.every) > before {
		every := s.every[:cap(s.every)]
		for i := range every {
			every[i] = uint32(i)
		}
	}
	return s.every
}

// Close closes the source's stream.
func (s *projectStream) Close() error {
	s.account.Close()
	return s.src.Close()
}

// fixedResult is of a type of fixed width, NULL where one of cols is.
type fixedResult[T vector.Fixed] struct {
	typ     arrow.DataType
	cols    []int
	of      vec[T]
	present []uint32
	out     vector.Vector
	valid   vector.Bitmap
}

func (r *fixedResult[T]) vector(f *frame, rows []uint32) (*vector.Vector, error) {
	there, err := f.present(r.cols, rows, &r.present)
	if err != nil {
		return nil, err
	}
	r.out = vector.Vector{Type: r.typ, Len: f.n}
	values, err := r.of.values(f, there)
	if err != nil {
		return nil, err
	}
	r.out.Data = vector.AsBytes(values[:f.n])
	if len(there) < len(rows) {
		r.valid = grow(f, r.valid, (f.n+7)/8)
		clear(r.valid)
		mark(r.valid, there)
		r.out.Valid = r.valid
	}
	return &r.out, nil
}

// mark sets the bits of rows.
func mark(bits vector.Bitmap, rows []uint32) {
	for _, i := range rows {
		bits[i>>3] |= 1 << (i & 7)
	}
}

// boolResult is a condition: true where yes has rows, false where no has.
type boolResult struct {
	yes, no test
	out     vector.Vector
	data    vector.Bitmap
	valid   vector.Bitmap
}

func (r *boolResult) vector(f *frame, rows []uint32) (*vector.Vector, error) {
	r.data = grow(f, r.data, (f.n+7)/8)
	clear(r.data)
	r.out = vector.Vector{Type: arrow.FixedWidthTypes.Boolean, Len: f.n, Data: r.data}
	found, err := r.yes.rows(f, rows)
	if err != nil {
		return nil, err
	}
	mark(r.data, found)
	known := len(found)
	if known == len(rows) {
		return &r.out, nil
	}
	rest, err := r.no.rows(f, rows)
	if err != nil {
		return nil, err
	}
	if known+len(rest) < len(rows) {
		r.valid = grow(f, r.valid, (f.n+7)/8)
		copy(r.valid, r.data)
		mark(r.valid, rest)
		r.out.Valid = r.valid
	}
	return &r.out, nil
}

// constantResult is one value in every row.
type constantResult struct{ one *vector.Vector }

func (r constantResult) vector(f *frame, _ []uint32) (*vector.Vector, error) {
	return &vector.Vector{Type: r.one.Type, Len: f.n, Dict: r.one}, nil
}

// columnResult is a column as it is.
type columnResult int

func (r columnResult) vector(f *frame, _ []uint32) (*vector.Vector, error) { return f.cols[r], nil }

// nullResult is NULL in every row, without a type.
type nullResult struct{}

func (nullResult) vector(f *frame, _ []uint32) (*vector.Vector, error) {
	return vector.NewNull(arrow.Null, f.n), nil
}

type span = calendar.Interval

// layOut makes intervals as Arrow has them.
func layOut(dst [][2]uint64, src []span, rows []uint32) error {
	for _, i := range rows {
		dst[i] = [2]uint64{uint64(uint32(src[i].Months)) | uint64(uint32(src[i].Days))<<32, uint64(src[i].Nanos)}
	}
	return nil
}

// narrow makes 32 bits of 64, of days and times.
func narrow(over *Error) func(dst []int32, src []int64, rows []uint32) error {
	return func(dst []int32, src []int64, rows []uint32) error {
		for _, i := range rows {
			if src[i] < math.MinInt32 || src[i] > math.MaxInt32 {
				return over
			}
			dst[i] = int32(src[i])
		}
		return nil
	}
}
