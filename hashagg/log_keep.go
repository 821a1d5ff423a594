package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// keeper is the part that functions which need all values share: everything
// but Final.
type keeper struct {
	log *valueLog
	kept
	rows logRows
	n    int // tickets in use
	next int // rows of the log at which it is thinned, where some do not matter any more
}

// kept is a keeper that can be made.
type kept struct {
	types   []arrow.DataType // of the arguments
	ordered bool
	needs   int // so many of the first columns: rows where one of them is NULL are dropped
	arrangement
}

func (k kept) keeper() keeper {
	return keeper{log: newValueLog(k.types, k.ordered), kept: k, next: firstThinning}
}

// state returns the types of the exchange form.
func (k kept) state() (types []arrow.DataType) {
	if k.ordered {
		types = append(types, arrow.ListOf(arrow.PrimitiveTypes.Uint64))
	}
	for _, t := range k.types {
		types = append(types, arrow.ListOf(t))
	}
	return types
}

// Grow notes the number of tickets; nothing is kept per group.
func (k *keeper) Grow(n int) { k.n = max(k.n, n) }

// Update appends the rows of the batch.
func (k *keeper) Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error {
	if len(tickets) == 0 {
		return nil
	}
	k.log.jump(rows.At(0))
	some := false
	for _, v := range args[:k.needs] {
		some = some || v.MayHaveNulls()
	}
	if !some {
		k.log.append(logRows{tickets: tickets, rows: rows}, args)
		return k.thin()
	}
	k.rows.tickets, k.rows.at = k.rows.tickets[:0], vector.Resize(k.rows.at, len(tickets))[:0]
	for i, t := range tickets {
		null := false
		for _, v := range args[:k.needs] {
			null = null || v.IsNull(i)
		}
		if !null {
			k.rows.tickets, k.rows.at = append(k.rows.tickets, t), append(k.rows.at, uint32(i))
		}
	}
	k.rows.rows = rows
	k.log.append(k.rows, args)
	k.rows.rows = Ordinals{}
	return k.thin()
}

const (
	// firstThinning is the rows of a log that is thinned for the first time,
	// 4 MiB of int64.
	firstThinning = 256 << 10
	// thinned is the part of the rows that must be left for thinning to go on:
	// while it takes place there are two logs.
	thinned = 0.75
)

// thin drops values that have come before, where each counts once, and those that
// are not among the first of their groups where only so many are wanted, when the
// log has twice as many rows as it was left with.
func (k *keeper) thin() error {
	if !k.distinct && k.limit == 0 || k.log.n < k.next {
		return nil
	}
	log, err := k.log.without(k.arrangement, k.n)
	if err != nil {
		return err
	}
	before := k.log.n
	k.log = log
	if k.next = max(2*log.n, firstThinning); k.limit == 0 && float64(log.n) > thinned*float64(before) {
		k.next = math.MaxInt
	}
	return nil
}

// Merge appends the rows of other states.
func (k *keeper) Merge(tickets []uint32, states []*vector.Vector) error {
	k.log.merge(tickets, states)
	return k.thin()
}

// State returns the rows of the groups as lists.
func (k *keeper) State(lo, hi int) ([]*vector.Vector, error) {
	w, err := k.log.window(lo, hi, withPositions)
	if err != nil {
		return nil, err
	}
	return w.states(), nil
}

// Bytes returns the size of the log.
func (k *keeper) Bytes() int64 { return k.log.bytes() + k.rows.bytes() }

// Reset drops all rows.
func (k *keeper) Reset() {
	k.log.reset()
	k.n, k.next = 0, firstThinning
}

// Free drops all rows.
func (k *keeper) Free() { k.log.reset() }

// windowValues is about how many rows are looked at together where a group's
// result is one value.
const windowValues = 128 << 10

// eachWindow calls do for the tickets from lo up to hi, some at a time.
func (k *keeper) eachWindow(lo, hi int, do func(lo int, w *logWindow) error) error {
	step := max(1, int(windowValues*int64(max(k.n, 1))/int64(max(k.log.n, 1))))
	for ; lo < hi; lo += step {
		w, err := k.log.window(lo, min(hi, lo+step), valuesOnly)
		if err != nil {
			return err
		}
		if err := do(lo, w); err != nil {
			return err
		}
	}
	return nil
}
