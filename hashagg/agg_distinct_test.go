package hashagg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// referenceDistinct groups with a map: key → count(distinct x), sum(distinct x),
// approx_count_distinct(x).
func referenceDistinct(in testInput) map[string][3]int64 {
	out := map[string][3]int64{}
	seen := map[string]bool{}
	for _, b := range in.all {
		rows := b.Sel
		if rows == nil {
			for i := range b.Len {
				rows = append(rows, uint32(i))
			}
		}
		k := len(b.Cols) - 1
		for _, i := range rows {
			var parts []string
			for _, c := range b.Cols[:k] {
				parts = append(parts, keyText(c, int(i)))
			}
			key := strings.Join(parts, "|")
			s := out[key]
			if x := b.Cols[k]; !x.IsNull(int(i)) {
				v := vector.Values[int64](x)[i]
				if one := fmt.Sprint(key, "=", v); !seen[one] {
					seen[one] = true
					s = [3]int64{s[0] + 1, s[1] + v, s[2] + 1}
				}
			}
			out[key] = s
		}
	}
	return out
}

// TestSetsInEveryStrategy runs several sets in one query, with every strategy and
// with knobs that make rare ways of it common, all hashes equal among them.
func TestSetsInEveryStrategy(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, types := range [][]arrow.DataType{{}, {arrow.PrimitiveTypes.Int64}, {arrow.BinaryTypes.String}, {arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String}} {
		for _, groups := range []int{3, 60, 3000} {
			in := makeInput(r, types, groups, true, "mixed")
			want := referenceDistinct(in)
			x := []int{len(types)}
			calls := [3]testCall{{"count", x, Modifiers{Distinct: true}}, {"sum", x, Modifiers{Distinct: true}}, {"approx_count_distinct", x, Modifiers{}}}
			for _, cfg := range testConfigs(len(types), r) {
				if cfg.knobs != nil && cfg.knobs.hashMask == 0 && len(want) > 300 {
					continue // all in one chain: quadratic
				}
				got := runCalls(t, in, cfg, calls)
				compareGroups(t, fmt.Sprintf("%v, %s workers=%d hints=%v", types, cfg.Strategy, cfg.Workers, cfg.Ranges), got, want)
			}
		}
	}
}

// distinctCells computes an aggregate with DISTINCT over cells, in two parts.
func distinctCells(t *testing.T, name string, typ arrow.DataType, cells []cell) string {
	t.Helper()
	agg, err := Bind(name, []arrow.DataType{typ}, Modifiers{Distinct: true})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	parts := []*harness{newHarness(t, agg), newHarness(t, agg)}
	for i, h := range parts {
		h.grow(2)
		half := cells[i*len(cells)/2 : (i+1)*len(cells)/2]
		h.update(1, makeVector(t, r, typ, half, flat))
	}
	parts[0].merge(r, parts[1])
	return parts[0].result(1)
}

// TestDistinctCases holds results that DuckDB 2.0.1 gives; decimals here are
// unscaled.
func TestDistinctCases(t *testing.T) {
	nan := []cell{0.0, negativeZero(), 1.5, notANumber(0x7ff8000000000001), notANumber(0xfff8000000000002), nil}
	for _, c := range []struct {
		name  string
		typ   arrow.DataType
		cells []cell
		want  string
	}{
		{"count", int64Type, integerCells("NULL", "NULL"), "0"},
		{"count", int64Type, nil, "0"},
		{"sum", int64Type, integerCells("NULL"), "NULL"},
		{"sum", int64Type, integerCells("3", "3", "4", "NULL", "3", "4"), "7"},
		{"avg", int64Type, integerCells("1", "1", "1", "4"), "2.5"},
		{"var_samp", int64Type, integerCells("5", "5", "5"), "NULL"},
		{"var_pop", int64Type, integerCells("2", "4", "4", "2"), "1"},
		{"stddev_samp", int64Type, integerCells("2", "4", "4", "2"), "1.4142135623730951"},
		{"sum", int64Type, integerCells(maxI64, maxI64), maxI64},
		{"count", int64Type, integerCells("-1", maxI64, "-9223372036854775808", "0", "-1"), "4"},
		{"count", uint64Type, integerCells(maxU64, maxU64, "0", "1"), "3"},
		{"count", float64Type, nan, "3"},
		{"count", float64Type, nan[:2], "1"},
		{"sum", float64Type, nan[:3], "1.5"},
		{"count", arrow.BinaryTypes.String, textCells("", "a", "a\x00", "a", "", "0123456789abcdef", "0123456789abcdef"), "4"},
		{"count", arrow.FixedWidthTypes.Boolean, []cell{true, false, true, nil}, "2"},
		{"sum", arrow.FixedWidthTypes.Boolean, []cell{true, false, true, nil}, "1"},
		{"sum", decimalType(5, 2), integerCells("150", "150", "-25"), "125"},
		{"avg", decimalType(5, 2), integerCells("150", "150", "-25"), "625000"},
		{"sum", decimalType(38, 0), integerCells("5", "5", "99999999999999999999"), "100000000000000000004"},
		{"count", arrow.Null, []cell{nil, nil}, "0"},
		{"sum", arrow.Null, []cell{nil, nil}, "NULL"},
	} {
		if got := distinctCells(t, c.name, c.typ, c.cells); got != c.want {
			t.Errorf("%s(distinct) of %v in %s is %s, not %s", c.name, c.cells, c.typ, got, c.want)
		}
	}
}

