package spill

import "github.com/colagg/colagg/memory"

// buffers is the memory of one encoder or decoder: an allocator for Arrow that
// uses again what was freed, and holds all of it by an account. It belongs to
// one goroutine. A refusal of the budget is kept in err; the allocator's
// interface has no room for one, so the caller of Allocate fails on the nil
// that it gets, in a place where the Arrow library recovers.
type buffers struct {
	account *memory.Account
	free    [][]byte
	held    int64
	// reserved bytes stay with the account however few are held.
	reserved int64
	err      error
}

// bufferUnit is what sizes are rounded up to, so that buffers of about the same
// size serve each other.
const bufferUnit = 1 << 10

// take gives n bytes of unspecified contents, or nil if the budget refuses.
func (b *buffers) take(n int) []byte {
	best := -1
	for i, f := range b.free {
		if cap(f) >= n && (best < 0 || cap(f) < cap(b.free[best])) {
			best = i
		}
	}
	want := (n + bufferUnit - 1) / bufferUnit * bufferUnit
	// A buffer that is much too large stays for what needs it.
	if best >= 0 && cap(b.free[best]) <= 2*want {
		return b.reuse(best)[:n]
	}
	err := b.resize(b.held + int64(want))
	if err != nil && best >= 0 {
		return b.reuse(best)[:n]
	}
	if err != nil && len(b.free) > 0 {
		b.drop()
		err = b.resize(b.held + int64(want))
	}
	if err != nil {
		b.err = err
		return nil
	}
	b.held += int64(want)
	return make([]byte, want)[:n]
}

func (b *buffers) reuse(i int) []byte {
	p, last := b.free[i], len(b.free)-1
	b.free[i] = b.free[last]
	b.free[last] = nil
	b.free = b.free[:last]
	return p
}

// give takes back what take gave.
func (b *buffers) give(p []byte) {
	if cap(p) > 0 {
		b.free = append(b.free, p[:0])
	}
}

// drop gives back the memory that is not in use.
func (b *buffers) drop() {
	for _, f := range b.free {
		b.held -= int64(cap(f))
	}
	b.free = nil
	_ = b.resize(b.held) // less is never refused
}

// reset forgets all buffers, including what is still in use somewhere.
func (b *buffers) reset() {
	b.free, b.held, b.err = nil, 0, nil
	_ = b.resize(0)
}

// close forgets all buffers and what is reserved.
func (b *buffers) close() {
	b.reserved = 0
	b.reset()
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

// reserve makes sure that n bytes of batches can be encoded: compressed, which
// at worst makes them a little larger, and as a stream, which is copied when it
// grows.
func (b *buffers) reserve(n int64) error {
	want := 3 * (n + n/128 + 4*bufferUnit)
	if err := b.account.Resize(max(b.held, want)); err != nil {
		return err
	}
	b.reserved = want
	return nil
}

// resize sets what the account holds for held bytes of buffers.
func (b *buffers) resize(held int64) error { return b.account.Resize(max(held, b.reserved)) }
