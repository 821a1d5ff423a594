package hashagg

import "math"

// A loop that adds to the state of the same ticket row after row waits each time
// for what it has just stored: 2.5 ns a row for a sum of integers, 5 for one of
// floats. The loops here keep the state in registers while the ticket stays the
// same, which takes 1.2 and 2, but pay for each change that the processor does
// not foresee. So they are for batches where changes are rare: sorted keys, or
// one group with nearly all rows.

// clusteredSample is how many neighbours are compared to tell.
const clusteredSample = 64

// clustered reports whether of tickets that follow on each other most are the
// same.
func clustered(tickets []uint32) bool {
	step := len(tickets) / clusteredSample
	if step < 2 {
		return false
	}
	same := 0
	for i := 1; i < len(tickets); i += step {
		if tickets[i] == tickets[i-1] {
			same++
		}
	}
	return same >= clusteredSample*3/4
}

// addClustered is addIntegers for clustered tickets.
//
//go:noinline
func addClustered[T integer](words []uint64, stride int, tickets []uint32, vals []T) int {
	if len(tickets) == 0 {
		return 0
	}
	vals = vals[:len(tickets)]
	at := tickets[0]
	w := int64(words[int(at)*stride])
	for i, t := range tickets {
		if t != at {
			words[int(at)*stride] = uint64(w)
			at = t
			w = int64(words[int(at)*stride])
		}
		d, wide := doubled(vals[i])
		r := w + d
		if wide|(w^r)&(d^r) < 0 {
			words[int(at)*stride] = uint64(w)
			return i
		}
		w = r | 1
	}
	words[int(at)*stride] = uint64(w)
	return len(tickets)
}

// countClustered is countRows for clustered tickets.
//
//go:noinline
func countClustered(words []uint64, stride int, tickets []uint32) {
	if len(tickets) == 0 {
		return
	}
	first, at := 0, tickets[0]
	for i, t := range tickets {
		if t != at {
			words[int(at)*stride] += uint64(i - first)
			first, at = i, t
		}
	}
	words[int(at)*stride] += uint64(len(tickets) - first)
}

// addFloatsClustered is addFloats for clustered tickets.
//
//go:noinline
func addFloatsClustered[T float32 | float64](words []uint64, stride int, tickets []uint32, vals []T) int {
	if len(tickets) == 0 {
		return 0
	}
	vals = vals[:len(tickets)]
	at := tickets[0]
	row := words[int(at)*stride:][:2]
	negated, lo := math.Float64frombits(row[0]), math.Float64frombits(row[1])
	for i, t := range tickets {
		if t != at {
			row[0], row[1] = math.Float64bits(negated), math.Float64bits(lo)
			at = t
			row = words[int(at)*stride:][:2]
			negated, lo = math.Float64frombits(row[0]), math.Float64frombits(row[1])
		}
		x := float64(vals[i]) + 0
		sum := x - negated
		y := sum + negated
		lost := (x - y) - (negated + (sum - y))
		low := lo + lost
		if inexact(low, lo, lost) {
			row[0], row[1] = math.Float64bits(negated), math.Float64bits(lo)
			return i
		}
		negated, lo = -sum, low
	}
	row[0], row[1] = math.Float64bits(negated), math.Float64bits(lo)
	return len(tickets)
}
