package hashagg

import (
	"context"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// writer is one worker's end of a Sink.
type writer struct {
	sink   *Sink
	worker worker
	in     input
	dense  []*vector.Vector // selected rows of a batch
	work   work
}

// Write adds a batch.
func (w *writer) Write(_ context.Context, b *vector.Batch) error {
	w.in.n = b.Rows()
	if w.in.n == 0 {
		return nil
	}
	start, grouped := operators.Now(), w.work.group
	w.work.batches++
	w.work.rows += int64(w.in.n)
	w.in.cols, w.in.rows = b.Cols, Ordinals{First: b.Row, Sel: b.Sel}
	if b.Sel != nil {
		if err := w.compact(b); err != nil {
			return err
		}
		w.in.cols = w.dense
	}
	w.in.keys = w.in.keys[:0]
	for _, k := range w.sink.cfg.Keys {
		w.in.keys = append(w.in.keys, w.in.cols[k])
	}
	err := w.worker.add(&w.in)
	w.work.update += operators.Now() - start - (w.work.group - grouped)
	return w.sink.sized(err)
}

// compact copies the selected rows of the columns together.
func (w *writer) compact(b *vector.Batch) (err error) {
	w.dense = vector.Resize(w.dense, len(b.Cols))
	for i, c := range b.Cols {
		if w.dense[i], err = vector.Gather(w.dense[i], c, b.Sel); err != nil {
			return err
		}
	}
	return nil
}

// Close hands what the worker holds to the sink.
func (w *writer) Close() error {
	defer w.sink.report(&w.work)
	start, grouped := operators.Now(), w.work.group
	err := w.worker.close()
	w.work.update += operators.Now() - start - (w.work.group - grouped)
	return w.sink.sized(err)
}
