package hashagg

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

const (
	// stripeCount is the number of locks over shared states: with batches of
	// 8192 rows, a worker takes each for about 512 rows at a time. With 64
	// stripes, 5M groups take a quarter more memory, in pages begun.
	stripeCount = 16
	// stripeBits is the number of consecutive tickets that stay together in a
	// stripe; it is that of the blocks that workers take, so that new groups
	// of different workers are in different stripes.
	stripeBits  = 8
	stripeBlock = 1 << stripeBits
	// stripedTickets is where a worker's own states end and shared ones
	// begin: at 8M groups of 4 words, two workers' states would take 512 MiB.
	// Below, own states are faster: they need no lock and no regrouping of
	// the batch.
	stripedTickets = 1 << 20
)

// stripes are shared states, spread over parts with a lock each. A ticket's
// block of stripeBlock tickets decides the part.
type stripes struct {
	all []stripe
	// sets says that there are sets among the states. Then no group is hot: its
	// set with each worker, to be merged, would take more than waiting does.
	sets bool
}

type stripe struct {
	mu     sync.Mutex
	states *states
	ids    []uint32
	taken  int64    // rows
	_      [64]byte // locks of neighbours stay in different cache lines
}

func newStripes(sink *Sink, sparse bool) *stripes {
	s := &stripes{all: make([]stripe, stripeCount), sets: haveSets(sink.cfg.Calls)}
	for i := range s.all {
		s.all[i].states = sink.newStates(sink.tables.Account(statesAccount))
		s.all[i].states.sparse = sparse
	}
	return s
}

func (s *stripes) writer(w *work, hot *states) commonWriter {
	own := &stripeWriter{stripes: s, work: w}
	own.hot.states = hot
	return own
}

// take moves the states of each worker into the stripes, a worker a stripe at a
// time.
func (s *stripes) take(ctx context.Context, left []*states, workers int) error {
	var next atomic.Int64
	err := operators.Parallel(ctx, workers, func(ctx context.Context, _ int) error {
		for k := int(next.Add(1)) - 1; k < len(s.all); k = int(next.Add(1)) - 1 {
			for _, l := range left {
				if err := ctx.Err(); err != nil {
					return context.Cause(ctx)
				}
				if err := s.all[k].merge(l, k, len(s.all)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for _, l := range left {
		l.close()
	}
	return err
}

func (s *stripes) parts(table keyTable, used ticketSet) []part {
	parts := make([]part, len(s.all))
	for k := range s.all {
		own := s.all[k].states
		parts[k] = part{table: table, states: own, used: used, hi: own.n, k: k, count: len(s.all)}
	}
	return parts
}

func (s *stripes) addUsed(set ticketSet, limit uint32) {
	for k := range s.all {
		s.all[k].states.addUsed(set, limit, k, len(s.all))
	}
}

func (s *stripes) spread() (parts int, most float64) {
	return len(s.all), imbalance(len(s.all), func(k int) int64 { return s.all[k].taken })
}

func (s *stripes) close() {
	for i := range s.all {
		s.all[i].states.close()
	}
}

// stripeOf returns the stripe of ticket t and its number there.
func stripeOf(t uint32) (stripe int, local uint32) {
	block := t >> stripeBits
	return int(block % stripeCount), block/stripeCount<<stripeBits | t&(stripeBlock-1)
}

// ticketOf is the inverse of stripeOf for stripe k of count.
func ticketOf(local uint32, k, count int) uint32 {
	return (local>>stripeBits*uint32(count)+uint32(k))<<stripeBits | local&(stripeBlock-1)
}

// merge adds the states that a worker has for stripe number k of count.
func (s *stripe) merge(from *states, k, count int) (err error) {
	for lo := k * stripeBlock; lo < from.n; lo += count * stripeBlock {
		_, at := stripeOf(uint32(lo))
		if s.ids, err = s.states.merge(at, from, lo, min(lo+stripeBlock, from.n), s.ids); err != nil {
			return err
		}
	}
	return nil
}

// stripesApart is how far apart the stripes are that workers begin a batch with,
// lest they wait for each other.
const stripesApart = 7

// stripeWriter is one worker's access to shared states: the rows of a batch
// are regrouped by stripe, then each stripe is updated under its lock.
type stripeWriter struct {
	stripes *stripes
	work    *work
	hot     hotGroups
	starts  [stripeCount + 2]int // those of hot groups last
	order   []uint32             // rows, by stripe
	tickets []uint32             // numbers of their groups in the stripe
	args    argumentRows

	short, swollen bool // what the states of some stripe have told
}

// handOver adds a worker's states to the stripes and closes them.
func (w *stripeWriter) handOver(from *states) error {
	for i := range w.stripes.all {
		k := (w.work.number*stripesApart + i) % len(w.stripes.all)
		s := &w.stripes.all[k]
		w.work.lock(&s.mu)
		err := s.merge(from, k, len(w.stripes.all))
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	from.close()
	return nil
}

func (w *stripeWriter) close() error { return w.hot.handOver(w) }

func (w *stripeWriter) told() (short, swollen bool) {
	short, w.short = w.short, false
	return short, w.swollen || w.hot.states.swollen
}

func (w *stripeWriter) update(tickets []uint32, _ int, cols []*vector.Vector, rows Ordinals) error {
	if !w.stripes.sets {
		w.hot.look(tickets, w.work)
	}
	w.regroup(tickets)
	for i := range w.stripes.all {
		k := (w.work.number*stripesApart + i) % len(w.stripes.all)
		s := &w.stripes.all[k]
		if err := w.updateOne(s, k, cols, rows); err != nil {
			return err
		}
	}
	return w.updateOne(&w.hot.stripe, stripeCount, cols, rows)
}

// regroup sorts the rows by stripe, by counting.
func (w *stripeWriter) regroup(tickets []uint32) {
	w.order, w.tickets = vector.Resize(w.order, len(tickets)), vector.Resize(w.tickets, len(tickets))
	clear(w.starts[:])
	some := len(w.hot.tickets) > 0
	for _, t := range tickets {
		k := t >> stripeBits % stripeCount
		if some {
			if _, ok := w.hot.number(t); ok {
				k = stripeCount
			}
		}
		w.starts[k+1]++
	}
	for k := range stripeCount + 1 {
		w.starts[k+1] += w.starts[k]
	}
	at := w.starts
	for i, t := range tickets {
		k, local := stripeOf(t)
		if some {
			if n, ok := w.hot.number(t); ok {
				k, local = stripeCount, n
			}
		}
		w.order[at[k]], w.tickets[at[k]] = uint32(i), local
		at[k]++
	}
}

// updateOne gathers the rows of stripe k and adds them to its states.
func (w *stripeWriter) updateOne(s *stripe, k int, cols []*vector.Vector, rows Ordinals) error {
	order, tickets := w.order[w.starts[k]:w.starts[k+1]], w.tickets[w.starts[k]:w.starts[k+1]]
	if len(order) == 0 {
		return nil
	}
	args, at, err := w.args.gather(s.states.columns, cols, order, rows)
	if err != nil {
		return err
	}
	top := uint32(0)
	for _, t := range tickets {
		top = max(top, t)
	}
	w.work.lock(&s.mu)
	defer s.mu.Unlock()
	s.taken += int64(len(tickets))
	if err := s.states.grow(int(top) + 1); err != nil {
		return err
	}
	err = s.states.update(tickets, args, at)
	w.short, w.swollen = w.short || s.states.short, w.swollen || s.states.swollen
	s.states.short = false
	return err
}
