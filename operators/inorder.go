package operators

import (
	"context"
	"io"
	"sync"

	"github.com/colagg/colagg/vector"
)

// InOrder returns a stream of the batches of src in the order of their
// positions (vector.Batch.Row), flat and in memory of their own; those without
// rows are left out. Workers read streams of src, each of which must give rising
// positions, and are a few batches ahead of the reader at most. They start when
// the first batch is asked for, under the ctx of that call, and have ended when
// Close returns.
func InOrder(src Source, workers int) Stream {
	s := &inOrder{src: src, queues: make([][]*vector.Batch, max(1, workers)), ended: make([]bool, max(1, workers))}
	s.changed.L = &s.mu
	return s
}

// aheadBatches is how many batches a worker may be ahead of the reader: enough
// for the reader to go through the rest of one worker's rows while the others
// decode theirs.
const aheadBatches = 4

type inOrder struct {
	src    Source
	cancel context.CancelFunc // nil before the start
	done   chan struct{}      // closed when the workers have ended

	mu      sync.Mutex
	changed sync.Cond
	queues  [][]*vector.Batch // of each worker
	ended   []bool            // workers that give no more
	stopped bool              // nobody reads any more, or a worker has failed
	err     error
	next    uint64 // the position that follows the last batch
}

// Next returns the batch with the least position.
func (s *inOrder) Next(ctx context.Context) (*vector.Batch, error) {
	if s.cancel == nil {
		s.start(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.err != nil {
			return nil, s.err
		}
		first, all := s.first()
		if first >= 0 && (all || s.queues[first][0].Row == s.next) {
			b := s.queues[first][0]
			s.queues[first] = s.queues[first][1:]
			s.next = b.Row + uint64(b.Len)
			s.changed.Broadcast()
			return b, nil
		}
		if first < 0 && all {
			return nil, io.EOF
		}
		s.changed.Wait()
	}
}

// first returns the worker whose next batch comes first, -1 if no worker has
// one, and whether every worker has one or has ended.
func (s *inOrder) first() (worker int, all bool) {
	worker, all = -1, true
	for w, q := range s.queues {
		switch {
		case len(q) == 0:
			all = all && s.ended[w]
		case worker < 0 || q[0].Row < s.queues[worker][0].Row:
			worker = w
		}
	}
	return worker, all
}

func (s *inOrder) start(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.done = make(chan struct{})
	wake := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stopped = true
		s.changed.Broadcast()
	})
	go func() {
		defer close(s.done)
		defer wake()
		err := Parallel(ctx, len(s.queues), s.work)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.err = err
		s.changed.Broadcast()
	}()
}

func (s *inOrder) work(ctx context.Context, worker int) (err error) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended[worker] = err == nil
		// The reader may be waiting for a batch of the worker that failed, and
		// the others for the reader.
		s.stopped = s.stopped || err != nil
		s.changed.Broadcast()
	}()
	in, err := s.src.Stream()
	if err != nil {
		return err
	}
	for {
		b, err := in.Next(ctx)
		if err == io.EOF {
			return in.Close()
		}
		var own *vector.Batch
		if err == nil {
			own, err = owned(b)
		}
		if err != nil {
			_ = in.Close()
			return err
		}
		if !s.put(worker, own) {
			_ = in.Close()
			return context.Cause(ctx)
		}
	}
}

// put queues a batch when there is room; false is that nobody wants it.
func (s *inOrder) put(worker int, b *vector.Batch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queues[worker]) >= aheadBatches && !s.stopped {
		s.changed.Wait()
	}
	if b.Len > 0 {
		s.queues[worker] = append(s.queues[worker], b)
		s.changed.Broadcast()
	}
	return !s.stopped
}

// owned copies the selected rows.
func owned(b *vector.Batch) (*vector.Batch, error) {
	out := &vector.Batch{Cols: make([]*vector.Vector, len(b.Cols)), Len: b.Rows(), Row: b.Row}
	for i, v := range b.Cols {
		var err error
		if b.Sel != nil {
			if v, err = vector.Gather(nil, v, b.Sel); err == nil {
				v, err = vector.Flatten(v)
			}
		} else {
			v, err = vector.Copy(v)
		}
		if err != nil {
			return nil, err
		}
		out.Cols[i] = v
	}
	return out, nil
}

// Close stops the workers.
func (s *inOrder) Close() error {
	if s.cancel == nil {
		return nil
	}
	s.cancel()
	<-s.done
	return nil
}
