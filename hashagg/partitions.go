package hashagg

import (
	"context"
	"math/bits"
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
	sink  *Sink
	all   []partition
	shift uint // low bits of hashes that do not choose

	mu              sync.Mutex
	fronts          []*partition // workers' own tables
	routers         []*router
	keyForm, keyWhy string
}

func newPartitions(s *Sink) *partitions {
	ps := &partitions{sink: s, all: make([]partition, s.knobs.partitions), keyForm: "none"}
	for k := range ps.all {
		ps.all[k].sink = s
		ps.all[k].account = s.tables.SmallAccount
		ps.all[k].split = true
		ps.all[k].runShift = uint(bits.TrailingZeros(uint(len(ps.all))))
	}
	return ps
}

// newDiskPartitions returns n partitions, a power of two, that are on disk only.
func newDiskPartitions(s *Sink, n int, shift uint) *partitions {
	ps := &partitions{sink: s, all: make([]partition, n), shift: shift}
	for k := range ps.all {
		ps.all[k].sink, ps.all[k].onDisk = s, true
		ps.all[k].runShift = shift + uint(bits.TrailingZeros(uint(n)))
	}
	return ps
}

// fronted is a worker that has a table of its own before the partitions.
type fronted struct {
	router *router
	front  *partition
	others []uint32 // rows that front does not take
}

func (ps *partitions) fronted(w *work) fronted {
	f := fronted{router: ps.router(w), front: ps.sink.newFront()}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.fronts = append(ps.fronts, f.front)
	return f
}

// put gives rows to the worker's own table, and those that it does not take,
// whose number it returns, to the partitions.
func (f *fronted) put(in *input) (rest int, err error) {
	others, err := f.front.add(in, f.router.work)
	rest = len(others)
	if err == nil && rest > 0 {
		f.others = append(f.others[:0], others...) // staging splits rows too
		err = f.router.stage(in, f.others)
	}
	if err == nil && f.front.states.swollen {
		err = f.handOver()
	}
	return rest, err
}

