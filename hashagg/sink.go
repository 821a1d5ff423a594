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
	used   ticketSet    // after Finish, the tickets that have a group
	groups int64
	work   work // of the writers that are closed, and of Finish

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
func (s *Sink) keyTable(first []*vector.Vector) keyTable {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table != nil {
		return s.table
	}
	s.table, s.space = newKeyTable(s.types, s.cfg.Ranges, first, s.roomy, s.cfg.Budget, s.knobs)
	return s.table
}

// roomy reports whether the input is large enough for a ticket for each of so
// many possible keys, and the budget for their states.
func (s *Sink) roomy(slots int) bool {
	rows := s.cfg.Rows
	if rows < 0 {
		rows = unknownRows
	}
	words := 0
	for _, c := range s.cfg.Calls {
		words += max(c.Agg.Words, 4) // those without words have memory elsewhere
	}
	free := s.cfg.Budget.Free()
	return int64(slots) <= max(rows/s.knobs.slotRows, 256) && 8*int64(words)*int64(slots)*int64(s.cfg.Workers) <= free/2
}

// unknownRows is what an input of unknown size counts as.
const unknownRows = 1 << 18

// Finish merges what the writers handed over and returns the groups.
func (s *Sink) Finish(ctx context.Context) (operators.Source, error) {
	start := operators.Now()
	defer func() { s.work.finish = operators.Now() - start }()
	if err := s.merge(ctx); err != nil {
		return nil, err
	}
	s.work.merge = operators.Now() - start
	src := &groups{sink: s, parts: s.parts()}
	s.listUsed(src.parts)
	return src.ordered(ctx)
}

// bound is above every ticket.
func (s *Sink) bound() int {
	switch {
	case len(s.cfg.Keys) == 0:
		return 1
	case s.space == nil:
		return 0
	}
	return s.space.bound()
}

// merge brings the states of the workers together.
func (s *Sink) merge(ctx context.Context) (err error) {
	switch n := len(s.locals); {
	case n == 0 && s.striped.Load() == nil:
		s.locals = append(s.locals, s.newLocal())
	case n == 2 && s.striped.Load() == nil:
		if _, err := s.locals[0].merge(0, s.locals[1], 0, s.locals[1].n, nil); err != nil {
			return err
		}
		s.locals[1].close()
		s.locals = s.locals[:1]
	case n > 1 || s.striped.Load() != nil && n > 0:
		// Workers that ended before the states were shared left theirs too.
		s.stripe()
		if err := s.mergeLocals(ctx); err != nil {
			return err
		}
	}
	if s.striped.Load() == nil {
		return s.locals[0].grow(s.bound())
	}
	return nil
}

// parts returns all states that there are.
func (s *Sink) parts() []part {
	st := s.striped.Load()
	if st == nil {
		one := s.locals[0]
		return []part{{states: one, hi: one.n, count: 1}}
	}
	parts := make([]part, len(st.all))
	for k := range st.all {
		parts[k] = part{states: st.all[k].states, hi: st.all[k].states.n, k: k, count: len(st.all)}
	}
	return parts
}

// listUsed notes which tickets have a group.
func (s *Sink) listUsed(parts []part) {
	s.used.grow(s.bound())
	if s.space == nil {
		s.used.setRange(0, uint32(s.bound()))
	} else {
		s.space.addUsed(s.used)
		for _, p := range parts {
			p.states.addUsed(s.used, s.space.base, p.k, p.count)
		}
	}
	s.groups = s.used.len()
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
