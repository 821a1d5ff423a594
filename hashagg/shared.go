package hashagg

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// shared is one table of tickets for all workers. Each has states of its own
// while there are few groups; then the states are common too.
type shared struct {
	sink    *Sink
	columns []int // that the calls read

	mu     sync.Mutex
	table  keyTable
	why    string       // it has this form
	space  *ticketSpace // nil without keys
	all    []*states    // of every worker
	locals []*states    // handed over by workers

	common  atomic.Pointer[common]     // states, once they are shared
	routed  atomic.Pointer[partitions] // where rows go from some row on
	decided bool
	reason  string

	foretold int64  // groups, by the first batch; 0 if nothing was
	costs    []Cost // with them
	limit    int    // tickets up to which workers have states of their own

	// gate is held for reading while a worker adds a batch, and for writing
	// when, for all of them, there is no memory for more groups, or for these.
	gate    sync.RWMutex
	workers []*sharedWorker
	frozen  bool        // there are no more groups; other keys go to below
	below   *partitions // on disk, nil until memory is short
	evicted bool        // all groups have gone to below
}

func newShared(s *Sink) aggregation {
	a := &shared{sink: s, columns: argumentColumns(s.cfg.Calls), limit: s.knobs.striped}
	switch {
	case len(s.cfg.Calls) > 0 && movable(s.cfg.Calls):
		a.limit = math.MaxInt // states of workers become one without work, and take no memory per group
	case s.spills():
		each := 8 * int64(s.facts().words+1) * int64(s.cfg.Workers)
		a.limit = int(min(int64(a.limit), s.tables.Free()/ownShare/each))
	}
	if len(s.cfg.Keys) == 0 {
		a.table = oneGroup{}
	}
	return a
}

func (a *shared) worker(w *work) worker {
	one := &sharedWorker{shared: a, work: w, local: a.newLocal()}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.workers = append(a.workers, one)
	return one
}

// ownShare is the part of the memory, one in so many, that states of workers may
// take where groups can go to disk: they are there once more for a moment when
// they become shared.
const ownShare = 8

// newLocal returns states that close will free.
func (a *shared) newLocal() *states {
	l := a.sink.newStates(a.sink.tables.Account(statesAccount))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, l)
	return l
}

// keyTable returns the table, which the first batch of any worker decides on.
func (a *shared) keyTable(in *input) keyTable {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.table != nil {
		return a.table
	}
	a.table, a.space, a.why = a.sink.newKeyTable(in.keys, a.sink.facts(), a.sink.tables.Account(tableAccount))
	a.space.forecast.total = a.sink.cfg.Rows
	switch {
	case a.sparse():
		if f := a.sink.facts(); f.sets && f.workers > 1 && a.space.base > crowdedTickets {
			a.limit, a.decided = min(a.limit, a.sink.knobs.crowded), true
			a.reason = fmt.Sprintf("%d possible groups, whose sets of values are slow to merge", a.space.base)
		}
	case a.sink.cfg.Rows > int64(in.n):
		f := a.sink.costFactsOf(in, a.table.form())
		a.foretold, a.costs = f.groups, f.estimate()
		if f.groups > crowdedTickets || f.groups > int64(a.limit) {
			if a.decide(f) == sharedStates && !movable(a.sink.cfg.Calls) {
				a.limit = min(a.limit, a.sink.knobs.crowded) // before anyone reads it
			}
		}
	}
	return a.table
}

// sparse reports whether some tickets may have no group.
func (a *shared) sparse() bool { return a.space != nil && a.space.base > 0 }

// bound is above every ticket.
func (a *shared) bound() int {
	switch {
	case len(a.sink.cfg.Keys) == 0:
		return 1
	case a.space == nil:
		return 0
	}
	return a.space.bound()
}

// share makes the states shared, once.
func (a *shared) share() common {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.common.Load() == nil {
		c := a.sink.newCommon(a.sparse())
		a.common.Store(&c)
	}
	return *a.common.Load()
}

// sharedWorker is one worker's access to the table.
type sharedWorker struct {
	shared  *shared
	work    *work
	local   *states // nil once the worker has gone over to common states
	grouper Grouper
	frozen  bool // grouper is
	tickets []uint32
	common  commonWriter
	router  *router // once there are partitions
}

