package hashagg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// TestForetell draws rows from sets of keys and compares the forecast after
// some of them with the number of keys in all.
func TestForetell(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, c := range []struct{ keys, some, all int }{
		{10, 1000, 100_000}, {1000, 1000, 100_000}, {1000, 8192, 1_000_000}, {100_000, 8192, 1_000_000},
		{1_000_000, 8192, 2_000_000}, {500_000, 100_000, 1_000_000},
	} {
		seen := map[int]bool{}
		early := 0
		for i := range c.all {
			seen[r.IntN(c.keys)] = true
			if i == c.some-1 {
				early = len(seen)
			}
		}
		got, want := float64(foretell(early, int64(c.some), int64(c.all))), float64(len(seen))
		if got < 0.6*want || got > 1.7*want {
			t.Errorf("%d of %d rows with %d of %d keys: foretold %.0f", c.some, c.all, early, len(seen), got)
		}
	}
	for _, c := range []struct {
		seen      int
		some, all int64
		want      int
	}{
		{0, 0, 100, 0}, {5, 5, 5, 5}, {100, 100, 1000, 1000}, {100, 50, 1000, 1000}, {7, 1000, 100, 7}, {1, 1 << 40, 1 << 41, 1},
	} {
		if got := foretell(c.seen, c.some, c.all); got != c.want {
			t.Errorf("%d groups in %d of %d rows: foretold %d, want %d", c.seen, c.some, c.all, got, c.want)
		}
	}
}

// TestForetellOfWrongRows has numbers of rows that are not what comes.
func TestForetellOfWrongRows(t *testing.T) {
	for _, c := range []struct {
		total, rows int64
		seen        int
		least, most int
	}{
		{0, 0, 5, 5, 5},
		{0, 1000, 10, 10, 10},
		{10, 1000, 900, 900, 900},
		{1000, 0, 10, 10, 1000}, // rows not counted yet
		{1000, 5, 10, 10, 1000}, // other workers' rows are counted late
		{math.MaxInt64, 100, 100, math.MaxInt32, math.MaxInt32},
		{math.MaxInt64, 1 << 40, 1 << 20, 1 << 20, math.MaxInt32},
		{math.MaxInt64, 1 << 20, 1, 1, 2},
	} {
		if got := foretell(c.seen, c.rows, c.total); got < c.least || got > c.most {
			t.Errorf("%d of %d rows with %d groups: a forecast of %d, not of %d to %d", c.rows, c.total, c.seen, got, c.least, c.most)
		}
	}
}

// TestSlots checks that a larger table has room for one key more, and is not
// larger than it may be.
func TestSlots(t *testing.T) {
	for _, total := range []int64{-1, 0, 100, 1e6, math.MaxInt64} {
		for _, n := range []int{1, 4, 8, 4096, 1 << 20} {
			for _, seen := range []int{capacity(n), capacity(n) + 1, 3*n + 7} {
				var f forecast
				f.total = total
				f.rows.Store(int64(seen))
				got := f.slots(n, seen)
				if got&(got-1) != 0 || capacity(got) <= seen || got > mostGrowth*max(n, 8) {
					t.Errorf("%d rows: %d slots instead of %d for %d keys", total, got, n, seen)
				}
			}
		}
	}
}

// TestSlotsThatTheBudgetAllows has a forecast for which the budget is too small,
// as the keys that come do not bear it out.
func TestSlotsThatTheBudgetAllows(t *testing.T) {
	const limit = 2 << 20
	keys := vector.New(arrow.PrimitiveTypes.Uint64, 8192)
	for _, k := range []keyTable{
		&wordKeys{typ: keys.Type},
		&textKeys{typ: &arrow.FixedSizeBinaryType{ByteWidth: 8}},
	} {
		budget := memory.NewBudget(limit)
		space := newTicketSpace(blockTickets, budget.Account("keys"), new(growing))
		space.forecast.total = 1 << 40
		switch k := k.(type) {
		case *wordKeys:
			k.space, k.table = space, newPackedTable(space, defaultKnobs())
		case *textKeys:
			k.space, k.table = space, newBytesTable(space, defaultKnobs())
			keys.Type = k.typ
		}
		g := k.grouper()
		tickets := make([]uint32, keys.Len)
		for b := range 4 { // 32K different keys, of a forecast of billions
			for i, w := 0, vector.View[uint64](keys.Data); i < len(w); i++ {
				w[i] = uint64(b*len(w) + i)
			}
			if err := g.Groups([]*vector.Vector{keys}, tickets); err != nil {
				t.Fatalf("%s: %d keys, %d of %d bytes held: %v", k.form(), b*keys.Len, budget.Used(), limit, err)
			}
			space.forecast.rows.Add(int64(keys.Len))
		}
		k.close()
		if n := budget.Used(); n != 0 {
			t.Errorf("%s: %d bytes are still held", k.form(), n)
		}
	}
}
