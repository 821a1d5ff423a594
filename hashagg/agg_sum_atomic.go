package hashagg

import (
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// atomicSumOf returns Aggregate.Atomic of a sum of values of type t; nil if its
// state has more than one word.
func atomicSumOf(t arrow.DataType) func(Accumulator, func() error) AtomicUpdater {
	switch t.ID() {
	case arrow.INT8:
		return newAtomicSum[int8]
	case arrow.INT16:
		return newAtomicSum[int16]
	case arrow.INT32:
		return newAtomicSum[int32]
	case arrow.INT64, arrow.DURATION:
		return newAtomicSum[int64]
	case arrow.BOOL, arrow.UINT8:
		return newAtomicSum[uint8]
	case arrow.UINT16:
		return newAtomicSum[uint16]
	case arrow.UINT32:
		return newAtomicSum[uint32]
	case arrow.UINT64:
		return newAtomicSum[uint64]
	}
	return nil
}

// atomicSum is one worker's access to the states of a sum of integers. A word is
// changed by compare and swap: an addition that turns out too large cannot be
// taken back from under others.
type atomicSum[T integer] struct {
	of      *sumIntegers[T]
	charge  func() error
	operand operand[T]
}

func newAtomicSum[T integer](of Accumulator, charge func() error) AtomicUpdater {
	return &atomicSum[T]{of: of.(*sumIntegers[T]), charge: charge}
}

// Update adds the values of the batch.
func (s *atomicSum[T]) Update(tickets []uint32, args []*vector.Vector) error {
	words, stride := s.of.rows()
	tickets, vals := s.operand.load(tickets, args[0])
	for len(tickets) > 0 {
		done := addAtomically(words, stride, tickets, vals)
		if done == len(tickets) {
			return nil
		}
		if err := s.addOutside(&words[int(tickets[done])*stride], int(tickets[done]), vals[done]); err != nil {
			return err
		}
		tickets, vals = tickets[done+1:], vals[done+1:]
	}
	return nil
}

// addAtomically adds values up to one that a word cannot take, and returns how
// many it has added.
//
//go:noinline
func addAtomically[T integer](words []uint64, stride int, tickets []uint32, vals []T) int {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		d, wide := doubled(vals[i])
		row := &words[int(t)*stride]
		for {
			w := int64(atomic.LoadUint64(row))
			r := w + d
			if wide|(w^r)&(d^r) < 0 {
				return i
			}
			if atomic.CompareAndSwapUint64(row, uint64(w), uint64(r)|1) {
				break
			}
		}
	}
	return len(tickets)
}

// addOutside adds a value that the word of its ticket cannot take.
func (s *atomicSum[T]) addOutside(row *uint64, ticket int, v T) error {
	hi := uint64(int64(v) >> 63)
	if ^T(0) > 0 {
		hi = 0
	}
	atomic.OrUint64(row, 1)
	s.of.slab.outside.Lock()
	defer s.of.slab.outside.Unlock()
	s.of.addRest(ticket, uint64(v), hi)
	return s.charge()
}
