package encoding

import (
	"fmt"
	"math"

	"github.com/colagg/colagg/vector"
)

// CheckCodes returns an error if a code is not an index into a dictionary with
// so many entries.
func CheckCodes(codes []uint32, entries int) error {
	if entries > 0 && entries <= math.MaxInt32 && codesBelow(codes, uint64(entries)) {
		return nil
	}
	for i, c := range codes {
		if uint64(c) >= uint64(entries) {
			return fmt.Errorf("encoding: value %d of a batch has index %d into a dictionary of %d entries", i, c, entries)
		}
	}
	return nil
}

// codesBelow compares two codes at a time: in each half of a word, bit 31 of
// 2^31 + entries-1 - code stays set while the code is below entries, and
// codes of 2^31 and more show in the disjunction of all.
func codesBelow(codes []uint32, entries uint64) bool {
	const top = 1<<63 | 1<<31
	most := (entries-1)<<32 | (entries - 1) | top
	all, any := uint64(top), uint64(0)
	if n := len(codes); n&1 != 0 {
		any = uint64(codes[n-1])
		all = most - any
	}
	pairs := vector.View[uint64](vector.AsBytes(codes))
	for ; len(pairs) >= 4; pairs = pairs[4:] {
		a, b, c, d := pairs[0], pairs[1], pairs[2], pairs[3]
		any |= a | b | c | d
		all &= (most - a) & (most - b) & (most - c) & (most - d)
	}
	for _, p := range pairs {
		any |= p
		all &= most - p
	}
	return any&top == 0 && all&top == top
}
