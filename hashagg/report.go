package hashagg

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Report says how a Sink did its work, or (Sink.Expect) how it is likely to.
// Times are wall-clock times; those of writers are added up. What a strategy
// does not have is 0.
type Report struct {
	Strategy        Strategy
	Reason          string // why this strategy
	KeyForm         string // "none", "array", "packed" or "bytes"
	KeyReason       string // why, where there was a choice
	EstimatedGroups int64  // before the first row; -1 if nothing was known
	ForetoldGroups  int64  // by the keys of the first batch; 0 if it was not asked
	AssumedGroups   int64  // the estimated groups, or a guess if nothing was known
	Costs           []Cost // what each strategy is predicted to take, by AssumedGroups; nil without keys
	ForetoldCosts   []Cost // and by those foretold; nil if the first batch was not asked
	Switches        []Switch
	MoreSwitches    int // that were not kept

	Workers    int   // writers that got a batch
	Rows       int64 // that they got
	Batches    int64
	Groups     int64
	Partitions int // that groups are spread over
	Makers     int // goroutines that make the result ahead of its reader; 1 if the reader does

	Group  time.Duration // from keys to tickets
	Update time.Duration // of states, waits included
	Merge  time.Duration // of states of workers, a part of Finish
	Finish time.Duration // of the whole Finish

	LocalHits    int64 // rows that a worker's own table answered
	StagedRows   int64 // rows set aside by partition
	StagedBytes  int64
	Drains       int64 // times that staged rows went into their partition
	DrainedBytes int64
	HandedGroups int64 // groups of workers' own tables that went into partitions, each time that they did
	// StagedRepeats are the staged rows that did not make a group of their
	// partition, or about: tickets are counted by the block.
	StagedRepeats int64
	// Imbalance is how many times the mean the part of the groups that got the
	// most rows, or groups handed over, got; 0 if there are no parts.
	Imbalance float64
	// Growths is how often tables of keys grew, GrowthMove how long workers, all
	// together, moved what was in them, and GrowthWaits how often and GrowthWait
	// how long they waited for others then.
	Growths     int64
	GrowthWaits int64
	GrowthWait  time.Duration
	GrowthMove  time.Duration
	LockWaits   int64 // times that a lock of a part of the groups was not free
	LockWait    time.Duration
}

// Switch is a change of the way while it was gone.
type Switch struct {
	// Worker is its number: writers count from 0 in the order in which they
	// were made.
	Worker int
	// AtRows is how many rows the worker that switched had been given, those
	// of the batch in hand included.
	AtRows           int64
	From, To, Reason string
}

// work is what one writer counts without locks, and then, in the sink, what
// all of them did.
type work struct {
	number                        int // of the writer
	writers                       int
	rows, batches                 int64
	group, update, merge, finish  time.Duration
	hits, staged, stagedBytes     int64
	probed                        int64 // rows looked up in a table that takes no more keys
	drains, drained, drainedBytes int64
	made                          int64 // groups that draining has made
	waits                         int64
	wait                          time.Duration
	handed                        int64
	more                          int       // switches not kept
	rowsBy                        splitRows // scratch
	switches                      []Switch
}

// lock takes a lock and counts if it had to wait.
func (w *work) lock(mu *sync.Mutex) {
	if mu.TryLock() {
		return
	}
	start := operators.Now()
	mu.Lock()
	w.waits++
	w.wait += operators.Now() - start
}

// mostSwitches is how many changes a writer notes.
const mostSwitches = 16

// change notes that the worker goes another way from now on.
func (w *work) change(from, to, reason string) {
	if len(w.switches) == mostSwitches {
		w.more++
		return
	}
	w.switches = append(w.switches, Switch{Worker: w.number, AtRows: w.rows, From: from, To: to, Reason: reason})
}

// report adds what a writer has counted.
func (s *Sink) report(w *work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.batches > 0 {
		s.work.writers++
	}
	s.work.rows += w.rows
	s.work.batches += w.batches
	s.work.group += w.group
	s.work.update += w.update
	s.work.hits += w.hits
	s.work.staged += w.staged
	s.work.stagedBytes += w.stagedBytes
	s.work.drains += w.drains
	s.work.drainedBytes += w.drainedBytes
	s.work.drained += w.drained
	s.work.made += w.made
	s.work.waits += w.waits
	s.work.wait += w.wait
	s.work.handed += w.handed
	s.work.more += w.more
	s.work.switches = append(s.work.switches, w.switches...)
}

