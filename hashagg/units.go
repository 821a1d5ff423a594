package hashagg

import "math"

// What the estimates are made of: nanoseconds of one processor, measured on a
// machine with 2 cores (AMD EPYC, 1 MiB of second-level cache each, 32 MiB of
// third-level cache), 4M rows in batches in memory, 100 to 3M groups, each
// strategy with 2 workers: testdata/costs.csv has the measurements and
// TestCosts holds the estimates to them. Other machines are faster or slower in
// all of it; what decides are ratios.

// ladder is a time by the size of what is reached at random: 32 KiB, 1 MiB,
// 8 MiB and 64 MiB, or more. In between it grows with the logarithm.
type ladder [4]float64

var ladderBytes = ladder{32 << 10, 1 << 20, 8 << 20, 64 << 20}

func (r ladder) at(bytes float64) float64 {
	if bytes <= ladderBytes[0] {
		return r[0]
	}
	for i := 1; i < len(r); i++ {
		if lo, hi := ladderBytes[i-1], ladderBytes[i]; bytes < hi {
			return r[i-1] + (r[i]-r[i-1])*math.Log(bytes/lo)/math.Log(hi/lo)
		}
	}
	return r[len(r)-1]
}

// The forms of keys that estimates tell apart.
const (
	formArray  = "array"
	formPacked = "packed"
	formBytes  = "bytes"
)

// Finding the group of a row: serial's 6.3 ms for 4M rows are 1.6 ns for keys
// that are tickets. 100, 10,000, 100,000 and 1M groups, less the making of
// groups: keys of 64 bits 2.4, 9.3, 11.6 and 36 ns, texts of 12 bytes 10, 16, 18
// and 52, and texts of 49 bytes, which are hashed whole and compared where they
// are stored, 40 to 45 with 10,000 and 108 with 1M.
const arrayFind = 1.6

var (
	packedFind = ladder{2.4, 9, 14, 37}
	bytesFind  = ladder{10, 16, 20, 51}
	longFind   = ladder{25, 27, 32, 55} // on top of bytesFind
)

// In partitions the tables are smaller but have been left alone since the last
// drain: 3.3, 9, 61 for keys of 64 bits, whose slots are not brought near first,
// 12, 16, 31 for short texts and 35, 75 for long ones.
var (
	packedSplit = ladder{2.7, 4, 20, 61}
	bytesSplit  = ladder{11, 13, 18, 32}
	longSplit   = ladder{22, 22, 30, 42}
)

// Making a group, the growing of the table included: 1M and 2.2M groups of 4M
// rows.
const (
	makeGroup     = 45.
	makeLong      = 75.
	makePartition = 68. // in tables of partitions, that are many and grow by 4
)

// Adding a value to a state: sums of one word of 100, 10,000, 100,000 and 1M
// groups 1.2, 1.9, 3.6 and 8.8 ns, of 4 words 4.0, 7.2, 13 and 18.5; the least of
// a text 4.5, 6, 15 and 57.
var (
	wordUpdate = ladder{1.15, 1.9, 3.3, 4.3}
	farUpdate  = ladder{0, 0, 1, 4.5} // once a row
	textUpdate = ladder{4.4, 6.5, 20, 60}
)

// Adding to states that are shared, by stripe, what regrouping and gathering
// take included: with 2.2M groups 30 ns for one word, 54 for 4, 131 for 8; the
// least of a text 44, 83 and 114 with 100,000, 600,000 and 2.2M.
var (
	wordShare = ladder{5, 6, 8, 11}
	textShare = ladder{12, 22, 40, 75}
)

// The same with atomic additions, of which the first of a row finds the line: with
// 2.4M groups 11 to 13 ns for one word, 17 for 2, 26 for 4.
var atomicShare = ladder{1, 1.5, 3, 9}

const (
	atomicWord = 4.
	shareRow   = 12.
	// movedLines is what a row costs more, from manyWorkers workers on, for
	// what others have written since and must come from their caches. It is not
	// measured, but set so that more than a million groups are better off in
	// partitions from where Xue and Marcus have it so (see manyWorkers).
	movedLines = 60.
)

