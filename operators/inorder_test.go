package operators

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// morsels is a source whose streams take runs of batches; batch k has k%3 rows,
// numbered through.
type morsels struct {
	batches, run int
	fail         int // the batch that fails, or -1
	next         atomic.Int64
	open         atomic.Int64
}

var errMorsel = errors.New("a batch that fails")

func (m *morsels) Schema() *arrow.Schema { return nil }

func (m *morsels) Stream() (Stream, error) {
	m.open.Add(1)
	return &morselStream{m: m}, nil
}

type morselStream struct {
	m      *morsels
	lo, hi int
	data   [8]byte
}

func (s *morselStream) Close() error { s.m.open.Add(-1); return nil }

func (s *morselStream) Next(ctx context.Context) (*vector.Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if s.lo == s.hi {
		s.lo = int(s.m.next.Add(1)-1) * s.m.run
		s.hi = min(s.lo+s.m.run, s.m.batches)
	}
	if s.lo >= s.m.batches {
		return nil, io.EOF
	}
	if rand.IntN(8) == 0 {
		time.Sleep(50 * time.Microsecond)
	}
	k := s.lo
	s.lo++
	if k == s.m.fail {
		return nil, errMorsel
	}
	row := uint64(k/3*3 + max(0, k%3-1)) // rows before batch k: 0, 1 and 2 of three
	s.data[0] = byte(k)
	v := &vector.Vector{Type: arrow.PrimitiveTypes.Uint8, Len: k % 3, Data: s.data[:]}
	s.data[1] = byte(k)
	return &vector.Batch{Cols: []*vector.Vector{v}, Len: k % 3, Row: row}, nil
}

func TestInOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, run := range []int{1, 4, 50} {
			m := &morsels{batches: 400, run: run, fail: -1}
			s := InOrder(m, workers)
			rows := uint64(0)
			for {
				b, err := s.Next(context.Background())
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				k := byte(rows/3*3 + rows%3 + 1) // the batch that row is in
				if b.Row != rows || b.Len == 0 || b.Cols[0].Data[0] != k || b.Cols[0].Data[b.Len-1] != k {
					t.Fatalf("%d workers: %d rows at %d, where %d have come", workers, b.Len, b.Row, rows)
				}
				rows += uint64(b.Len)
			}
			if rows != 399 {
				t.Errorf("%d rows", rows)
			}
			if err := s.Close(); err != nil || m.open.Load() != 0 {
				t.Errorf("%v, %d streams open", err, m.open.Load())
			}
		}
	}
}

func TestInOrderStops(t *testing.T) {
	for _, workers := range []int{1, 3} {
		m := &morsels{batches: 400, run: 3, fail: 100}
		s := InOrder(m, workers)
		var err error
		for err == nil {
			_, err = s.Next(context.Background())
		}
		if err != errMorsel {
			t.Errorf("%v", err)
		}
		s.Close()

		m = &morsels{batches: 1 << 30, run: 3, fail: -1}
		s = InOrder(m, workers)
		if _, err := s.Next(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if n := m.next.Load(); n > 20 || m.open.Load() != 0 {
			t.Errorf("%d morsels taken for one batch, %d streams open", n, m.open.Load())
		}

		ctx, cancel := context.WithCancel(context.Background())
		s = InOrder(&morsels{batches: 1 << 30, run: 3, fail: -1}, workers)
		time.AfterFunc(time.Millisecond, cancel)
		for err = nil; err == nil; {
			_, err = s.Next(ctx)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		s.Close()
		if err := InOrder(m, workers).Close(); err != nil {
			t.Error(err)
		}
	}
}

// lateFailure is a source whose first stream fails at its first batch, but only
// when the others have given more than there is room for.
type lateFailure struct {
	streams, given atomic.Int64
	full           chan struct{}
}

func (l *lateFailure) Schema() *arrow.Schema { return nil }

func (l *lateFailure) Stream() (Stream, error) {
	return &lateStream{l: l, number: l.streams.Add(1) - 1}, nil
}

type lateStream struct {
	l      *lateFailure
	number int64
}

func (s *lateStream) Close() error { return nil }

func (s *lateStream) Next(ctx context.Context) (*vector.Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if s.number == 0 {
		<-s.l.full
		return nil, errMorsel
	}
	n := s.l.given.Add(1)
	if n == 2*(aheadBatches+1) {
		close(s.l.full)
	}
	v := &vector.Vector{Type: arrow.PrimitiveTypes.Uint8, Len: 1, Data: []byte{0}}
	return &vector.Batch{Cols: []*vector.Vector{v}, Len: 1, Row: uint64(n)}, nil
}

func TestInOrderFailsWhileOthersWait(t *testing.T) {
	s := InOrder(&lateFailure{full: make(chan struct{})}, 3)
	failed := make(chan error)
	go func() {
		_, err := s.Next(context.Background())
		failed <- err
	}()
	select {
	case err := <-failed:
		if err != errMorsel {
			t.Errorf("%v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the reader waits for the worker that failed, and the others for the reader")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
