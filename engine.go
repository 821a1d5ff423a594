package colagg

import (
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/spill"
)

// defaultBatchRows is the number of rows in a batch: a column of 8-byte values
// fills 64 KiB then, and a few of them stay in the L2 cache.
const defaultBatchRows = 8192

// Bounds of options, above which a query only costs more.
const (
	maxWorkers   = 1 << 12
	maxBatchRows = 1 << 20
)

// Engine runs queries. They share its memory limit; several may run at once.
type Engine struct {
	workers   int
	batchRows int
	unchecked bool // checksums are not compared
	limit     int64
	temp      []string // directories; none is the system's
	maxTemp   int64
	files     spill.FS // of temporary files; nil is the system's
	budget    *memory.Budget
	closed    atomic.Bool
}

// New returns an engine. An option that is out of range is a BadQuery error,
// a directory that cannot be written an IO error. The caller closes the engine.
func New(opt Options) (*Engine, error) {
	e := &Engine{workers: opt.Workers, batchRows: opt.BatchRows, unchecked: opt.SkipChecksums}
	limit := opt.MemoryLimit
	switch {
	case opt.Workers < 0 || opt.Workers > maxWorkers:
		return nil, badQuery("Options.Workers is not between 0 and %d: %d", maxWorkers, opt.Workers)
	case opt.MemoryLimit < 0:
		return nil, badQuery("Options.MemoryLimit is negative: %d", opt.MemoryLimit)
	case opt.MaxTemp < 0:
		return nil, badQuery("Options.MaxTemp is negative: %d", opt.MaxTemp)
	case opt.BatchRows < 0 || opt.BatchRows > maxBatchRows:
		return nil, badQuery("Options.BatchRows is not between 0 and %d: %d", maxBatchRows, opt.BatchRows)
	}
	if e.workers == 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	if e.batchRows == 0 {
		e.batchRows = defaultBatchRows
	}
	if limit == 0 {
		limit = defaultMemoryLimit()
	}
	for _, dir := range opt.TempDirs {
		if err := spill.Check(dir); err != nil {
			return nil, classify(err)
		}
	}
	e.temp, e.maxTemp = slices.Clone(opt.TempDirs), opt.MaxTemp
	e.limit, e.budget = limit, memory.NewBudget(limit)
	return e, nil
}

// MemoryLimit returns the limit that Options.MemoryLimit set, or the default.
func (e *Engine) MemoryLimit() int64 { return e.limit }

// Close makes the engine refuse new queries; queries that run and results that
// are not closed yet stay usable. It may be called again and returns nil.
func (e *Engine) Close() error {
	e.closed.Store(true)
	return nil
}

// Functions returns the names of the aggregate functions.
func Functions() []string { return hashagg.Names() }

// Strategies returns the values that Query.Strategy may have.
func Strategies() []string {
	var out []string
	for _, s := range hashagg.Strategies() {
		out = append(out, string(s))
	}
	return out
}
