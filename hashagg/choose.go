package hashagg

import "fmt"

// facts is what is known of a query when a strategy is chosen.
type facts struct {
	rows    int64 // of input, -1 if not known
	workers int
	many    int // workers that count as many
}

// serialRows is the input up to which a second worker costs more than it
// brings: starting and merging take about 0.1 ms, which is what one worker
// needs for this many rows.
const serialRows = 32 << 10

// choose picks the strategy to start with, and says why. Few groups or many,
// even or skewed: with the two to eight workers that it was measured with, one
// shared table was the fastest or within a few per cent of it, because states
// stay with the workers until there are a million groups, and because keys of a
// small range need no table at all. What partitions cost is that rows are
// written and read once more: 20M rows in 1M groups of 64-bit keys took 1.54 s
// of processor time instead of 1.12, and 10M rows in 100,000 groups of text
// 0.84 instead of 0.58.
func choose(f facts) (Strategy, string) {
	switch {
	case f.workers < 2:
		return Serial, "one worker"
	case f.rows >= 0 && f.rows <= serialRows:
		return Serial, fmt.Sprintf("no more than %d rows", serialRows)
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

// rechoose decides how a shared table goes on when there are so many groups
// that workers can no longer have states of their own: with partitions, or with
// shared states. It says why.
func rechoose(f facts, groups int) (partitioned bool, reason string) {
	if f.workers >= f.many {
		return true, fmt.Sprintf("more than %d groups and %d workers", groups, f.workers)
	}
	return false, fmt.Sprintf("more than %d groups", groups)
}
