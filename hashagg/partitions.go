package hashagg

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// partitionCount is the number of hash partitions. With 64, 5M groups of two
// states are 80,000 a partition, which fit the second-level cache or nearly.
const partitionCount = 64

// partitions are the groups of a query by the hashes of their keys. A partition
// has one owner at a time: whoever holds its lock. Each is whole in itself, so
// that it can be finished, or written out, without the others.
type partitions struct {
	sink *Sink
	all  []partition

	mu              sync.Mutex
	fronts          []*partition // workers' own tables
	routers         []*router
	keyForm, keyWhy string
}

func newPartitions(s *Sink) *partitions {
	ps := &partitions{sink: s, all: make([]partition, s.knobs.partitions), keyForm: "none"}
	for k := range ps.all {
		ps.all[k].sink = s
		ps.all[k].account = s.cfg.Budget.SmallAccount
		ps.all[k].split = true
	}
	return ps
}

// fronted is a worker that has a table of its own before the partitions.
type fronted struct {
	router *router
	front  *partition
}

func (ps *partitions) fronted(w *work) fronted {
	f := fronted{ps.router(w), ps.sink.newFront()}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.fronts = append(ps.fronts, f.front)
	return f
}

// close drains what waits; the table is left for finish.
func (f *fronted) close() error { return f.router.close() }

// finish brings workers' own tables into the partitions, and returns the groups
// of all. A table that is alone is the result as it is.
func (ps *partitions) finish(ctx context.Context, w *work) ([]part, error) {
	fronts, err := ps.merged(ctx, w)
	if err != nil {
		return nil, err
	}
	if some := ps.any(); len(fronts) == 1 && !some {
		return fronts[0].parts(), nil
	}
	var parts []part
	for _, f := range fronts {
		parts = append(parts, f.parts()...)
	}
	if err := ps.take(ctx, parts); err != nil {
		return nil, err
	}
	for _, f := range fronts {
		f.close()
	}
	return ps.parts(), nil
}

// take adds groups to the partitions, a worker some of a part at a time: a part
// may be all there is.
func (ps *partitions) take(ctx context.Context, parts []part) error {
	windows := windowsOf(parts, handOverRows)
	var next atomic.Int64
	return operators.Parallel(ctx, min(ps.sink.cfg.Workers, len(windows)), func(ctx context.Context, _ int) error {
		var own work
		r := ps.router(&own)
		for k := int(next.Add(1)) - 1; k < len(windows); k = int(next.Add(1)) - 1 {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			if err := r.handOver(windows[k]); err != nil {
				return err
			}
		}
		if err := r.close(); err != nil {
			return err
		}
		own.group = 0 // that is of rows; this is a part of Finish
		ps.sink.report(&own)
		return nil
	})
}

// parts returns the groups of all partitions.
func (ps *partitions) parts() (parts []part) {
	for k := range ps.all {
		parts = append(parts, ps.all[k].parts()...)
	}
	return parts
}

// merged returns the workers' tables that have groups. Those whose tickets mean
// the same keys become one.
func (ps *partitions) merged(ctx context.Context, w *work) (out []*partition, err error) {
	for _, f := range ps.fronts {
		if f.table == nil {
			continue
		}
		ps.keyForm, ps.keyWhy = f.table.form(), f.why
		if len(out) > 0 && out[0].like(f) {
			if err := out[0].absorb(ctx, f, w); err != nil {
				return nil, err
			}
			f.close()
			continue
		}
		out = append(out, f)
	}
	return out, nil
}

// any reports whether a partition has groups.
func (ps *partitions) any() bool {
	for k := range ps.all {
		if ps.all[k].table != nil {
			ps.keyForm, ps.keyWhy = ps.all[k].table.form(), ps.all[k].why
			return true
		}
	}
	return false
}

func (ps *partitions) form() (form, why string) { return ps.keyForm, ps.keyWhy }

func (ps *partitions) spread() int { return len(ps.all) }

func (ps *partitions) foretells() int64 { return 0 }

func (ps *partitions) close() {
	for _, f := range ps.fronts {
		f.close()
	}
	for _, r := range ps.routers {
		r.release() // of workers that were stopped
	}
	for k := range ps.all {
		ps.all[k].close()
	}
}

// router is one worker's way to the partitions: rows wait in a stage for each
// until there are enough of them, and groups of a table are handed over with
// their states.
type router struct {
	to       *partitions
	number   int // of this router
	hasher   keyHasher
	stages   []stage
	starts   []int
	order    []uint32 // rows, by partition
	keys     []*vector.Vector
	selected []uint32
	tickets  []uint32
	work     *work
}

func (ps *partitions) router(w *work) *router {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	r := &router{to: ps, number: len(ps.routers), work: w, stages: make([]stage, len(ps.all)), starts: make([]int, len(ps.all)+1)}
	ps.routers = append(ps.routers, r)
	r.hasher = newKeyHasher(len(ps.sink.cfg.Keys), ps.sink.knobs.hashMask)
	for k := range r.stages {
		r.stages[k].open(ps.sink)
	}
	return r
}

// route sorts n rows by the partition of their keys, by counting.
func (r *router) route(keys []*vector.Vector, n int) {
	hashes := r.hasher.hash(keys, n)
	mask := uint64(len(r.stages) - 1)
	clear(r.starts)
	for _, h := range hashes {
		r.starts[h&mask+1]++
	}
	for k := range r.stages {
		r.starts[k+1] += r.starts[k]
	}
	r.order = vector.Resize(r.order, n)
	for i, h := range hashes {
		k := h & mask
		r.order[r.starts[k]] = uint32(i)
		r.starts[k]++
	}
	copy(r.starts[1:], r.starts)
	r.starts[0] = 0
}

