package order

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
)

// Config says what a Sink orders by and what it may use.
type Config struct {
	Keys      []Key
	Limit     int64          // most rows of the result; below 0 is all
	Workers   int            // writers at once, and workers that make the result; below 1 counts as 1
	BatchRows int            // rows of an output batch; below 1 means 8192
	Budget    *memory.Budget // nil is without a limit
	// Spill takes what the budget does not: nil means that a refusal is the
	// error of the query. The caller closes it, after the result.
	Spill *spill.Dir
}

// Sink sorts batches: it is a breaker of pipelines. The columns of its result
// are those of its input.
type Sink struct {
	cfg    Config
	in     *arrow.Schema
	onDisk *arrow.Schema // with the positions
	keys   []column
	types  []arrow.DataType // with the positions
	share  int64            // bytes that a writer may hold; 0 before the first writer
	spare  int64            // bytes of the budget that are left to others
	bound  atomic.Uint64    // no row with a greater head is wanted

	mu     sync.Mutex
	common *diskFile // of the first worker, or of all
	memory []*memoryRun
	disk   []diskRun
	held   []*memory.Account
	report Report
}

// Report is what a Sink has done.
type Report struct {
	Rows         int64 // rows that came
	Kept         int64 // rows that were not dropped at once, as the limit allows
	Runs         int   // sorted runs that workers made, on disk and in memory
	SpilledRuns  int   // runs that were written to disk, those of merging too
	SpilledBytes int64
	Passes       int // times that rows on disk were merged into longer runs before the last merge
}

// NewSink returns a sink for batches with the columns of in. A key of a type
// without an order is an error.
func NewSink(in *arrow.Schema, cfg Config) (*Sink, error) {
	if len(cfg.Keys) == 0 {
		panic("BUG: nothing to order by")
	}
	s := &Sink{cfg: cfg, in: in}
	for _, k := range cfg.Keys {
		c, err := newColumn(in, k)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, c)
	}
	if s.cfg.BatchRows < 1 {
		s.cfg.BatchRows = 8192
	}
	if s.cfg.Budget == nil {
		s.cfg.Budget = memory.NewBudget(0)
	}
	s.cfg.Workers = max(1, cfg.Workers)
	position := arrow.Field{Name: "position", Type: arrow.PrimitiveTypes.Uint64}
	s.onDisk = arrow.NewSchema(append(in.Fields(), position), nil)
	for _, f := range s.onDisk.Fields() {
		s.types = append(s.types, f.Type)
	}
	s.bound.Store(math.MaxUint64)
	return s, nil
}

// Schema returns the columns of the result.
func (s *Sink) Schema() *arrow.Schema { return s.in }

// Report returns what has been done; it is complete after Finish.
func (s *Sink) Report() Report { return s.report }

// Close gives the memory back to the budget. The source that Finish gave must
// not be used afterwards.
func (s *Sink) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.held {
		a.Close()
	}
	s.held, s.memory, s.disk = nil, nil, nil
}

// Writer returns a writer for one worker. The first one decides how much memory
// each may use: half of what is left then, together.
func (s *Sink) Writer() (operators.Writer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.share == 0 {
		s.share = math.MaxInt64
		if s.cfg.Spill != nil {
			free := s.cfg.Budget.Free()
			s.share, s.spare = max(1, free/(2*int64(s.cfg.Workers))), free/4
		}
	}
	a := s.cfg.Budget.SmallAccount("sorting")
	s.held = append(s.held, a)
	return &writer{sink: s, store: newStore(s.in), sorter: sorter{keys: s.keys}, account: a, file: s.file(), sel: []uint32{}}, nil
}

// lower makes w the bound if it is less.
func (s *Sink) lower(w uint64) {
	for now := s.bound.Load(); w < now && !s.bound.CompareAndSwap(now, w); now = s.bound.Load() {
	}
}

// add takes what a worker leaves.
func (s *Sink) add(w *writer, last *memoryRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last != nil {
		s.memory = append(s.memory, last)
		s.report.Runs++
	}
	s.report.Rows += w.seen
	s.report.Kept += w.kept
	s.report.Runs += len(w.runs)
	for _, r := range w.runs {
		s.wrote(r)
	}
}

// Finish returns the rows in order. All of them come out of the first stream of
// the source.
func (s *Sink) Finish(ctx context.Context) (operators.Source, error) {
	if len(s.disk) == 0 {
		return &source{sink: s, open: func() operators.Stream { return s.windows() }}, nil
	}
	if err := s.passes(ctx); err != nil {
		return nil, fmt.Errorf("order: merging runs: %w", err)
	}
	return &source{sink: s, open: func() operators.Stream { return s.merge(s.disk, s.memory, s.batchRows(windowBytes, rowBytes(s.disk))) }}, nil
}

// source gives everything to its first stream.
type source struct {
	sink *Sink
	open func() operators.Stream
	used atomic.Bool
}

// Schema returns the columns.
func (o *source) Schema() *arrow.Schema { return o.sink.in }

// Stream returns a stream: the first one has all rows.
func (o *source) Stream() (operators.Stream, error) {
	if o.used.Swap(true) {
		return operators.Ahead(0, 1, nil), nil
	}
	return &numbered{Stream: o.open(), columns: o.sink.in.NumFields()}, nil
}
