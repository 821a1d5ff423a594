package expr

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Value is an expression whose names and types are bound. It is immutable.
type Value struct {
	value *value
	text  string
}

// BindValue finds the columns and checks the types of e, which was parsed of text.
// What is constant in it is computed. Errors are *BindError, or what scope returned.
func BindValue(text string, e *sql.Expr, scope Scope) (*Value, error) {
	b := newBinder(text, scope)
	v, err := b.value(e)
	switch {
	case err != nil:
		return nil, err
	case v.class == otherClass && v.col < 0:
		return nil, bad(e, "name the column alone", "values of type %s cannot be computed with", v.name)
	case b.tooComplex(v):
		return nil, bad(e, complexHint, "the expression is too complex")
	}
	return &Value{v, text}, nil
}

// tooComplex reports whether v has conditions that become too many tests.
func (b *binder) tooComplex(v *value) bool {
	if v.settled() || v.logic == nil && len(v.columns(nil)) == 0 {
		return false
	}
	c := &compiler{text: b.text}
	c.evaluation(v)
	return c.tests > maxTests
}

// Type returns the type of the values in vectors; that of NULL without a type is
// arrow.Null.
func (v *Value) Type() arrow.DataType { return v.value.arrowType() }

// Nullable reports whether there may be NULLs, if there may be in all columns.
func (v *Value) Nullable() bool { return v.value.class == nullClass || !v.value.settled() }

// Columns returns the positions of the columns that the expression is about.
func (v *Value) Columns() []int { return v.value.columns(nil) }

// Output is a column of a Project: Value, or if that is nil the column of the
// source at position Column.
type Output struct {
	Name   string
	Value  *Value
	Column int
}

// column is the position of the column that o is, or -1.
func (o Output) column() int {
	switch {
	case o.Value == nil:
		return o.Column
	case len(o.Value.value.args) == 0:
		return o.Value.value.col
	}
	return -1
}

// Project is a source of computed columns: of each batch of another it gives one
// with these columns and the same rows. It allocates nothing per batch. A value of
// one column that is dictionary-coded is computed once per entry, and is
// dictionary-coded too.
type Project struct {
	src     operators.Source
	outputs []Output
	schema  *arrow.Schema
	budget  *memory.Budget
	report  struct{ rows, batches, time atomic.Int64 }
}

var _ operators.Source = (*Project)(nil)

// NewProject returns the outputs over src; their values were bound to its columns.
// Buffers and what is kept of dictionaries draw from budget.
func NewProject(src operators.Source, outputs []Output, budget *memory.Budget) *Project {
	return &Project{src: src, outputs: outputs, schema: ProjectSchema(src.Schema(), outputs), budget: budget}
}

// ProjectSchema is the schema of a Project of a source with the columns of in.
func ProjectSchema(in *arrow.Schema, outputs []Output) *arrow.Schema {
	fields := make([]arrow.Field, len(outputs))
	for i, o := range outputs {
		if o.Value != nil {
			fields[i] = arrow.Field{Type: o.Value.Type(), Nullable: o.Value.Nullable()}
		} else {
			fields[i] = in.Field(o.Column)
		}
		fields[i].Name = o.Name
	}
	return arrow.NewSchema(fields, nil)
}

// Schema returns the columns of the outputs.
func (p *Project) Schema() *arrow.Schema { return p.schema }

// Report returns the figures so far; as many rows come in as go out.
func (p *Project) Report() Report {
	r := &p.report
	return Report{In: r.rows.Load(), Out: r.rows.Load(), Batches: r.batches.Load(), Time: loadTime(&r.time)}
}

// Stream opens a stream of the source's.
func (p *Project) Stream() (operators.Stream, error) {
	src, err := p.src.Stream()
	if err != nil {
		return nil, err
	}
	s := &projectStream{project: p, src: src, account: p.budget.SmallAccount("project"), out: vector.Batch{Cols: make([]*vector.Vector, len(p.outputs))}}
	s.frame.held = &s.held
	for _, o := range p.outputs {
		if o.column() >= 0 {
			s.columns = append(s.columns, nil)
			continue
		}
		s.columns = append(s.columns, newComputed(o.Value, &s.held))
	}
	return s, nil
}

type projectStream struct {
	project *Project
	src     operators.Stream
	account *memory.Account
	columns []*computedColumn
	frame   frame
	held    int64
	every   []uint32
	out     vector.Batch
}

