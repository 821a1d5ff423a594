package hashagg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// harness is an accumulator with its slab, whose other words hold a canary.
type harness struct {
	tb   testing.TB
	agg  *Aggregate
	slab Slab
	acc  Accumulator
	n    int
}

const canary = 0xdeadbeefcafef00d

func newHarness(tb testing.TB, agg *Aggregate) *harness {
	h := &harness{tb: tb, agg: agg, slab: Slab{Stride: agg.Words + 3}}
	h.acc = agg.New(&h.slab, 2)
	return h
}

func (h *harness) grow(n int) {
	h.slab.Grow(n)
	h.acc.Grow(n)
	for ; h.n < n; h.n++ {
		row := h.slab.Words[h.n*h.slab.Stride:][:h.slab.Stride]
		row[0], row[1], row[len(row)-1] = canary, canary, canary
	}
}

func (h *harness) check() {
	h.tb.Helper()
	for t := range h.n {
		row := h.slab.Words[t*h.slab.Stride:][:h.slab.Stride]
		if row[0] != canary || row[1] != canary || row[len(row)-1] != canary {
			h.tb.Fatalf("%s: words of other states were overwritten at ticket %d", h.agg.Name, t)
		}
	}
}

func (h *harness) reset() {
	h.slab.Reset()
	h.acc.Reset()
	h.n = 0
}

// merge adds the states of from, in ranges of random length and with the
// tickets in random order.
func (h *harness) merge(r *rand.Rand, from *harness) {
	h.tb.Helper()
	for lo := 0; lo < from.n; {
		hi := min(from.n, lo+1+r.IntN(from.n))
		states, err := from.acc.State(lo, hi)
		if err != nil {
			h.tb.Fatal(err)
		}
		if len(states) != len(h.agg.State) {
			h.tb.Fatalf("%s: %d columns of state, not %d", h.agg.Name, len(states), len(h.agg.State))
		}
		tickets := make([]uint32, hi-lo)
		for i := range tickets {
			tickets[i] = uint32(lo + i)
		}
		for k, s := range states {
			if !arrow.TypeEqual(s.Type, h.agg.State[k]) || s.Len != hi-lo || !s.Flat() {
				h.tb.Fatalf("%s: state %d is %s, not %d rows of %s", h.agg.Name, k, s, hi-lo, h.agg.State[k])
			}
		}
		sel := make([]uint32, hi-lo)
		for i, p := range r.Perm(hi - lo) {
			sel[i], tickets[i] = uint32(p), uint32(lo+p)
		}
		for k := range states {
			if states[k], err = vector.Gather(nil, states[k], sel); err != nil {
				h.tb.Fatal(err)
			}
		}
		if err := h.acc.Merge(tickets, states); err != nil {
			h.tb.Fatal(err)
		}
		lo = hi
	}
}

// result returns the text of ticket t's result.
func (h *harness) result(t int) string {
	h.tb.Helper()
	v, err := h.acc.Final(t, t+1)
	var overflow *OverflowError
	if errors.As(err, &overflow) {
		return overflows
	}
	if err != nil {
		h.tb.Fatal(err)
	}
	if !arrow.TypeEqual(v.Type, h.agg.Result) || v.Len != 1 || !v.Flat() {
		h.tb.Fatalf("%s: result is %s, not a row of %s", h.agg.Name, v, h.agg.Result)
	}
	return cellText(readCell(v, 0))
}

// sameResult compares texts; results of variances may differ in the last bits,
// and those of sketches by what their page says: four times the standard error of
// 0.81 %.
func sameResult(name, got, want string) bool {
	g, err1 := strconv.ParseFloat(got, 64)
	if about, tolerance, ok := strings.Cut(want, "~"); ok {
		w, err2 := strconv.ParseFloat(about, 64)
		most, err3 := strconv.ParseFloat(tolerance, 64)
		return errors.Join(err1, err2, err3) == nil && math.Abs(g-w) <= most
	}
	off := 0.0
	switch {
	case slices.ContainsFunc([]string{"var_", "stddev", "sem", "corr", "regr_", "skewness", "kurtosis", "product", "geomean"}, func(s string) bool { return strings.Contains(name, s) }):
		off = 0x1p-51
	case name == "approx_quantile":
		off = 1.0 / 128
	case name == "approx_count_distinct":
		off = 4 * 0.0081
	}
	if got == want || off == 0 {
		return got == want
	}
	w, err2 := strconv.ParseFloat(want, 64)
	return err1 == nil && err2 == nil && math.Abs(g-w) <= off*math.Abs(w)
}

