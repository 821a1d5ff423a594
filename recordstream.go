package colagg

import (
	"context"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// recordStream gives one worker its part of the records.
type recordStream struct {
	scan *recordScan
	held *sharedRecord // whose memory the last batch shares
}

// Stream opens a stream; the last one to close lets the reader's data go.
func (s *recordScan) Stream() (operators.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams++
	return &recordStream{scan: s}, nil
}

func (s *recordStream) Next(ctx context.Context) (*vector.Batch, error) {
	s.release()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, lo, hi, err := s.scan.take()
	if err != nil {
		return nil, err
	}
	s.held = r
	b := &vector.Batch{Cols: make([]*vector.Vector, len(r.cols)), Len: hi - lo, Row: r.row + uint64(lo)}
	for k, v := range r.cols {
		b.Cols[k] = slice(v, lo, hi)
	}
	return b, nil
}

func (s *recordStream) release() {
	if s.held != nil {
		s.held.rec.Release()
		s.held = nil
	}
}

func (s *recordStream) Close() error {
	s.release()
	s.scan.mu.Lock()
	defer s.scan.mu.Unlock()
	if s.scan.streams--; s.scan.streams == 0 {
		s.scan.drop()
		s.scan.dropDictionaries()
	}
	return nil
}
