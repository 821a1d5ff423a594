package hashagg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// Call is one aggregate of a query: a bound function, the batch columns of its
// arguments, the name of its output column, and which rows count, all unless
// there is a filter. A group none of whose rows pass it has the result of a
// function of no rows: 0 for count, else NULL.
type Call struct {
	Agg    *Aggregate
	Args   []int
	Name   string
	Filter Filter
}

// wrap names the call in an error of its accumulator.
func (c Call) wrap(err error) error {
	if e, ok := err.(*OverflowError); ok {
		e.Column = c.Name
		return e
	}
	return fmt.Errorf("hashagg: %s: %w", c.Name, err)
}

// Range is a hint for an integer-like key column: its values are likely to lie
// from Lo to Hi. Values outside are handled, at a price. Unsigned 64-bit values
// are given by their bits.
type Range struct {
	Lo, Hi int64
	OK     bool
}

// Distinct is a hint for a key column: among Of rows it has about so many
// different values. It is used for estimates only.
type Distinct struct {
	Values, Of int64
	OK         bool
}

// Config says what a Sink groups by and computes.
type Config struct {
	Keys      []int      // batch columns of the key; none: one group of all rows
	Ranges    []Range    // nil, or a hint for each key
	Distinct  []Distinct // nil, or a hint for each key
	Calls     []Call
	Strategy  Strategy       // "" is Auto
	Workers   int            // most workers to use; below 1 counts as 1
	Rows      int64          // rows of input, or -1 if not known
	BatchRows int            // rows of an output batch; below 1 means 8192
	Readers   int            // streams of the result that will be read at once; with one or none it is made ahead
	Budget    *memory.Budget // nil is without a limit
	Spill     *spill.Dir     // where groups go that memory has no room for, closed by the caller after the sink; nil: that is an error
	knobs     *knobs
}

// Sink groups batches: it is the breaker of an aggregation's pipeline. Its
// Finish gives one row per group, the key columns first, then the results of
// the calls. Groups come sorted by key when they are few, else in no order.
type Sink struct {
	cfg      Config
	in       *arrow.Schema
	out      *arrow.Schema
	types    []arrow.DataType
	strategy Strategy
	reason   string // why this strategy
	costs    []Cost // what is predicted before the first batch
	assumed  int64  // groups that it is predicted for
	adaptive bool   // it may go over to partitions
	knobs    knobs

	tables      *memory.Budget // of tables and states: a part of the query's
	tablesLimit int64
	files       files
	over        *overflow                            // of sets where there are no keys
	schemas     struct{ rows, groups *arrow.Schema } // on disk

	agg    aggregation
	groups atomic.Int64 // that are in memory or have been, after Finish
	rounds int          // of reading from disk
	makers int          // of the result, after Finish

	growing growing      // of all tables
	writers atomic.Int64 // made so far

	mu   sync.Mutex
	work work // of the writers that are closed, and of Finish
}

// tablesShare and restShare are what of the memory is kept for all but tables and
// states where groups can go to disk: for reading, for what waits to be written,
// and for the result.
const (
	tablesShare = 8
	restShare   = 2
)

// spills reports whether groups go to disk when memory is short.
func (s *Sink) spills() bool { return s.cfg.Spill != nil }

// widen lets tables and states take their share of what is free, unless they may
// take more already. It is called while there are none: at first, and before
// groups are read back, when reading has given back what it held. Were that not
// used, a query that reads wide rows would bring its groups back one by one.
func (s *Sink) widen() {
	free := s.cfg.Budget.Free()
	if !s.spills() || free == math.MaxInt64 {
		return
	}
	if limit := max(1, free/tablesShare*(tablesShare-restShare)); limit > s.tablesLimit {
		s.tablesLimit = limit
		s.tables = s.cfg.Budget.Part(limit)
	}
}

// yields reports whether err says that memory is short, and groups can go to
// disk.
func (s *Sink) yields(err error) bool { return s.spills() && errors.Is(err, memory.ErrLimit) }

// newStates returns states of all calls.
func (s *Sink) newStates(account *memory.Account) *states {
	st := newStates(s.cfg.Calls, account)
	if s.spills() && s.tablesLimit > 0 {
		st.piece = max(leastWindow, min(windowBytes, s.tablesLimit/windowShare))
	}
	switch {
	case !s.spills():
	case len(s.cfg.Keys) > 0:
		st.yielding = true
	default:
		st.only, st.over = s.tablesLimit, s.over
		st.fair = max(s.knobs.leastStates, s.tablesLimit/int64(fairShare*s.cfg.Workers))
	}
	return st
}

// fairShare is the part of its share of the memory, one in so many, that the
// states of a worker may take though others hold all of it.
const fairShare = 4

