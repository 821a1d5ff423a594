package spill

import (
	"math/bits"

	"github.com/colagg/colagg/memory"
)

// buffers is the memory of one encoder or decoder: an allocator for Arrow that
// uses again what was freed, and holds all of it by an account. It belongs to
// one goroutine. A refusal of the budget is kept in err; the allocator's
// interface has no room for one, so the caller of Allocate fails on the nil
// that it gets, in a place where the Arrow library recovers.
type buffers struct {
	account *memory.Account
	free    [4 * 64][][]byte // by class
	idle    int64            // bytes in free
	held    int64            // bytes of all buffers
	// reserved bytes stay with the account however few are held.
	reserved int64
	err      error
}

// smallest is the size of the smallest buffers. Above it there are four sizes
// from each power of two to the next: little is wasted, and buffers of about
// the same size serve each other.
const smallest = 64

// class returns the index of the smallest size that has room for n bytes, and
// that size.
func class(n int) (index, size int) {
	n = max(n, smallest)
	k := bits.Len(uint(n-1)) - 3 // four steps from 4<<k to 8<<k
	step := (n + 1<<k - 1) >> k
	return 4*k + step, step << k
}

// reach is how many classes above the wanted one a buffer may be taken from
// while there is memory: up to twice its size. The others stay for what needs
// them.
const reach = 4

// take gives n bytes of unspecified contents, or nil if the budget refuses.
func (b *buffers) take(n int) []byte {
	index, size := class(n)
	if p := b.reuse(index, index+reach); p != nil {
		return p[:n]
	}
	err := b.resize(b.held + int64(size))
	if err != nil {
		if p := b.reuse(index, len(b.free)); p != nil {
			return p[:n]
		}
		b.drop()
		err = b.resize(b.held + int64(size))
	}
	if err != nil {
		b.err = err
		return nil
	}
	b.held += int64(size)
	return make([]byte, size)[:n]
}

// reuse takes a free buffer of a class from lo to below hi, or returns nil.
func (b *buffers) reuse(lo, hi int) []byte {
	for i := lo; i < min(hi, len(b.free)); i++ {
		if last := len(b.free[i]) - 1; last >= 0 {
			p := b.free[i][last]
			b.free[i] = b.free[i][:last]
			b.idle -= int64(cap(p))
			return p
		}
	}
	return nil
}

// give takes back what take gave.
func (b *buffers) give(p []byte) {
	if cap(p) > 0 {
		index, _ := class(cap(p))
		b.free[index] = append(b.free[index], p[:0])
		b.idle += int64(cap(p))
	}
}

// drop gives back the memory that is not in use.
func (b *buffers) drop() {
	clear(b.free[:])
	b.held -= b.idle
	b.idle = 0
	_ = b.resize(b.held) // less is never refused
}

// reset forgets all buffers, including what is still in use somewhere.
func (b *buffers) reset() {
	clear(b.free[:])
	b.idle, b.held, b.err = 0, 0, nil
	_ = b.resize(0)
}

// close forgets all buffers and what is reserved.
func (b *buffers) close() {
	b.reserved = 0
	b.reset()
}

// resize sets what the account holds for held bytes of buffers.
// Up to needed bytes are taken even where the limit does not allow them: what
// frees memory must not fail for lack of it.
func (b *buffers) resize(held int64) error {
	if held = max(held, b.reserved); held > needed {
		return b.account.Resize(held)
	}
	b.account.Force(held)
	return nil
}

// needed is what extents of a few MiB take to be written or read.
const needed = 16 << 20

// reserve makes sure that batches of n bytes in a number of buffers can be
// encoded: compressed, which at worst makes them a little larger, and as a
// stream, which is copied when it grows; each in sizes of classes.
func (b *buffers) reserve(n int64) error {
	want := 3 * (n + n/4 + 64*smallest)
	old := b.reserved
	b.reserved = want
	if err := b.resize(b.held); err != nil {
		b.reserved = old
		return err
	}
	return nil
}

// grow makes p's capacity at least n, keeping its contents; half as much again
// if there is memory for it, so that growing step by step copies little.
func (b *buffers) grow(p []byte, n int) ([]byte, error) {
	if n <= cap(p) {
		return p, nil
	}
	more := b.take(max(n, cap(p)+cap(p)/2))
	if more == nil {
		b.err = nil
		if more = b.take(n); more == nil {
			return p, b.err
		}
	}
	more = more[:copy(more, p)]
	b.give(p)
	return more, nil
}

// Allocate is part of Arrow's allocator: n zeroed bytes.
func (b *buffers) Allocate(n int) []byte {
	p := b.take(n)
	clear(p)
	return p
}

// Reallocate is part of Arrow's allocator.
func (b *buffers) Reallocate(n int, p []byte) []byte {
	if n <= cap(p) {
		old := len(p)
		if p = p[:n]; n > old {
			clear(p[old:])
		}
		return p
	}
	q := b.Allocate(n)
	if q != nil {
		copy(q, p)
		b.give(p)
	}
	return q
}

// Free is part of Arrow's allocator.
func (b *buffers) Free(p []byte) { b.give(p) }
