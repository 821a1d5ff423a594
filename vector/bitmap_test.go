package vector

import (
	"math/rand/v2"
	"testing"
)

func TestBitmap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := rnd.IntN(70)
		b, want := NewBitmap(n), make([]bool, n)
		for range rnd.IntN(20) {
			if n == 0 {
				break
			}
			switch i := rnd.IntN(n); rnd.IntN(3) {
			case 0:
				b.Set(i)
				want[i] = true
			case 1:
				b.Clear(i)
				want[i] = false
			case 2:
				hi := i + rnd.IntN(n-i+1)
				b.SetRange(i, hi)
				for k := i; k < hi; k++ {
					want[k] = true
				}
			}
		}
		count := 0
		for i, w := range want {
			if b.Get(i) != w {
				t.Fatalf("bit %d of %d is %v", i, n, !w)
			}
			if b.Count(i) != count {
				t.Fatalf("%d of the first %d bits are set, not %d", b.Count(i), i, count)
			}
			if w {
				count++
			}
		}
		if b.Count(n) != count {
			t.Fatalf("%d of all %d bits are set, not %d", b.Count(n), n, count)
		}
	}
	if b := Bitmap(nil); !b.Get(7) || b.Count(9) != 9 {
		t.Error("a nil Bitmap has clear bits")
	}
}
