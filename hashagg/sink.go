package hashagg

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Call is one aggregate of a query: a bound function, the batch columns of its
// arguments, and the name of its output column.
type Call struct {
	Agg  *Aggregate
	Args []int
	Name string
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

// Config says what a Sink groups by and computes.
type Config struct {
	Keys      []int   // batch columns of the key; none: one group of all rows
	Ranges    []Range // nil, or a hint for each key
	Calls     []Call
	Strategy  Strategy       // "" is Auto
	Workers   int            // most workers to use; below 1 counts as 1
	Rows      int64          // rows of input, or -1 if not known
	BatchRows int            // rows of an output batch; below 1 means 8192
	Budget    *memory.Budget // nil is without a limit
	knobs     *knobs
}

// Report says how a Sink did its work.
type Report struct {
	Strategy Strategy
	KeyForm  string // "none", "array", "packed" or "bytes"
	Groups   int64
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
	knobs    knobs

	mu     sync.Mutex
	table  keyTable
	space  *ticketSpace // nil without keys
	all    []*states    // of every writer
	locals []*states    // handed over by writers
	groups int64

	striped atomic.Pointer[stripes]
}

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
	var err error
	if s.strategy, err = choose(cfg.Strategy, s.cfg.Rows, s.cfg.Workers); err != nil {
		return nil, err
	}
	var fields []arrow.Field
	for _, k := range cfg.Keys {
		f := in.Field(k)
		if !vector.Supported(f.Type) {
			return nil, fmt.Errorf("hashagg: a column of type %s cannot be a key", f.Type)
		}
		s.types = append(s.types, f.Type)
		fields = append(fields, f)
	}
	for _, c := range cfg.Calls {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Agg.Result, Nullable: !c.Agg.NotNull})
	}
	if len(cfg.Keys) == 0 {
		s.table = oneGroup{}
	}
	s.out = arrow.NewSchema(fields, nil)
	return s, nil
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

// Report describes what was done; call it after Finish.
func (s *Sink) Report() Report {
	r := Report{Strategy: s.strategy, KeyForm: "none", Groups: s.groups}
	if s.table != nil {
		r.KeyForm = s.table.form()
	}
	return r
}

// Close gives the memory of the groups back to the budget. The source that
// Finish gave must not be used afterwards.
func (s *Sink) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.all {
		l.close()
	}
	if st := s.striped.Load(); st != nil {
		st.close()
	}
	if s.table != nil {
		s.table.close()
	}
	s.all, s.locals, s.table = nil, nil, nil
}

// Writer returns a writer for one worker.
func (s *Sink) Writer() (operators.Writer, error) {
	return &writer{sink: s, local: s.newLocal()}, nil
}

// newLocal returns states that Close will free.
func (s *Sink) newLocal() *states {
	l := newStates(s.cfg.Calls, s.cfg.Budget)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, l)
	return l
}

// keyTable returns the table, which the first batch of any worker decides on.
func (s *Sink) keyTable(first []*vector.Vector) (keyTable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table != nil {
		return s.table, nil
	}
	table, space, err := newKeyTable(s.types, s.cfg.Ranges, first, s.cfg.Budget, s.knobs)
	if err != nil {
		return nil, err
	}
	s.table, s.space = table, space
	return table, nil
}

// spans returns the tickets that have a group. Call it when all writers are
// closed.
func (s *Sink) spans() []span {
	if len(s.cfg.Keys) == 0 {
		return []span{{0, 1}}
	}
	if s.space == nil {
		return nil
	}
	return s.space.used()
}

// Finish merges what the writers handed over and returns the groups.
func (s *Sink) Finish(ctx context.Context) (operators.Source, error) {
	used := s.spans()
	for _, u := range used {
		s.groups += int64(u.hi - u.lo)
	}
	// Workers that ended before the states were shared left theirs too.
	if len(s.locals) > 1 || s.striped.Load() != nil && len(s.locals) > 0 {
		s.stripe()
		if err := s.mergeLocals(ctx); err != nil {
			return nil, err
		}
	}
	src := &groups{sink: s}
	if st := s.striped.Load(); st != nil {
		src.parts = st.parts(used)
		return src.ordered(ctx)
	}
	if len(s.locals) == 0 {
		s.locals = append(s.locals, s.newLocal())
	}
	one := s.locals[0]
	if n := len(used); n > 0 {
		if err := one.grow(int(used[n-1].hi)); err != nil {
			return nil, err
		}
	}
	for _, u := range used {
		src.parts = append(src.parts, part{states: one, lo: int(u.lo), hi: int(u.hi), spans: []span{u}})
	}
	return src.ordered(ctx)
}

// mergeLocals moves the states of each worker into the stripes, a worker a
// stripe at a time.
func (s *Sink) mergeLocals(ctx context.Context) error {
	st := s.striped.Load()
	var next atomic.Int64
	err := operators.Parallel(ctx, s.cfg.Workers, func(ctx context.Context, _ int) error {
		for {
			k := int(next.Add(1)) - 1
			if k >= len(st.all) {
				return nil
			}
			for _, l := range s.locals {
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				if err := st.all[k].merge(l, k, len(st.all)); err != nil {
					return err
				}
			}
		}
	})
	for _, l := range s.locals {
		l.close()
	}
	s.locals = slices.Delete(s.locals, 0, len(s.locals))
	return err
}
