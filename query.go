package colagg

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
)

// rowsPerWorker is the least input that pays for a further worker: starting
// one, a table of its own and the merge cost as much as some ten thousand rows.
const rowsPerWorker = 32 << 10

// Query runs q to the end of its aggregation and returns the result, which
// makes its batches when they are asked for; cancelling ctx afterwards still
// ends it. The caller releases or closes the result. Errors are *Error, or the
// context's; nothing is left running when one is returned.
func (e *Engine) Query(ctx context.Context, q Query) (*Result, error) {
	start := time.Now()
	if e.closed.Load() {
		return nil, badQuery("the engine is closed")
	}
	if q.From == nil {
		return nil, badQuery("the query has no source")
	}
	if s := q.Strategy; s != "" && !slices.Contains(Strategies(), s) {
		return nil, &Error{Kind: BadQuery, Offset: -1, Err: fmt.Errorf("colagg: there is no strategy %q", s),
			Hint: "the strategies are " + strings.Join(Strategies(), ", ")}
	}
	req, err := parse(q)
	if err != nil {
		return nil, err
	}
	t, err := q.From.open(ctx)
	if err != nil {
		return nil, failure(ctx, err)
	}
	p, err := req.resolve(t.columns())
	if err != nil {
		return nil, err
	}
	r := &run{engine: e, query: q, plan: p, table: t, budget: e.budget.Child(0)}
	res, err := r.start(ctx)
	if err != nil {
		r.budget.Close()
		return nil, failure(ctx, p.explain(err))
	}
	res.stats.Elapsed = time.Since(start)
	return res, nil
}

// run is one execution of a query.
type run struct {
	engine *Engine
	query  Query
	plan   *plan
	table  table
	budget *memory.Budget
	bytes  atomic.Int64 // compressed bytes read
}

func (r *run) start(ctx context.Context) (*Result, error) {
	workers, rows := r.engine.workers, r.table.rows()
	if rows >= 0 {
		workers = int(min(int64(workers), 1+rows/rowsPerWorker))
	}
	progress := &reporter{tell: r.query.Progress}
	src, err := r.table.scan(r.plan.reads, r.plan.names, scanOptions{
		batchRows: r.engine.batchRows,
		workers:   workers,
		unchecked: r.engine.unchecked,
		budget:    r.budget,
		progress:  func(delta int64) { progress.add(r.bytes.Add(delta)) },
	})
	if err != nil {
		return nil, err
	}
	progress.total = src.Bytes()
	cfg := r.plan.config(src)
	cfg.Strategy = hashagg.Strategy(r.query.Strategy)
	if cfg.Strategy == "" {
		cfg.Strategy = hashagg.Auto
	}
	cfg.Workers, cfg.Rows, cfg.BatchRows, cfg.Budget = workers, rows, r.engine.batchRows, r.budget
	sink, err := hashagg.NewSink(src.Schema(), cfg)
	if err != nil {
		return nil, err
	}
	out, flow, err := operators.Drain(ctx, src, sink, sink.Workers())
	if err != nil {
		sink.Close()
		return nil, err
	}
	progress.finish(r.bytes.Load())
	stream, err := out.Stream()
	if err != nil {
		sink.Close()
		return nil, err
	}
	return newResult(ctx, r, src, sink, stream), nil
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
