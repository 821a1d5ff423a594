// Package memory is what data costs: budgets and accounts.
//
// A Budget is a limit in bytes that many goroutines draw from; a child budget
// draws from its parent. An Account belongs to one goroutine (or one owner
// that serialises access) and holds bytes of a budget, taken in grants so that
// the shared counter is rarely touched. Everything that grows with the input
// has an account; refusal is an error, never a panic.
package memory

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// ErrLimit is what every refusal of a budget unwraps to.
var ErrLimit = errors.New("memory limit exceeded")

// LimitError says who asked for how much of what.
type LimitError struct {
	Account string // what the memory was for
	Held    int64  // bytes that the account held
	Want    int64  // bytes that it wanted to hold
	Used    int64  // bytes in use in the budget that refused
	Limit   int64  // bytes the budget may use
}

// Error names the account, the limit, and how much more was wanted.
func (e *LimitError) Error() string {
	return fmt.Sprintf("memory limit of %s exceeded: %s more needed for %s", FormatSize(e.Limit), FormatSize(e.Want-e.Held), e.Account)
}

// FormatSize writes a number of bytes for people, in units of 1024 and two or three
// digits.
func FormatSize(bytes int64) string {
	n, unit := float64(bytes), 0
	for ; n >= 1023.5 && unit < len(units)-1; unit++ {
		n /= 1024
	}
	if unit == 0 || n >= 9.95 {
		return fmt.Sprintf("%.0f %s", n, units[unit])
	}
	return fmt.Sprintf("%.1f %s", n, units[unit])
}

var units = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Unwrap returns ErrLimit.
func (e *LimitError) Unwrap() error { return ErrLimit }

// Budget is a limit shared by goroutines. The zero value is without a limit.
type Budget struct {
	parent     *Budget
	part       bool  // its accounts are listed with the parent's
	reserved   int64 // what it holds of the parent at least
	limit      int64
	used, peak atomic.Int64

	mu    sync.Mutex
	names []*share // of the accounts, in the order of their first ones
}

// NewBudget returns a budget of limit bytes; 0 is no limit.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// Child returns a budget that draws from b and has a limit of its own; 0 is no
// limit beyond b's.
func (b *Budget) Child(limit int64) *Budget { return &Budget{parent: b, limit: limit} }

// Part is Child, but its accounts are listed with b's by Peaks.
func (b *Budget) Part(limit int64) *Budget { return &Budget{parent: b, limit: limit, part: true} }

// Hold draws n bytes from b's parent at once, even where limits do not allow
// them: they are there for b's accounts until it is closed. As n may be an
// estimate, as much again is never refused. It is called before b has accounts; if
// again, with more.
func (b *Budget) Hold(n int64) {
	b.parent.force(n - b.reserved)
	b.reserved = n
}

// drawn is what a budget that holds used bytes for its accounts holds of its
// parent.
func (b *Budget) drawn(used int64) int64 { return max(used, b.reserved) }

// Close gives back to b's parent whatever b's accounts still hold: those of a
// worker that was stopped, say. No account of b may be used afterwards.
func (b *Budget) Close() {
	held := b.drawn(b.used.Swap(0))
	b.reserved = 0
	if b.parent != nil {
		b.parent.give(held)
	}
}

// Used returns the bytes held by all accounts.
func (b *Budget) Used() int64 { return b.used.Load() }

// Free returns the bytes that are left under the limits of b and those that it
// draws from; very many if there is no limit.
func (b *Budget) Free() int64 {
	least, drawn := int64(math.MaxInt64), int64(0)
	for ; b != nil; b = b.parent {
		if b.limit > 0 {
			least = min(least, b.limit-b.Used()+drawn)
		}
		drawn += max(0, b.reserved-b.Used())
	}
	return max(least, 0)
}

// Peak returns the most bytes that were held at once.
func (b *Budget) Peak() int64 { return b.peak.Load() }

// take draws n bytes, or none. The counter never shows bytes that were refused,
// so that one refusal does not cause another.
func (b *Budget) take(n int64) bool {
	now := b.used.Load()
	for {
		if n > math.MaxInt64-now || b.limit > 0 && n > b.limit-now {
			return false
		}
		if b.used.CompareAndSwap(now, now+n) {
			break
		}
		now = b.used.Load()
	}
	if more := b.drawn(now+n) - b.drawn(now); b.parent != nil && more > 0 && !b.parent.take(more) {
		if now+n > 2*b.reserved {
			b.undo(n, more)
			return false
		}
		b.parent.force(more)
	}
	now += n
	for p := b.peak.Load(); now > p && !b.peak.CompareAndSwap(p, now); p = b.peak.Load() {
	}
	return true
}