// TestAggregates compares every function over every type that it takes with
// reference, on random rows in batches of every form, spread over accumulators
// that are merged in random order.
func TestAggregates(t *testing.T) {
	for j, typ := range aggregateTypes {
		for i, c := range callsOver(t, typ) {
			if testing.Short() && (i+j)%4 > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s%v%v", c.agg.Name, c.agg.Args, c.modifiers), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, uint64(len(c.agg.Name))))
				plain := len(c.modifiers.Constants) == 0 && len(c.modifiers.Order) == 0 && !c.modifiers.Distinct && len(c.columns) < 2
				for trial := 0; trial < 12; trial++ {
					if plain || trial == i%12 {
						testAggregate(t, r, c.agg, c.modifiers, mood(trial%4), trial/2)
					}
				}
			})
		}
	}
}

const maxGroups = 9

func testAggregate(t *testing.T, r *rand.Rand, agg *Aggregate, call Modifiers, m mood, nulls int) {
	groups := 1 + r.IntN(maxGroups)
	parts := make([]*harness, 1+r.IntN(4))
	for i := range parts {
		parts[i] = newHarness(t, agg)
		if r.IntN(3) == 0 {
			parts[i].slab.blind = ^uint64(0) // all values have one hash
		}
		if r.IntN(2) == 0 {
			fillAt(t, r, parts[i], m, nulls, groups, 0, new([maxGroups][][]cell))
			parts[i].reset()
		}
	}
	var rows [maxGroups][][]cell
	first := uint64(0)
	for range 6 {
		first += fillAt(t, r, parts[r.IntN(len(parts))], m, nulls, groups, first, &rows)
	}
	total := newHarness(t, agg)
	if r.IntN(3) == 0 {
		total.slab.blind = ^uint64(0)
	}
	total.grow(groups)
	for _, i := range r.Perm(len(parts)) {
		total.merge(r, parts[i])
		parts[i].check()
	}
	total.check()
	for g := range groups {
		got, want := total.result(g), referenceCall(agg, call, rows[g])
		if !sameResult(agg.Name, got, want) {
			text := make([]string, len(rows[g]))
			for i, c := range rows[g] {
				text[i] = cellText(c)
			}
			t.Fatalf("%s(%s) of %s\n got %s\nwant %s", agg.Name, agg.Args, strings.Join(text, " "), got, want)
		}
	}
}

// fillAt adds a batch of random rows that starts at position first of the
// input, and returns how many positions it takes. No row is NULL if nulls is 0,
// very few if it is 1, most if it is 2, fewer for each more, all if it is 5.
func fillAt(t *testing.T, r *rand.Rand, h *harness, m mood, nulls, groups int, first uint64, rows *[maxGroups][][]cell) uint64 {
	t.Helper()
	n := r.IntN(200)
	var args []*vector.Vector
	var columns [][]cell
	for k, typ := range h.agg.Args {
		few := k > 0 && slices.ContainsFunc(orderTypes, func(t arrow.DataType) bool { return arrow.TypeEqual(t, typ) })
		cells := make([]cell, n)
		for i := range cells {
			valid := nulls == 0 || nulls < 5 && r.IntN(nulls) > 0 || nulls == 1 && r.IntN(150) > 0
			switch {
			case typ.ID() == arrow.NULL, k == 0 && !valid, k > 0 && r.IntN(5) == 0:
			case few:
				cells[i] = fewCells(r, typ)
			default:
				cells[i] = randomCell(r, typ, m)
			}
		}
		args, columns = append(args, makeVector(t, r, typ, cells, form(r.IntN(int(forms))))), append(columns, cells)
	}
	at := Ordinals{First: first}
	length := uint64(n)
	if r.IntN(2) == 0 {
		at.Sel = make([]uint32, n)
		length = 0
		for i := range at.Sel {
			length += uint64(1 + r.IntN(3))
			at.Sel[i] = uint32(length - 1)
		}
	}
	h.grow(max(1, groups-r.IntN(2)))
	tickets := make([]uint32, n)
	for i := range tickets {
		tickets[i] = uint32(r.IntN(h.n))
		if r.IntN(40) > 0 && h.n > 1 {
			tickets[i] = uint32(r.IntN(h.n - 1)) // the last group stays empty at times
		}
		var row []cell
		for _, c := range columns {
			row = append(row, c[i])
		}
		rows[tickets[i]] = append(rows[tickets[i]], row)
	}
	h.slab.Clustered = len(tickets)%2 == 0 // a hint: the loops must not depend on it
	if err := h.acc.Update(tickets, args, at); err != nil {
		t.Fatal(err)
	}
	return length
}
