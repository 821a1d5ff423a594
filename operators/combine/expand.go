package combine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Added is a column that Expand puts behind those of its source: one of them
// again, or a vector of one row that is in every row.
type Added struct {
	Column   int
	Constant *vector.Vector // nil for Column
}

// Expand is a source that gives each batch of another several times, with
// different columns behind it. Each time the positions are the same.
type Expand struct {
	src    operators.Source
	schema *arrow.Schema
	turns  [][]Added

	in, batches, time atomic.Int64
}

// NewExpand returns the batches of src once for each of turns, which say what is
// in the columns fields that are added.
func NewExpand(src operators.Source, fields []arrow.Field, turns [][]Added) *Expand {
	all := append(src.Schema().Fields(), fields...)
	return &Expand{src: src, schema: arrow.NewSchema(all, nil), turns: turns}
}

// Schema returns the columns of the source and those added.
func (e *Expand) Schema() *arrow.Schema { return e.schema }

// ExpandReport is what an Expand has done so far: the rows and batches that came,
// the rows that were given, and the time that took without that of the source.
type ExpandReport struct {
	In, Out, Batches int64
	Time             time.Duration
}

// Report returns the figures so far.
func (e *Expand) Report() ExpandReport {
	in := e.in.Load()
	return ExpandReport{In: in, Out: in * int64(len(e.turns)), Batches: e.batches.Load(), Time: time.Duration(e.time.Load())}
}

// Stream opens a stream of the source's.
func (e *Expand) Stream() (operators.Stream, error) {
	src, err := e.src.Stream()
	if err != nil {
		return nil, err
	}
	return &expandStream{of: e, Stream: src}, nil
}

type expandStream struct {
	operators.Stream
	of    *Expand
	batch *vector.Batch // of the source, given turn times
	turn  int
	out   vector.Batch
}

// Next returns the batch of the next turn; its vectors are the source's.
func (s *expandStream) Next(ctx context.Context) (*vector.Batch, error) {
	e := s.of
	if s.batch == nil || s.turn == len(e.turns) {
		b, err := s.Stream.Next(ctx)
		if err != nil {
			return nil, err
		}
		s.batch, s.turn = b, 0
		e.in.Add(int64(b.Rows()))
		e.batches.Add(1)
	}
	start, b := operators.Now(), s.batch
	s.out = vector.Batch{Cols: append(s.out.Cols[:0], b.Cols...), Sel: b.Sel, Len: b.Len, Row: b.Row}
	for _, a := range e.turns[s.turn] {
		if a.Constant == nil {
			s.out.Cols = append(s.out.Cols, b.Cols[a.Column])
		} else {
			s.out.Cols = append(s.out.Cols, &vector.Vector{Type: a.Constant.Type, Len: b.Len, Dict: a.Constant})
		}
	}
	s.turn++
	e.time.Add(int64(operators.Now() - start))
	return &s.out, nil
}
