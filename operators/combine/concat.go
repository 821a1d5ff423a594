package combine

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Part is a source among others, and its columns in the order in which they are
// given: by their numbers, which go on with Constants, vectors of one row that
// give the same value in every row.
type Part struct {
	Source    operators.Source
	Columns   []int
	Constants []*vector.Vector
}

// Concat is a source of the rows of several, one after the other: the positions
// of their rows rise from part to part.
type Concat struct {
	schema *arrow.Schema
	parts  []Part
	flows  []concatFlow
}

type concatFlow struct{ rows, batches, time atomic.Int64 }

// partPositions is how many positions each part has: more than it has rows.
const partPositions = 1 << 50

// NewConcat returns the rows of parts, all of which have columns of the types of
// schema.
func NewConcat(schema *arrow.Schema, parts []Part) *Concat {
	return &Concat{schema: schema, parts: parts, flows: make([]concatFlow, len(parts))}
}

// Schema returns the columns.
func (c *Concat) Schema() *arrow.Schema { return c.schema }

// Flow returns what has come out of part i so far, and the time that its streams
// took.
func (c *Concat) Flow(i int) operators.Work {
	f := &c.flows[i]
	return operators.Work{Rows: f.rows.Load(), Batches: f.batches.Load(), Source: time.Duration(f.time.Load())}
}

// Stream returns a stream over the parts, each of which it opens when those
// before have no more for it.
func (c *Concat) Stream() (operators.Stream, error) { return &concatStream{of: c, at: -1}, nil }

type concatStream struct {
	of     *Concat
	at     int              // the part
	now    operators.Stream // its stream, or nil
	out    vector.Batch
	filled []*vector.Vector // of the part's constants
}

// Next returns the next batch; its vectors are the part's.
func (s *concatStream) Next(ctx context.Context) (*vector.Batch, error) {
	for {
		if s.now == nil {
			if s.at+1 >= len(s.of.parts) {
				return nil, io.EOF
			}
			s.at++
			var err error
			if s.now, err = s.of.parts[s.at].Source.Stream(); err != nil {
				return nil, err
			}
			s.filled = make([]*vector.Vector, len(s.of.parts[s.at].Constants))
		}
		start := operators.Now()
		b, err := s.now.Next(ctx)
		f := &s.of.flows[s.at]
		f.time.Add(int64(operators.Now() - start))
		if err == io.EOF {
			now := s.now
			s.now = nil
			if err := now.Close(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		f.rows.Add(int64(b.Rows()))
		f.batches.Add(1)
		return s.arrange(b), nil
	}
}

// arrange gives b's columns their order.
func (s *concatStream) arrange(b *vector.Batch) *vector.Batch {
	part := s.of.parts[s.at]
	s.out = vector.Batch{Cols: s.out.Cols[:0], Sel: b.Sel, Len: b.Len, Row: uint64(s.at)*partPositions + b.Row}
	for i, one := range part.Constants {
		if s.filled[i] == nil || s.filled[i].Len != b.Len {
			s.filled[i] = &vector.Vector{Type: one.Type, Len: b.Len, Dict: one}
		}
	}
	for _, c := range part.Columns {
		if n := len(b.Cols); c >= n {
			s.out.Cols = append(s.out.Cols, s.filled[c-n])
		} else {
			s.out.Cols = append(s.out.Cols, b.Cols[c])
		}
	}
	return &s.out
}

// Close closes the part's stream.
func (s *concatStream) Close() error {
	if s.now == nil {
		return nil
	}
	return s.now.Close()
}
