package hashagg

import (
	"context"

	"github.com/colagg/colagg/vector"
)

// aggregation is a strategy at work: it decides which tables exist and who
// merges what.
type aggregation interface {
	// worker returns one worker's end, which counts in w what it does.
	worker(w *work) worker
	// finish brings together what the workers have left and returns all groups.
	// It comes once, when every worker has been closed.
	finish(ctx context.Context, w *work) ([]part, error)
	// runs returns what is on disk, of groups that are in no part, after finish.
	runs() []*run
	// form names the form of the keys and says why, and spread is how many parts the
	// groups are spread over, and how many times the mean of what the parts got
	// the fullest one did. They come after finish.
	form() (form, why string)
	spread() (parts int, imbalance float64)
	// foretells returns the groups that the first batch lets expect, 0 if it
	// was not asked, and what strategies are predicted to take with them.
	foretells() (groups int64, costs []Cost)
	// close gives all memory back to the budget.
	close()
}

// worker takes the batches of one worker.
type worker interface {
	add(in *input) error
	close() error
}

// input is a batch without rows that are not selected.
type input struct {
	keys []*vector.Vector
	cols []*vector.Vector // keys among them
	n    int
	rows Ordinals

	hashes []uint64 // of keys, or nil
}

// imbalance is the greatest of n amounts, by their mean; 0 if there is none.
func imbalance(n int, amount func(k int) int64) float64 {
	most, all := int64(0), int64(0)
	for k := range n {
		most = max(most, amount(k))
		all += amount(k)
	}
	if all == 0 {
		return 0
	}
	return float64(most) * float64(n) / float64(all)
}

const statesAccount = "the states of groups"

// newAggregation sets strategy to work.
func newAggregation(s *Sink, strategy Strategy) aggregation {
	if len(s.cfg.Keys) == 0 {
		return newShared(s) // of one group
	}
	switch strategy {
	case Serial:
		return newSerial(s)
	case Partial:
		return newPartial(s)
	case PartitionRows:
		return newPartitionRows(s)
	case PartitionGroups:
		return newPartitionGroups(s)
	case Hybrid:
		return newHybrid(s)
	}
	return newShared(s)
}
