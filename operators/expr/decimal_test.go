package expr

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// extremes are columns of numbers that are as large as their types allow.
var extremes = []testColumn{
	{"x", &arrow.Decimal128Type{Precision: 9, Scale: 2}, fractions(100, -999999999, 999999999, 999999999, -1)},
	{"y", &arrow.Decimal128Type{Precision: 5, Scale: 4}, fractions(10000, 99999, -99999, 99999, 99999)},
	{"w", &arrow.Decimal128Type{Precision: 20, Scale: 20}, fractions(1e18, 1, -1, 999999999999999999, 5e17)},
	{"i", arrow.PrimitiveTypes.Int32, ints(math.MinInt32, math.MaxInt32, 7, -7)},
	{"t", arrow.PrimitiveTypes.Int8, ints(-128, 127, 1, -1)},
	{"k", arrow.PrimitiveTypes.Int64, ints(math.MinInt64, math.MaxInt64, 1, -1)},
	{"u", arrow.PrimitiveTypes.Uint64, []any{new(big.Rat).SetUint64(math.MaxUint64), big.NewRat(1, 1), big.NewRat(0, 1), big.NewRat(5, 1)}},
}

// TestDecimalTypes holds that results of decimals have the digits that they need:
// those of DuckDB, but that literals have those that are written.
func TestDecimalTypes(t *testing.T) {
	b := &vector.Batch{Len: 4}
	for _, c := range extremes {
		b.Cols = append(b.Cols, flatVector(c.typ, c.pool))
	}
	for text, want := range map[string]string{
		"x * 1.5": "decimal(11, 3)", "x * y": "decimal(14, 6)", "x + y": "decimal(12, 4)", "x - y - x": "decimal(13, 4)", "-x": "decimal(9, 2)",
		"x + i": "decimal(13, 2)", "x + k": "decimal(22, 2)", "x + t": "decimal(10, 2)", "x + u": "decimal(23, 2)", "x % y": "decimal(11, 4)", "u / 3": "decimal(20, 0)",
		"x * 2": "decimal(10, 2)", "0.05": "decimal(2, 2)", "100.5 + 0.25": "decimal(5, 2)", "x * x * x * x": "decimal(36, 8)", "x * w": "decimal(29, 22)",
		"abs(x)": "decimal(9, 2)", "abs(u)": "decimal(20, 0)", "round(x, 1)": "decimal(9, 1)", "round(x)": "decimal(8, 0)", "round(x, -7)": "decimal(8, 0)", "round(x, -9)": "decimal(8, 0)",
		"trunc(x, 1)": "decimal(9, 1)", "floor(x)": "decimal(8, 0)", "ceil(y)": "decimal(2, 0)", "round(w, 3)": "decimal(4, 3)", "floor(w)": "decimal(1, 0)",
		"coalesce(x, y)": "decimal(11, 4)", "greatest(x, i)": "decimal(12, 2)", "case when i > 0 then y else 10.5 end": "decimal(6, 4)", "least(x, u)": "decimal(22, 2)",
		"u + u": "decimal(21, 0)", "u - k": "decimal(21, 0)", "greatest(u, k)": "decimal(20, 0)", "x * w * u": "decimal(38, 22)",
	} {
		v := bindOutput(t, text, schemaOf(extremes)).Value
		if got := v.Type().String(); got != want {
			t.Errorf("%s is a %s, want %s", text, got, want)
		}
		for i, x := range wideRows(t, v, b) {
			if m := x.abs(); !m.less(tens[v.Type().(arrow.DecimalType).GetPrecision()]) {
				t.Errorf("%s, row %d: %v has more digits than %s", text, i, x.big(), v.Type())
			}
		}
	}
}

// wideRows computes decimals.
func wideRows(t *testing.T, v *Value, b *vector.Batch) []int128 {
	t.Helper()
	src := &oneBatch{schema: schemaOf(extremes), batch: b}
	s, err := NewProject(src, []Output{{Name: "v", Value: v}}, memory.NewBudget(0)).Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Next(t.Context())
	if err != nil {
		t.Errorf("%s: %v", v.text, err)
		return nil
	}
	flat, err := vector.Flatten(got.Cols[0])
	if err != nil {
		t.Fatal(err)
	}
	return vector.Values[int128](flat)
}

// TestWideDecimals holds that decimals of up to 76 digits are computed with as long
// as their values have 38.
func TestWideDecimals(t *testing.T) {
	wideColumn := func(vals ...[4]uint64) *oneBatch {
		typ := &arrow.Decimal256Type{Precision: 44, Scale: 4}
		schema := arrow.NewSchema([]arrow.Field{{Name: "q", Type: typ, Nullable: true}}, nil)
		v := vector.New(typ, len(vals))
		copy(vector.Values[[4]uint64](v), vals)
		return &oneBatch{schema: schema, batch: &vector.Batch{Len: len(vals), Cols: []*vector.Vector{v}}}
	}
	minus := ^uint64(0)
	fits := [][4]uint64{{15000}, {minus - 24999, minus, minus, minus}, {}} // 1.5, -2.5, 0
	for text, want := range map[string]string{
		"(q * 2)::text": "3.0000 -5.0000 0.0000", "q > 1": "true false false", "q = 1.5": "true false false", "q in (1.5, 0)": "true false true",
		"q::decimal(9, 2)::text": "1.50 -2.50 0.00", "coalesce(q, 1)::text": "1.5000 -2.5000 0.0000", "greatest(q, 1)::text": "1.5000 1.0000 1.0000",
		"q::double::text": "1.5 -2.5 0", "round(q)::text": "2 -3 0", "q < 1e38": "true true true", "q < 99999999999999999999999999999999999999": "true true true",
		"q > -99999999999999999999999999999999999999": "true true true", "q between -3 and 1": "false true true",
	} {
		src := wideColumn(fits...)
		if got, err := spellAll(t, src, text); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, beyond := range [][4]uint64{{0, 0, 1, 0}, {0, 1 << 63, 0, 0}, {0, 6e18, 0, 0}, {0, 0, minus, minus}, {1, 0, 0, 1}} {
		for _, text := range []string{"q + 1", "q > 1", "q = 1.5", "q in (1.5, 2)", "q < 99999999999999999999999999999999999999", "q::text"} {
			_, err := spellAll(t, wideColumn(fits[0], beyond), text)
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), "a value does not fit decimal(38, 4)") {
				t.Errorf("%s of %v: %v", text, beyond, err)
			}
		}
	}
	if got := bindOutput(t, "q", wideColumn().schema).Value.Type(); got.ID() != arrow.DECIMAL256 {
		t.Errorf("the column alone is a %s", got)
	}
}

// spellAll computes an expression and spells its values.
func spellAll(t *testing.T, src *oneBatch, text string) (string, error) {
	t.Helper()
	s, err := NewProject(src, []Output{bindOutput(t, text, src.schema)}, memory.NewBudget(0)).Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b, err := s.Next(t.Context())
	if err != nil {
		return "", err
	}
	flat, err := vector.Flatten(b.Cols[0])
	if err != nil {
		t.Fatal(err)
	}
	a, err := vector.ToArrow(flat)
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for i := range a.Len() {
		cells = append(cells, a.ValueStr(i))
	}
	return strings.Join(cells, " "), nil
}
