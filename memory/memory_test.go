package memory

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// resize is Resize where nobody expects a refusal.
func resize(t *testing.T, a *Account, size int64) {
	t.Helper()
	if err := a.Resize(size); err != nil {
		t.Fatal(err)
	}
}

// refused checks that a refuses size, names itself, and stays as it is.
func refused(t *testing.T, b *Budget, a *Account, size int64) *LimitError {
	t.Helper()
	used, peak, before := b.Used(), b.Peak(), *a
	err := a.Resize(size)
	var limit *LimitError
	if !errors.As(err, &limit) || !errors.Is(err, ErrLimit) {
		t.Fatalf("Resize(%d) gave %v", size, err)
	}
	if limit.Want != size || limit.Held != before.size || limit.Account != a.share.name || !strings.Contains(err.Error(), a.share.name) {
		t.Errorf("error %v", err)
	}
	if b.Used() != used || b.Peak() != peak || *a != before {
		t.Errorf("a refusal changed %d, %d, %+v to %d, %d, %+v", used, peak, before, b.Used(), b.Peak(), *a)
	}
	return limit
}

func TestAccountGrants(t *testing.T) {
	b := NewBudget(grantShare * grant)
	a := b.Account("a")
	for _, step := range []struct{ size, used int64 }{
		{1, grant}, {grant, grant}, {grant + 1, 2 * grant}, {10 * grant, 10 * grant}, {5, grant}, {0, 0},
	} {
		resize(t, a, step.size)
		if a.Size() != step.size || b.Used() != step.used {
			t.Errorf("size %d: Size %d, %d used, not %d", step.size, a.Size(), b.Used(), step.used)
		}
	}
	if b.Peak() != 10*grant {
		t.Errorf("peak %d", b.Peak())
	}
	resize(t, a, 7)
	a.Close()
	a.Close()
	if b.Used() != 0 || a.Size() != 0 {
		t.Errorf("after Close %d are used", b.Used())
	}
	resize(t, a, 7) // it can be used again
}

// TestAccountNearLimit has less than a grant left, and takes all of it.
func TestAccountNearLimit(t *testing.T) {
	const most = grantShare * grant
	const limit = most + grant/2
	b := NewBudget(limit)
	x, y := b.Account("x"), b.Account("y")
	resize(t, x, most)
	refused(t, b, y, grant/2+1)
	if x.Free() != grant/2 || y.Free() != grant/2 || NewBudget(0).Account("z").Free() != math.MaxInt64 {
		t.Errorf("%d and %d are free", x.Free(), y.Free())
	}
	resize(t, y, grant/2)
	if b.Used() != limit {
		t.Errorf("%d used, not %d", b.Used(), limit)
	}
	refused(t, b, y, grant/2+1)
	refused(t, b, x, most+1)
	resize(t, y, grant/2-1) // a little less needs nothing new
	if got := b.Used(); got != limit {
		t.Errorf("%d used, not %d", got, limit)
	}
	resize(t, x, 0)
	resize(t, y, grant/2+1)
	if b.Used() != grant {
		t.Errorf("%d used, not a whole grant", b.Used())
	}
}

// TestAccountsUnderSmallLimit has as many accounts as fit when each draws no
// more than a small share.
func TestAccountsUnderSmallLimit(t *testing.T) {
	b := NewBudget(64 << 10)
	for _, budget := range []*Budget{b, b.Child(0)} {
		for range grantShare / 2 {
			resize(t, budget.Account("a"), 1)
		}
	}
	if b.Used() != 64<<10 {
		t.Errorf("%d used", b.Used())
	}
	tiny := NewBudget(3).Account("a")
	resize(t, tiny, 3)
	refused(t, tiny.budget, tiny, 4)
}

func TestBudgetWithoutLimit(t *testing.T) {
	for name, b := range map[string]*Budget{"zero": {}, "new": NewBudget(0), "child": NewBudget(0).Child(0)} {
		a := b.Account("a")
		resize(t, a, 1<<50)
		if b.Used() < 1<<50 {
			t.Errorf("%s: %d used", name, b.Used())
		}
	}
}