// rows returns the rows of partition k that route has found.
func (r *router) rows(k int) []uint32 { return r.order[r.starts[k]:r.starts[k+1]] }

// stage sets rows aside for their partitions, those that sel lists, or all if
// it is nil, and drains the stages that are full.
func (r *router) stage(in *input, sel []uint32) error {
	keys, n := in.keys, in.n
	if sel != nil {
		n = len(sel)
		var err error
		if keys, err = r.gatherKeys(in.keys, sel); err != nil {
			return err
		}
	}
	r.route(keys, n)
	r.work.staged += int64(n)
	for k := range r.stages {
		rows := r.rows(k)
		if len(rows) == 0 {
			continue
		}
		if sel != nil {
			r.selected = vector.Resize(r.selected, len(rows))
			for i, x := range rows {
				r.selected[i] = sel[x]
			}
			rows = r.selected
		}
		s := &r.stages[k]
		if err := s.append(in, rows); err != nil {
			return err
		}
		if s.full() {
			if err := r.drain(k); err != nil {
				return err
			}
		}
	}
	return nil
}

// gatherKeys returns the rows of keys that sel lists, valid until the next call.
func (r *router) gatherKeys(keys []*vector.Vector, sel []uint32) (_ []*vector.Vector, err error) {
	r.keys = vector.Resize(r.keys, len(keys))
	for c, v := range keys {
		if r.keys[c], err = vector.Gather(r.keys[c], v, sel); err != nil {
			return nil, err
		}
	}
	return r.keys, nil
}

// drain adds what waits for partition k, unless another worker has its lock and
// there is room to wait.
func (r *router) drain(k int) error {
	s, p := &r.stages[k], &r.to.all[k]
	if s.n == 0 {
		return nil
	}
	if !p.mu.TryLock() {
		if !s.over() {
			return nil
		}
		r.work.lock(&p.mu)
	}
	defer p.mu.Unlock()
	return r.drainInto(p, s)
}

// drainInto adds what waits in s to p, whose lock the caller holds.
func (r *router) drainInto(p *partition, s *stage) error {
	before := p.groups()
	if err := p.add(s.input(), r.work); err != nil {
		return err
	}
	r.work.drains++
	r.work.drained += int64(s.n)
	bytes := s.filled()
	r.work.stagedBytes += bytes
	r.work.drainedBytes += bytes
	r.work.made += int64(p.groups() - before)
	return s.reset()
}

// flush drains all stages; workers begin with different ones.
func (r *router) flush() error {
	for i := range r.stages {
		k := (r.number*stagesApart + i) % len(r.stages)
		s, p := &r.stages[k], &r.to.all[k]
		if s.n == 0 {
			continue
		}
		r.work.lock(&p.mu)
		err := r.drainInto(p, s)
		p.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

const stagesApart = 7

// hottest returns how many times the mean the fullest stage has been given
// since the last call.
func (r *router) hottest() int {
	most, all := 0, 0
	for k := range r.stages {
		most = max(most, r.stages[k].taken)
		all += r.stages[k].taken
		r.stages[k].taken = 0
	}
	return most * len(r.stages) / max(all, len(r.stages))
}

// handOver adds the groups of a worker's table to the partitions.
func (r *router) handOver(from part) error {
	for _, window := range windowsOf([]part{from}, handOverRows) {
		lo, hi := window.lo, window.hi
		r.tickets, r.selected = r.tickets[:0], r.selected[:0]
		for i := lo; i < hi; i++ {
			if t := ticketOf(uint32(i), from.k, from.count); from.used.has(t) {
				r.tickets = append(r.tickets, t)
				r.selected = append(r.selected, uint32(i-lo))
			}
		}
		if len(r.tickets) == 0 {
			continue
		}
		if err := r.handOverRange(from, lo, hi); err != nil {
			return err
		}
		r.work.handed += int64(len(r.tickets))
	}
	return nil
}

// handOverRows is how many groups are handed over at once.
const handOverRows = 16 << 10

// handOverRange hands over those of numbers lo up to hi that r.selected lists.
func (r *router) handOverRange(from part, lo, hi int) error {
	keys, err := from.table.keys(r.tickets)
	if err != nil {
		return err
	}
	states, err := from.states.export(lo, hi)
	if err != nil {
		return err
	}
	r.route(keys, len(r.tickets))
	var at []uint32
	for k := range r.stages {
		rows := r.rows(k)
		if len(rows) == 0 {
			continue
		}
		at = vector.Resize(at, len(rows))
		for i, x := range rows {
			at[i] = r.selected[x]
		}
		part, err := r.gatherKeys(keys, rows)
		if err != nil {
			return err
		}
		if err := r.to.all[k].merge(part, states, at, r.work); err != nil {
			return err
		}
	}
	return nil
}

// close drains what waits.
func (r *router) close() error {
	if err := r.flush(); err != nil {
		return err
	}
	r.release()
	return nil
}

// release gives the memory of the stages back.
func (r *router) release() {
	for k := range r.stages {
		r.stages[k].close()
	}
	r.stages, r.hasher = nil, keyHasher{}
}
