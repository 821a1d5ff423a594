package hashagg

import (
	"context"

	"github.com/colagg/colagg/vector"
)

// common are the states of all groups of a shared table, which all workers add
// to: stripes, or atomics where the functions allow it.
type common interface {
	// writer returns one worker's access; hot is for groups that it keeps for
	// itself.
	writer(w *work, hot *states) commonWriter
	// take adds what workers have left, when all have ended, and closes it.
	take(ctx context.Context, left []*states, workers int) error
	// parts returns the groups of table whose tickets are in used.
	parts(table keyTable, used ticketSet) []part
	// addUsed adds to set the tickets below limit that have a group.
	addUsed(set ticketSet, limit uint32)
	// spread is that of aggregation.
	spread() (parts int, imbalance float64)
	close()
}

// commonWriter is one worker's access to common states.
type commonWriter interface {
	// handOver adds states of the worker's own and closes them.
	handOver(from *states) error
	// update adds the rows of a batch to the states of their tickets, which are
	// below bound.
	update(tickets []uint32, bound int, cols []*vector.Vector, rows Ordinals) error
	// told reports whether there was no memory for more groups, since it was
	// last asked, or for what groups have grown by.
	told() (short, swollen bool)
	// close hands over what the worker has kept.
	close() error
}

// newCommon returns the states of the sink's calls; sparse as in states.
func (s *Sink) newCommon(sparse bool) common {
	if s.atomic(sparse) {
		return newAtomics(s)
	}
	return newStripes(s, sparse)
}

// atomic reports whether each state is a word that workers can change at once.
// Sparse states need to be marked too.
func (s *Sink) atomic(sparse bool) bool {
	for _, c := range s.cfg.Calls {
		if c.Agg.Atomic == nil || c.Agg.Words != 1 {
			return false
		}
	}
	return !sparse && len(s.cfg.Calls) > 0
}
