package hashagg

import (
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/operators"
)

// gate is what workers pass to use the slots of a table, all at once. When one
// finds the table full, the others come out, and it moves what is in the slots to
// more slots.
type gate struct {
	mu      sync.RWMutex
	growing *growing
}

// open makes the gate usable.
func (g *gate) open(counts *growing) { g.growing = counts }

// growing counts, for all tables of a query, how often they grew, how long workers
// moved what was in them, and how often and how long they waited for others then.
type growing struct {
	times, waits atomic.Int64
	wait, moving atomic.Int64 // nanoseconds
}

// move takes the content of a table to more slots.
type move struct {
	begin  func()      // before the first block
	block  func(k int) // moves block k
	end    func()      // after the last block
	blocks int
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

// moveSlots is how many of the old slots are a block.
const moveSlots = 1 << 12

// enter waits until the slots can be used.
func (g *gate) enter() {
	if g.mu.TryRLock() {
		return
	}
	start := operators.Now()
	g.mu.RLock()
	g.growing.waits.Add(1)
	g.growing.wait.Add(int64(operators.Now() - start))
}

// leave is the end of what enter began.
func (g *gate) leave() { g.mu.RUnlock() }

// grow makes a move, if plan still wants one; plan may return nil. The caller is
// not inside, and looks again afterwards. It reports whether there was a move.
func (g *gate) grow(plan func() (*move, error)) (planned bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m, err := plan()
	if m == nil {
		return false, err
	}
	start := operators.Now()
	m.begin()
	for k := range m.blocks {
		m.block(k)
	}
	m.end()
	g.growing.times.Add(1)
	g.growing.moving.Add(int64(operators.Now() - start))
	return true, nil
}
