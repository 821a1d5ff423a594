package hashagg

import (
	"fmt"
	"strconv"
	"time"
)

// facts is what is known of a query when a choice is made.
type facts struct {
	rows    int64 // of input, -1 if not known
	groups  int64 // as far as they can be foretold, -1 if they cannot
	workers int
	free    int64 // bytes of the budget

	form       string // of the keys: formArray, formPacked or formBytes
	keyBytes   int    // of the texts of a key
	calls      int
	words      int  // of the states of a group
	textStates int  // of them, of textWords words and a text
	sets       bool // there are states of many values each, which are slow to merge
	// Columns that are keys or arguments: of fixed width, arguments of text,
	// keys of text.
	fixed, texts, keyTexts int
	atomic                 bool // states can be shared word by word

	front    int   // groups of a worker's small table
	striped  int   // groups from which on states are shared
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

// choose picks the strategy to start with, the one that is predicted to take the
// least time of those that fit the budget, and says why. But where shared fits
// too, none but serial is taken instead of it: groups are foretold by bounds at
// this point, and what the first batch shows of them can make a shared table go
// over to partitions, which costs nothing then (rechoose).
func choose(f facts) (Strategy, string) {
	switch {
	case f.rows >= 0 && f.rows <= serialRows:
		return Serial, fmt.Sprintf("no more than %d rows", serialRows)
	case f.workers < 2:
		return Serial, "one worker"
	case f.rows < 0:
		return Shared, "the number of rows is not known"
	}
	costs := f.estimate()
	best, shared := costs[0], costs[0]
	for _, c := range costs {
		if c.Strategy == Shared {
			shared = c
		}
		if c.before(best) {
			best = c
		}
	}
	switch {
	case best.Strategy == Shared:
		return Shared, shared.reason("")
	case !shared.Fits:
		return best.Strategy, best.reason(", and " + spellBytes(best.Memory) + ", which fits the memory limit or comes nearest")
	case best.Strategy == Serial:
		return Serial, best.reason(", and " + spellTime(shared.Time) + " shared")
	}
	return Shared, shared.reason(", and " + spellTime(best.Time) + " for " + string(best.Strategy) + ", if the first batch bears it out")
}

// clearly is the part of the time of shared states below which partitions are
// taken: estimates are not better than that.
const clearly = 0.9

// before reports whether c is to be preferred to o: if none fits, the smallest is.
func (c Cost) before(o Cost) bool {
	switch {
	case c.Fits != o.Fits:
		return c.Fits
	case !c.Fits:
		return c.Memory < o.Memory
	}
	return c.Time < o.Time
}

func (c Cost) reason(more string) string { return "about " + spellTime(c.Time) + " predicted" + more }

// spell spells the time, and says where the memory decides against it.
func (c Cost) spell() string {
	if c.Fits {
		return spellTime(c.Time)
	}
	return spellTime(c.Time) + " (over the memory limit)"
}

// spellTime spells a predicted time with two digits.
func spellTime(d time.Duration) string {
	ns, step := int64(d), int64(1)
	for ns/step >= 100 {
		step *= 10
	}
	f, unit := float64(ns/step*step), 0
	for units := len(timeUnits) - 1; f >= 1000 && unit < units; unit++ {
		f /= 1000
	}
	return strconv.FormatFloat(f, 'f', -1, 64) + " " + timeUnits[unit]
}

var timeUnits = [...]string{"ns", "µs", "ms", "s"}

func spellBytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// manyWorkers is the number of workers from which on many groups are better
// off in partitions. It is not measured here but by Xue and Marcus (PVLDB 19,
// 2025, their figures for 10M and 100M groups): with 16 threads a shared table
// of known size is still ahead of partitions, and with 32 or 48 one that has to
// grow once is behind.
const manyWorkers = 16

// way is how a shared table goes on.
type way uint8

const (
	ownStates    way = iota // of each worker
	sharedStates            // by all workers
	inPartitions            // of all rows to come
)

// forecastError is by how much groups that the first batch foretells are often
// more than there are: 1M groups are 0.85M to 1.25M by 8192 rows, of which some
// 33 have a key that came before.
const forecastError = 1.5

// rechoose decides how a shared table goes on, now that the groups are foretold,
// and says why.
func rechoose(f facts) (way, string) {
	groups := f.seen()
	table := f.table(groups, 2)
	own := f.cost(Shared, f.ownTime(), table+(f.wide()-1)*f.each()*f.stateBytes())
	common := f.cost(Shared, f.stripedTime(), table)
	routed := f.cost(PartitionRows, f.routedTime(1), f.partitioned(true))
	text := fmt.Sprintf("about %.0f groups: %s predicted with shared states", groups, common.spell())
	best, chosen := common, sharedStates
	switch {
	case f.sets:
		text += ", as sets of values are slow to merge"
	case groups <= forecastError*float64(f.striped): // else not for long
		text += ", " + own.spell() + " with states per worker"
		if own.before(common) {
			best, chosen = own, ownStates
		}
	}
	text += ", " + routed.spell() + " with partitions"
	routed.Time = time.Duration(float64(routed.Time) / clearly)
	if routed.before(best) {
		return inPartitions, text
	}
	return chosen, text
}

// crowdedTickets is the number of groups up to which workers have states of
// their own even if shared ones are predicted to take less time: so few are
// merged in no time.
const crowdedTickets = 4096

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
