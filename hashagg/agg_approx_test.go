package hashagg

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/axiomhq/hyperloglog"
	"github.com/colagg/colagg/vector"
)

// TestCodes compares codes and registers with those of the library.
func TestCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	sketch := hyperloglog.NewNoSparse()
	a := &approxCount{slot: slot{&Slab{Stride: 1}, 0}, codes: newCells(1, 1)}
	var row uint64
	a.open(&row)
	hashes := []uint64{0, 1, ^uint64(0), 1 << 63, 1 << 39, 1<<39 - 1, 1 << 50, 1<<50 - 1}
	for range 200_000 {
		hashes = append(hashes, r.Uint64()>>r.IntN(64), r.Uint64()&^(1<<r.IntN(50)-1))
	}
	for _, h := range hashes {
		sketch.InsertHash(h)
		a.raise(1, codeOf(h))
	}
	want, err := sketch.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if got := a.appendRegisters(nil, 1, nil); !bytes.Equal(got, want) {
		t.Error("the registers are not those of the library")
	}
}

// TestEstimate compares estimates from registers with those of the library.
func TestEstimate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, n := range []int{0, 1, 100, 1000, 5000, 16_384, 30_000, 80_000, 500_000} {
		sketch := hyperloglog.NewNoSparse()
		for range n {
			sketch.InsertHash(r.Uint64())
		}
		p, err := sketch.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := estimate(p[len(registersHead):]), int64(sketch.Estimate()); got != want {
			t.Errorf("of %d values %d are estimated, not %d", n, got, want)
		}
	}
}

// int64Vector returns a vector of n values.
func int64Vector(n int, value func(i int) int64) *vector.Vector {
	v := vector.New(arrow.PrimitiveTypes.Int64, n)
	for i, vals := 0, vector.Values[int64](v); i < n; i++ {
		vals[i] = value(i)
	}
	return v
}

// update adds the rows of v to ticket of h, in batches.
func (h *harness) update(ticket uint32, v *vector.Vector) {
	h.tb.Helper()
	for lo := 0; lo < v.Len; lo += 8192 {
		var run vector.Vector
		vector.Slice(&run, v, lo, min(lo+8192, v.Len))
		tickets := make([]uint32, run.Len)
		for i := range tickets {
			tickets[i] = ticket
		}
		if err := h.acc.Update(tickets, []*vector.Vector{&run}, Ordinals{First: uint64(lo)}); err != nil {
			h.tb.Fatal(err)
		}
	}
}

func mustBind(tb testing.TB, name string, t arrow.DataType, constants ...string) *Aggregate {
	tb.Helper()
	var m Modifiers
	for _, c := range constants {
		m.Constants = append(m.Constants, Constant{NumberConstant, c})
	}
	agg, err := Bind(name, []arrow.DataType{t}, m)
	if err != nil {
		tb.Fatal(err)
	}
	return agg
}

// TestApproxCountIsNear compares estimates with exact numbers: up to 1,024 they
// are those, then the error is a normal one of 0.81 %, of which there are 4 at
// most, and in the mean of its square.
func TestApproxCountIsNear(t *testing.T) {
	kinds := map[string]func(i int) int64{
		"consecutive": func(i int) int64 { return int64(i) },
		"multiples":   func(i int) int64 { return int64(i) << 32 },
		"random":      func(i int) int64 { return int64(mix64(uint64(i) + 99)) },
		"negative":    func(i int) int64 { return -int64(i) * 1000 },
	}
	squares, n := 0.0, 0
	for kind, value := range kinds {
		for _, count := range []int{0, 1, 2, 100, 1000, 1024, 1025, 1100, 1500, 3000, 10_000, 16_384, 20_000, 40_000, 60_000, 100_000, 300_000, 1_000_000} {
			h := newHarness(t, mustBind(t, "approx_count_distinct", arrow.PrimitiveTypes.Int64))
			h.grow(2)
			h.update(1, int64Vector(count, value))
			h.update(1, int64Vector(min(count, 5000), value)) // again
			var got int
			if _, err := fmt.Sscan(h.result(1), &got); err != nil {
				t.Fatal(err)
			}
			if h.result(0) != "0" {
				t.Error("a group without values has some")
			}
			off := float64(got-count) / max(1, float64(count)) / 0.0081
			if count <= 1000 && got != count || math.Abs(off) > 4 {
				t.Errorf("%d %s values are estimated as %d", count, kind, got)
			}
			if count > 1024 {
				squares, n = squares+off*off, n+1
			}
		}
	}
	if mean := math.Sqrt(squares / float64(n)); mean > 1.3 {
		t.Errorf("the error is %.2f times the stated one", mean)
	}
}

