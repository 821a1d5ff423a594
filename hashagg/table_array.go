package hashagg

import (
	"sync/atomic"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// arrayTable maps keys below a fixed bound to tickets by direct indexing. A
// slot is 0 or the ticket + 1; it is set once, by compare and swap.
type arrayTable struct {
	space  *ticketSpace
	slots  []uint32
	region memory.Region // memory of slots
}

func newArrayTable(space *ticketSpace, n int) (*arrayTable, error) {
	if err := space.resize(4 * int64(n)); err != nil {
		return nil, err
	}
	t := &arrayTable{space: space}
	t.slots = vector.View[uint32](t.region.Fixed(4 * n))
	return t, nil
}

// arrayProbe is one worker's access to an arrayTable.
type arrayProbe struct {
	table  *arrayTable
	issuer *issuer
}

// find sets tickets[i] to the ticket of keys[i], each below the table's size,
// and makes new groups.
func (p *arrayProbe) find(keys []uint32, tickets []uint32) error {
	slots := p.table.slots
	tickets = tickets[:len(keys)]
	for i, k := range keys {
		t := atomic.LoadUint32(&slots[k])
		if t == 0 {
			var err error
			if t, err = p.claim(k); err != nil {
				return err
			}
		}
		tickets[i] = t - 1
	}
	return nil
}

func (p *arrayProbe) claim(k uint32) (uint32, error) {
	n, err := p.issuer.next()
	if err != nil {
		return 0, err
	}
	*row(*p.table.space.dir.Load(), n) = [keyWords]uint64{uint64(k), tagPacked}
	if !atomic.CompareAndSwapUint32(&p.table.slots[k], 0, n+1) {
		return atomic.LoadUint32(&p.table.slots[k]), nil
	}
	p.issuer.use()
	return n + 1, nil
}
