package hashagg

import (
	"context"
	"sync/atomic"

	"github.com/colagg/colagg/vector"
)

// atomics are common states of one word each, which workers change without a
// lock. Stripes regroup a batch and gather its arguments: of 5M rows in 2.4M
// groups, a sum took 280 ms with them and takes 200, a count 214 and 181, four
// sums 284 and 228.
type atomics struct {
	gate   gate // to move the slab
	states *states
	sink   *Sink
}

func newAtomics(s *Sink) *atomics {
	a := &atomics{sink: s, states: s.newStates(s.tables.Account(statesAccount))}
	a.gate.open(new(growing)) // that is of tables of keys
	return a
}

// alone runs f when no worker adds to the states.
func (a *atomics) alone(f func() error) (err error) {
	for done := false; !done; {
		_, _ = a.gate.grow(func() (*move, error) {
			done = true
			return &move{blocks: 1, begin: func() { err = f() }, block: func(int) {}, end: func() {}}, nil
		})
	}
	return err
}

func (a *atomics) writer(w *work, hot *states) commonWriter {
	own := &atomicWriter{atomics: a, work: w, filters: newFilters(a.sink.cfg.Calls)}
	own.hot.states = hot
	for i, c := range a.sink.cfg.Calls {
		own.updaters = append(own.updaters, c.Agg.Atomic(a.states.accs[i], own.charge))
	}
	return own
}

func (a *atomics) take(ctx context.Context, left []*states, workers int) error {
	for _, l := range left {
		if err := a.states.absorb(ctx, l, l.n, workers); err != nil {
			return err
		}
		l.close()
	}
	return nil
}

func (a *atomics) parts(table keyTable, used ticketSet) []part {
	return []part{{table: table, states: a.states, used: used, hi: min(a.states.n, 64*len(used)), count: 1}}
}

func (a *atomics) addUsed(set ticketSet, limit uint32) { a.states.addUsed(set, limit, 0, 1) }

func (a *atomics) spread() (int, float64) { return 0, 0 }

func (a *atomics) close() { a.states.close() }

// spareTickets is how many tickets more get states than have been handed out,
// lest all workers halt for each block of them.
const spareTickets = 1 << 16

// atomicWriter is one worker's access to atomics.
type atomicWriter struct {
	atomics  *atomics
	work     *work
	updaters []AtomicUpdater
	filters  filters
	hot      hotGroups
	args     []*vector.Vector
	run      []vector.Vector
	runs     []*vector.Vector
	gathered argumentRows
	order    []uint32 // rows, those of hot groups last
	tickets  []uint32
	touched  uint64 // what touching has read, kept so that reading is not dropped

	short, swollen bool // what states have told
}

func (w *atomicWriter) handOver(from *states) error {
	err := w.atomics.alone(func() error {
		_, err := w.atomics.states.merge(0, from, 0, from.n, nil)
		return err
	})
	from.close()
	return err
}

func (w *atomicWriter) update(tickets []uint32, bound int, cols []*vector.Vector, rows Ordinals) error {
	w.hot.look(tickets, w.work)
	if len(w.hot.tickets) == 0 {
		return w.add(tickets, bound, cols)
	}
	cold := w.split(tickets)
	args, _, err := w.gathered.gather(w.hot.states.columns, cols, w.order[:cold], rows)
	if err != nil {
		return err
	}
	if err := w.add(w.tickets[:cold], bound, args); err != nil || cold == len(tickets) {
		return err
	}
	args, at, err := w.gathered.gather(w.hot.states.columns, cols, w.order[cold:], rows)
	if err != nil {
		return err
	}
	if err := w.hot.states.grow(len(w.hot.tickets)); err != nil {
		return err
	}
	err = w.hot.states.update(w.tickets[cold:], args, at)
	w.hear(w.hot.states)
	return err
}

// hear takes note of what states have told, and of that once.
func (w *atomicWriter) hear(s *states) {
	w.short, w.swollen = w.short || s.short, w.swollen || s.swollen
	s.short = false
}

func (w *atomicWriter) told() (short, swollen bool) {
	short, w.short = w.short, false
	return short, w.swollen
}

// charge accounts for what accumulators have outside of the slab, whose lock the
// caller holds.
func (w *atomicWriter) charge() error {
	err := w.atomics.states.charge()
	w.swollen = w.swollen || w.atomics.states.swollen
	return err
}

// split sorts the rows so that those of hot groups are last, with the groups'
// numbers as tickets, and returns how many the others are.
func (w *atomicWriter) split(tickets []uint32) (cold int) {
	w.order, w.tickets = vector.Resize(w.order, len(tickets)), vector.Resize(w.tickets, len(tickets))
	end := len(tickets)
	for i, t := range tickets {
		if n, ok := w.hot.number(t); ok {
			end--
			w.order[end], w.tickets[end] = uint32(i), n
			continue
		}
		w.order[cold], w.tickets[cold] = uint32(i), t
		cold++
	}
	return cold
}

// add adds rows to the states that all workers share.
func (w *atomicWriter) add(tickets []uint32, bound int, cols []*vector.Vector) error {
	a := w.atomics
	a.gate.enter()
	for a.states.n < bound {
		a.gate.leave()
		err := a.alone(func() error {
			if a.states.n >= bound {
				return nil
			}
			size := bound
			if spare := spareTickets * 8 * int64(a.states.slab.Stride); spare <= a.states.account.Free()/8 {
				size += spareTickets
			}
			err := a.states.grow(size)
			w.hear(a.states)
			return err
		})
		a.gate.enter()
		if err != nil {
			a.gate.leave()
			return err
		}
	}
	defer a.gate.leave()
	if len(w.run) < len(cols) {
		w.run, w.runs = make([]vector.Vector, len(cols)), make([]*vector.Vector, len(cols))
	}
	for lo := 0; lo < len(tickets); lo += touchedRows {
		hi := min(lo+touchedRows, len(tickets))
		w.touched |= touchAtomically(a.states.slab.Words, a.states.slab.Stride, tickets[lo:hi])
		for _, c := range a.states.columns {
			vector.Slice(&w.run[c], cols[c], lo, hi)
			w.runs[c] = &w.run[c]
		}
		if err := w.addRun(callRows{tickets: tickets[lo:hi], cols: w.runs}); err != nil {
			return err
		}
	}
	return nil
}

// addRun adds a run of a batch's rows to the states of all calls.
func (w *atomicWriter) addRun(all callRows) error {
	if err := w.filters.load(all); err != nil {
		return err
	}
	for i, u := range w.updaters {
		call, in := w.atomics.sink.cfg.Calls[i], w.filters.rows(i, &all)
		w.args = w.args[:0]
		for _, c := range call.Args {
			w.args = append(w.args, in.cols[c])
		}
		if err := u.Update(in.tickets, w.args); err != nil {
			return call.wrap(err)
		}
	}
	return nil
}

// touchAtomically is Slab.touch where others change the words.
//
//go:noinline
func touchAtomically(words []uint64, stride int, tickets []uint32) (read uint64) {
	for _, t := range tickets {
		read |= atomic.LoadUint64(&words[int(t)*stride])
	}
	return read
}

// close adds the states of the hot groups.
func (w *atomicWriter) close() error {
	err := w.atomics.alone(func() error {
		for i, t := range w.hot.tickets {
			if _, err := w.atomics.states.merge(t, w.hot.states, i, i+1, nil); err != nil {
				return err
			}
		}
		return nil
	})
	w.hot.states.close()
	return err
}
