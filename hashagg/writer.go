package hashagg

import (
	"context"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// writer is one worker's end of a Sink.
type writer struct {
	sink    *Sink
	local   *states // nil once the worker has gone over to the stripes
	grouper Grouper
	keys    []*vector.Vector
	tickets []uint32
	dense   []*vector.Vector // selected rows of a batch
	stripes *stripeWriter
	work    work
}

// Write adds a batch.
func (w *writer) Write(_ context.Context, b *vector.Batch) error {
	n := b.Rows()
	if n == 0 {
		return nil
	}
	start := operators.Now()
	w.work.batches++
	w.work.rows += int64(n)
	cols := b.Cols
	if b.Sel != nil {
		var err error
		if cols, err = w.compact(b); err != nil {
			return err
		}
	}
	w.keys = w.keys[:0]
	for _, k := range w.sink.cfg.Keys {
		w.keys = append(w.keys, cols[k])
	}
	if w.grouper == nil {
		w.grouper = w.sink.keyTable(w.keys).grouper()
		w.local.sparse = w.sink.space != nil && w.sink.space.base > 0
	}
	w.tickets = vector.Resize(w.tickets, n)
	if err := w.grouper.Groups(w.keys, w.tickets); err != nil {
		return err
	}
	grouped := operators.Now()
	err := w.update(cols, Ordinals{First: b.Row, Sel: b.Sel})
	w.work.group += grouped - start
	w.work.update += operators.Now() - grouped
	return err
}

// compact copies the selected rows of the columns together.
func (w *writer) compact(b *vector.Batch) (_ []*vector.Vector, err error) {
	w.dense = vector.Resize(w.dense, len(b.Cols))
	for i, c := range b.Cols {
		if w.dense[i], err = vector.Gather(w.dense[i], c, b.Sel); err != nil {
			return nil, err
		}
	}
	return w.dense, nil
}

// update adds the rows to the states: the worker's own, or, when there are many
// groups, the shared ones.
func (w *writer) update(cols []*vector.Vector, rows Ordinals) error {
	bound := w.sink.bound()
	if w.local != nil && bound <= w.sink.knobs.striped || w.sink.strategy == Serial {
		if err := w.local.grow(bound); err != nil {
			return err
		}
		return w.local.update(w.tickets, cols, rows)
	}
	if w.local != nil {
		w.sink.stripe()
		w.work.share(w.sink.knobs.striped)
		w.stripes = &stripeWriter{stripes: w.sink.striped.Load(), work: &w.work}
		if err := w.stripes.handOver(w.local); err != nil {
			return err
		}
		w.local = nil
	}
	return w.stripes.update(w.tickets, cols, rows)
}

// Close hands the worker's states to the sink.
func (w *writer) Close() error {
	if w.grouper != nil {
		w.grouper.Close()
	}
	defer w.sink.report(&w.work)
	if w.local == nil {
		return nil
	}
	if st := w.sink.striped.Load(); st != nil {
		return (&stripeWriter{stripes: st, work: &w.work}).handOver(w.local)
	}
	w.sink.mu.Lock()
	defer w.sink.mu.Unlock()
	if w.grouper == nil && len(w.sink.locals) > 0 {
		w.local.close() // never written to
		return nil
	}
	w.sink.locals = append(w.sink.locals, w.local)
	return nil
}
