package memory

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func TestPeaks(t *testing.T) {
	parent := NewBudget(0)
	b := parent.Child(100 << 20)
	x, y, z := b.Account("x"), b.Account("x"), b.Account("z")
	for _, step := range []struct {
		a    *Account
		size int64
	}{{x, 2 << 20}, {y, 3 << 20}, {x, 0}, {z, 4 << 20}, {y, 1 << 20}, {x, 1 << 20}} {
		if err := step.a.Resize(step.size); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Resize(200 << 20); err == nil {
		t.Error("more than the limit")
	}
	x.Close()
	y.Close()
	z.Close()
	if want := []AccountPeak{{"x", 5 << 20}, {"z", 4 << 20}}; !slices.Equal(b.Peaks(), want) || b.Peak() != 7<<20 {
		t.Errorf("%+v, of all %d", b.Peaks(), b.Peak())
	}
	if len(parent.Peaks()) != 0 {
		t.Errorf("of the parent: %+v", parent.Peaks())
	}
}

// TestPeaksAtOnce has several owners of each name at work.
func TestPeaksAtOnce(t *testing.T) {
	b := NewBudget(40 << 20)
	names := []string{"a", "b", "c"}
	var wg sync.WaitGroup
	for i := range 9 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			a := b.Account(names[i%3])
			for range 2000 {
				_ = a.Resize(r.Int64N(8 << 20))
			}
			a.Close()
		})
	}
	wg.Wait()
	var sum int64
	for _, p := range b.Peaks() {
		if p.Peak <= 0 {
			t.Errorf("%+v", p)
		}
		sum += p.Peak
	}
	if len(b.Peaks()) != 3 || sum < b.Peak() || b.Used() != 0 {
		t.Errorf("%+v, of all %d", b.Peaks(), b.Peak())
	}
	for _, s := range b.names {
		if s.used.Load() != 0 {
			t.Errorf("%s still has %d", s.name, s.used.Load())
		}
	}
}
