package hashagg

import (
	"context"
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

// groups is the result of a Sink. Its streams share the windows.
type groups struct {
	sink    *Sink
	windows []part // of at most a batch of states each
	sent    atomic.Uint64
	next    atomic.Int64
}

// windowBytes bounds what the states of a window hold of values that are kept,
// by their mean: a window's results, and what they are made of, stay in the
// caches of a core, and far below what one vector can hold.
// Where groups can go to disk it is a share of the memory for groups, one in
// windowShare: of a window there are several copies on the way to the disk, and
// each worker makes two results ahead. At least leastWindow, lest extents are small.
const (
	windowBytes = 4 << 20
	windowShare = 64
	leastWindow = 256 << 10
)

// windowsOf cuts parts into pieces of at most n states.
func windowsOf(parts []part, n int) (windows []part) {
	for _, p := range parts {
		windows = append(windows, p.pieces(p.states.window(n))...)
	}
	return windows
}

// pieces cuts p into pieces of at most n states.
func (p part) pieces(n int) (out []part) {
	for lo := p.lo; lo < p.hi; lo += n {
		w := p
		w.lo, w.hi = lo, min(lo+n, p.hi)
		out = append(out, w)
	}
	return out
}

// Schema returns the columns of the result.
func (g *groups) Schema() *arrow.Schema { return g.sink.out }

// Stream returns a stream over the groups that no other stream has taken. It
// makes batches ahead, in parallel: with a million groups, making the result is
// a tenth of the time.
func (g *groups) Stream() (operators.Stream, error) {
	take := func(int) (*vector.Batch, error) {
		k := int(g.next.Add(1)) - 1
		if k >= len(g.windows) {
			return nil, nil
		}
		return g.sink.batch(g.windows[k])
	}
	return &groupStream{operators.Ahead(len(g.windows), g.sink.makers, take), g}, nil
}

// windowStream returns the groups of windows.
func (s *Sink) windowStream(windows []part) operators.Stream {
	makers := s.Workers()
	if len(windows) < windowsPerWorker*makers {
		makers = 1
	}
	return operators.Ahead(len(windows), makers, func(i int) (*vector.Batch, error) { return s.batch(windows[i]) })
}

// windowsPerWorker is the least work that pays for making batches ahead.
const windowsPerWorker = 4

// groupStream numbers the rows of batches.
type groupStream struct {
	operators.Stream
	groups *groups
}

// Next returns the next groups, whose vectors are new.
func (s *groupStream) Next(ctx context.Context) (*vector.Batch, error) {
	b, err := s.Stream.Next(ctx)
	if b != nil {
		n := uint64(b.Len)
		b.Row = s.groups.sent.Add(n) - n
	}
	return b, err
}

// batch returns the groups of a window, nil if there are none.
func (s *Sink) batch(w part) (*vector.Batch, error) {
	var tickets, rows []uint32
	for i := w.lo; i < w.hi; i++ {
		if t := ticketOf(uint32(i), w.k, w.count); w.used.has(t) {
			if tickets == nil {
				w.lo = i
				tickets, rows = make([]uint32, 0, w.hi-i), make([]uint32, 0, w.hi-i)
			}
			tickets = append(tickets, t)
			rows = append(rows, uint32(i-w.lo))
		}
	}
	if tickets == nil {
		return nil, nil
	}
	w.hi = w.lo + int(rows[len(rows)-1]) + 1
	cols, err := w.table.keys(tickets)
	if err != nil {
		return nil, err
	}
	results, err := w.states.final(w.lo, w.hi)
	if err != nil {
		return nil, err
	}
	if len(rows) < w.hi-w.lo {
		for i, v := range results {
			if results[i], err = vector.Gather(nil, v, rows); err != nil {
				return nil, err
			}
		}
	}
	return &vector.Batch{Cols: append(cols, results...), Len: len(tickets)}, nil
}
