package expr

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Filter finds the rows of batches for which a condition is true, and counts.
type Filter struct {
	condition *Condition
	budget    *memory.Budget
	report    struct{ in, out, batches, time atomic.Int64 }
}

// Report is what a Filter has done so far: the rows and batches that came to
// it, the rows that it gave, and the time that it took.
type Report struct {
	In, Out, Batches int64
	Time             time.Duration
}

// NewFilter returns a filter of the rows for which c is true. Buffers and what is
// kept of dictionaries draw from budget.
func NewFilter(c *Condition, budget *memory.Budget) *Filter {
	return &Filter{condition: c, budget: budget}
}

// Report returns the figures so far.
func (f *Filter) Report() Report {
	r := &f.report
	return Report{In: r.in.Load(), Out: r.out.Load(), Batches: r.batches.Load(), Time: loadTime(&r.time)}
}

func loadTime(t *atomic.Int64) time.Duration {
	return time.Duration(t.Load())
}

// Selector returns what finds the rows for one stream.
func (f *Filter) Selector() operators.Selector {
	return &selector{filter: f, evaluator: f.condition.evaluator(), account: f.budget.SmallAccount("filter")}
}

type selector struct {
	filter    *Filter
	evaluator *evaluator
	account   *memory.Account
}

// Select returns the rows of b that count and for which the condition is true.
func (s *selector) Select(b *vector.Batch) ([]uint32, error) {
	start := operators.Now()
	sel, err := s.evaluator.rows(b)
	if err != nil {
		return nil, fmt.Errorf("expr: filtering: %w", err)
	}
	if held := s.evaluator.held(); held > s.account.Size() {
		s.account.Force(held) // the sizes of a batch and of dictionaries bound it
	}
	r := &s.filter.report
	r.in.Add(int64(b.Rows()))
	r.out.Add(int64(len(sel)))
	r.batches.Add(1)
	r.time.Add(int64(operators.Now() - start))
	return sel, nil
}

// Close gives the memory back.
func (s *selector) Close() { s.account.Close() }

// Source returns the rows of src for which the condition is true, and of its
// columns the first keep; the condition was bound to all of them.
func (f *Filter) Source(src operators.Source, keep int) operators.Source {
	return &filtered{filter: f, src: src, keep: keep, schema: arrow.NewSchema(src.Schema().Fields()[:keep:keep], nil)}
}

type filtered struct {
	filter *Filter
	src    operators.Source
	keep   int
	schema *arrow.Schema
}

// Schema returns the columns that are kept.
func (f *filtered) Schema() *arrow.Schema { return f.schema }

// Stream opens a stream of the source's. Batches in which no row is left are
// left out, and those in which all are have no selection.
func (f *filtered) Stream() (operators.Stream, error) {
	src, err := f.src.Stream()
	if err != nil {
		return nil, err
	}
	return &filterStream{of: f, src: src, selector: f.filter.Selector()}, nil
}

type filterStream struct {
	of       *filtered
	src      operators.Stream
	selector operators.Selector
	out      vector.Batch
}

func (s *filterStream) Next(ctx context.Context) (*vector.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		b, err := s.src.Next(ctx)
		if err != nil {
			return nil, err
		}
		sel, err := s.selector.Select(b)
		if err != nil {
			return nil, err
		}
		if len(sel) == 0 {
			continue
		}
		s.out = vector.Batch{Cols: b.Cols[:s.of.keep], Sel: sel, Len: b.Len, Row: b.Row}
		if len(sel) == b.Len {
			s.out.Sel = nil
		}
		return &s.out, nil
	}
}

// Close closes the source's stream.
func (s *filterStream) Close() error {
	s.selector.Close()
	return s.src.Close()
}

// evaluator computes a condition for one stream.
type evaluator struct {
	compiler *compiler
	test     test
	frame    frame
	every    []uint32 // 0, 1, 2 and so on
}

func (c *Condition) evaluator() *evaluator {
	k := &compiler{text: c.text}
	e := &evaluator{compiler: k, test: compile(k, c.logic)}
	e.frame.held = &k.held
	return e
}

// held returns the bytes of the buffers.
func (e *evaluator) held() int64 { return e.compiler.held }

// rows returns the rows of b that count and for which the condition is true,
// valid until the next call.
func (e *evaluator) rows(b *vector.Batch) ([]uint32, error) {
	e.frame.reset(b.Cols, b.Len)
	rows := b.Sel
	if rows == nil {
		rows = everyRow(&e.frame, &e.every)
	}
	return e.test.rows(&e.frame, rows)
}

// everyRow returns all rows of f, in the memory of every.
func everyRow(f *frame, every *[]uint32) []uint32 {
	before := cap(*every)
	if *every = grow(f, *every, f.n); cap(*every) > before {
		all := (*every)[:cap(*every)]
		for i := range all {
			all[i] = uint32(i)
		}
	}
	return *every
}
