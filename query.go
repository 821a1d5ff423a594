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
	"github.com/colagg/colagg/operators/expr"
	"github.com/colagg/colagg/operators/order"
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
		return nil, failure(ctx, r.names.spell(err))
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
	p := r.explain()
	p.Elapsed = r.planning
	return p, nil
}

// run is one execution of a query.
type run struct {
	engine   *Engine
	query    Query
	names    *resolved
	table    table
	budget   *memory.Budget
	temp     *spill.Dir
	reading  *memory.Budget // of the scan
	progress reporter
	bytes    atomic.Int64 // compressed bytes of the chunks that are behind it
	src      scan
	filter   *expr.Filter     // nil where all rows count
	input    operators.Source // src, or filter
	sink     *hashagg.Sink    // nil until planned, and where nothing is grouped
	order    *order.Sink      // nil where nothing is ordered
	workers  int              // most that the size of the input pays for
	expected hashagg.Report
	planning time.Duration
	flow     operators.Flow // into sink, as far as there is one
	ordering operators.Flow // into order
}

// prepare does what comes before the first row. The caller closes the run.
func (e *Engine) prepare(ctx context.Context, q Query) (*run, error) {
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
	names, err := req.resolve(t.columns())
	if err != nil {
		return nil, err
	}
	r := &run{engine: e, query: q, names: names, table: t, budget: e.budget.Child(0)}
	r.temp = spill.Open(spill.Config{Dirs: e.temp, MaxBytes: e.maxTemp, Budget: r.budget, FS: e.files})
	if err := r.plan(); err != nil {
		_ = r.close() // nothing is on disk yet
		return nil, failure(ctx, names.spell(err))
	}
	return r, nil
}

// plan makes the scan and the sink.
func (r *run) plan() error {
	workers, rows := r.engine.workers, r.table.rows()
	if rows >= 0 {
		workers = int(min(int64(workers), 1+rows/rowsPerWorker))
	}
	if r.plain() && r.names.where == nil && r.query.Limit != 0 && r.query.wanted() >= 0 {
		workers = int(min(int64(workers), 1+r.query.wanted()/rowsPerWorker))
	}
	r.workers = workers
	r.progress.tell = r.query.Progress
	if err := r.scan(); err != nil {
		return err
	}
	r.progress.total = r.src.Bytes()
	r.planFilter()
	in := r.input.Schema()
	if r.grouped() {
		if err := r.planGroups(rows); err != nil {
			return err
		}
		in = r.sink.Schema()
	}
	if len(r.names.order) == 0 {
		return nil
	}
	var err error
	r.order, err = r.orderSink(in)
	return err
}

// grouped reports whether rows are grouped, and plain whether they come out as
// they are read.
func (r *run) grouped() bool { return len(r.query.Select) == 0 || r.query.Distinct }

func (r *run) plain() bool { return !r.grouped() && len(r.names.order) == 0 }

// planGroups makes the sink that groups.
func (r *run) planGroups(rows int64) (err error) {
	cfg := r.names.config(r.src)
	cfg.Strategy = hashagg.Strategy(r.query.Strategy)
	if cfg.Strategy == "" {
		cfg.Strategy = hashagg.Auto
	}
	cfg.Workers, cfg.Rows, cfg.BatchRows, cfg.Budget = r.workers, rows, r.engine.batchRows, r.budget
	cfg.Spill = r.temp
	if len(r.names.order) > 0 {
		cfg.Readers = r.workers
	}
	if r.sink, err = hashagg.NewSink(r.input.Schema(), cfg); err != nil {
		return err
	}
	r.expected = r.sink.Expect()
	return nil
}

// readingShare is the part of the memory, one in so many, that reading with
// several workers may take. One worker may take all but aloneShare. readingError
// is by how much of it, one in so many, the estimate may be too low.
const (
	readingShare = 2
	aloneShare   = 4
	readingError = 4
)

// scan makes the scan, for as many of the workers as there is memory for.
func (r *run) scan() error {
	free := r.budget.Free()
	for {
		reading := r.budget.Part(0)
		src, err := r.table.scan(r.names.reads, r.names.names, scanOptions{
			batchRows: r.engine.batchRows,
			workers:   r.workers,
			unchecked: r.engine.unchecked,
			budget:    reading,
			progress:  func(delta int64) { r.progress.add(r.bytes.Add(delta)) },
		})
		if err != nil {
			return err
		}
		need := src.Memory() / readingError * (readingError + 1)
		if fit := int(free / readingShare / max(need, 1)); r.workers > 1 && fit < r.workers {
			r.workers = max(1, fit)
			continue
		}
		reading.Hold(min(int64(r.workers)*need, free/aloneShare*(aloneShare-1)))
		r.src, r.reading = src, reading
		return nil
	}
}

// start runs the query up to its result, which is made as it is read.
func (r *run) start(ctx context.Context) (_ *Result, err error) {
	if r.plain() {
		return newResult(ctx, r, r.input.Schema(), operators.InOrder(r.input, r.workers)), nil
	}
	src, workers := r.input, r.workers
	if r.sink != nil {
		if src, r.flow, err = operators.Drain(ctx, src, r.sink, r.sink.Workers()); err != nil {
			return nil, err
		}
		r.reading.Close()
		workers = int(min(int64(workers), 1+r.sink.Report().Groups/rowsPerWorker))
	}
	if r.order != nil {
		if src, r.ordering, err = operators.Drain(ctx, src, r.order, workers); err != nil {
			return nil, err
		}
		r.reading.Close()
	}
	r.progress.finish(r.bytes.Load())
	stream, err := src.Stream()
	if err != nil {
		return nil, err
	}
	return newResult(ctx, r, src.Schema(), stream), nil
}

// close gives back the memory of the groups and of what failed, and removes
// what is on disk; the error is that of the latter.
func (r *run) close() error {
	if r.sink != nil {
		r.sink.Close()
	}
	if r.order != nil {
		r.order.Close()
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
