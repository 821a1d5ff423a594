package hashagg

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// shared is one table of tickets for all workers. Each has states of its own
// while there are few groups; then the states are common too.
type shared struct {
	sink *Sink

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
}

func newShared(s *Sink) aggregation {
	a := &shared{sink: s, limit: s.knobs.striped}
	if len(s.cfg.Keys) == 0 {
		a.table = oneGroup{}
	}
	return a
}

func (a *shared) worker(w *work) worker {
	return &sharedWorker{shared: a, work: w, local: a.newLocal()}
}

// newLocal returns states that close will free.
func (a *shared) newLocal() *states {
	l := newStates(a.sink.cfg.Calls, a.sink.cfg.Budget.Account(statesAccount))
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
	a.table, a.space, a.why = a.sink.newKeyTable(in.keys, a.sink.facts(), a.sink.cfg.Budget.Account(tableAccount))
	a.space.forecast.total = a.sink.cfg.Rows
	if a.sink.cfg.Rows > int64(in.n) && !a.sparse() {
		f := a.sink.costFactsOf(in, a.table.form())
		a.foretold, a.costs = f.groups, f.estimate()
		if f.groups > crowdedTickets || f.groups > int64(a.limit) {
			if a.decide(f) == sharedStates {
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
	tickets []uint32
	common  commonWriter
	router  *router // once there are partitions
}

func (w *sharedWorker) add(in *input) error {
	a := w.shared
	if to := a.routed.Load(); to != nil {
		if w.router == nil {
			w.router = to.router(w.work)
			w.work.change("shared table", "partitions", a.reason)
		}
		return w.router.stage(in, nil)
	}
	if w.grouper == nil {
		w.grouper = a.keyTable(in).grouper()
		w.local.sparse = a.sparse()
		if a.routed.Load() != nil {
			return w.add(in)
		}
	}
	start := operators.Now()
	if a.space != nil {
		// Before the rows' groups are there: too many rows make a forecast too
		// small, which is mended by growing again.
		a.space.forecast.rows.Add(int64(in.n))
	}
	w.tickets = vector.Resize(w.tickets, in.n)
	if err := w.grouper.Groups(in.keys, w.tickets); err != nil {
		return err
	}
	w.work.group += operators.Now() - start
	bound := a.bound()
	if w.local != nil && (bound <= a.limit || a.outgrown()) {
		if err := w.local.grow(bound); err != nil {
			return err
		}
		return w.local.update(w.tickets, in.cols, in.rows)
	}
	if w.local != nil {
		w.work.change("states per worker", "shared states", a.reason)
		hot := a.newLocal()
		hot.sparse = a.sparse()
		w.common = a.share().writer(w.work, hot)
		if err := w.common.handOver(w.local); err != nil {
			return err
		}
		w.local = nil
	}
	return w.common.update(w.tickets, bound, in.cols, in.rows)
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
	case to == inPartitions && a.sink.adaptive:
		a.routed.Store(newPartitions(a.sink))
	case to == inPartitions:
		to = sharedStates
	}
	a.decided = to != ownStates || f.groups > int64(a.limit)
	return to
}

func (w *sharedWorker) close() error {
	if w.grouper != nil {
		w.grouper.Close()
	}
	if w.router != nil {
		if err := w.router.close(); err != nil {
			return err
		}
	}
	if w.local == nil {
		return w.common.close()
	}
	a := w.shared
	if c := a.common.Load(); c != nil {
		return (*c).writer(w.work, nil).handOver(w.local)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w.grouper == nil && len(a.locals) > 0 {
		w.local.close() // never written to
		return nil
	}
	a.locals = append(a.locals, w.local)
	return nil
}

func (a *shared) finish(ctx context.Context, _ *work) ([]part, error) {
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
	case n == 2 && a.routed.Load() == nil:
		// In place: as fast with two workers as what follows.
		if err := a.locals[0].absorb(ctx, a.locals[1], a.locals[1].n, a.sink.Workers()); err != nil {
			return err
		}
		a.locals[1].close()
		a.locals = a.locals[:1]
	case n > 1:
		var parts common = newStripes(a.sink.cfg.Calls, a.sparse(), a.sink.cfg.Budget)
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
