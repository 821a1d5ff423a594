package operators

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/colagg/colagg/vector"
)

// Ahead returns a stream of the batches that produce makes of 0 up to n, in
// that order; nil ones are left out. With more than one worker they are made
// ahead of the reader, two for each worker, by goroutines that start when the
// first batch is asked for, under the ctx of that call, and have ended when
// Close returns. produce is called once for each number, by several goroutines
// at a time; a batch that it has returned is the reader's.
func Ahead(n, workers int, produce func(i int) (*vector.Batch, error)) Stream {
	return &ahead{n: n, workers: min(workers, n), produce: produce}
}

type ahead struct {
	n, workers int
	produce    func(i int) (*vector.Batch, error)

	at     int           // the next number that the reader wants
	slots  []chan made   // by number, modulo their number; nil before the start
	room   chan struct{} // holds one for each number that is taken and not read
	next   atomic.Int64
	cancel context.CancelFunc
	done   chan struct{} // closed when the workers have ended
	err    error         // of the workers, once they have
}

type made struct {
	batch *vector.Batch
	err   error
}

// Next returns the next batch.
func (a *ahead) Next(ctx context.Context) (*vector.Batch, error) {
	for a.at < a.n {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		m := a.take(ctx)
		a.at++
		if m.err != nil || m.batch != nil {
			return m.batch, m.err
		}
	}
	return nil, io.EOF
}

// take returns batch number at.
func (a *ahead) take(ctx context.Context) (m made) {
	if a.workers < 2 {
		m.batch, m.err = a.produce(a.at)
		return m
	}
	if a.slots == nil {
		a.start(ctx)
	}
	slot := a.slots[a.at%len(a.slots)]
	select {
	case m = <-slot:
	case <-a.done:
		select {
		case m = <-slot:
		default:
			return made{err: a.err}
		}
	}
	<-a.room
	return m
}

func (a *ahead) start(ctx context.Context) {
	ctx, a.cancel = context.WithCancel(ctx)
	a.slots = make([]chan made, 2*a.workers)
	for i := range a.slots {
		a.slots[i] = make(chan made, 1)
	}
	a.room, a.done = make(chan struct{}, len(a.slots)), make(chan struct{})
	go func() {
		defer close(a.done)
		a.err = Parallel(ctx, a.workers, a.work)
	}()
}

// work makes batches. A number is only taken when there is room, so those that
// are under way follow on the reader's and each has a slot of its own.
func (a *ahead) work(ctx context.Context, _ int) error {
	for {
		select {
		case a.room <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		i := int(a.next.Add(1)) - 1
		if i >= a.n {
			return nil
		}
		b, err := a.produce(i)
		a.slots[i%len(a.slots)] <- made{b, err}
	}
}

// Close stops the workers.
func (a *ahead) Close() error {
	if a.slots == nil {
		return nil
	}
	a.cancel()
	<-a.done
	return nil
}