// TestApproxCountOfTexts estimates the distinct texts of vectors in every form.
func TestApproxCountOfTexts(t *testing.T) {
	const n = 30_000
	h := newHarness(t, mustBind(t, "approx_count_distinct", arrow.BinaryTypes.String))
	h.grow(2)
	b := vector.NewBuilder(arrow.BinaryTypes.String)
	for i := range n {
		if err := b.AppendBytes(fmt.Appendf(nil, "%s %d", strings.Repeat("x", i%20), i)); err != nil {
			t.Fatal(err)
		}
	}
	flat := b.Vector()
	h.update(0, flat)
	coded := &vector.Vector{Type: flat.Type, Len: n, Codes: make([]uint32, n), Dict: flat}
	for i := range coded.Codes {
		coded.Codes[i] = uint32(n - 1 - i)
	}
	h.update(1, coded)
	flat.ID = vector.NextID()
	h.update(1, coded)
	if h.result(0) != h.result(1) {
		t.Errorf("flat texts are %s, coded ones %s", h.result(0), h.result(1))
	}
}

// TestSketchesDoNotDependOnSplits adds the same values in many orders, to any
// number of accumulators, and merges those in any order: the results must be the
// same to the last bit.
func TestSketchesDoNotDependOnSplits(t *testing.T) {
	for _, agg := range []*Aggregate{
		mustBind(t, "approx_count_distinct", arrow.PrimitiveTypes.Int64),
		mustBind(t, "approx_quantile", arrow.PrimitiveTypes.Int64, "0.37"),
	} {
		for _, n := range []int{1, 900, 1024, 1025, 2000, 20_000} {
			r := rand.New(rand.NewPCG(5, uint64(n)))
			want := ""
			for range 8 {
				parts := make([]*harness, 1+r.IntN(5))
				for i := range parts {
					parts[i] = newHarness(t, agg)
					parts[i].grow(3)
				}
				order := r.Perm(n)
				for lo := 0; lo < n; {
					hi := min(n, lo+1+r.IntN(n))
					parts[r.IntN(len(parts))].update(1, int64Vector(hi-lo, func(i int) int64 { return int64(order[lo+i] - n/3) }))
					lo = hi
				}
				total := parts[0]
				for _, i := range r.Perm(len(parts) - 1) {
					total.merge(r, parts[i+1])
				}
				if want == "" {
					want = total.result(1)
				} else if got := total.result(1); got != want {
					t.Fatalf("%s of %d values is %s, then %s", agg.Name, n, want, got)
				}
			}
		}
	}
}

// TestApproxQuantileIsNear compares estimates with quantile_disc.
func TestApproxQuantileIsNear(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	kinds := map[string]func() float64{
		"normal":      func() float64 { return r.NormFloat64() },
		"exponential": func() float64 { return math.Exp(20 * r.NormFloat64()) },
		"small":       func() float64 { return float64(r.IntN(3)) - 1 },
		"tiny":        func() float64 { return r.Float64() * 1e-300 },
		"huge":        func() float64 { return r.Float64() * math.MaxFloat64 },
		"special": func() float64 {
			return []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 7}[r.IntN(6)]
		},
	}
	for kind, value := range kinds {
		for _, n := range []int{1, 2, 3, 10, 1000, 20_000} {
			v := vector.New(arrow.PrimitiveTypes.Float64, n)
			vals := vector.Values[float64](v)
			for i := range vals {
				vals[i] = value()
			}
			sorted := slices.SortedFunc(slices.Values(vals), func(a, b float64) int { return compareCells(a, b) })
			for _, p := range []string{"0", "0.001", "0.07", "0.25", ".5", "0.9", "0.999", "1", "1.0"} {
				agg := mustBind(t, "approx_quantile", v.Type, p)
				h := newHarness(t, agg)
				h.grow(1)
				h.update(0, v)
				share, _ := Constant{NumberConstant, p}.Float64()
				want := cellText(sorted[rankOf(share, uint64(n))])
				if want == "-0" {
					want = "0"
				}
				if got := h.result(0); !sameResult(agg.Name, got, want) {
					t.Errorf("%s of %d %s values is %s, not %s", p, n, kind, got, want)
				}
			}
		}
	}
}

// TestRanks holds which of n values in order a share means, as quantile_disc has
// it in PostgreSQL and DuckDB.
func TestRanks(t *testing.T) {
	for _, c := range []struct {
		share float64
		n     uint64
		want  uint64
	}{
		{0, 5, 0}, {1, 5, 4}, {0.5, 4, 1}, {0.5, 5, 2}, {0.07, 100, 6}, {0.29, 100, 28}, {0.57, 100, 56}, {0.1, 10, 0},
		{0.3, 10, 2}, {0.31, 10, 3}, {0.999, 1000, 998}, {1e-9, 10, 0}, {0.5, 1 << 53, 1<<52 - 1}, {1, math.MaxUint64, math.MaxUint64 - 1},
	} {
		if got := rankOf(c.share, c.n); got != c.want {
			t.Errorf("%v of %d values is number %d, not %d", c.share, c.n, got, c.want)
		}
	}
}

