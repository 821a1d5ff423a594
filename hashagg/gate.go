package hashagg

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/colagg/colagg/operators"
)

// gate is what workers pass to use the slots of a table, all at once. When one
// finds the table full, the others come out, and all of them move what is in the
// slots to more slots, block by block: a worker that comes to the gate meanwhile
// helps instead of waiting. With one worker moving under a lock, 5M groups had
// the others wait a fifth of the time.
type gate struct {
	mu      sync.Mutex
	changed sync.Cond // of mu
	inside  int       // workers that use the slots
	move    *move     // that is wanted, or under way
	growing *growing
}

// open makes the gate usable.
func (g *gate) open(counts *growing) { g.changed.L, g.growing = &g.mu, counts }

// growing counts, for all tables of a query, how often they grew, how long workers
// moved what was in them, and how often and how long they waited for others then.
type growing struct {
	times, waits atomic.Int64
	wait, moving atomic.Int64 // nanoseconds
}

// move takes the content of a table to more slots.
type move struct {
	begin  func()      // before the first block, when nobody is inside
	block  func(k int) // moves block k; for several blocks at once
	end    func()      // after the last block
	blocks int

	begun  bool
	movers int // workers that move blocks
	next   atomic.Int64
}

// leftovers are slots that their block has no room for, until all blocks are
// moved: those next to its end.
type leftovers[S any] struct {
	mu  sync.Mutex
	all []S
}

func (l *leftovers[S]) add(slots []S) {
	if len(slots) == 0 {
		return
	}
	l.mu.Lock()
	l.all = append(l.all, slots...)
	l.mu.Unlock()
}

// moveSlots is how many of the old slots are a block: some 20 µs of work.
const moveSlots = 1 << 12

// run moves blocks until there are none left to begin with.
func (m *move) run() {
	for k := int(m.next.Add(1)) - 1; k < m.blocks; k = int(m.next.Add(1)) - 1 {
		m.block(k)
	}
}

// enter waits until the slots can be used.
func (g *gate) enter() {
	g.mu.Lock()
	for g.move != nil { // one may follow another
		g.help()
	}
	g.inside++
	g.mu.Unlock()
}

// leave is the end of what enter began.
func (g *gate) leave() {
	g.mu.Lock()
	g.inside--
	if g.inside == 0 && g.move != nil {
		g.changed.Broadcast()
	}
	g.mu.Unlock()
}

// grow makes a move, if plan still wants one, or helps with one that is under
// way; plan may return nil. The caller is not inside, and looks again
// afterwards: the move may have been another one. It reports whether it was the
// one that was planned.
func (g *gate) grow(plan func() (*move, error)) (planned bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.move == nil {
		m, err := plan()
		if m == nil {
			return false, err
		}
		g.growing.times.Add(1)
		g.move, planned = m, true
	}
	g.help()
	return planned, nil
}

// help returns when the move is done; the caller holds mu.
func (g *gate) help() {
	start, moving, waited := operators.Now(), time.Duration(0), int64(0)
	for m := g.move; g.move == m; {
		from := operators.Now()
		switch {
		case !m.begun && g.inside == 0:
			m.begun = true
			m.begin()
			g.changed.Broadcast()
		case !m.begun || int(m.next.Load()) >= m.blocks:
			waited = 1
			g.changed.Wait()
			continue
		default:
			m.movers++
			g.mu.Unlock()
			m.run()
			g.mu.Lock()
			if m.movers--; m.movers == 0 {
				m.end()
				g.move = nil
				g.changed.Broadcast()
			}
		}
		moving += operators.Now() - from
	}
	g.growing.moving.Add(int64(moving))
	if waited > 0 {
		g.growing.waits.Add(waited)
		g.growing.wait.Add(int64(operators.Now() - start - moving))
	}
}
