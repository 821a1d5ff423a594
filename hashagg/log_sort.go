package hashagg

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/colagg/colagg/vector"
)

// chunkSorter is the memory for sorting a chunk.
type chunkSorter struct {
	keys, other [logChunkRows]uint64 // a ticket, and in the low bits the row
	counts      [1 << sortDigit]uint32
	scratch     []byte
}

// sortDigit is the bits of a ticket that one pass of sorting looks at.
const sortDigit = 11

// chunkSorters keeps as many sorters as workers have used at once.
var chunkSorters = sync.Pool{New: func() any { return new(chunkSorter) }}

// sort puts the rows of c in the order of their tickets; rows of one ticket
// keep theirs.
func (c *logChunk) sort(columns []logColumn) {
	if slices.IsSorted(c.tickets[:c.n]) {
		return
	}
	s := chunkSorters.Get().(*chunkSorter)
	defer chunkSorters.Put(s)
	order := s.order(c.tickets[:c.n])
	for i, key := range order {
		c.tickets[i] = uint32(key >> 16)
	}
	if c.far != nil {
		permute(s, c.far, order)
	} else if c.near != nil {
		permute(s, c.near, order)
	}
	for k, data := range c.data {
		switch w := columns[k].width; w {
		case 4:
			permute(s, vector.View[uint32](data), order)
		case 8:
			permute(s, vector.View[uint64](data), order)
		default:
			s.scratch = vector.Resize(s.scratch, len(order)*w)
			for i, key := range order {
				copy(s.scratch[i*w:i*w+w], data[int(uint16(key))*w:])
			}
			copy(data, s.scratch)
		}
		if valid := c.valid[k]; valid != nil {
			s.scratch = vector.Resize(s.scratch, (len(order)+7)/8)
			clear(s.scratch)
			for i, key := range order {
				if valid.Get(int(uint16(key))) {
					vector.Bitmap(s.scratch).Set(i)
				}
			}
			copy(valid, s.scratch)
		}
	}
}

// order returns the rows in the order of their tickets, each as a ticket and in
// the low 16 bits the row. It counts the digits of the tickets, the lowest
// first.
func (s *chunkSorter) order(tickets []uint32) []uint64 {
	least, most := slices.Min(tickets), slices.Max(tickets)
	from, to := s.keys[:len(tickets)], s.other[:len(tickets)]
	for i, t := range tickets {
		from[i] = uint64(t)<<16 | uint64(i)
	}
	base := uint64(least) << 16
	for shift := 16; shift < 16+bits.Len32(most-least); shift += sortDigit {
		clear(s.counts[:])
		for _, key := range from {
			s.counts[(key-base)>>shift&(1<<sortDigit-1)]++
		}
		at := uint32(0)
		for d, n := range s.counts {
			s.counts[d] = at
			at += n
		}
		for _, key := range from {
			d := (key - base) >> shift & (1<<sortDigit - 1)
			to[s.counts[d]] = key
			s.counts[d]++
		}
		from, to = to, from
	}
	return from
}

func permute[T uint32 | uint64](s *chunkSorter, data []T, order []uint64) {
	s.scratch = vector.Resize(s.scratch, 8*logChunkRows)
	to := vector.View[T](s.scratch)[:len(order)]
	for i, key := range order {
		to[i] = data[uint16(key)]
	}
	copy(data, to)
}
