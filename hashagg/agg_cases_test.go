package hashagg

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// integerCells, floatCells and decimalCells make test columns.
func integerCells(text ...string) []cell {
	cells := make([]cell, len(text))
	for i, s := range text {
		if s != "NULL" {
			cells[i], _ = new(big.Int).SetString(s, 10)
		}
	}
	return cells
}

func floatCells(vals ...float64) []cell {
	cells := make([]cell, len(vals))
	for i, v := range vals {
		cells[i] = v
	}
	return cells
}

func repeat(n int, c cell) []cell {
	cells := make([]cell, n)
	for i := range cells {
		cells[i] = c
	}
	return cells
}

func textCells(vals ...string) []cell {
	cells := make([]cell, len(vals))
	for i, v := range vals {
		cells[i] = []byte(v)
	}
	return cells
}

// aggregateCells computes an aggregate over cells, in batches of at most batch
// rows that go to parts accumulators in turn: as the only group if there is one
// accumulator, else as the second of two.
func aggregateCells(t *testing.T, name string, typ arrow.DataType, cells []cell, batch, parts int) string {
	t.Helper()
	agg, err := Bind(name, []arrow.DataType{typ}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(batch), uint64(parts)))
	hs := make([]*harness, parts)
	for i := range hs {
		hs[i] = newHarness(t, agg)
		hs[i].grow(min(2, parts))
	}
	ticket := uint32(hs[0].n - 1)
	for k := 0; len(cells) > 0; k++ {
		n := min(batch, len(cells))
		v := makeVector(t, r, typ, cells[:n], flat)
		h := hs[k%parts]
		tickets := make([]uint32, n)
		for i := range tickets {
			tickets[i] = ticket
		}
		h.slab.Clustered = k%2 == 1
		if err := h.acc.Update(tickets, []*vector.Vector{v}, Ordinals{First: uint64(k * batch)}); err != nil {
			t.Fatal(err)
		}
		cells = cells[n:]
	}
	for _, h := range hs[1:] {
		hs[0].merge(r, h)
	}
	hs[0].check()
	return hs[0].result(int(ticket))
}

// The tests of this file hold cases that engines have been found to get wrong,
// with their right answers.

var (
	int8Type, int32Type, int64Type     = arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	uint16Type, uint32Type, uint64Type = arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64
	float32Type, float64Type           = arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64
	decimal76                          = &arrow.Decimal256Type{Precision: 76}
)

func decimalType(p, s int32) arrow.DataType { return &arrow.Decimal128Type{Precision: p, Scale: s} }

const maxI64, maxU64 = "9223372036854775807", "18446744073709551615"

// aggregateCase is an aggregate over all cells, and its text.
type aggregateCase struct {
	name  string
	typ   arrow.DataType
	cells []cell
	want  string
}

// testCases computes cases in batches of several sizes, in one accumulator and
// in several.
func testCases(t *testing.T, cases []aggregateCase) {
	t.Helper()
	for _, c := range cases {
		for _, batch := range []int{1, 3, 1000, 1 << 20} {
			if len(c.cells) > 5000*batch {
				continue
			}
			for _, parts := range []int{1, 3} {
				got := aggregateCells(t, c.name, c.typ, c.cells, batch, parts)
				if got != c.want {
					t.Errorf("%s(%s), batches of %d rows, %d parts: %s, not %s", c.name, c.typ, batch, parts, got, c.want)
				}
			}
		}
	}
}