// Adding a state of one worker to that of another: 8.4 ns for one word and 1M
// groups, 44 for 4, 100 for 8; the least of a text 106 with 100,000, 131 with 1M.
const (
	wordAbsorb = 11.
	textAbsorb = 125.
)

// Handing a group over to a partition with its states: 61 ns with one word and
// 100,000 groups, 115 with 4, 250 with a text; with 1M groups 165 to 195, 245
// and 290.
var (
	groupHandOver = ladder{45, 50, 60, 150}
	wordHandOver  = ladder{12, 14, 16, 25}
	textHandOver  = ladder{100, 130, 150, 155}
)

// Setting a row aside for its partition: 15 ns for two columns of 64 bits, 46
// for such a one and a text of 12 bytes, 78 for two texts, 71 for one of 49
// bytes.
const (
	stageRow   = 8.
	stageFixed = 4.
	stageText  = 28.
	stageByte  = 0.6
)

const (
	// usualText is how long a text is taken to be where nothing is known.
	usualText = 12
	// unknownShare is how many rows a group is taken to have then.
	unknownShare = 20
	// startWorkers is what starting and ending more than one worker takes (see
	// serialRows).
	startWorkers = 100_000.
	// openPartitions is for tables and stages of the partitions, which are
	// there however few rows come.
	openPartitions = 1e6
)

// start is the time that begins before the first row.
func (f facts) start() float64 {
	if f.workers < 2 {
		return 0
	}
	return startWorkers
}

// long reports whether texts of keys do not fit their words in the table.
func (f facts) long() bool { return f.keyBytes > shortKey }

// keySize is what finding a group reads of the table for each group: a slot,
// of which there are about two, and the key.
func (f facts) keySize() float64 {
	switch f.form {
	case formArray:
		return 0
	case formPacked:
		return 52
	}
	if f.long() {
		return 38 + float64(f.keyBytes)
	}
	return 34
}

// find is the time of finding the group of a row in a table of so many.
func (f facts) find(groups float64) float64 {
	return f.findWith(groups, packedFind, bytesFind, longFind)
}

// findSplit is find in the tables of partitions, of so many groups together.
func (f facts) findSplit(groups float64) float64 {
	if f.form == formArray {
		f.form = formPacked
	}
	return f.findWith(groups, packedSplit, bytesSplit, longSplit)
}

func (f facts) findWith(groups float64, packed, short, long ladder) float64 {
	size := groups * f.keySize()
	switch {
	case f.form == formArray:
		return arrayFind
	case f.form == formPacked:
		return packed.at(size)
	case f.long():
		return short.at(size) + long.at(size)
	}
	return short.at(size)
}

// make is the time of making a group.
func (f facts) make() float64 {
	switch {
	case f.form == formArray:
		return 0
	case f.long():
		return makeLong
	}
	return makeGroup
}

func (f facts) makeSplit() float64 { return makePartition }

// update is the time of adding a row to the states of one of so many groups.
func (f facts) update(groups float64) float64 {
	size := groups * (f.keySize() + f.stateBytes())
	return f.states(wordUpdate.at(size), textUpdate.at(size)) + farUpdate.at(size)
}

// share is update of states that are shared.
func (f facts) share(groups float64) float64 {
	size := groups * (f.keySize() + f.stateBytes())
	if f.atomic {
		return atomicShare.at(size) + f.states(atomicWord, 0)
	}
	return shareRow + f.states(wordShare.at(size), textShare.at(size))
}

// absorb is the time of adding the states of a group to those of another.
func (f facts) absorb() float64 { return f.states(wordAbsorb, textAbsorb) }

// handOver is the time of handing a group over to partitions that have so many.
func (f facts) handOver(groups float64) float64 {
	size := groups * (f.keySize() + f.stateBytes())
	return groupHandOver.at(size) + f.states(wordHandOver.at(size), textHandOver.at(size))
}

// states is what the states of a group take, if a word and a text take that.
func (f facts) states(word, text float64) float64 {
	return float64(f.words-textWords*f.textStates)*word + float64(f.textStates)*text
}

// stage is the time of setting a row aside.
func (f facts) stage() float64 {
	texts := float64(f.texts + f.keyTexts)
	return stageRow + stageFixed*float64(f.fixed) + stageText*texts + stageByte*float64(f.texts*usualText+f.keyBytes)
}
