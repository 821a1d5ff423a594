package colagg

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
)

// rowsPerWorker is the least input that pays for a further worker: starting
// one, a table of its own and the merge cost as much as some ten thousand rows.
const rowsPerWorker = 32 << 10

// Query runs q to the end of its aggregation and returns the result, which
// makes its batches when they are asked for; cancelling ctx afterwards still
// ends it. The caller releases or closes the result. Errors are *Error, or the
// context's; nothing is left running when one is returned.
func (e *Engine) Query(ctx context.Context, q Query) (*Result, error) {
	start := operators.Now()
	r, err := e.prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	r.planning = operators.Now() - start
	res, err := r.start(ctx)
	if err != nil {
		_ = r.close() // it failed for another reason
		return nil, failure(ctx, err)
	}
	res.stats.Elapsed = operators.Now() - start
	return res, nil
}

// Explain returns the plan of q with what is estimated before it runs. Of files
// it reads the footers; the reader of Records it does not touch. Errors are
// those of Query that come before the first row.
func (e *Engine) Explain(ctx context.Context, q Query) (*Plan, error) {
	start := operators.Now()
	r, err := e.prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.close() }() // nothing is on disk
	r.planning = operators.Now() - start
	p := r.explain(nil)
	p.Elapsed = r.planning
	return p, nil
}

// run is one execution of a query.
type run struct {
	engine   *Engine
	query    Query
	budget   *memory.Budget
	temp     *spill.Dir
	progress reporter
	bytes    atomic.Int64 // compressed bytes of the chunks that are behind the scans
	scans    []*scanNode
	groups   *groupNode // the last one, or nil
	sinks    []interface{ Close() }
	plan     *planned
	planning time.Duration
	clock    clock
	reading  reading
}

// prepare does what comes before the first row. The caller closes the run.
func (e *Engine) prepare(ctx context.Context, q Query) (*run, error) {
	if e.closed.Load() {
		return nil, badQuery("the engine is closed")
	}
	if q.From == nil && q.SQL == "" {
		return nil, badQuery("the query has no source")
	}
	if s := q.Strategy; s != "" && !slices.Contains(Strategies(), s) {
		return nil, &Error{Kind: BadQuery, Offset: -1, Err: fmt.Errorf("colagg: there is no strategy %q", s),
			Hint: "the strategies are " + strings.Join(Strategies(), ", ")}
	}
	plan, err := q.planner()
	if err != nil {
		return nil, err
	}
	r := &run{engine: e, query: q, budget: e.budget.Child(0), clock: newClock()}
	r.progress.tell = q.Progress
	r.temp = spill.Open(spill.Config{Dirs: e.temp, MaxBytes: e.maxTemp, Budget: r.budget, FS: e.files})
	if r.plan, err = plan(ctx, r); err != nil {
		_ = r.close() // nothing is on disk yet
		return nil, failure(ctx, err)
	}
	return r, nil
}

// planner parses q and returns what plans it.
func (q *Query) planner() (func(context.Context, *run) (*planned, error), error) {
	if q.SQL != "" {
		s, in, err := q.statement()
		return func(ctx context.Context, r *run) (*planned, error) { return r.statement(ctx, s, in) }, err
	}
	if len(q.Args) > 0 {
		return nil, badQuery("Query.Args are those of Query.SQL")
	}
	sel, err := q.selection()
	return func(ctx context.Context, r *run) (*planned, error) {
		t, err := q.From.open(ctx)
		if err != nil {
			return nil, err
		}
		return r.block(sel, &relation{cols: t.columns(), table: t})
	}, err
}

// start runs the query up to its result, which is made as it is read.
func (r *run) start(ctx context.Context) (_ *Result, err error) {
	root := r.plan.node
	src, err := root.open(ctx)
	if err != nil {
		return nil, err
	}
	if root.streams() {
		return newResult(ctx, r, operators.InOrder(src, forRows(root.workers(), root.given()))), nil
	}
	r.progress.finish(r.bytes.Load())
	stream, err := src.Stream()
	if err != nil {
		return nil, err
	}
	return newResult(ctx, r, stream), nil
}

// close gives back the memory of the groups and of what failed, and removes
// what is on disk; the error is that of the latter.
func (r *run) close() error {
	for _, s := range r.sinks {
		s.Close()
	}
	err := r.temp.Close()
	r.budget.Close()
	return err
}

// reporter tells a query's progress to its caller, one call at a time.
type reporter struct {
	tell  func(done, total int64)
	total int64
	mu    sync.Mutex
	told  int64
}

// progressSteps is how many reports a whole query makes.
const progressSteps = 200

func (p *reporter) add(done int64) {
	if p.tell == nil || !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	if done-p.told >= p.total/progressSteps {
		p.told = done
		p.tell(min(done, p.total), p.total)
	}
}

// finish makes the last report.
func (p *reporter) finish(done int64) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.told < max(done, p.total) {
		p.tell(p.total, p.total)
	}
}
