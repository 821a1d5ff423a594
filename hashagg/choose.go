package hashagg

import "fmt"

// facts is what is known of a query when a choice is made.
type facts struct {
	rows     int64 // of input, -1 if not known
	workers  int
	words    int   // of the states of a group
	texts    bool  // there are states of text
	sets     bool  // there are states of many values each
	free     int64 // bytes of the budget
	many     int   // workers that count as many
	slotRows int64 // least rows of input for each possible key that gets a ticket
	split    bool  // of a table for one of several ranges of hashes
}

// sample is what the first batch shows of the keys.
type sample struct {
	rows     int
	distinct int // keys
	again    int // keys that come more than once
	reach    int // from the least to the greatest key, where keys are numbers
}

// serialRows is the input up to which a second worker costs more than it
// brings: starting and merging take about 0.1 ms, which is what one worker
// needs for this many rows.
const serialRows = 32 << 10

// choose picks the strategy to start with, and says why. Few groups or many,
// even or skewed: with the two workers that it was measured with, one
// shared table was the fastest or within a few per cent of it, because states
// stay with the workers until there are a million groups, and because keys of a
// small range need no table at all. What partitions cost is that rows are
// written and read once more: 20M rows in 1M groups of 64-bit keys took 1.54 s
// of processor time instead of 1.12, and 10M rows in 100,000 groups of text
// 0.84 instead of 0.58.
func choose(f facts) (Strategy, string) {
	switch {
	case f.rows >= 0 && f.rows <= serialRows:
		return Serial, fmt.Sprintf("no more than %d rows", serialRows)
	case f.workers < 2:
		return Serial, "one worker"
	case f.rows < 0:
		return Shared, "the number of rows is not known"
	}
	return Shared, fmt.Sprintf("more than %d rows", serialRows)
}

// manyWorkers is the number of workers from which on many groups are better
// off in partitions. It is not measured here but by Xue and Marcus (PVLDB 19,
// 2025, their figures for 10M and 100M groups): with 16 threads a shared table
// of known size is still ahead of partitions, and with 32 or 48 one that has to
// grow once is behind.
const manyWorkers = 16

// rechoose decides how a shared table goes on when there are, or will be, more
// groups than workers can have states of their own for: with partitions, or with
// shared states. It says why.
func rechoose(f facts, groups int) (partitioned bool, reason string) {
	if f.workers >= f.many {
		return true, fmt.Sprintf("more than %d groups and %d workers", groups, f.workers)
	}
	return false, fmt.Sprintf("more than %d groups", groups)
}

// crowdedRows is the number of rows a group below which states of workers cost
// more than they bring if texts are among them: each group then has a state in
// most workers, and merging one takes as long as several rows. 3M rows in 600,000
// groups: first of a text 205 ms with states of workers and 141 with shared ones,
// min of a text 340 and 290; but a sum 85 and 104, and four functions of integers
// 160 and 235. crowdedTickets is where the workers' states end then.
const (
	crowdedRows    = 8
	crowdedTickets = 4096
)

// crowded reports whether so many groups have few rows each, and states that
// are slow to merge.
func (f facts) crowded(groups int64) bool {
	few := f.texts && f.rows >= 0 && f.rows < crowdedRows*groups
	return (few || f.sets) && f.workers > 1 && groups > crowdedTickets
}

func (f facts) crowdedReason(groups int64) string {
	if f.sets {
		return fmt.Sprintf("about %d groups, whose sets of values are slow to merge", groups)
	}
	return fmt.Sprintf("about %d rows for each of %d groups, whose texts are slow to merge", f.rows/groups, groups)
}

const (
	// slotRows bounds the states that no row may ever touch by the input.
	slotRows = 4
	// leastSlots possible keys always get a ticket each.
	leastSlots = 256
	// fewSlots is how many possible keys are worth a ticket each however few of
	// them occur: with 4 words, 2 MiB for each worker.
	fewSlots = 1 << 16
	// otherWords is what a function without words in the slab has elsewhere.
	otherWords = 4
	// sampleKeys is how many different keys in the first batch tell something
	// about those that it does not have.
	sampleKeys = 64
	// sampleShare is the share of the keys within the reach of the first batch
	// that must be there to take it for a piece of a full range.
	sampleShare = 8
	// unknownRows is what an input of unknown size counts as.
	unknownRows = 1 << 18
)

// roomy reports whether the input is large enough for a ticket for each of so
// many possible keys, and the budget for their states.
func (f facts) roomy(slots int) bool {
	rows := f.rows
	if rows < 0 {
		rows = unknownRows
	}
	if f.split || slots > leastSlots && int64(slots) > rows/f.slotRows {
		return false
	}
	return 8*int64(f.words)*int64(slots)*int64(f.workers) <= f.free/2
}

// array decides whether each of the possible keys gets a ticket, so that there
// is no table, and says why. s is only looked at if there are more than
// fewSlots: then most of the keys must look as if they occur, either because
// most of those in the sample come once only, whatever share of the rows the
// others have, or because those that lie between the least and the greatest are
// there, as in sorted input. Few groups in a wide range are better off in a
// small hash table.
func (f facts) array(slots int, s sample) (bool, string) {
	switch {
	case f.split:
		return false, "a partition has keys all over the range"
	case !f.roomy(slots):
		return false, fmt.Sprintf("%d possible keys are too many for the input or the memory", slots)
	case slots <= fewSlots:
		return true, fmt.Sprintf("%d possible keys", slots)
	case s.distinct >= sampleKeys && 2*s.again <= s.distinct:
		return true, fmt.Sprintf("of %d keys in the first %d rows, %d come once only", s.distinct, s.rows, s.distinct-s.again)
	case s.distinct >= s.reach/sampleShare:
		return true, fmt.Sprintf("the first %d rows have %d of %d neighbouring keys", s.rows, s.distinct, s.reach+1)
	}
	return false, fmt.Sprintf("the first %d rows have %d of %d possible keys", s.rows, s.distinct, slots)
}
