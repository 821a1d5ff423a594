package hashagg

import (
	"math/bits"
	"runtime"
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
	gate   gate
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
	t.gate.open(space.growing)
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
	t.gate.enter()
	defer t.gate.leave()
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
		t.gate.leave()
		err = t.grow(p.issuer.own.lo)
		t.gate.enter()
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
// and returns its number. The caller is inside the gate.
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

// grow makes room for the given ticket, with the other workers' help. Slots are in
// the order of hashes, before and after: each block of old slots has its own
// range of new ones, but for a few that were pushed across its end.
func (t *packedTable) grow(ticket uint32) error {
	var region memory.Region
	planned, err := t.gate.grow(func() (*move, error) {
		n, err := t.space.slotsFor(len(t.slots), ticket, 16)
		if err != nil || n == len(t.slots) {
			return nil, err
		}
		old, rest := t.slots, leftovers[packedSlot]{}
		region = t.region
		return &move{
			blocks: (len(old) + moveSlots - 1) / moveSlots,
			begin:  func() { t.setSlots(n) },
			block: func(k int) {
				lo := k * moveSlots
				rest.add(t.moveBlock(old, lo, min(lo+moveSlots, len(old))))
			},
			end: func() { t.insertAll(rest.all) },
		}, nil
	})
	if planned {
		region.Free()
	}
	return err
}

// moveBlock moves old[lo:hi] to the slots that are theirs, and returns what does
// not go there.
func (t *packedTable) moveBlock(old []packedSlot, lo, hi int) (rest []packedSlot) {
	wider := len(t.slots) / len(old)
	own, from := t.slots[lo*wider:hi*wider], uint64(lo*wider)
	for _, s := range old[lo:hi] {
		if s[1] == slotEmpty {
			continue
		}
		at := hash64(s[0])&t.mask>>t.shift - from // huge if it is below from
		for at < uint64(len(own)) && own[at][1] != slotEmpty {
			at++
		}
		if at >= uint64(len(own)) {
			rest = append(rest, s)
			continue
		}
		own[at] = s
	}
	return rest
}

// insertAll puts slots where they belong.
func (t *packedTable) insertAll(slots []packedSlot) {
	mask := uint64(len(t.slots) - 1)
	for _, s := range slots {
		at := hash64(s[0]) & t.mask >> t.shift
		for t.slots[at&mask][1] != slotEmpty {
			at++
		}
		t.slots[at&mask] = s
	}
}
