package order

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// leastCut is how many rows are kept at least before they are cut to the limit,
// so that small limits are not paid for with each batch.
const leastCut = 8192

// writer is one worker's end of a Sink.
type writer struct {
	sink    *Sink
	store   *store
	sorter  sorter
	account *memory.Account
	file    *diskFile // nil without a disk
	runs    []diskRun
	last    *chunk // the last row that is wanted, after a cut; nil before
	lastAt  uint64 // its head
	heads   []uint64
	sel     []uint32

	seen, kept int64
}

// Write keeps the rows that may be wanted.
func (w *writer) Write(ctx context.Context, b *vector.Batch) error {
	w.seen += int64(b.Rows())
	sel, err := w.wanted(b)
	if err != nil || sel != nil && len(sel) == 0 || b.Len == 0 {
		return err
	}
	before := w.store.rows
	if err := w.store.add(b, sel); err != nil {
		return err
	}
	w.kept += int64(w.store.rows - before)
	return w.charge(ctx)
}

// bytes is what the rows cost, with what sorting them needs.
func (w *writer) bytes() int64 { return w.store.bytes + entryBytes*int64(w.store.rows) }

// leastRun is the part of its share that a worker may always use, lest others
// that need memory make its runs short.
const leastRun = 8

// tight reports whether the rows use more than they may: the worker's share, or
// what others, those who read for example, may need of the budget.
func (w *writer) tight() bool {
	n, s := w.bytes(), w.sink
	return n > s.share || w.file != nil && n > s.share/leastRun && s.cfg.Budget.Free() < s.spare
}

// charge accounts for the rows. Where they are too many, those that are not
// wanted are dropped, or all are written as a run. The batch that is too much is
// in memory by then.
func (w *writer) charge(ctx context.Context) error {
	limit, rows, tight := w.sink.cfg.Limit, int64(w.store.rows), w.tight()
	if limit >= 0 && rows >= 2*limit && (rows >= leastCut || tight) {
		// For a moment the rows that stay are there twice.
		twice := w.store.bytes * limit / rows
		if twice <= leastBatch || w.account.Resize(w.bytes()+twice) == nil {
			if err := w.cut(); err != nil {
				return err
			}
			tight = w.tight()
		}
	}
	if !tight {
		err := w.account.Resize(w.bytes())
		if err == nil || w.file == nil || !errors.Is(err, memory.ErrLimit) {
			return err
		}
	}
	return w.spill(ctx)
}

// spill writes the rows as a run and drops them.
func (w *writer) spill(ctx context.Context) error {
	run, err := w.sink.write(ctx, w.file, &picker{entries: w.first(), chunks: w.store.filled()}, w.store.bytes/int64(w.store.rows))
	if err != nil {
		return err
	}
	w.runs = append(w.runs, run)
	w.store.reset()
	if err := w.account.Resize(w.bytes()); err != nil {
		w.store, w.sorter.all, w.sorter.spare = newStore(w.sink.in), nil, nil
		return w.account.Resize(0)
	}
	return nil
}

// first sorts the rows and returns as many as are wanted.
func (w *writer) first() []entry {
	all := w.sorter.sorted(w.store)
	if limit := w.sink.cfg.Limit; limit >= 0 && limit <= int64(len(all)) {
		all = all[:limit]
		w.sink.lower(all[limit-1].head)
	}
	return all
}

// wanted returns the rows of b to keep; nil is all.
func (w *writer) wanted(b *vector.Batch) ([]uint32, error) {
	bound := w.sink.bound.Load()
	if w.sink.cfg.Limit < 0 || bound == math.MaxUint64 && w.last == nil && w.sink.cfg.Limit > 0 {
		return b.Sel, nil
	}
	w.sel = w.sel[:0]
	if w.sink.cfg.Limit == 0 {
		return w.sel, nil
	}
	key := &w.sink.keys[0]
	v, err := vector.Flatten(b.Cols[key.at])
	if err != nil {
		return nil, err
	}
	w.heads = vector.Resize(w.heads, b.Len)
	key.heads(w.heads, v)
	keep := func(i uint32) {
		if h := w.heads[i]; h < bound || h == bound && (w.last == nil || h < w.lastAt || h == w.lastAt && w.before(b, int(i))) {
			w.sel = append(w.sel, i)
		}
	}
	if b.Sel != nil {
		for _, i := range b.Sel {
			keep(i)
		}
	} else {
		for i := range b.Len {
			keep(uint32(i))
		}
	}
	return w.sel, nil
}

// before reports whether row i of b, whose head is that of the last wanted row,
// comes before that one.
func (w *writer) before(b *vector.Batch, i int) bool {
	for k := range w.sink.keys {
		c := &w.sink.keys[k]
		v, at := b.Cols[c.at], i
		if !v.Flat() {
			null := v.IsNull(i)
			if v, at = v.Dict, v.Code(i); null {
				v, at = vector.NewNull(v.Type, 1), 0
			}
		}
		if r := c.compare(v, at, w.last.cols[c.at], 0); r != 0 {
			return r < 0
		}
	}
	return b.Row+uint64(i) < positionOf(w.last.cols, 0)
}

// cut drops all rows but as many as are wanted.
func (w *writer) cut() error {
	all := w.first()
	p := &picker{entries: all, chunks: w.store.filled()}
	kept := newStore(w.sink.in)
	for {
		picks := p.next(w.sink.cfg.BatchRows)
		if len(picks) == 0 {
			break
		}
		cols, err := gather(w.sink.types, picks)
		if err != nil {
			return err
		}
		at := len(cols) - 1
		if err := kept.put(cols[:at], nil, vector.Values[uint64](cols[at])); err != nil {
			return err
		}
	}
	e := all[len(all)-1]
	cols, err := gather(w.sink.types, []pick{{p.chunks[e.chunk], e.row}})
	if err != nil {
		return err
	}
	w.last, w.lastAt, w.store = &chunk{cols: cols}, e.head, kept
	return nil
}

// Close sorts what is left, and hands everything to the sink.
func (w *writer) Close() error {
	if w.file != nil && len(w.runs) > 0 {
		w.file.trim()
	}
	if w.store.rows == 0 {
		w.sink.add(w, nil)
		return w.account.Resize(0)
	}
	entries := w.first()
	w.sorter.spare = nil
	w.sink.add(w, newMemoryRun(w.sink.keys, entries, w.store, w.account))
	return w.account.Resize(w.store.bytes + runBytes*int64(w.store.rows))
}

// compareRows orders a row of a and one of b, by the keys and then the
// positions.
func compareRows(keys []column, a []*vector.Vector, i int, b []*vector.Vector, j int) int {
	for k := range keys {
		c := &keys[k]
		if r := c.compare(a[c.at], i, b[c.at], j); r != 0 {
			return r
		}
	}
	return cmp.Compare(positionOf(a, i), positionOf(b, j))
}
