package hashagg

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// cellPair is a key of two words.
type cellPair struct {
	ticket uint32
	value  uint64
}

// held returns the pairs of a table by way of ranges.
func heldPairs(c *cells, tickets int) []cellPair {
	var out []cellPair
	for lo := 0; lo < tickets; lo += 7 {
		hi := min(lo+7, tickets)
		ranges := c.ranges(lo, hi)
		starts := c.starts(ranges, lo, hi)
		values := c.together(ranges, starts, lo, 1)
		for i := range hi - lo {
			for _, v := range values[starts[i]:starts[i+1]] {
				out = append(out, cellPair{uint32(lo + i), v})
			}
		}
	}
	return out
}

func comparePairs(a, b cellPair) int {
	if a.ticket != b.ticket {
		return int(a.ticket) - int(b.ticket)
	}
	if a.value < b.value {
		return -1
	}
	return 1
}

// TestCells compares a table of pairs with a map, with hashes that are good, that
// have few bits and that are all the same, from the first slot or near the last,
// and with growing and sorting at any time.
func TestCells(t *testing.T) {
	blinds := map[string]uint64{"good": 0, "few bits": ^uint64(0xf0f << 48), "one": ^uint64(0)}
	for name, blind := range blinds {
		for _, n := range []int{1, 10, 11, 300, 40_000, 300_000} {
			if n > 3000 && blind != 0 || n > 100_000 && testing.Short() {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(n), blind))
				c := newCells(2, 2)
				c.blind = blind
				want := map[cellPair]bool{}
				tickets := 1 + r.IntN(n)
				for left := n; left > 0; {
					batch := min(left, 1+r.IntN(9000))
					left -= batch
					addPairs(t, r, &c, want, batch, tickets)
					if r.IntN(20) == 0 {
						c.sort()
					}
				}
				if c.used != len(want) || c.used > c.limit {
					t.Fatalf("%d cells of %d, with room for %d", c.used, len(want), c.limit)
				}
				got := heldPairs(&c, tickets)
				slices.SortFunc(got, comparePairs)
				if !slices.Equal(got, slices.SortedFunc(maps.Keys(want), comparePairs)) {
					t.Fatal("other pairs came out than went in")
				}
				c.reset()
				if got := heldPairs(&c, tickets); len(got) > 0 {
					t.Fatalf("%d pairs are left", len(got))
				}
				addPairs(t, r, &c, map[cellPair]bool{}, 100, 5)
				c.close()
				if c.held() != 8*int64(cap(c.hashes)) {
					t.Errorf("%d bytes are held by nothing", c.held())
				}
			})
		}
	}
}

// addPairs adds random pairs to a table and a map, which must agree on which are
// new.
func addPairs(t *testing.T, r *rand.Rand, c *cells, want map[cellPair]bool, n, tickets int) {
	t.Helper()
	owners, values := make([]uint32, n), make([]uint64, n)
	for i := range owners {
		owners[i], values[i] = uint32(r.IntN(tickets)), uint64(r.IntN(1+n))
		if r.IntN(4) == 0 {
			values[i] = -values[i] // 0 too, which is no empty cell
		}
	}
	var wantFresh []uint32
	for i := range owners {
		if p := (cellPair{owners[i], values[i]}); !want[p] {
			want[p] = true
			wantFresh = append(wantFresh, uint32(i))
		}
	}
	if fresh := c.addPairs(owners, values, nil); !slices.Equal(fresh, wantFresh) {
		t.Fatalf("new are %d pairs, not %d", len(fresh), len(wantFresh))
	}
}

// TestCellsOfCounts compares a table of counts with a map.
func TestCellsOfCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := newCells(2, 1)
	want := map[[2]uint32]uint64{}
	for range 40 {
		n := 1 + r.IntN(3000)
		tickets, lows, counts := make([]uint32, n), make([]uint32, n), make([]uint64, n)
		for i := range tickets {
			tickets[i], lows[i], counts[i] = uint32(r.IntN(50)), uint32(r.IntN(200)), uint64(1+r.IntN(5))
			want[[2]uint32{tickets[i], lows[i]}] += counts[i]
		}
		c.addCounts(tickets, lows, counts)
	}
	got := map[[2]uint32]uint64{}
	for _, cells := range c.ranges(0, 50) {
		for at := 0; at < len(cells); at += 2 {
			if at > 0 && cells[at] <= cells[at-2] {
				t.Fatal("cells are not in order")
			}
			got[[2]uint32{cellTicket(cells[at]), uint32(cells[at])}] += cells[at+1]
		}
	}
	if !maps.Equal(got, want) {
		t.Error("other counts came out than went in")
	}
}

// TestCellsInOrderOfHashes holds that the cells of one table go into another as
// fast as any, though they come in the order of their hashes. The time is not
// measured: the longest run of cells is.
func TestCellsInOrderOfHashes(t *testing.T) {
	a, b := newCells(2, 2), newCells(2, 2)
	n := 200_000
	owners, values := make([]uint32, n), make([]uint64, n)
	for i := range values {
		values[i] = uint64(i)
	}
	a.addPairs(owners, values, nil)
	ranges := a.ranges(0, 1)
	starts := a.starts(ranges, 0, 1)
	sorted := a.together(ranges, starts, 0, 1)
	longest := 0
	for lo := 0; lo < n/4; lo += 1000 {
		b.addPairs(owners[:1000], sorted[lo:lo+1000], nil)
		run := 0
		for at := 0; at < len(b.words); at += 2 {
			if run++; b.words[at] == 0 {
				run = 0
			}
			longest = max(longest, run)
		}
	}
	if longest > 500 {
		t.Errorf("%d cells in a row", longest)
	}
}

// TestCellsAreReadAtOnce reads a table from several goroutines, the first of
// which sorts it.
func TestCellsAreReadAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := newCells(2, 2)
	want := map[cellPair]bool{}
	addPairs(t, r, &c, want, 50_000, 100)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := heldPairs(&c, 100); len(got) != len(want) {
				t.Errorf("%d pairs, not %d", len(got), len(want))
			}
		})
	}
	wg.Wait()
}

// TestCellsTakeLittle holds what a value costs: two words, in a table that is a
// third full at least once it is large, and that no value is lost when it grows.
func TestCellsTakeLittle(t *testing.T) {
	c := newCells(2, 2)
	owners, values := make([]uint32, 8192), make([]uint64, 8192)
	add := func() (fresh int) {
		for n := 0; n < 4_000_000; {
			for i := range values {
				n++
				values[i], owners[i] = uint64(n), uint32(n%1000)
			}
			fresh += len(c.addPairs(owners, values, nil))
			if most := int64(16 * 3 * c.used); n > 10_000 && c.held() > most+8*8192 {
				t.Fatalf("%d values take %d bytes", c.used, c.held())
			}
		}
		return fresh
	}
	if first, second := add(), add(); first != c.used || second != 0 {
		t.Errorf("of %d values %d were new at first and %d then", c.used, first, second)
	}
	if per := float64(c.held()) / 4e6; per > 40 {
		t.Errorf("a value takes %.1f bytes", per)
	}
}