func TestIntegerCases(t *testing.T) {
	testCases(t, []aggregateCase{
		{"sum", int32Type, integerCells("1073741833", "1073741833"), "2147483666"},
		{"sum", uint32Type, integerCells("2000000000", "2000000000", "2000000000"), "6000000000"},
		{"sum", int8Type, repeat(100000, big.NewInt(1)), "100000"},
		{"sum", int8Type, repeat(10000, big.NewInt(63)), "630000"},
		{"sum", int64Type, integerCells(maxI64, "1"), overflows},
		{"sum", int64Type, integerCells(maxI64, "1", "-1"), maxI64},
		{"sum", int64Type, integerCells("-"+maxI64, "-1"), "-9223372036854775808"},
		{"sum", int64Type, integerCells("-"+maxI64, "-2"), overflows},
		{"sum", int64Type, integerCells("5", "-5"), "0"},
		{"sum", uint64Type, integerCells(maxU64), maxU64},
		{"sum", uint64Type, integerCells(maxU64, "1"), overflows},
		{"max", uint64Type, integerCells(maxU64, "1"), maxU64},
		{"min", uint64Type, integerCells(maxU64, "1"), "1"},
		{"avg", uint16Type, repeat(1025, big.NewInt(64)), "64"},
		{"avg", int64Type, integerCells("1000000000000000002", "1000000000000000004"), fmt.Sprintf("%g", 1000000000000000003.0)},
		{"avg", int64Type, integerCells(maxI64, maxI64, "1"), fmt.Sprintf("%g", 6148914691236517205.0)},
		{"avg", int64Type, integerCells("9007199254740993", "9007199254740993"), "9.007199254740992e+15"},
		{"last", int64Type, integerCells("1", "NULL"), "NULL"},
		{"first", int64Type, integerCells("NULL", "1"), "NULL"},
		{"any_value", int64Type, integerCells("NULL", "7", "8"), "7"},
	})
}

func TestDecimalCases(t *testing.T) {
	nines := strings.Repeat("9", 38)
	ninety := "9" + strings.Repeat("0", 37)
	testCases(t, []aggregateCase{
		{"sum", decimalType(38, 0), integerCells(nines), nines},
		{"sum", decimalType(38, 0), integerCells(nines, nines), overflows},
		{"sum", decimalType(38, 0), integerCells(nines, nines, "-"+nines), nines},
		{"sum", decimalType(38, 0), integerCells(nines, "1"), overflows},
		{"sum", decimalType(38, 0), integerCells("-"+nines, "-1"), overflows},
		{"sum", decimalType(38, 0), repeat(10, integerCells(ninety)[0]), overflows},
		{"avg", decimalType(38, 0), integerCells(nines, nines), nines + "0000"},
		{"avg", decimalType(5, 0), repeat(21476, big.NewInt(99999)), "999990000"},
		{"avg", decimalType(5, 2), integerCells("1", "2", "2"), "16667"},
		{"avg", decimalType(5, 2), integerCells("1", "0", "0"), "3333"},
		{"avg", decimalType(5, 2), integerCells("-1", "0", "0"), "-3333"},
		{"avg", decimalType(5, 2), append(integerCells("1"), repeat(19999, new(big.Int))...), "1"},
		{"avg", decimalType(5, 2), append(integerCells("-1"), repeat(19999, new(big.Int))...), "-1"},
		{"sum", decimal76, integerCells(nines+nines, "1"), overflows},
		{"sum", decimal76, integerCells(nines+nines, nines+nines, "-"+nines+nines), nines + nines},
	})
}

