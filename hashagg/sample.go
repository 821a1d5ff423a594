package hashagg

import (
	"math/bits"

	"github.com/colagg/colagg/vector"
)

// sampleWords counts the words of a batch.
func (l layout) sampleWords(first []*vector.Vector, rows *rowKeys) (sample, error) {
	g := (&fieldKeys{layout: l, rows: rows}).fieldGrouper()
	defer g.Close()
	words := make([]uint32, first[0].Len)
	if err := pack(g, words, first); err != nil {
		return sample{}, err
	}
	once, again := make(ticketSet, (l.slots+63)/64), make(ticketSet, (l.slots+63)/64)
	least, most := words[0], words[0]
	for _, w := range words {
		if int(w) >= l.slots {
			continue
		}
		if once.has(w) {
			again.set(w)
		}
		once.set(w)
		least, most = min(least, w), max(most, w)
	}
	return sample{rows: len(words), distinct: int(once.len()), again: int(again.len()), reach: int(most - least)}, nil
}

// sampleHashes counts the hashes of a batch.
func sampleHashes(keys []*vector.Vector, n int) sample {
	hasher := newKeyHasher(len(keys), ^uint64(0))
	slots := make([]uint64, 2<<bits.Len(uint(n)))
	again := make([]bool, len(slots))
	mask := uint64(len(slots) - 1)
	s := sample{rows: n}
	for _, h := range hasher.hash(keys, n) {
		h |= 1 // 0 is an empty slot
		at := h >> 32 & mask
		for slots[at] != 0 && slots[at] != h {
			at = (at + 1) & mask
		}
		switch {
		case slots[at] == 0:
			slots[at] = h
			s.distinct++
		case !again[at]:
			again[at] = true
			s.again++
		}
	}
	return s
}