func (s *projectStream) Next(ctx context.Context) (*vector.Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	b, err := s.src.Next(ctx)
	if err != nil {
		return nil, err
	}
	start := operators.Now()
	s.frame.reset(b.Cols, b.Len)
	rows := b.Sel
	if rows == nil {
		rows = everyRow(&s.frame, &s.every)
	}
	for i, o := range s.project.outputs {
		if at := o.column(); at >= 0 {
			s.out.Cols[i] = b.Cols[at]
			continue
		}
		if s.out.Cols[i], err = s.columns[i].vector(&s.frame, rows); err != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("expr: computing columns: %w", err)
	}
	if held := s.heldBytes(); held > s.account.Size() {
		s.account.Force(held) // the sizes of a batch and of dictionaries bound it
	}
	s.out.Sel, s.out.Len, s.out.Row = b.Sel, b.Len, b.Row
	r := &s.project.report
	r.rows.Add(int64(b.Rows()))
	r.batches.Add(1)
	r.time.Add(int64(operators.Now() - start))
	return &s.out, nil
}

func (s *projectStream) heldBytes() int64 {
	held := s.held
	for _, c := range s.columns {
		if c != nil {
			held += c.compiler.held
		}
	}
	return held
}

// Close closes the source's stream.
func (s *projectStream) Close() error {
	s.account.Close()
	return s.src.Close()
}

// computedColumn computes an output of one stream.
type computedColumn struct {
	compiler *compiler
	of       *output
	constant *vector.Vector // of one row; nil if there are columns
	col      int            // the only column, or -1
	own      frame
	entries  *output // for each entry of the dictionary id, and last is what it gave
	id       uint64
	fails    uint64
	null     bool // NULL gives NULL
	last     *vector.Vector
	ids      []uint32
	shown    []*vector.Vector
	coded    vector.Vector
}

func newComputed(v *Value, held *int64) *computedColumn {
	k := &compiler{text: v.text}
	c := &computedColumn{compiler: k, col: -1}
	c.own.held = held
	cols := v.value.columns(nil)
	if v.value.class == nullClass {
		c.constant = vector.NewNull(v.Type(), 1)
		return c
	}
	c.of = newOutput(k, v.value)
	if len(cols) == 1 {
		c.col = cols[0]
		k.coded = true
		c.entries = newOutput(k, v.value)
		k.coded = false
	}
	return c
}

func (c *computedColumn) vector(f *frame, rows []uint32) (*vector.Vector, error) {
	if c.constant != nil {
		c.coded = vector.Vector{Type: c.constant.Type, Len: f.n, Dict: c.constant}
		return &c.coded, nil
	}
	if c.col >= 0 && c.look(f, f.cols[c.col], len(rows)) {
		v := f.cols[c.col]
		c.coded = vector.Vector{Type: c.last.Type, Len: v.Len, Valid: v.Valid, Codes: v.Codes, Dict: c.last}
		return &c.coded, nil
	}
	return c.of.vector(f, rows)
}

// look computes the entries of v's dictionary, if that pays and fails for none.
func (c *computedColumn) look(f *frame, v *vector.Vector, rows int) bool {
	if v.Flat() || v.Dict.Len == 0 || rows == 0 || v.Dict.ID == 0 && v.Dict.Len > rows || v.Dict.ID != 0 && v.Dict.ID == c.fails {
		return false
	}
	if v.Dict.ID != 0 && v.Dict.ID == c.id {
		return c.null || v.Valid == nil
	}
	c.id = 0
	c.shown = grow(f, c.shown, len(f.cols))
	clear(c.shown)
	c.ids = grow(f, c.ids, v.Dict.Len)
	for i := range c.ids {
		c.ids[i] = uint32(i)
	}
	c.shown[c.col] = vector.NewNull(v.Dict.Type, 1)
	c.own.reset(c.shown, 1)
	found, err := c.entries.fill(&c.own, c.ids[:1])
	c.null = err == nil && len(found) == 0
	c.shown[c.col] = v.Dict
	c.own.reset(c.shown, v.Dict.Len)
	if c.last, err = c.entries.vector(&c.own, c.ids); err != nil {
		c.fails = v.Dict.ID
		return false
	}
	c.last.ID, c.id = vector.NextID(), v.Dict.ID
	return c.null || v.Valid == nil
}
