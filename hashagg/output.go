package hashagg

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// part is a run of groups: the tickets of spans, in order, whose states are
// numbers lo up to hi of states.
type part struct {
	states *states
	lo, hi int
	spans  []span
}

// take cuts the first n groups, or as many as there are, off p and returns
// their tickets.
func (p *part) take(n int, tickets []uint32) []uint32 {
	n = min(n, p.hi-p.lo)
	tickets = tickets[:0]
	for len(tickets) < n {
		u := &p.spans[0]
		for ; u.lo < u.hi && len(tickets) < n; u.lo++ {
			tickets = append(tickets, u.lo)
		}
		if u.lo == u.hi {
			p.spans = p.spans[1:]
		}
	}
	p.lo += n
	return tickets
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
	batch   vector.Batch
}

func (s *groupStream) Close() error { return nil }

// Next returns the next groups, whose vectors are new.
func (s *groupStream) Next(ctx context.Context) (*vector.Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for s.rest.lo == s.rest.hi {
		k := int(s.groups.next.Add(1)) - 1
		if k >= len(s.groups.parts) {
			return nil, io.EOF
		}
		s.rest = s.groups.parts[k]
	}
	lo := s.rest.lo
	s.tickets = s.rest.take(s.groups.sink.cfg.BatchRows, s.tickets)
	cols, err := s.groups.sink.table.keys(s.tickets)
	if err != nil {
		return nil, err
	}
	results, err := s.rest.states.final(lo, s.rest.lo)
	if err != nil {
		return nil, err
	}
	n := len(s.tickets)
	s.batch = vector.Batch{Cols: append(cols, results...), Len: n, Row: s.groups.sent.Add(uint64(n)) - uint64(n)}
	return &s.batch, nil
}