// TestApproxQuantileOfTypes holds results over types that are not float64.
func TestApproxQuantileOfTypes(t *testing.T) {
	day := func(cells ...string) []cell { return integerCells(cells...) }
	for _, c := range []struct {
		typ   arrow.DataType
		cells []cell
		share string
		want  string
	}{
		{int32Type, integerCells("1", "2", "3", "4", "100"), "0.5", "3"},
		{int64Type, integerCells("-5", "-4", "-127", "NULL", "90"), "0.25", "-127"},
		{int64Type, integerCells(maxI64, maxI64), "0.5", maxI64},
		{uint64Type, integerCells(maxU64, "18446744073709551614"), "1", maxU64},
		{int64Type, integerCells("-9223372036854775808", "5"), "0", "-9223372036854775808"},
		{int64Type, integerCells("NULL", "NULL"), "0.5", "NULL"},
		{arrow.FixedWidthTypes.Date32, day("19000", "20000", "20001", "20002", "21000"), "0.5", "20001"},
		{&arrow.TimestampType{Unit: arrow.Second}, day("1700000000", "1700000000"), "0.5", "1700000000"},
		{decimalType(10, 2), integerCells("125", "126", "127"), "0.5", "126"},
		{decimalType(38, 2), integerCells("12", "13", "14"), "0.5", "13"},
		{decimalType(38, 0), integerCells("12345678901234567890123456789012345678"), "0.5", "12345678901234567525491324606797053952"},
		{float32Type, floatCells(1.5, 1.5), "0.5", "1.5"},
		{arrow.FixedWidthTypes.Float16, floatCells(0x1p-24, 0x1p-24), "0.5", "5.960464477539063e-08"},
	} {
		h := newHarness(t, mustBind(t, "approx_quantile", c.typ, c.share))
		h.grow(1)
		h.update(0, makeVector(t, nil, c.typ, c.cells, flat))
		if got := h.result(0); got != c.want {
			t.Errorf("%s of %v in %s is %s, not %s", c.share, c.cells, c.typ, got, c.want)
		}
	}
}

// TestApproxBindErrors holds what sketches refuse.
func TestApproxBindErrors(t *testing.T) {
	number := func(s string) []Constant { return []Constant{{NumberConstant, s}} }
	for _, c := range []struct {
		typ  arrow.DataType
		m    Modifiers
		want string
	}{
		{int64Type, Modifiers{}, "approx_quantile: takes one constant, not 0"},
		{int64Type, Modifiers{Constants: number("1.5")}, "approx_quantile: the share must be a number from 0 to 1, not 1.5"},
		{int64Type, Modifiers{Constants: number("-0.1")}, "approx_quantile: the share must be a number from 0 to 1, not -0.1"},
		{int64Type, Modifiers{Constants: []Constant{{TextConstant, "0.5"}}}, "approx_quantile: the share must be a number from 0 to 1, not '0.5'"},
		{int64Type, Modifiers{Constants: []Constant{{}}}, "approx_quantile: the share must be a number from 0 to 1, not null"},
		{arrow.BinaryTypes.String, Modifiers{Constants: number("0.5")}, "approx_quantile: text cannot be measured by approx_quantile"},
		{arrow.FixedWidthTypes.Boolean, Modifiers{Constants: number("0.5")}, "approx_quantile: bool cannot be measured by approx_quantile"},
	} {
		_, err := Bind("approx_quantile", []arrow.DataType{c.typ}, c.m)
		var b *BindError
		if !errors.As(err, &b) || b.Error() != c.want || b.Hint == "" {
			t.Errorf("%v: error is %v, not %s", c.m, err, c.want)
		}
	}
}

// TestDamagedSketches holds that states in exchange form that cannot be are
// errors, not panics.
func TestDamagedSketches(t *testing.T) {
	once, err := Bind("count", []arrow.DataType{arrow.BinaryTypes.String}, Modifiers{Distinct: true})
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := Bind("sum", []arrow.DataType{int64Type}, Modifiers{Distinct: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		agg    *Aggregate
		states []string
	}{
		{mustBind(t, "approx_count_distinct", int64Type), []string{"\x00abc", "\x01", "\x02", "\x02\x0e" + strings.Repeat("x", 16_000)}},
		{mustBind(t, "approx_quantile", int64Type, "0.5"), []string{"x", strings.Repeat("x", 17), strings.Repeat("x", 20), strings.Repeat("x", 20) + "\xff"}},
		{once, []string{"\x05abc", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}},
		{numbers, []string{"1234567", "123456789"}},
	} {
		for _, s := range c.states {
			h := newHarness(t, c.agg)
			h.grow(1)
			b := vector.NewBuilder(arrow.BinaryTypes.Binary)
			if err := b.AppendBytes([]byte(s)); err != nil {
				t.Fatal(err)
			}
			if err := h.acc.Merge([]uint32{0}, []*vector.Vector{b.Vector()}); err == nil {
				t.Errorf("%s took %q for a state", c.agg.Name, s)
			}
		}
	}
}