// TestAccountHuge asks for what overflows when rounded up or added.
func TestAccountHuge(t *testing.T) {
	b := NewBudget(10 * grant)
	x, y := b.Account("x"), b.Account("y")
	resize(t, x, 1)
	for _, size := range []int64{math.MaxInt64, math.MaxInt64 - grant, math.MaxInt64 - grant + 1, math.MaxInt64 - 1} {
		refused(t, b, x, size)
		refused(t, b, y, size)
	}
	free := NewBudget(0)
	resize(t, free.Account("x"), 1)
	refused(t, free, free.Account("y"), math.MaxInt64)
	defer func() {
		if recover() == nil {
			t.Error("no panic for a negative size")
		}
	}()
	_ = x.Resize(-1)
}

func TestBudgetChild(t *testing.T) {
	const most = grantShare * grant
	parent := NewBudget(2 * most)
	small, open := parent.Child(most), parent.Child(0)
	x, y := small.Account("x"), open.Account("y")
	resize(t, x, most)
	if e := refused(t, small, x, most+1); e.Limit != most || e.Used != most {
		t.Errorf("the child refused with %+v", e)
	}
	resize(t, y, most)
	if parent.Used() != 2*most || small.Used() != most || open.Used() != most {
		t.Errorf("used %d, %d, %d", parent.Used(), small.Used(), open.Used())
	}
	if e := refused(t, parent, y, most+1); e.Limit != 2*most || e.Used != 2*most {
		t.Errorf("the parent refused with %+v", e)
	}
	if open.Used() != most || open.Peak() != most {
		t.Errorf("a refusal of the parent left %d, peak %d, in the child", open.Used(), open.Peak())
	}
	resize(t, x, grant)
	if e := refused(t, parent, y, 2*most); e.Limit != 2*most || e.Used != most+grant {
		t.Errorf("the parent refused with %+v", e)
	}
	x.Close()
	y.Close()
	if parent.Used() != 0 || small.Used() != 0 || open.Used() != 0 {
		t.Errorf("used %d, %d, %d after Close", parent.Used(), small.Used(), open.Used())
	}
}

// TestBudgetConcurrently checks that accounts never hold more than the limit
// together, and that what fits is not refused because others ask for too much.
func TestBudgetConcurrently(t *testing.T) {
	const limit, workers = grantShare*grant + 12345, 4
	parent := NewBudget(limit)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			b := parent.Child(0)
			a := b.Account("a")
			rnd := rand.New(rand.NewPCG(1, uint64(w)))
			for range 5000 {
				if rnd.IntN(2) == 0 {
					if a.Resize(100*limit) == nil {
						t.Error("too much was granted")
					}
				}
				if err := a.Resize(rnd.Int64N(grantShare / workers * grant)); err != nil {
					t.Errorf("what fits was refused: %v", err)
				}
				if parent.Used() > limit {
					t.Errorf("%d used of %d", parent.Used(), limit)
				}
			}
			a.Close()
		})
	}
	wg.Wait()
	if parent.Used() != 0 || parent.Peak() > limit {
		t.Errorf("%d used, peak %d", parent.Used(), parent.Peak())
	}
}

// TestBudgetClose has an account that nobody closed.
func TestBudgetClose(t *testing.T) {
	parent := NewBudget(10 * grant)
	child := parent.Child(0)
	open, closed := child.Account("open"), child.Account("closed")
	resize(t, open, 3*grant)
	resize(t, closed, grant)
	closed.Close()
	child.Close()
	child.Close()
	if parent.Used() != 0 || child.Used() != 0 {
		t.Errorf("%d and %d are still used", parent.Used(), child.Used())
	}
	if parent.Peak() < 4*grant {
		t.Errorf("peak %d", parent.Peak())
	}
}

func TestLimitErrorText(t *testing.T) {
	b := NewBudget(100 << 20)
	a := b.Account("the states of groups")
	resize(t, a, 98<<20)
	want := "memory limit of 100 MiB exceeded: 4.0 MiB more needed for the states of groups"
	if err := a.Resize(102 << 20); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 10200: "10 KiB", 1<<20 - 1: "1.0 MiB", 5 << 29: "2.5 GiB", math.MaxInt64: "8.0 EiB",
	} {
		if got := FormatSize(n); got != want {
			t.Errorf("%d bytes are %s, not %s", n, got, want)
		}
	}
}