// handOver moves the groups of the worker's own table to the partitions.
func (f *fronted) handOver() error {
	if err := f.router.handOver(f.front.part()); err != nil {
		return err
	}
	return f.front.reset()
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
	if some := ps.any(); len(fronts) == 1 && !some && len(ps.runs()) == 0 {
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

// runs returns what the partitions have on disk.
func (ps *partitions) runs() (out []*run) {
	for k := range ps.all {
		if r := ps.all[k].run; r != nil {
			out = append(out, r)
		}
	}
	return out
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

func (ps *partitions) spread() (parts int, most float64) {
	return len(ps.all), imbalance(len(ps.all), func(k int) int64 { return ps.all[k].taken })
}

func (ps *partitions) foretells() (int64, []Cost) { return 0, nil }

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
	hashes   []uint64 // of the rows that route has sorted
	picked   []uint64
	selected []uint32
	at       []uint32
	work     *work
	disk     diskWriter
}

func (ps *partitions) router(w *work) *router {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	r := &router{to: ps, number: len(ps.routers), work: w, stages: make([]stage, len(ps.all)), starts: make([]int, len(ps.all)+1)}
	ps.routers = append(ps.routers, r)
	r.hasher = newKeyHasher(len(ps.sink.cfg.Keys), ps.sink.knobs.hashMask)
	r.disk.sink = ps.sink
	for k := range r.stages {
		r.stages[k].open(ps.sink, len(ps.all))
	}
	return r
}

// route sorts n rows by the partition of their keys, by counting; hashes are
// those of the keys, or nil.
func (r *router) route(keys []*vector.Vector, hashes []uint64, n int) {
	if hashes == nil {
		hashes = r.hasher.hash(keys, n)
	}
	r.hashes = hashes
	shift := r.to.shift
	mask := uint64(len(r.stages) - 1)
	clear(r.starts)
	for _, h := range hashes {
		r.starts[h>>shift&mask+1]++
	}
	for k := range r.stages {
		r.starts[k+1] += r.starts[k]
	}
	r.order = vector.Resize(r.order, n)
	for i, h := range hashes {
		k := h >> shift & mask
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
	keys, hashes, n := in.keys, in.hashes, in.n
	if sel != nil {
		n = len(sel)
		var err error
		if hashes != nil {
			r.picked = pickHashes(r.picked, hashes, sel)
			hashes = r.picked
		} else if keys, err = r.gatherKeys(in.keys, sel); err != nil {
			return err
		}
	}
	r.route(keys, hashes, n)
	r.work.staged += int64(n)
	for k := range r.stages {
		rows := r.rows(k)
		if len(rows) == 0 {
			continue
		}
		s := &r.stages[k]
		for _, x := range rows {
			s.hashes = append(s.hashes, r.hashes[x])
		}
		if sel != nil {
			r.selected = vector.Resize(r.selected, len(rows))
			for i, x := range rows {
				r.selected[i] = sel[x]
			}
			rows = r.selected
		}
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
	if err := r.addTo(p, s.input()); err != nil {
		return err
	}
	p.taken += int64(s.n)
	r.work.drains++
	r.work.drained += int64(s.n)
	bytes := s.filled()
	r.work.stagedBytes += bytes
	r.work.drainedBytes += bytes
	r.work.made += int64(p.groups() - before)
	return s.reset()
}

// addTo adds rows to p, whose lock the caller holds, in memory or on disk.
func (r *router) addTo(p *partition, in *input) error {
	if p.onDisk {
		return r.disk.rows(p, in, nil)
	}
	rest, err := p.add(in, r.work)
	if err == nil && len(rest) > 0 {
		err = r.disk.rows(p, in, rest)
	}
	if err == nil && p.states.swollen {
		err = r.evict(p)
	}
	return err
}

// mergeInto adds groups to p, in memory or on disk. It takes the lock.
func (r *router) mergeInto(p *partition, g exported) error {
	r.work.lock(&p.mu)
	defer p.mu.Unlock()
	if p.onDisk {
		return r.disk.groups(p, g, nil)
	}
	rest, err := p.merge(g.keys, g.states, g.at, r.work)
	if err == nil && len(rest) > 0 {
		err = r.disk.groups(p, g, rest)
	}
	if err == nil && p.states.swollen {
		err = r.evict(p)
	}
	return err
}

// evict moves the groups of p, whose lock the caller holds, to disk, where all
// that is to come for it goes too.
func (r *router) evict(p *partition) error {
	if err := r.disk.partition(p); err != nil {
		return err
	}
	p.close()
	p.onDisk = true
	return nil
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
	return from.each(func(g exported) error {
		r.work.handed += int64(len(g.at))
		return r.mergeGroups(g)
	})
}

// handOverRows is how many groups are handed over at once.
const handOverRows = 16 << 10

// pick returns the groups that sel lists.
func (g exported) pick(sel []uint32) (out exported, err error) {
	out = exported{states: g.states, at: make([]uint32, len(sel)), keys: make([]*vector.Vector, len(g.keys))}
	for i, r := range sel {
		out.at[i] = g.at[r]
	}
	if g.hashes != nil {
		out.hashes = pickHashes(nil, g.hashes, sel)
	}
	for c, k := range g.keys {
		if out.keys[c], err = vector.Gather(nil, k, sel); err != nil {
			return out, err
		}
	}
	return out, nil
}

// exported are groups in exchange form.
type exported struct {
	keys   []*vector.Vector
	hashes []uint64           // of keys, or nil
	states [][]*vector.Vector // by call
	at     []uint32           // row i of keys has row at[i] of states
}

// each calls f for all groups of p, handOverRows numbers at a time.
func (p part) each(f func(g exported) error) error {
	var tickets []uint32
	var g exported
	for _, window := range p.pieces(p.states.exported(handOverRows)) {
		lo, hi := window.lo, window.hi
		tickets, g.at = tickets[:0], g.at[:0]
		for i := lo; i < hi; i++ {
			if t := ticketOf(uint32(i), p.k, p.count); p.used.has(t) {
				tickets, g.at = append(tickets, t), append(g.at, uint32(i-lo))
			}
		}
		if len(tickets) == 0 {
			continue
		}
		var err error
		if g.keys, err = p.table.keys(tickets); err != nil {
			return err
		}
		if g.states, err = p.states.export(lo, hi); err != nil {
			return err
		}
		if err := f(g); err != nil {
			return err
		}
	}
	return nil
}

// mergeGroups adds groups to their partitions.
func (r *router) mergeGroups(all exported) error {
	r.route(all.keys, all.hashes, len(all.at))
	hashes := r.hashes
	for k := range r.stages {
		rows := r.rows(k)
		if len(rows) == 0 {
			continue
		}
		r.at = vector.Resize(r.at, len(rows))
		for i, x := range rows {
			r.at[i] = all.at[x]
		}
		keys, err := r.gatherKeys(all.keys, rows)
		if err != nil {
			return err
		}
		r.picked = pickHashes(r.picked, hashes, rows)
		if err := r.mergeInto(&r.to.all[k], exported{keys, r.picked, all.states, r.at}); err != nil {
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
	r.disk.close()
}