func (w *sharedWorker) add(in *input) error {
	a := w.shared
	if to := a.routed.Load(); to != nil {
		if w.router == nil {
			w.work.change("shared table", "partitions", a.reason)
		}
		return w.route(to).stage(in, nil)
	}
	a.gate.RLock()
	done, err := w.addShared(in)
	short, swollen := w.told() // another worker may evict as soon as the gate is open
	a.gate.RUnlock()
	switch {
	case err != nil && (done || w.frozen || !a.sink.yields(err)):
		return err
	case swollen:
		if err := a.evict(w); err != nil {
			return err
		}
	case err != nil || short:
		a.freeze(w)
	}
	if done {
		return nil
	}
	return w.add(in)
}

// told reports whether there was no memory for more groups, since it was last
// asked, or for what groups have grown by.
func (w *sharedWorker) told() (short, swollen bool) {
	if w.local != nil {
		short, swollen, w.local.short = w.local.short, w.local.swollen, false
	}
	if w.common != nil {
		again, more := w.common.told()
		short, swollen = short || again, swollen || more
	}
	return short, swollen
}

// route returns the worker's way to partitions.
func (w *sharedWorker) route(to *partitions) *router {
	if w.router == nil {
		w.router = to.router(w.work)
	}
	return w.router
}

// addShared adds a batch, or leaves it alone, which it reports: its rows are for
// partitions by now, or err says that memory is short. The caller holds gate for
// reading.
func (w *sharedWorker) addShared(in *input) (done bool, err error) {
	a := w.shared
	if a.routed.Load() != nil {
		return false, nil
	}
	if w.grouper == nil {
		w.grouper = a.keyTable(in).grouper()
		w.local.sparse = a.sparse()
		if a.routed.Load() != nil {
			return false, nil
		}
	}
	if a.frozen && !w.frozen {
		w.grouper.Freeze()
		w.frozen = true
	}
	start := operators.Now()
	if a.space != nil {
		// Before the rows' groups are there: too many rows make a forecast too
		// small, which is mended by growing again.
		a.space.forecast.rows.Add(int64(in.n))
	}
	w.tickets = vector.Resize(w.tickets, in.n)
	err = w.grouper.Groups(in.keys, w.tickets)
	w.work.group += operators.Now() - start
	if err != nil {
		return false, err
	}
	if !w.frozen {
		return true, w.update(w.tickets, in.cols, in.rows)
	}
	s := w.work.split(w.tickets)
	if len(s.misses) == 0 {
		return true, w.update(w.tickets, in.cols, in.rows)
	}
	if err := w.route(a.below).stage(in, s.misses); err != nil || len(s.hits) == 0 {
		return true, err
	}
	var at Ordinals
	var cols []*vector.Vector
	if cols, at, err = s.args.gather(a.columns, in.cols, s.hits, in.rows); err != nil {
		return true, err
	}
	return true, w.update(s.found, cols, at)
}

// update adds rows to the states of their tickets.
func (w *sharedWorker) update(tickets []uint32, cols []*vector.Vector, rows Ordinals) error {
	a := w.shared
	bound := a.bound()
	full := w.local != nil && a.sink.Workers() > 1 && w.local.full(a.sink.knobs.fullSets)
	if w.local != nil && !full && (bound <= a.limit || a.outgrown()) {
		if err := w.local.grow(bound); err != nil {
			return err
		}
		return w.local.update(tickets, cols, rows)
	}
	if w.local != nil {
		w.work.change("states per worker", "shared states", w.why(full))
		hot := a.newLocal()
		hot.sparse = a.sparse()
		w.common = a.share().writer(w.work, hot)
		if err := w.common.handOver(w.local); err != nil {
			return err
		}
		w.local = nil
	}
	return w.common.update(tickets, bound, cols, rows)
}

// why says why the worker's states become shared ones: its sets are full, or it
// has been decided.
func (w *sharedWorker) why(full bool) string {
	a := w.shared
	if full {
		return fmt.Sprintf("sets of values of more than %d MiB", a.sink.knobs.fullSets>>20)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reason
}

// outgrown decides, if that has not been done, how to go on with so many groups
// that workers should not have states of their own, and reports whether it is by
// partitions.
func (a *shared) outgrown() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.decided {
		f := a.sink.costFacts()
		f.form = likelyForm(a.table.form())
		f.atomic = a.sink.atomic(a.sparse())
		f.groups = max(f.groups, int64(a.limit)+1)
		if a.space != nil && !a.sparse() {
			seen := a.space.before(a.space.taken.Load())
			f.groups = max(f.groups, int64(foretell(seen, a.space.forecast.rows.Load(), f.rows)))
		}
		a.decide(f)
	}
	return a.routed.Load() != nil
}

