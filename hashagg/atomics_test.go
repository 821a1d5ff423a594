package hashagg

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// TestAtomics has many workers add to the states of few groups at once, values
// among them that no word can take, and compares sums with those of big integers.
func TestAtomics(t *testing.T) {
	i64, u64 := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64
	const groups, workers, batches, rows = 50, 8, 40, 200
	for round := range 3 {
		calls := atomicCalls(t)
		budget := memory.NewBudget(0)
		sink := &Sink{cfg: Config{Calls: calls, Workers: workers, Budget: budget}, tables: budget}
		shared := sink.newCommon(false).(*atomics)
		want := make([][2]big.Int, groups)
		counts := make([][2]int64, groups)
		var all [][]func() error
		for w := range workers {
			r := rand.New(rand.NewPCG(uint64(round), uint64(w)))
			own := shared.writer(&work{number: w}, newStates(calls, budget.Account(statesAccount)))
			var steps []func() error
			for range batches {
				tickets := make([]uint32, rows)
				signed, unsigned := vector.New(i64, rows), vector.New(u64, rows)
				signed.Valid = vector.NewBitmap(rows)
				passes := vector.New(arrow.FixedWidthTypes.Boolean, rows) // where signed is not NULL
				for i := range rows {
					g := uint32(r.IntN(groups))
					if round == 1 && r.IntN(4) > 0 {
						g = 7 // hot
					}
					tickets[i] = g
					x, y := r.Int64()-1<<62, r.Uint64()
					if round == 2 {
						x, y = r.Int64N(1000)-500, r.Uint64N(1000)
					}
					vector.Values[int64](signed)[i], vector.Values[uint64](unsigned)[i] = x, y
					counts[g][0]++
					if r.IntN(5) > 0 {
						signed.Valid.Set(i)
						vector.Bitmap(passes.Data).Set(i)
						counts[g][1]++
						want[g][0].Add(&want[g][0], big.NewInt(x))
					}
					want[g][1].Add(&want[g][1], new(big.Int).SetUint64(y))
				}
				steps = append(steps, func() error {
					return own.update(tickets, int(slices.Max(tickets))+1, []*vector.Vector{signed, unsigned, passes}, Ordinals{})
				})
			}
			all = append(all, append(steps, own.close))
		}
		atOnce(t, all)
		for g := range groups {
			for k, column := range map[int]int{0: 0, 1: 1, 4: 1} {
				n, err := shared.states.accs[k].Final(g, g+1)
				if err != nil || vector.Values[int64](n)[0] != counts[g][column] {
					t.Errorf("round %d, group %d: count %d is %v, not %d (%v)", round, g, k, vector.Values[int64](n)[0], counts[g][column], err)
				}
			}
			for k, column := range map[int]int{2: 0, 3: 1, 5: 0} {
				sum, _ := shared.states.accs[k].(exactSum).value(g)
				if want := &want[g][column]; sum.String() != want.String() {
					t.Errorf("round %d, group %d: sum %d is %s, not %s", round, g, k, sum.String(), want)
				}
			}
		}
		shared.close()
		if n := budget.Used(); n != 0 {
			t.Errorf("%d bytes are still held", n)
		}
	}
}

// atomicCalls are of columns of int64 and uint64, and filtered by one of booleans.
func atomicCalls(t *testing.T) (calls []Call) {
	t.Helper()
	i64, u64 := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64
	for k, c := range []struct {
		name   string
		args   []int
		typ    arrow.DataType
		filter Filter
	}{
		{name: "count"}, {"count", []int{0}, i64, Filter{}}, {"sum", []int{0}, i64, Filter{}}, {"sum", []int{1}, u64, Filter{}},
		{name: "count", filter: Filter{2, true}}, {"sum", []int{0}, i64, Filter{2, true}},
	} {
		var types []arrow.DataType
		if c.args != nil {
			types = []arrow.DataType{c.typ}
		}
		agg, err := Bind(c.name, types, Modifiers{})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, Call{Agg: agg, Args: c.args, Name: fmt.Sprint(k), Filter: c.filter})
	}
	return calls
}

// atOnce runs the steps of each worker, all workers at once.
func atOnce(t *testing.T, all [][]func() error) {
	t.Helper()
	done := make(chan error)
	for _, steps := range all {
		go func() {
			for _, step := range steps {
				if err := step(); err != nil {
					done <- err
					return
				}
				yield()
			}
			done <- nil
		}()
	}
	for range all {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestNewCommon chooses by the functions.
func TestNewCommon(t *testing.T) {
	i64 := arrow.PrimitiveTypes.Int64
	for _, c := range []struct {
		functions []string
		typ       arrow.DataType
		sparse    bool
		want      bool
		distinct  bool
	}{
		{[]string{"sum"}, i64, false, true, false},
		{[]string{"sum", "count", "sum"}, i64, false, true, false},
		{[]string{"sum"}, i64, true, false, false},
		{[]string{"sum", "avg"}, i64, false, false, false},
		{[]string{"min"}, i64, false, false, false},
		{[]string{"sum"}, arrow.PrimitiveTypes.Float64, false, false, false},
		{[]string{"sum"}, &arrow.Decimal128Type{Precision: 10, Scale: 2}, false, false, false},
		{[]string{"count"}, arrow.BinaryTypes.String, false, true, false},
		{nil, i64, false, false, false},
		{[]string{"count"}, i64, false, false, true},
		{[]string{"sum"}, i64, false, false, true},
	} {
		s := &Sink{cfg: Config{Budget: memory.NewBudget(0)}, tables: memory.NewBudget(0)}
		for _, name := range c.functions {
			agg, err := Bind(name, []arrow.DataType{c.typ}, Modifiers{Distinct: c.distinct})
			if err != nil {
				t.Fatal(err)
			}
			s.cfg.Calls = append(s.cfg.Calls, Call{Agg: agg, Args: []int{0}})
		}
		shared := s.newCommon(c.sparse)
		if _, ok := shared.(*atomics); ok != c.want {
			t.Errorf("%v of %s, sparse %v: %T", c.functions, c.typ, c.sparse, shared)
		}
		shared.close()
	}
}
