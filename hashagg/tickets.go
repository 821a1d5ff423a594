package hashagg

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

const (
	// keyWords is the number of words that hold or locate a group's key.
	keyWords = 2
	// blockTickets is how many tickets a worker takes at once, so that the
	// shared counter is touched once per 256 new groups: with one ticket at a
	// time it is what limits many workers (Xue & Marcus, section 4.3).
	blockTickets = 256
	chunkBits    = 12
	chunkTickets = 1 << chunkBits
	maxTickets   = math.MaxUint32 - 2*chunkTickets
	chunkBytes   = 8 * keyWords * chunkTickets
	manyChunks   = 1 << 20 / chunkBytes
	arenaSlab    = 1 << 20
	noTicket     = math.MaxUint32
	absentTicket = noTicket - 1 // a key is known to have no ticket
)

var errTooManyGroups = errors.New("hashagg: more than 4 billion groups")

// ticketSpace hands out tickets and keeps keyWords words for each. Tickets are
// dense but for those that a worker took and has not used.
type ticketSpace struct {
	block    uint32 // tickets handed out at once
	base     uint32 // tickets below are not handed out and have no key words
	account  *memory.Account
	forecast forecast
	forced   bool     // memory is taken whether or not the budget allows it
	growing  *growing // of the query

	mu      sync.Mutex
	bytes   int64
	unused  []span
	regions []memory.Region

	taken atomic.Uint32              // tickets handed out
	dir   atomic.Pointer[[][]uint64] // chunks of chunkTickets key rows
	arena atomic.Pointer[[][]byte]   // slabs of long keys
}

// span is a range of tickets.
type span struct{ lo, hi uint32 }

func newTicketSpace(block uint32, account *memory.Account, counts *growing) *ticketSpace {
	s := &ticketSpace{block: block, account: account, growing: counts}
	s.forecast.total = -1
	s.dir.Store(&[][]uint64{})
	s.arena.Store(&[][]byte{})
	return s
}

// reserve keeps tickets below n, rounded up to whole blocks, from being handed
// out. It comes before the first take.
func (s *ticketSpace) reserve(n int) {
	s.base = (uint32(n) + s.block - 1) / s.block * s.block
	s.taken.Store(s.base)
}

// bound is above every ticket handed out so far.
func (s *ticketSpace) bound() int { return int(s.taken.Load()) }

// before is the number of tickets that can have been handed out before t.
func (s *ticketSpace) before(t uint32) int { return int(t - s.base) }

func (s *ticketSpace) take() (span, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lo := s.taken.Load()
	if lo > maxTickets {
		return span{}, errTooManyGroups
	}
	hi := lo + s.block
	dir := *s.dir.Load()
	for (len(dir)+1)<<chunkBits <= int(s.base) {
		dir = append(dir, nil)
	}
	for len(dir)<<chunkBits < int(hi) {
		// The first chunks come one by one, later ones by the MiB.
		n := 1
		if len(dir) >= manyChunks {
			n = manyChunks
		}
		b, err := s.memory(n * chunkBytes)
		if err != nil {
			return span{}, err
		}
		for ; n > 0; n-- {
			dir = append(dir, vector.View[uint64](b[:chunkBytes]))
			b = b[chunkBytes:]
		}
	}
	s.dir.Store(&dir)
	s.taken.Store(hi)
	return span{lo, hi}, nil
}

// slab adds an arena slab of at least n bytes and returns its number.
func (s *ticketSpace) slab(n int) (int, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := arenaSlab
	if k := len(*s.arena.Load()); k < 8 {
		size = min(size, 4096<<k)
	}
	b, err := s.memory(max(n, size))
	if err != nil {
		return 0, nil, err
	}
	slabs := append(*s.arena.Load(), b)
	s.arena.Store(&slabs)
	return len(slabs) - 1, b, nil
}

// memory returns n zeroed bytes that close frees; the caller holds mu.
func (s *ticketSpace) memory(n int) ([]byte, error) {
	if err := s.grow(int64(n)); err != nil {
		return nil, err
	}
	s.regions = append(s.regions, memory.Region{})
	return s.regions[len(s.regions)-1].Fixed(n), nil
}

// reset takes all tickets back and frees the keys.
func (s *ticketSpace) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.regions {
		s.bytes -= int64(s.regions[i].Len())
		s.regions[i].Free()
	}
	s.regions, s.unused = nil, nil
	s.taken.Store(s.base)
	s.dir.Store(&[][]uint64{})
	s.arena.Store(&[][]byte{})
	_ = s.account.Resize(s.bytes) // less than before
}

// close frees the keys.
func (s *ticketSpace) close() {
	for i := range s.regions {
		s.regions[i].Free()
	}
	s.regions = nil
	s.account.Close()
}

// grow accounts for n more bytes; the caller holds mu.
func (s *ticketSpace) grow(n int64) error {
	if s.forced {
		s.account.Force(s.bytes + n)
	} else if err := s.account.Resize(s.bytes + n); err != nil {
		return err
	}
	s.bytes += n
	return nil
}

// resize accounts for slots of a table that grew by n bytes.
func (s *ticketSpace) resize(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grow(n)
}

// row returns the key words of ticket t.
func row(dir [][]uint64, t uint32) *[keyWords]uint64 {
	i := (t & (chunkTickets - 1)) * keyWords
	return (*[keyWords]uint64)(dir[t>>chunkBits][i : i+keyWords])
}

// addUsed adds the tickets handed out that have a group to set. It may be
// called when every issuer has been closed.
func (s *ticketSpace) addUsed(set ticketSet) {
	set.setRange(s.base, s.taken.Load())
	for _, u := range s.unused {
		set.clearRange(u.lo, u.hi)
	}
}

// issuer is one worker's access to a ticketSpace: the tickets and the arena
// slab that it may use without asking.
type issuer struct {
	space *ticketSpace
	own   span
	slab  []byte // free rest of the slab
	num   int    // its number
	at    int    // where the rest begins
	// frozen issuers give no tickets.
	frozen bool
}

// next returns the ticket that the following group will have. It stays the
// same until use.
func (is *issuer) next() (uint32, error) {
	if is.own.lo == is.own.hi {
		b, err := is.space.take()
		if err != nil {
			return 0, err
		}
		is.own = b
	}
	return is.own.lo, nil
}

func (is *issuer) use() { is.own.lo++ }

// store copies p into the arena behind its length and returns where it is.
func (is *issuer) store(p []byte) (uint64, error) {
	n := 4 + len(p)
	if len(is.slab) < n {
		num, b, err := is.space.slab(n)
		if err != nil {
			return 0, err
		}
		is.slab, is.num, is.at = b, num, 0
	}
	b := is.slab
	b[0], b[1], b[2], b[3] = byte(len(p)), byte(len(p)>>8), byte(len(p)>>16), byte(len(p)>>24)
	copy(b[4:n], p)
	loc := uint64(is.num)<<32 | uint64(is.at)
	is.slab, is.at = b[n:], is.at+n
	return loc, nil
}

// close gives back the tickets not used.
func (is *issuer) close() {
	if is.own.lo < is.own.hi {
		is.space.mu.Lock()
		is.space.unused = append(is.space.unused, is.own)
		is.space.mu.Unlock()
		is.own = span{}
	}
}
