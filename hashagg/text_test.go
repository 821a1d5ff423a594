package hashagg

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// TestTextMemory holds that strings that have been replaced are let go, while
// those in use stay.
func TestTextMemory(t *testing.T) {
	const groups, rounds = 100, 400
	agg, err := Bind("last", []arrow.DataType{arrow.BinaryTypes.String}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, agg)
	h.grow(groups)
	r := rand.New(rand.NewPCG(1, 1))
	want := make([][]byte, groups)
	for round := range rounds {
		b := vector.NewBuilder(arrow.BinaryTypes.String)
		tickets := make([]uint32, groups/2)
		for i := range tickets {
			tickets[i] = uint32(r.IntN(groups))
			s := bytes.Repeat([]byte(fmt.Sprint(round)), r.IntN(1+20*(round%30)))
			want[tickets[i]] = s
			appendCell(t, b, arrow.BinaryTypes.String, s)
		}
		at := Ordinals{First: uint64(round * groups)}
		if err := h.acc.Update(tickets, []*vector.Vector{b.Vector()}, at); err != nil {
			t.Fatal(err)
		}
	}
	h.check()
	live := 0
	for g, s := range want {
		live += len(s)
		if got := h.result(g); got != cellText(s) {
			t.Fatalf("group %d has %s, not %q", g, got, s)
		}
	}
	if held := h.acc.Bytes(); held > int64(4*live+4*minDead) {
		t.Errorf("%d bytes held for %d", held, live)
	}
	for round := range 2 {
		for g := range groups {
			b := vector.NewBuilder(arrow.BinaryTypes.String)
			appendCell(t, b, arrow.BinaryTypes.String, make([]byte, 4000-3990*round))
			at := Ordinals{First: uint64((rounds+1+round)*groups + g)}
			if err := h.acc.Update([]uint32{uint32(g)}, []*vector.Vector{b.Vector()}, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if held := h.acc.Bytes(); held > 4*minDead {
		t.Errorf("%d bytes held after strings have shrunk", held)
	}
	h.reset()
	if held := h.acc.Bytes(); held > 4096 {
		t.Errorf("%d bytes held after Reset", held)
	}
}

// TestUpdateAllocates holds that batches cost no allocation once scratch memory
// is there, save for the room of values that are kept, and that one for many.
func TestUpdateAllocates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range functions {
		for _, typ := range aggregateTypes {
			agg, err := Bind(f.name, []arrow.DataType{typ}, Modifiers{})
			if err != nil {
				continue
			}
			for kind := range forms {
				h := newHarness(t, agg)
				h.grow(10)
				cells := make([]cell, 300)
				for i := range cells {
					if typ.ID() != arrow.NULL && r.IntN(9) > 0 {
						cells[i] = randomCell(r, typ, small)
					}
				}
				args := []*vector.Vector{makeVector(t, r, typ, cells, kind)}
				tickets := make([]uint32, len(cells))
				for i := range tickets {
					tickets[i] = uint32(i % 10)
				}
				n := testing.AllocsPerRun(5, func() {
					if err := h.acc.Update(tickets, args, Ordinals{}); err != nil {
						t.Fatal(err)
					}
				})
				most := 0.0
				if agg.Take != nil {
					most = float64(len(cells)) / 20
				}
				if n > most {
					t.Errorf("%s(%s), form %d: %v allocations a batch", f.name, typ, kind, n)
				}
			}
		}
	}
}

// TestFixedKeysBesideUnusedTickets has a ticket that a worker took and did not use:
// keys after it must stay in their place.
func TestFixedKeysBesideUnusedTickets(t *testing.T) {
	typ := &arrow.Decimal128Type{Precision: 20, Scale: 2}
	k := defaultKnobs()
	space := newTicketSpace(1, memory.NewBudget(0).Account("keys"), new(growing))
	table := &textKeys{typ: typ, space: space, table: newBytesTable(space, k)}
	if n, err := (&issuer{space: space}).next(); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	v := vector.New(typ, 2)
	copy(v.Data, []byte("the first value.the second value"))
	tickets := make([]uint32, 2)
	if err := table.grouper().Groups([]*vector.Vector{v}, tickets); err != nil {
		t.Fatal(err)
	}
	got, err := table.keys([]uint32{0, tickets[1], 0, tickets[0]})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := string(got[0].Bytes(1)), string(got[0].Bytes(3)); a != "the second value" || b != "the first value." {
		t.Errorf("%q and %q", a, b)
	}
}
