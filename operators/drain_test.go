package operators

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

var errTest = errors.New("a failure for a test")

// counter is a source of batches numbered by Row, and a sink that adds these
// numbers up; the functions, where not nil, run before each step.
type counter struct {
	batches int64
	next    atomic.Int64
	onNext  func(ctx context.Context, k int64) error
	onWrite func(k int64) error
	onClose func() error // of streams

	mu                                    sync.Mutex
	streams, closed, writers, done, total int64
	finished                              bool
}

func (c *counter) Schema() *arrow.Schema { return arrow.NewSchema(nil, nil) }

func (c *counter) Stream() (Stream, error) {
	c.add(&c.streams, 1)
	return &counterStream{c}, nil
}

func (c *counter) Writer() (Writer, error) {
	c.add(&c.writers, 1)
	return &counterWriter{c: c}, nil
}

func (c *counter) Finish(context.Context) (Source, error) {
	if c.done != c.writers {
		return nil, errors.New("Finish before every writer was closed")
	}
	c.finished = true
	return c, nil
}

func (c *counter) add(to *int64, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*to += n
}

type counterStream struct{ c *counter }

func (s *counterStream) Next(ctx context.Context) (*vector.Batch, error) {
	k := s.c.next.Add(1)
	if s.c.onNext != nil {
		if err := s.c.onNext(ctx, k); err != nil {
			return nil, err
		}
	}
	if k > s.c.batches {
		return nil, io.EOF
	}
	return &vector.Batch{Row: uint64(k)}, nil
}

func (s *counterStream) Close() error {
	s.c.add(&s.c.closed, 1)
	if s.c.onClose != nil {
		return s.c.onClose()
	}
	return nil
}

type counterWriter struct {
	c   *counter
	sum int64
}

func (w *counterWriter) Write(_ context.Context, b *vector.Batch) error {
	if w.c.onWrite != nil {
		if err := w.c.onWrite(int64(b.Row)); err != nil {
			return err
		}
	}
	w.sum += int64(b.Row)
	return nil
}

func (w *counterWriter) Close() error {
	w.c.add(&w.c.total, w.sum)
	w.c.add(&w.c.done, 1)
	return nil
}

// drain runs Drain over c as source and sink, and checks what must be so
// whatever happens.
func drain(t *testing.T, ctx context.Context, c *counter, workers int) error {
	t.Helper()
	before := runtime.NumGoroutine()
	out, _, err := Drain(ctx, c, c, workers)
	if (out != nil) == (err != nil) || c.finished != (err == nil) {
		t.Errorf("source %v, finished %v, error %v", out, c.finished, err)
	}
	if c.closed != c.streams || c.streams > int64(max(workers, 1)) {
		t.Errorf("%d of %d streams were closed, with %d workers", c.closed, c.streams, workers)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	return err
}

func TestDrain(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		for _, n := range []int64{0, 1, 1000} {
			c := &counter{batches: n}
			if err := drain(t, context.Background(), c, workers); err != nil {
				t.Fatal(err)
			}
			if c.total != n*(n+1)/2 || c.streams != int64(max(workers, 1)) {
				t.Errorf("%d workers, %d batches: sum %d in %d streams", workers, n, c.total, c.streams)
			}
		}
	}
}

// TestDrainFails has one worker that fails while the others wait for it to
// stop them.
func TestDrainFails(t *testing.T) {
	wait := func(ctx context.Context, k int64) error {
		if k == 5 {
			return errTest
		}
		<-ctx.Done()
		return ctx.Err()
	}
	for name, c := range map[string]*counter{
		"stream": {batches: 100, onNext: func(ctx context.Context, k int64) error {
			if k < 5 {
				return nil
			}
			return wait(ctx, k)
		}},
		"writer": {batches: 100, onWrite: func(k int64) error {
			if k >= 5 {
				return errTest
			}
			return nil
		}},
		"closing": {batches: 3, onClose: func() error { return errTest }},
	} {
		err := drain(t, context.Background(), c, 3)
		if !errors.Is(err, errTest) || errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDrainPanics(t *testing.T) {
	c := &counter{batches: 1 << 40, onWrite: func(k int64) error {
		if k == 50 {
			panic("a panic for a test")
		}
		return nil
	}}
	err := drain(t, context.Background(), c, 3)
	if err == nil || !strings.Contains(err.Error(), "a panic for a test") || !strings.Contains(err.Error(), "TestDrainPanics") {
		t.Errorf("error %v", err)
	}
}

func TestDrainCancelled(t *testing.T) {
	cause := errors.New("the user is gone")
	for name, at := range map[string]int64{"before": 0, "during": 10} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if at == 0 {
			cancel(cause)
		}
		var after atomic.Int64
		c := &counter{batches: 1 << 40, onNext: func(ctx context.Context, k int64) error {
			if ctx.Err() != nil {
				after.Add(1)
			}
			if k == at {
				cancel(cause)
			}
			return nil
		}}
		err := drain(t, ctx, c, 3)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
		if after.Load() > 3 {
			t.Errorf("%s: %d batches were read after the end", name, after.Load())
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := drain(t, ctx, &counter{batches: 1 << 40}, 2); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
}

// TestParallelCancelledLater checks that an error is not taken for the
// cancellation that came after it.
func TestParallelCancelledLater(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	err := Parallel(ctx, 2, func(inner context.Context, worker int) error {
		if worker == 0 {
			return errTest
		}
		<-inner.Done()
		if !errors.Is(context.Cause(inner), errTest) {
			t.Errorf("the cause is %v", context.Cause(inner))
		}
		cancel()
		return nil
	})
	if !errors.Is(err, errTest) || errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestParallelNumbersWorkers(t *testing.T) {
	var seen [5]atomic.Int64
	if err := Parallel(context.Background(), len(seen), func(_ context.Context, worker int) error {
		seen[worker].Add(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if seen[i].Load() != 1 {
			t.Errorf("worker %d ran %d times", i, seen[i].Load())
		}
	}
}