// NewSink returns a sink for batches with the columns of in.
func NewSink(in *arrow.Schema, cfg Config) (*Sink, error) {
	s := &Sink{cfg: cfg, in: in, knobs: defaultKnobs()}
	if cfg.knobs != nil {
		s.knobs = *cfg.knobs
	}
	if s.cfg.BatchRows < 1 {
		s.cfg.BatchRows = 8192
	}
	if s.cfg.Budget == nil {
		s.cfg.Budget = memory.NewBudget(0)
	}
	s.cfg.Workers = max(1, cfg.Workers)
	s.tables = s.cfg.Budget
	s.widen()
	var fields []arrow.Field
	for _, k := range cfg.Keys {
		f := in.Field(k)
		if !vector.Supported(f.Type) || vector.IsList(f.Type) || f.Type.ID() == arrow.INTERVAL_MONTH_DAY_NANO {
			return nil, fmt.Errorf("hashagg: a column of type %s cannot be a key", f.Type)
		}
		s.types = append(s.types, f.Type)
		fields = append(fields, f)
	}
	for _, c := range cfg.Calls {
		if err := c.Filter.check(in, c.Name); err != nil {
			return nil, err
		}
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Agg.Result, Nullable: !c.Agg.NotNull})
	}
	if mask := s.knobs.hashMask; mask != ^uint64(0) {
		s.cfg.Calls = masked(cfg.Calls, mask)
	}
	s.out = arrow.NewSchema(fields, nil)
	if s.spills() {
		s.schemas.rows, s.schemas.groups = s.rowSchema(), s.groupSchema()
		if len(cfg.Keys) == 0 {
			s.over = newOverflow(s)
		}
	}
	f := s.costFacts()
	if len(cfg.Keys) > 0 { // else there is but one way
		s.costs, s.assumed = f.estimate(), int64(f.seen())
	}
	switch {
	case cfg.Strategy == "" || cfg.Strategy == Auto:
		s.strategy, s.reason = choose(f)
		s.adaptive = true
	case slices.Contains(Strategies(), cfg.Strategy):
		s.strategy, s.reason = cfg.Strategy, "asked for"
	default:
		return nil, fmt.Errorf("hashagg: there is no strategy %q (have %q)", cfg.Strategy, Strategies())
	}
	s.agg = newAggregation(s, s.strategy)
	return s, nil
}

// masked returns the calls with a mask for the hashes of values.
func masked(calls []Call, mask uint64) []Call {
	out := slices.Clone(calls)
	for i := range out {
		agg := *out[i].Agg
		plain := agg.New
		agg.New = func(slab *Slab, at int) Accumulator {
			slab.blind = ^mask
			return plain(slab, at)
		}
		out[i].Agg = &agg
	}
	return out
}

// facts returns what is known by now, without the size of keys and states.
func (s *Sink) facts() facts {
	f := facts{rows: s.cfg.Rows, groups: -1, workers: s.cfg.Workers, free: s.tables.Free(), many: s.knobs.manyWorkers, slotRows: s.knobs.slotRows}
	for _, c := range s.cfg.Calls {
		words := c.Agg.Words
		if words == 0 {
			words = otherWords
		}
		f.words += words
		f.sets = f.sets || c.Agg.Sets
	}
	return f
}

// Schema returns the columns of the result.
func (s *Sink) Schema() *arrow.Schema { return s.out }

// Workers returns the number of workers that the strategy wants.
func (s *Sink) Workers() int {
	if s.strategy == Serial {
		return 1
	}
	return s.cfg.Workers
}

// Close gives the memory of the groups back to the budget. The source that
// Finish gave must not be used afterwards.
func (s *Sink) Close() { s.agg.close() }

// Writer returns a writer for one worker, numbered in the order of the calls.
func (s *Sink) Writer() (operators.Writer, error) {
	w := &writer{sink: s, work: work{number: int(s.writers.Add(1)) - 1}}
	w.worker = s.agg.worker(&w.work)
	return w, nil
}

// Finish brings together what the writers have left and returns the groups.
func (s *Sink) Finish(ctx context.Context) (operators.Source, error) {
	start := operators.Now()
	defer func() { s.work.finish = operators.Now() - start }()
	var own work
	parts, err := s.agg.finish(ctx, &own)
	if err != nil {
		return nil, err
	}
	if s.over != nil {
		if err := s.completeOnly(ctx, parts); err != nil {
			return nil, err
		}
	}
	s.work.merge = operators.Now() - start
	s.count(parts)
	out := &groups{sink: s, windows: windowsOf(parts, s.cfg.BatchRows)}
	if s.makers = s.Workers(); s.cfg.Readers > 1 || len(out.windows) < windowsPerWorker*s.makers || s.groups.Load() <= sortedGroups {
		s.makers = 1
	}
	if runs := s.agg.runs(); len(runs) > 0 {
		return newSpilled(out, runs), nil
	}
	return out.ordered(ctx)
}

// completeOnly makes the states of the only group complete.
func (s *Sink) completeOnly(ctx context.Context, parts []part) error {
	for _, p := range parts {
		if p.k == 0 && p.hi > 0 {
			over := p.states.over
			p.states.over = nil
			workers := s.Workers()
			return over.complete(ctx, p.states, 0, workers, max(s.knobs.leastStates, s.tables.Free()/int64(workers)))
		}
	}
	return nil
}

// Groups returns the number of groups, after Finish: of those on disk, the ones
// that have been read back so far. It may be called at any time.
func (s *Sink) Groups() int64 { return s.groups.Load() }

// count adds the groups of parts to those that there are.
func (s *Sink) count(parts []part) {
	var last ticketSet
	for _, p := range parts {
		if len(p.used) > 0 && (last == nil || &p.used[0] != &last[0]) {
			last = p.used
			s.groups.Add(p.used.len())
		}
	}
}
