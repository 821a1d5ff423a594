package combine

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Window is a source of some of the rows of a stream: those behind the first
// ones, up to a number. All of them come out of its first stream, which ends when
// it has them.
type Window struct {
	schema     *arrow.Schema
	open       func() (operators.Stream, error)
	skip, most int64
	used       atomic.Bool
	in, out    atomic.Int64 // rows
	batches    atomic.Int64
}

// NewWindow returns a source of at most most rows of the stream that open
// returns, behind the first skip; most below 0 is all.
func NewWindow(schema *arrow.Schema, open func() (operators.Stream, error), skip, most int64) *Window {
	return &Window{schema: schema, open: open, skip: skip, most: most}
}

// Schema returns the columns.
func (w *Window) Schema() *arrow.Schema { return w.schema }

// WindowReport is what a Window has done so far: the rows and batches that came,
// and the rows that it gave.
type WindowReport struct{ In, Out, Batches int64 }

// Report returns the figures so far.
func (w *Window) Report() WindowReport {
	return WindowReport{In: w.in.Load(), Out: w.out.Load(), Batches: w.batches.Load()}
}

// Stream returns a stream: the first one has all rows.
func (w *Window) Stream() (operators.Stream, error) {
	if w.used.Swap(true) {
		return operators.Ahead(0, 1, nil), nil
	}
	s, err := w.open()
	return &windowStream{Stream: s, of: w, skip: w.skip, most: w.most}, err
}

type windowStream struct {
	operators.Stream
	of         *Window
	skip, most int64 // that are left
	out        vector.Batch
	sel        []uint32
}

// Next returns the rows of the next batch that are in the window.
func (s *windowStream) Next(ctx context.Context) (*vector.Batch, error) {
	for s.most != 0 {
		b, err := s.Stream.Next(ctx)
		if err != nil {
			return nil, err
		}
		n := int64(b.Rows())
		s.of.in.Add(n)
		s.of.batches.Add(1)
		lo := min(s.skip, n)
		s.skip -= lo
		hi := n
		if s.most >= 0 {
			hi = min(n, lo+s.most)
		}
		if lo == hi {
			continue
		}
		if s.most >= 0 {
			s.most -= hi - lo
		}
		s.of.out.Add(hi - lo)
		return s.cut(b, int(lo), int(hi)), nil
	}
	return nil, io.EOF
}

// cut selects b's rows lo up to hi.
func (s *windowStream) cut(b *vector.Batch, lo, hi int) *vector.Batch {
	s.out = *b
	switch {
	case lo == 0 && hi == b.Rows():
	case b.Sel != nil:
		s.out.Sel = b.Sel[lo:hi]
	default:
		s.sel = vector.Resize(s.sel, hi-lo)
		for i := range s.sel {
			s.sel[i] = uint32(lo + i)
		}
		s.out.Sel = s.sel
	}
	return &s.out
}