// decide chooses how to go on with the groups that f foretells, once they are
// many; the caller holds mu.
func (a *shared) decide(f facts) way {
	var to way
	to, a.reason = rechoose(f) // before routed, whose readers read it
	switch {
	case to == inPartitions && a.sink.adaptive && !a.frozen:
		a.routed.Store(newPartitions(a.sink))
	case to == inPartitions:
		to = sharedStates
	}
	a.decided = to != ownStates || f.groups > int64(a.limit)
	return to
}

func (w *sharedWorker) close() error {
	if w.router != nil {
		if err := w.router.close(); err != nil {
			return err
		}
	}
	a := w.shared
	a.gate.RLock() // another worker may evict, which closes this one's part in the table
	defer a.gate.RUnlock()
	if a.evicted {
		return nil
	}
	if w.grouper != nil {
		w.grouper.Close()
	}
	local, common := w.local, w.common
	w.local, w.common = nil, nil
	if local == nil {
		return common.close()
	}
	if c := a.common.Load(); c != nil {
		return (*c).writer(w.work, nil).handOver(local)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w.grouper == nil && len(a.locals) > 0 {
		local.close() // never written to
		return nil
	}
	a.locals = append(a.locals, local)
	return nil
}

func (a *shared) finish(ctx context.Context, _ *work) ([]part, error) {
	if a.evicted {
		return nil, nil
	}
	if err := a.merge(ctx); err != nil {
		return nil, err
	}
	parts := a.parts()
	to := a.routed.Load()
	if to == nil {
		return parts, nil
	}
	if err := to.take(ctx, parts); err != nil {
		return nil, err
	}
	a.release()
	return to.parts(), nil
}

// parts returns the groups of the table.
func (a *shared) parts() []part {
	used := a.used()
	if c := a.common.Load(); c != nil {
		return (*c).parts(a.table, used)
	}
	one := a.locals[0]
	return []part{{table: a.table, states: one, used: used, hi: one.n, count: 1}}
}

// merge brings the states of the workers together.
func (a *shared) merge(ctx context.Context) error {
	c := a.common.Load()
	switch n := len(a.locals); {
	case c != nil:
		// Workers that ended before the states were shared left theirs.
		err := (*c).take(ctx, a.locals, a.sink.cfg.Workers)
		a.locals = nil
		return err
	case n == 0:
		a.locals = append(a.locals, a.newLocal())
	case n > 1 && (n == 2 || movable(a.sink.cfg.Calls)) && a.routed.Load() == nil:
		// In place: as fast with two workers as what follows.
		for _, l := range a.locals[1:] {
			if err := a.locals[0].absorb(ctx, l, l.n, a.sink.Workers()); err != nil {
				return err
			}
			l.close()
		}
		a.locals = a.locals[:1]
	case n > 1:
		var parts common = newStripes(a.sink, a.sparse())
		a.common.Store(&parts)
		err := parts.take(ctx, a.locals, a.sink.cfg.Workers)
		a.locals = nil
		return err
	}
	return a.locals[0].grow(a.bound())
}

// used returns the tickets that have a group.
func (a *shared) used() (set ticketSet) {
	set.grow(a.bound())
	if a.space == nil {
		set.setRange(0, uint32(a.bound()))
		return set
	}
	a.space.addUsed(set)
	if !a.sparse() {
		return set
	}
	if c := a.common.Load(); c != nil {
		(*c).addUsed(set, a.space.base)
		return set
	}
	a.locals[0].addUsed(set, a.space.base, 0, 1)
	return set
}

func (a *shared) form() (form, why string) { return formOf(a.table), a.why }

func (a *shared) foretells() (int64, []Cost) { return a.foretold, a.costs }

func (a *shared) spread() (parts int, most float64) {
	if to := a.routed.Load(); to != nil {
		return to.spread()
	}
	if c := a.common.Load(); c != nil {
		return (*c).spread()
	}
	return 0, 0
}

func (a *shared) close() {
	if to := a.routed.Load(); to != nil {
		to.close()
	}
	if a.below != nil {
		a.below.close()
	}
	a.release()
}

// release gives the memory of the table and of its states back.
func (a *shared) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.all {
		l.close()
	}
	if c := a.common.Load(); c != nil {
		(*c).close()
	}
	if a.table != nil {
		a.table.close()
	}
	a.all, a.locals = nil, nil
}
