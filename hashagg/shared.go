package hashagg

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// shared is one table of tickets for all workers. Each has states of its own
// while there are few groups; then the states are shared too, in stripes.
type shared struct {
	sink *Sink

	mu     sync.Mutex
	table  keyTable
	why    string       // it has this form
	space  *ticketSpace // nil without keys
	all    []*states    // of every worker
	locals []*states    // handed over by workers

	striped atomic.Pointer[stripes]
	routed  atomic.Pointer[partitions] // where rows go from some row on
	decided bool
	reason  string

	foretold int64 // groups, by the first batch; 0 if nothing was
	limit    int   // tickets up to which workers have states of their own
}

func newShared(s *Sink) aggregation {
	a := &shared{sink: s, limit: s.knobs.striped}
	if len(s.cfg.Calls) > 0 && movable(s.cfg.Calls) {
		a.limit = math.MaxInt // states of workers become one without work, and take no memory per group
	}
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
	rows := a.sink.cfg.Rows
	a.space.forecast.total = rows
	if rows > int64(in.n) && !a.sparse() {
		a.foretold = int64(foretell(sampleHashes(in.keys, in.n).distinct, int64(in.n), rows))
		switch f := a.sink.facts(); {
		case a.foretold > int64(a.limit):
			a.decide()
		case f.crowded(a.foretold):
			a.limit = min(a.limit, a.sink.knobs.crowded)
			a.decided, a.reason = true, f.crowdedReason(a.foretold)
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

// stripe makes the states shared, once.
func (a *shared) stripe() *stripes {
	if s := a.striped.Load(); s != nil {
		return s
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.striped.Load() == nil {
		a.striped.Store(newStripes(a.sink.cfg.Calls, a.sparse(), a.sink.cfg.Budget))
	}
	return a.striped.Load()
}

// sharedWorker is one worker's access to the table.
type sharedWorker struct {
	shared  *shared
	work    *work
	local   *states // nil once the worker has gone over to the stripes
	grouper Grouper
	tickets []uint32
	stripes *stripeWriter
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
		w.stripes = &stripeWriter{stripes: a.stripe(), work: w.work}
		w.stripes.hot.states = a.newLocal()
		w.stripes.hot.states.sparse = a.sparse()
		if err := w.stripes.handOver(w.local); err != nil {
			return err
		}
		w.local = nil
	}
	return w.stripes.update(w.tickets, in.cols, in.rows)
}

// outgrown decides, once, how to go on with so many groups that workers should
// not have states of their own, and reports whether it is by partitions.
func (a *shared) outgrown() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.decide()
	return a.routed.Load() != nil
}

// decide does what outgrown does; the caller holds mu.
func (a *shared) decide() {
	if a.decided {
		return
	}
	a.decided = true
	var partitioned bool
	partitioned, a.reason = rechoose(a.sink.facts(), a.limit)
	if partitioned && a.sink.adaptive {
		a.routed.Store(newPartitions(a.sink))
	}
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
		return w.stripes.hot.handOver(w.stripes)
	}
	a := w.shared
	if st := a.striped.Load(); st != nil {
		return (&stripeWriter{stripes: st, work: w.work}).handOver(w.local)
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
	st := a.striped.Load()
	if st == nil {
		one := a.locals[0]
		return []part{{table: a.table, states: one, used: used, hi: one.n, count: 1}}
	}
	parts := make([]part, len(st.all))
	for k := range st.all {
		s := st.all[k].states
		parts[k] = part{table: a.table, states: s, used: used, hi: s.n, k: k, count: len(st.all)}
	}
	return parts
}

// merge brings the states of the workers together.
func (a *shared) merge(ctx context.Context) error {
	switch n := len(a.locals); {
	case n == 0 && a.striped.Load() == nil:
		a.locals = append(a.locals, a.newLocal())
	case n > 1 && (n == 2 || movable(a.sink.cfg.Calls)) && a.striped.Load() == nil && a.routed.Load() == nil:
		// In place: as fast with two workers as what follows.
		for _, l := range a.locals[1:] {
			if err := a.locals[0].absorb(ctx, l, l.n, a.sink.Workers()); err != nil {
				return err
			}
			l.close()
		}
		a.locals = a.locals[:1]
	case n > 1 || a.striped.Load() != nil && n > 0:
		// Workers that ended before the states were shared left theirs too.
		if err := a.mergeLocals(ctx, a.stripe()); err != nil {
			return err
		}
	}
	if a.striped.Load() == nil {
		return a.locals[0].grow(a.bound())
	}
	return nil
}

// mergeLocals moves the states of each worker into the stripes, a worker a
// stripe at a time.
func (a *shared) mergeLocals(ctx context.Context, st *stripes) error {
	var next atomic.Int64
	err := operators.Parallel(ctx, a.sink.cfg.Workers, func(ctx context.Context, _ int) error {
		for {
			k := int(next.Add(1)) - 1
			if k >= len(st.all) {
				return nil
			}
			for _, l := range a.locals {
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				if err := st.all[k].merge(l, k, len(st.all)); err != nil {
					return err
				}
			}
		}
	})
	for _, l := range a.locals {
		l.close()
	}
	a.locals = nil
	return err
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
	if st := a.striped.Load(); st != nil {
		for k := range st.all {
			st.all[k].states.addUsed(set, a.space.base, k, len(st.all))
		}
		return set
	}
	a.locals[0].addUsed(set, a.space.base, 0, 1)
	return set
}

func (a *shared) form() (form, why string) { return formOf(a.table), a.why }

func (a *shared) foretells() int64 { return a.foretold }

func (a *shared) spread() int {
	if to := a.routed.Load(); to != nil {
		return to.spread()
	}
	if st := a.striped.Load(); st != nil {
		return len(st.all)
	}
	return 0
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
	if st := a.striped.Load(); st != nil {
		st.close()
	}
	if a.table != nil {
		a.table.close()
	}
	a.all, a.locals = nil, nil
}
