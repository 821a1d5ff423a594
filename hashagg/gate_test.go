package hashagg

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// TestGate has workers inside while others want to come out and move, and checks
// that nobody is inside then and that each block is moved once.
func TestGate(t *testing.T) {
	var g gate
	counts := new(growing)
	g.open(counts)
	var inside, moving atomic.Int64
	version := 0 // read inside, written by moves
	var wg sync.WaitGroup
	for w := range 16 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for range 300 {
				g.enter()
				inside.Add(1)
				if moving.Load() != 0 || version < 0 {
					t.Error("inside while blocks move")
				}
				yield()
				inside.Add(-1)
				g.leave()
				if r.IntN(10) > 0 {
					continue
				}
				_, err := g.grow(func() (*move, error) {
					if r.IntN(4) == 0 {
						return nil, nil // no more wanted
					}
					blocks := make([]atomic.Int64, 1+r.IntN(20))
					return &move{
						blocks: len(blocks),
						begin:  func() { moving.Add(1) },
						block: func(k int) {
							if inside.Load() != 0 {
								t.Error("a block moves while a worker is inside")
							}
							yield()
							blocks[k].Add(1)
						},
						end: func() {
							version++
							moving.Add(-1)
							for k := range blocks {
								if n := blocks[k].Load(); n != 1 {
									t.Errorf("a block is moved %d times", n)
								}
							}
						},
					}, nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if counts.times.Load() != int64(version) || version == 0 || counts.waits.Load() == 0 || counts.moving.Load() == 0 {
		t.Errorf("%d moves: %+v", version, counts)
	}
	refused := errors.New("refused")
	if _, err := g.grow(func() (*move, error) { return nil, refused }); err != refused {
		t.Error(err)
	}
	g.enter() // it is open still
}

// TestGrowTogether has many workers fill tables of few slots, with hashes that
// are all in one place, at the ends of blocks, or anywhere, and looks every key up.
func TestGrowTogether(t *testing.T) {
	const workers, keys = 8, 20_000
	for _, mask := range []uint64{^uint64(0), 0xff<<56 | 0xffff, 0xfff << 52} {
		k := defaultKnobs()
		k.slots, k.hashMask, k.block = 8, mask, 4
		for _, form := range []string{formPacked, formBytes} {
			t.Run(fmt.Sprintf("%s %x", form, mask), func(t *testing.T) {
				n := keys
				if mask != ^uint64(0) {
					n = keys / 10 // they are looked for one by one
				}
				growTogether(t, form, k, workers, n)
			})
		}
	}
}

func growTogether(t *testing.T, form string, k knobs, workers, keys int) {
	budget := memory.NewBudget(0)
	space := newTicketSpace(k.block, budget.Account("keys"), new(growing))
	packed, text := newPackedTable(space, k), newBytesTable(space, k)
	tickets := make([][]uint32, workers)
	var wg sync.WaitGroup
	for w := range workers {
		tickets[w] = make([]uint32, keys)
		wg.Go(func() {
			is := &issuer{space: space}
			defer is.close()
			order := rand.New(rand.NewPCG(3, uint64(w))).Perm(keys)
			for lo := 0; lo < keys; lo += 100 {
				part := order[lo:min(lo+100, keys)]
				got := make([]uint32, len(part))
				var err error
				if form == formPacked {
					err = findPacked(&packedProbe{table: packed, issuer: is}, part, got)
				} else {
					err = findTexts(&bytesProbe{table: text, issuer: is}, part, got)
				}
				if err != nil {
					t.Error(err)
					return
				}
				for i, x := range part {
					tickets[w][x] = got[i]
				}
			}
		})
	}
	wg.Wait()
	seen := map[uint32]bool{}
	for x := range keys {
		for w := range workers {
			if tickets[w][x] != tickets[0][x] {
				t.Fatalf("key %d has tickets %d and %d", x, tickets[0][x], tickets[w][x])
			}
		}
		if seen[tickets[0][x]] {
			t.Fatalf("ticket %d has two keys", tickets[0][x])
		}
		seen[tickets[0][x]] = true
	}
	if space.growing.times.Load() == 0 {
		t.Error("nothing grew")
	}
}

func findPacked(p *packedProbe, part []int, got []uint32) error {
	words := make([]uint64, len(part))
	for i, x := range part {
		words[i] = uint64(x) * 0x9e3779b97f4a7c15
	}
	return p.find(words, got)
}

func findTexts(p *bytesProbe, part []int, got []uint32) error {
	var data []byte
	offsets := []int32{0}
	for _, x := range part {
		data = fmt.Appendf(data, "key number %d of many", x)
		offsets = append(offsets, int32(len(data)))
	}
	return p.find(data, offsets, vector.Bitmap(nil), got)
}
