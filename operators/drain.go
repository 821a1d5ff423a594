package operators

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
)

// Drain moves everything from src to sink with the given number of workers and
// returns the source that sink's Finish gives, and the figures of the way
// there. It is the only place that starts workers, at least one. The first
// error stops them all; Drain returns when each has ended. A cancelled ctx
// stops every worker within one batch. Writers of workers that failed are not
// closed: what they hold is the sink's to release.
func Drain(ctx context.Context, src Source, sink Sink, workers int) (Source, Flow, error) {
	flow := Flow{Workers: make([]Work, max(workers, 1))}
	start := Now()
	writers := make([]Writer, len(flow.Workers))
	for i := range writers {
		var err error
		if writers[i], err = sink.Writer(); err != nil {
			return nil, flow, err
		}
	}
	err := Parallel(ctx, len(flow.Workers), func(ctx context.Context, worker int) error {
		work, err := drainOne(ctx, src, writers[worker])
		flow.Workers[worker] = work
		return err
	})
	if err != nil {
		return nil, flow, err
	}
	if err := ctx.Err(); err != nil {
		return nil, flow, err
	}
	end := Now()
	out, err := sink.Finish(ctx)
	flow.Elapsed, flow.Finish = end-start, Now()-end
	return out, flow, err
}

// Parallel runs work n times at once, each with its number, and returns the
// first error; the ctx given to the others is cancelled then. It returns when
// all have ended. If ctx itself was cancelled first, errors.Is finds ctx.Err()
// in what it returns, and the cause. A panic in work becomes an error that
// carries the stack.
func Parallel(ctx context.Context, n int, work func(ctx context.Context, worker int) error) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					cancel(failure{fmt.Errorf("operators: a worker panicked: %v\n%s", r, debug.Stack())})
				}
			}()
			if err := work(inner, i); err != nil {
				cancel(failure{err})
			}
		})
	}
	wg.Wait()
	err := context.Cause(inner)
	if f, ok := err.(failure); ok {
		return f.error
	}
	if err != nil && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}

// failure is the error of a worker, as opposed to a cancelled parent.
type failure struct{ error }

// Unwrap returns the worker's error.
func (f failure) Unwrap() error { return f.error }

// drainOne is one worker. The clock is read once between any two steps.
func drainOne(ctx context.Context, src Source, out Writer) (w Work, err error) {
	start := Now()
	in, err := src.Stream()
	if err != nil {
		return w, err
	}
	t := Now()
	w.Source = t - start
	defer func() {
		t := Now()
		err = errors.Join(err, in.Close())
		end := Now()
		w.Source += end - t
		w.Total = end - start
	}()
	for {
		u := Now()
		w.Sink += u - t
		if err := ctx.Err(); err != nil {
			return w, context.Cause(ctx)
		}
		b, err := in.Next(ctx)
		t = Now()
		w.Source += t - u
		if err == io.EOF {
			err = out.Close()
			w.Sink += Now() - t
			return w, err
		}
		if err != nil {
			return w, err
		}
		w.Rows += int64(b.Rows())
		w.Batches++
		if err := out.Write(ctx, b); err != nil {
			return w, err
		}
	}
}
