package operators

import (
	"context"
	"testing"
	"time"
)

// TestFlow has streams and writers that take their time.
func TestFlow(t *testing.T) {
	const n, step = 40, 200 * time.Microsecond
	c := &counter{batches: n, onNext: func(context.Context, int64) error { time.Sleep(step); return nil },
		onWrite: func(int64) error { time.Sleep(step / 2); return nil }}
	start := time.Now()
	_, flow, err := Drain(context.Background(), c, c, 3)
	all := time.Since(start)
	if err != nil || len(flow.Workers) != 3 || flow.Elapsed+flow.Finish > all {
		t.Fatalf("%v, %+v in %v", err, flow, all)
	}
	for i, w := range flow.Workers {
		batches := time.Duration(w.Batches)
		if w.Source < (batches+1)*step || w.Sink < batches*step/2 || w.Source+w.Sink > w.Total || w.Total > flow.Elapsed {
			t.Errorf("worker %d: %+v of %v", i, w, flow.Elapsed)
		}
	}
	sum := flow.Sum()
	if sum.Batches != n || sum.Rows != 0 || sum.Total > 3*flow.Elapsed || flow.Used() < 1 || flow.Used() > 3 {
		t.Errorf("%+v", sum)
	}
	c = &counter{batches: 1}
	if _, flow, err = Drain(context.Background(), c, c, 4); err != nil || flow.Used() != 1 || len(flow.Workers) != 4 {
		t.Errorf("%v, %+v", err, flow)
	}
}
