package colagg_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
)

func TestConcurrentQueries(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 3, BatchRows: 100})
	src := colagg.Files(trips) // shared
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			q := colagg.Query{From: src, GroupBy: []string{"city"}, Aggs: cityAggs, Strategy: colagg.Strategies()[i%3]}
			if i%4 == 3 {
				q.Aggs = []string{"sum(city)"}
				if _, err := e.Query(t.Context(), q); err == nil {
					t.Error("no error")
				}
				return
			}
			_, rows := query(t, e, q)
			wantRows(t, rows, cityRows...)
		})
	}
	wg.Wait()
}

// endless is a reader that gives the same record for ever.
type endless struct {
	array.RecordReader
	rec   arrow.Record
	given atomic.Int64
	on    func(given int64)
}

func newEndless(t testing.TB, on func(int64)) *endless {
	rr := int64Reader(t, []int64{1, 2, 3, 4, 5, 6, 7, 8})
	rr.Next()
	return &endless{RecordReader: rr, rec: rr.Record(), on: on}
}

func (e *endless) Next() bool           { e.on(e.given.Add(1)); return true }
func (e *endless) Record() arrow.Record { return e.rec }

func TestCancel(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 4})
	for _, strategy := range colagg.Strategies() {
		for _, groupBy := range [][]string{nil, {"x"}} {
			ctx, cancel := context.WithCancel(t.Context())
			rr := newEndless(t, func(given int64) {
				if given == 100 {
					cancel()
				}
			})
			res, err := e.Query(ctx, colagg.Query{From: colagg.Records(rr), GroupBy: groupBy, Strategy: strategy})
			if res != nil || !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, %v", res, err)
			}
			if n := rr.given.Load(); n > 100+4 {
				t.Errorf("%d more records were read after the cancellation", n-100)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := e.Query(ctx, colagg.Query{From: colagg.Records(newEndless(t, func(int64) {})), GroupBy: []string{"x"}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// The cause that a caller gives for a cancellation is not hidden.
func TestCancelCause(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	rr := newEndless(t, func(given int64) {
		if given == 10 {
			cancel(errBroken)
		}
	})
	_, err := newEngine(t, colagg.Options{}).Query(ctx, colagg.Query{From: colagg.Records(rr)})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

func TestCancelFiles(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 4})
	data := readFile(t, trips)
	var all int64
	for after := int64(1); ; after++ {
		ctx, cancel := context.WithCancel(t.Context())
		in := &countingInput{data: data}
		in.onRead = func() {
			if in.reads.Load() == after {
				cancel()
			}
		}
		res, err := e.Query(ctx, colagg.Query{From: colagg.Inputs(in, in), GroupBy: []string{"city"}, Aggs: cityAggs})
		cancel()
		if n := in.open.Load(); n != 0 {
			t.Fatalf("cancelling at read %d leaves %d open", after, n)
		}
		if err == nil {
			res.Release()
			if all == in.reads.Load() {
				break
			}
			all = in.reads.Load()
			continue
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
	}
	if all < 5 {
		t.Errorf("only %s", fmt.Sprint(all, " reads"))
	}
}
