package hashagg

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// packedTable maps 64-bit keys to tickets: open addressing with the key in the
// slot (the Folklore table of Maier, Sanders and Dementiev, as used for
// tickets by Xue & Marcus). A slot's state goes from empty to locked, then,
// when the key is written, to the ticket + 2, and never changes again.
type packedTable struct {
	space  *ticketSpace
	mask   uint64
	mu     sync.RWMutex
	slots  []packedSlot
	region memory.Region // memory of slots
	shift  uint
}

// packedSlot is a key and its state.
type packedSlot [2]uint64

func (s *packedSlot) state() *uint64 { return &s[1] }

const (
	slotEmpty  = 0
	slotLocked = 1
	slotTicket = 2
)

func newPackedTable(space *ticketSpace, k knobs) *packedTable {
	t := &packedTable{space: space, mask: k.hashMask}
	t.setSlots(k.slots)
	return t
}

// setSlots gives the table n empty slots.
func (t *packedTable) setSlots(n int) {
	t.region = memory.Region{}
	t.slots = vector.View[packedSlot](t.region.Fixed(16 * n))
	t.shift = uint(64 - bits.TrailingZeros(uint(n)))
}

func hash64(k uint64) uint64 {
	hi, lo := bits.Mul64(k^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo*0xa0761d6478bd642f
}

// packedProbe is one worker's access to a packedTable.
type packedProbe struct {
	table  *packedTable
	issuer *issuer
	// touched is what touching has read, kept so that reading is not dropped.
	touched uint64
}

// find sets tickets[i] to the ticket of keys[i] and makes new groups.
func (p *packedProbe) find(keys []uint64, tickets []uint32) error {
	t := p.table
	t.mu.RLock()
	defer func() { t.mu.RUnlock() }()
	for len(keys) > 0 {
		next := min(len(keys), probeRows)
		if 16*len(t.slots) >= farBytes {
			p.touched |= touchSlots(t.slots, t.shift, t.mask, keys[:next])
		}
		n, err := p.run(keys[:next], tickets)
		if err != nil {
			return err
		}
		keys, tickets = keys[n:], tickets[n:]
		if n == next {
			continue
		}
		t.mu.RUnlock()
		err = t.grow(p.issuer.own.lo)
		t.mu.RLock()
		if err != nil {
			return err
		}
	}
	return nil
}

// touchSlots reads the slots where keys are looked for first, as Slab.touch
// reads states; of each its state, for others may be writing the key.
//
//go:noinline
func touchSlots(slots []packedSlot, shift uint, hm uint64, keys []uint64) (read uint64) {
	mask := uint64(len(slots) - 1)
	for _, k := range keys {
		read |= atomic.LoadUint64(slots[hash64(k)&hm>>shift&mask].state())
	}
	return read
}

// run does what find does up to the first row for which the table must grow,
// and returns its number. The caller holds mu for reading.
func (p *packedProbe) run(keys []uint64, tickets []uint32) (int, error) {
	t := p.table
	slots, shift, hm := t.slots, t.shift, t.mask
	mask := uint64(len(slots) - 1)
	for i, k := range keys {
		at := hash64(k) & hm >> shift
		for {
			s := &slots[at&mask]
			state := atomic.LoadUint64(s.state())
			if state >= slotTicket {
				if s[0] == k {
					tickets[i] = uint32(state - slotTicket)
					break
				}
				at++
				continue
			}
			if state == slotLocked {
				runtime.Gosched()
				continue
			}
			if p.issuer.frozen {
				tickets[i] = noTicket
				break
			}
			n, full, err := p.claim(s, k)
			if err != nil || full {
				return i, err
			}
			if n != noTicket {
				tickets[i] = n
				break
			}
		}
	}
	return len(keys), nil
}

// claim makes k a new group in the empty slot s. It returns noTicket if
// another worker was first.
func (p *packedProbe) claim(s *packedSlot, k uint64) (n uint32, full bool, err error) {
	space, is := p.table.space, p.issuer
	if n, err = is.next(); err != nil || space.before(n) >= capacity(len(p.table.slots)) {
		return 0, err == nil, err
	}
	if !atomic.CompareAndSwapUint64(s.state(), slotEmpty, slotLocked) {
		return noTicket, false, nil
	}
	is.use()
	*row(*space.dir.Load(), n) = [keyWords]uint64{k, tagPacked}
	s[0] = k
	atomic.StoreUint64(s.state(), uint64(n)+slotTicket)
	return n, false, nil
}

// reset empties all slots.
func (t *packedTable) reset() { clear(t.slots) }

// grow makes room for the given ticket.
func (t *packedTable) grow(ticket uint32) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.space.slotsFor(len(t.slots), ticket, 16)
	if err != nil || n == len(t.slots) {
		return err
	}
	old, region := t.slots, t.region
	defer region.Free()
	t.setSlots(n)
	mask := uint64(n - 1)
	for _, s := range old {
		if s[1] == slotEmpty {
			continue
		}
		at := hash64(s[0]) & t.mask >> t.shift
		for t.slots[at&mask][1] != slotEmpty {
			at++
		}
		t.slots[at&mask] = s
	}
	return nil
}
