package hashagg

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// part is a run of groups: numbers lo up to hi of states, whose tickets are
// those that ticketOf gives for stripe k of count.
type part struct {
	table    keyTable
	states   *states
	used     ticketSet // tickets that have a group
	lo, hi   int
	k, count int
}

// groups is the result of a Sink. Its streams share the parts.
type groups struct {
	sink  *Sink
	parts []part
	next  atomic.Int64
	sent  atomic.Uint64
}

// Schema returns the columns of the result.
func (g *groups) Schema() *arrow.Schema { return g.sink.out }

// Stream returns a stream over the groups that no other stream has taken.
func (g *groups) Stream() (operators.Stream, error) { return &groupStream{groups: g}, nil }

type groupStream struct {
	groups  *groups
	rest    part
	tickets []uint32
	rows    []uint32
	batch   vector.Batch
}

func (s *groupStream) Close() error { return nil }

// Next returns the next groups, whose vectors are new.
func (s *groupStream) Next(ctx context.Context) (*vector.Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	lo, hi := 0, 0
	for s.tickets = s.tickets[:0]; len(s.tickets) == 0; {
		if s.rest.lo >= s.rest.hi {
			k := int(s.groups.next.Add(1)) - 1
			if k >= len(s.groups.parts) {
				return nil, io.EOF
			}
			s.rest = s.groups.parts[k]
		}
		lo, hi = s.take()
	}
	cols, err := s.rest.table.keys(s.tickets)
	if err != nil {
		return nil, err
	}
	results, err := s.rest.states.final(lo, hi)
	if err != nil {
		return nil, err
	}
	if len(s.tickets) < hi-lo {
		for i, v := range results {
			if results[i], err = vector.Gather(nil, v, s.rows); err != nil {
				return nil, err
			}
		}
	}
	n := len(s.tickets)
	s.batch = vector.Batch{Cols: append(cols, results...), Len: n, Row: s.groups.sent.Add(uint64(n)) - uint64(n)}
	return &s.batch, nil
}

// take passes over a batch of states, those without a group at its head not
// counted, and lists the tickets that have a group and where they are in it.
func (s *groupStream) take() (lo, hi int) {
	p := &s.rest
	for p.lo < p.hi && !p.used.has(ticketOf(uint32(p.lo), p.k, p.count)) {
		p.lo++
	}
	lo, hi = p.lo, min(p.lo+s.groups.sink.cfg.BatchRows, p.hi)
	s.rows = s.rows[:0]
	for i := lo; i < hi; i++ {
		if t := ticketOf(uint32(i), p.k, p.count); p.used.has(t) {
			s.tickets = append(s.tickets, t)
			s.rows = append(s.rows, uint32(i-lo))
		}
	}
	p.lo = hi
	return lo, hi
}