// Expect says what is known before the first batch: strategy, reason, the form
// of keys as far as types and hints decide it, and the estimated groups.
func (s *Sink) Expect() Report {
	return Report{
		Strategy:        s.strategy,
		Reason:          s.reason,
		KeyForm:         s.expectForm(),
		EstimatedGroups: s.estimateGroups(),
		AssumedGroups:   s.assumed,
		Costs:           s.costs,
	}
}

// Accounts names the accounts of what Cost.Memory counts.
func Accounts() []string {
	return []string{tableAccount, statesAccount, stageAccount, internedAccount}
}

// Report describes what was done; call it after Finish and before Close.
func (s *Sink) Report() Report {
	r := s.Expect()
	r.Makers = s.makers
	r.Partitions, r.Imbalance = s.agg.spread()
	r.KeyForm, r.KeyReason = s.agg.form()
	r.ForetoldGroups, r.ForetoldCosts = s.agg.foretells()
	w := &s.work
	r.Switches, r.Workers, r.Rows, r.Batches, r.Groups = w.switches, w.writers, w.rows, w.batches, s.groups.Load()
	r.Group, r.Update, r.Merge, r.Finish = w.group, w.update, w.merge, w.finish
	r.MoreSwitches, r.HandedGroups = w.more, w.handed
	r.LocalHits, r.StagedRows, r.StagedBytes = w.hits, w.staged, w.stagedBytes
	r.Drains, r.DrainedBytes, r.LockWaits, r.LockWait = w.drains, w.drainedBytes, w.waits, w.wait
	r.StagedRepeats = max(0, w.drained-w.made)
	r.Growths, r.GrowthWaits = s.growing.times.Load(), s.growing.waits.Load()
	r.GrowthWait, r.GrowthMove = time.Duration(s.growing.wait.Load()), time.Duration(s.growing.moving.Load())
	return r
}

// expectForm is the form that newKeyTable will likely choose. Where text is
// one of several keys, the dictionaries of the first batch decide, and where
// many keys are possible, how many of them it has.
func (s *Sink) expectForm() string {
	switch {
	case len(s.types) == 0:
		return "none"
	case len(s.types) == 1 && isString(s.types[0]):
		return "bytes"
	case len(s.types) == 1 && vector.Width(s.types[0]) == 8 && !hinted(s.cfg.Ranges, 0):
		return "packed"
	case slices.ContainsFunc(s.types, isString):
		return "array, packed or bytes"
	}
	l, ok := newLayout(s.types, s.cfg.Ranges, make([]internedColumn, len(s.types)), nil)
	switch {
	case !ok:
		return "bytes"
	case l.slots == 0 || !s.facts().roomy(l.slots):
		return "packed"
	case l.slots > fewSlots:
		return "array or packed"
	}
	return "array"
}

// estimateGroups is the number of combinations of keys that the hints and the
// widths of types allow, without NULLs, and no more than rows; -1 if some key
// has neither. The values of a part of the rows foretell those of all.
func (s *Sink) estimateGroups() int64 {
	most, rows := uint64(1), s.cfg.Rows
	for i, t := range s.types {
		values := uint64(0)
		switch w := vector.Width(t); {
		case hintOf(s.cfg.Ranges, i).OK:
			r := s.cfg.Ranges[i]
			values = uint64(r.Hi) - uint64(r.Lo) + 1
		case t.ID() == arrow.BOOL:
			values = 2
		case w == 1 || w == 2:
			values = 1 << (8 * w)
		}
		if d := hintOf(s.cfg.Distinct, i); d.OK {
			n := uint64(d.Values)
			if rows >= 0 {
				n = uint64(foretell(int(d.Values), d.Of, rows))
			}
			if values == 0 || n < values/2 { // a range is exact
				values = n
			}
		}
		if values == 0 {
			return -1
		}
		hi, lo := bits.Mul64(most, values)
		if hi != 0 {
			lo = math.MaxUint64
		}
		most = lo
	}
	if len(s.types) > 0 && rows >= 0 {
		most = min(most, uint64(rows))
	}
	if most > math.MaxInt64 {
		return -1
	}
	return int64(most)
}

// hintOf returns the hint for key i, or none.
func hintOf[T any](hints []T, i int) (none T) {
	if i < len(hints) {
		return hints[i]
	}
	return none
}