func TestFloatCases(t *testing.T) {
	nan, otherNaN := math.NaN(), math.Float64frombits(0xfff8000000000123)
	testCases(t, []aggregateCase{
		{"max", float64Type, floatCells(1, nan, math.Inf(1)), "NaN"},
		{"min", float64Type, floatCells(nan, 1, otherNaN), "1"},
		{"min", float64Type, floatCells(nan, otherNaN), "NaN"},
		{"max", float32Type, floatCells(math.Copysign(0, -1)), "0"},
		{"min", float64Type, floatCells(0, math.Copysign(0, -1)), "0"},
		{"min", float64Type, floatCells(math.Inf(1)), "+Inf"},
		{"sum", float64Type, floatCells(math.Copysign(0, -1)), "0"},
		{"sum", float64Type, floatCells(1e16, 1, -1e16), "1"},
		{"sum", float64Type, floatCells(1, 1e100, 1, -1e100), "2"},
		{"sum", float64Type, floatCells(1e16, 2e16, 3e16, 4e16, 1, 1, 1, 1, -1e16, -2e16, -3e16, -4e16), "4"},
		{"sum", float32Type, floatCells(1e16, 1e16, 1e16, 1e16, 1, 1, 1, 1, -1e16, -1e16, -1e16, -1e16), "4"},
		{"sum", float64Type, floatCells(math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64, -1), fmt.Sprint(math.MaxFloat64)},
		{"sum", float64Type, floatCells(0x1p1020, 0x1p960, -0x1p1020, -0x1p960, 7), "7"},
		{"sum", float64Type, floatCells(math.MaxFloat64, math.MaxFloat64), "+Inf"},
		{"avg", float64Type, floatCells(math.MaxFloat64, math.MaxFloat64), fmt.Sprint(math.MaxFloat64)},
		{"sum", float64Type, floatCells(math.Inf(1), 1, math.Inf(-1)), "NaN"},
		{"sum", float64Type, floatCells(math.Inf(1), math.MaxFloat64, -5), "+Inf"},
		{"sum", float32Type, repeat(10, float64(float32(0.1))), fmt.Sprint(10 * float64(float32(0.1)))},
	})
}

func TestSpreadCases(t *testing.T) {
	testCases(t, []aggregateCase{
		{"stddev_samp", float64Type, floatCells(1e9, 1e9+1, 1e9+2), "1"},
		{"var_pop", float64Type, repeat(3, 0.1), "0"},
		{"var_samp", float64Type, floatCells(5), "NULL"},
		{"var_pop", float64Type, floatCells(5), "0"},
		{"var_samp", int64Type, integerCells("5"), "NULL"},
		{"var_pop", int64Type, integerCells("5", "NULL"), "0"},
		{"var_pop", int64Type, integerCells(maxI64, "-"+maxI64), fmt.Sprint(math.Pow(math.MaxInt64, 2))},
		{"var_pop", float64Type, floatCells(1, math.Inf(1)), "NaN"},
		{"stddev_pop", float64Type, floatCells(1e200, 3e200), overflows},
		{"var_samp", decimalType(10, 2), integerCells("100", "200", "300"), "1"},
	})
}

func TestTextCases(t *testing.T) {
	testCases(t, []aggregateCase{
		{"min", arrow.BinaryTypes.String, textCells("ab", "a", "", "abcdefghij"), `""`},
		{"max", arrow.BinaryTypes.String, textCells("abcdefgh", "abcdefgh\x00", "abcdefghij", "abcdefgh\x01"), `"abcdefghij"`},
		{"max", arrow.BinaryTypes.String, textCells("a", "a\x00", "a\x00\x00"), `"a\x00\x00"`},
		{"min", arrow.BinaryTypes.String, textCells("\xff", "é", "e\u0301", "z"), "\"e\u0301\""},
		{"min", arrow.BinaryTypes.String, textCells("Alice Johnson", "Kevin Bacon"), `"Alice Johnson"`},
	})
}

// TestOnlyNulls holds that a group without values has the same results whatever
// its size.
func TestOnlyNulls(t *testing.T) {
	for _, n := range []int{0, 1, 999, 1000, 1001, 65537} {
		for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64, arrow.Null} {
			for _, name := range []string{"sum", "avg", "min", "max", "count", "first", "any_value", "var_pop"} {
				want := "NULL"
				if name == "count" {
					want = "0"
				}
				if got := aggregateCells(t, name, typ, make([]cell, n), 4096, 2); got != want {
					t.Errorf("%s of %d NULLs of %s: %s, not %s", name, n, typ, got, want)
				}
			}
		}
	}
}