// force draws n bytes whatever the limits are.
func (b *Budget) force(n int64) {
	now := b.used.Add(n)
	for p := b.peak.Load(); now > p && !b.peak.CompareAndSwap(p, now); p = b.peak.Load() {
	}
	if more := b.drawn(now) - b.drawn(now-n); b.parent != nil && more > 0 {
		b.parent.force(more)
	}
}

// undo gives n bytes back, of which the parent has refused some.
func (b *Budget) undo(n, refused int64) {
	now := b.used.Add(-n)
	if less := b.drawn(now+n) - b.drawn(now) - refused; less > 0 {
		b.parent.give(less)
	} else if less < 0 {
		b.parent.force(-less)
	}
}

func (b *Budget) give(n int64) {
	now := b.used.Add(-n)
	if less := b.drawn(now+n) - b.drawn(now); b.parent != nil && less > 0 {
		b.parent.give(less)
	}
}

// Accounts draw in units of grant, so that the shared counter is touched once
// per MiB of growth; under a small limit the unit is a share of it, lest idle
// accounts take all.
const (
	grant      = 1 << 20
	smallGrant = 32 << 10
	grantShare = 64
)

// Account holds bytes of a budget for one owner. It is not safe for concurrent
// use.
type Account struct {
	share   *share
	budget  *Budget
	unit    int64 // what is drawn at once
	size    int64 // what the owner says it uses
	granted int64 // what was drawn from the budget
}

// Account returns an empty account; name says in errors what it is for.
func (b *Budget) Account(name string) *Account { return b.account(name, grant) }

// SmallAccount is Account for one of many owners, each of a little: it draws in
// small units.
func (b *Budget) SmallAccount(name string) *Account { return b.account(name, smallGrant) }

func (b *Budget) account(name string, unit int64) *Account {
	for p := b; p != nil; p = p.parent {
		if p.limit > 0 {
			unit = min(unit, max(p.limit/grantShare, 1))
		}
	}
	return &Account{share: b.share(name), budget: b, unit: unit}
}

// Resize sets the bytes that the owner uses. When the budget refuses, it
// returns a *LimitError and leaves the account as it was.
func (a *Account) Resize(size int64) error {
	if size < 0 {
		panic("BUG: an account of less than no bytes: " + a.share.name)
	}
	want := size
	if size <= math.MaxInt64-a.unit {
		want = (size + a.unit - 1) / a.unit * a.unit
	}
	switch {
	case want < a.granted:
		a.give(a.granted - want)
		a.granted = want
	case want == a.granted || a.take(want-a.granted):
		a.granted = want
	case size <= a.granted:
		// An exact grant from before is enough.
	case a.take(size - a.granted):
		// Near the limit, a whole grant may be too much where the bytes
		// themselves are not.
		a.granted = size
	default:
		b := a.budget.tightest()
		return &LimitError{Account: a.share.name, Held: a.size, Want: size, Used: b.Used(), Limit: b.limit}
	}
	a.size = size
	return nil
}

// Force is Resize for what is held already or cannot wait, and is bounded some
// other way: the bytes are taken even where the limits do not allow them, so that
// others are refused. It reports whether Resize would have refused.
func (a *Account) Force(size int64) (over bool) {
	if a.Resize(size) == nil {
		return false
	}
	a.share.force(size - a.granted)
	a.budget.force(size - a.granted)
	a.granted, a.size = size, size
	return true
}

// Beside returns an empty account of the same budget.
func (a *Account) Beside(name string) *Account { return a.budget.Account(name) }

// Free returns what is left of the account's budget, as Budget.Free does.
func (a *Account) Free() int64 { return a.budget.Free() }

// Size returns the bytes last set.
func (a *Account) Size() int64 { return a.size }

// Close gives everything back. The account is then empty and can be used again.
func (a *Account) Close() {
	a.give(a.granted)
	a.granted, a.size = 0, 0
}

// tightest returns the budget, of b and those that it draws from, that has
// least left.
func (b *Budget) tightest() *Budget {
	least := b
	for p := b.parent; p != nil; p = p.parent {
		if p.limit > 0 && (least.limit == 0 || p.limit-p.Used() < least.limit-least.Used()) {
			least = p
		}
	}
	return least
}