// TestDistinctBrokenDecimal holds that a value with more digits than its column's
// type allows is an error, not another value.
func TestDistinctBrokenDecimal(t *testing.T) {
	typ := &arrow.Decimal128Type{Precision: 5}
	agg, err := Bind("count", []arrow.DataType{typ}, Modifiers{Distinct: true})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, agg)
	h.grow(1)
	v := vector.New(typ, 2)
	vector.Values[[2]uint64](v)[1] = [2]uint64{0, 1}
	if err := h.acc.Update([]uint32{0, 0}, []*vector.Vector{v}, Ordinals{}); err == nil {
		t.Error("a decimal(5,0) of 20 digits was taken for 0")
	}
}

// TestDistinctBindErrors holds what DISTINCT does not go with.
func TestDistinctBindErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		args []arrow.DataType
		want string
	}{
		{"sum", []arrow.DataType{arrow.BinaryTypes.String}, "sum: text cannot be summed"},
		{"sum", []arrow.DataType{int64Type, int64Type}, "sum: takes one argument, not 2"},
		{"count", nil, "count: DISTINCT needs a column"},
		{"last", []arrow.DataType{int64Type}, "last: does not take DISTINCT"},
	} {
		_, err := Bind(c.name, c.args, Modifiers{Distinct: true})
		var b *BindError
		if !errors.As(err, &b) || b.Error() != c.want || b.Hint == "" {
			t.Errorf("%s(distinct): error is %v, not %s", c.name, err, c.want)
		}
	}
}

func negativeZero() float64 { return math.Copysign(0, -1) }

func notANumber(bits uint64) float64 { return math.Float64frombits(bits) }

// TestLargeSetsAreShared holds that workers whose sets become large go over to
// shared ones, where a group is not hot however many rows it has.
func TestLargeSetsAreShared(t *testing.T) {
	const rows, batches = 500, 60
	in := testInput{schema: arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)}
	want := map[string][3]int64{}
	for b := range batches {
		k, x := vector.New(arrow.PrimitiveTypes.Int64, rows), vector.New(arrow.PrimitiveTypes.Int64, rows)
		keys, vals := vector.Values[int64](k), vector.Values[int64](x)
		for i := range rows {
			n := b*rows + i
			keys[i], vals[i] = int64(n%5/2), int64(n/2*2) // the groups have 2, 2 and 1 of 5 rows
		}
		in.all = append(in.all, &vector.Batch{Cols: []*vector.Vector{k, x}, Len: rows, Row: uint64(b * rows)})
	}
	seen := map[[2]int64]bool{}
	for _, b := range in.all {
		for i, k := range vector.Values[int64](b.Cols[0]) {
			v := vector.Values[int64](b.Cols[1])[i]
			if p := [2]int64{k, v}; !seen[p] {
				seen[p] = true
				s := want[keyText(b.Cols[0], i)]
				want[keyText(b.Cols[0], i)] = [3]int64{s[0] + 1, s[1] + v, s[2] + 1}
			}
		}
	}
	calls := [3]testCall{{"count", []int{1}, Modifiers{Distinct: true}}, {"sum", []int{1}, Modifiers{Distinct: true}}, {"count", []int{1}, Modifiers{Distinct: true}}}
	for _, workers := range []int{1, 2, 3} {
		k := defaultKnobs()
		k.fullSets = 64 << 10
		got := runCalls(t, in, Config{Strategy: Shared, Workers: workers, Rows: rows * batches, knobs: &k}, calls)
		compareGroups(t, fmt.Sprint(workers, " workers"), got, want)
	}
}