// TestLargeBatch sums more rows than a batch-local sum can hold, of the values
// that fill it fastest.
func TestLargeBatch(t *testing.T) {
	const rows = 2*localBatch + 12345
	for _, typ := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint8,
	} {
		for _, end := range [][2]byte{{0xff, 0xff}, {0x7f, 0xff}, {0x80, 0}, {0, 1}} { // highest byte, all others
			v := vector.New(typ, rows)
			w := vector.Width(typ)
			for i := range v.Data {
				v.Data[i] = end[1]
				if i%w == w-1 {
					v.Data[i] = end[0]
				}
			}
			for _, groups := range []int{1, 3, localTickets, localTickets + 1} {
				tickets := make([]uint32, rows)
				n := make([]int64, groups)
				for i := range tickets {
					tickets[i] = uint32(i * i % groups)
					n[tickets[i]]++
				}
				agg, err := Bind("avg", []arrow.DataType{typ}, Modifiers{})
				if err != nil {
					t.Fatal(err)
				}
				h := newHarness(t, agg)
				h.grow(groups)
				if err := h.acc.Update(tickets, []*vector.Vector{v}, Ordinals{}); err != nil {
					t.Fatal(err)
				}
				h.check()
				each := readCell(v, 0).(*big.Int)
				for g, k := range n {
					sum, ok := h.acc.(*avgIntegers).exact.value(g)
					want := new(big.Int).Mul(each, big.NewInt(k)).String()
					if ok != (k > 0) || ok && sum.String() != want || h.acc.(*avgIntegers).number(g) != uint64(k) {
						t.Fatalf("%d values %s of %s in %d groups: %s, not %s", k, each, typ, groups, sum, want)
					}
				}
			}
		}
	}
}

func TestCountRows(t *testing.T) {
	agg, err := Bind("COUNT", nil, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, agg)
	h.grow(2)
	for range 3 {
		if err := h.acc.Update([]uint32{1, 1, 0}, nil, Ordinals{}); err != nil {
			t.Fatal(err)
		}
	}
	h.check()
	if got := h.result(0) + " " + h.result(1); got != "3 6" {
		t.Errorf("count(*) is %s", got)
	}
}

// TestBrokenDecimal holds that a value with more digits than its column's type
// allows is an error where it cannot be computed with.
func TestBrokenDecimal(t *testing.T) {
	typ := &arrow.Decimal128Type{Precision: 5}
	for _, name := range []string{"sum", "avg", "var_pop"} {
		agg, err := Bind(name, []arrow.DataType{typ}, Modifiers{})
		if err != nil {
			t.Fatal(err)
		}
		h := newHarness(t, agg)
		h.grow(1)
		v := vector.New(typ, 1)
		vector.Values[[2]uint64](v)[0] = [2]uint64{0, 1}
		if err := h.acc.Update([]uint32{0}, []*vector.Vector{v}, Ordinals{}); err == nil {
			t.Errorf("%s took a decimal(5,0) of 20 digits", name)
		}
	}
}

func TestOverflowError(t *testing.T) {
	agg, err := Bind("sum", []arrow.DataType{arrow.PrimitiveTypes.Int64}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, agg)
	h.grow(1)
	v := vector.New(agg.Result, 2)
	copy(vector.Values[int64](v), []int64{math.MinInt64, -1})
	if err := h.acc.Update([]uint32{0, 0}, []*vector.Vector{v}, Ordinals{}); err != nil {
		t.Fatal(err)
	}
	_, err = h.acc.Final(0, 1)
	var overflow *OverflowError
	if !errors.As(err, &overflow) {
		t.Fatalf("error is %v", err)
	}
	if got := err.Error(); got != "sum: the result -9223372036854775809 does not fit int64" {
		t.Error(got)
	}
	overflow.Column = "total"
	if got := err.Error(); !strings.HasPrefix(got, "total: ") {
		t.Error(got)
	}
}

// TestEnds holds that the least and the greatest value of every type are
// values, not the empty state.
func TestEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range aggregateTypes {
		if typ.ID() == arrow.NULL {
			continue
		}
		for range 30 {
			c := randomCell(r, typ, extreme)
			for _, name := range []string{"min", "max", "any_value", "first", "last"} {
				want := reference(name, typ, Modifiers{}, []cell{c})
				if got := aggregateCells(t, name, typ, []cell{c}, 1, 2); got != want {
					t.Errorf("%s of one %s: %s, not %s", name, typ, got, want)
				}
			}
		}
	}
}
