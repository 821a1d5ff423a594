package expr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/vector"
)

// testColumn is a column of the random tables: its values as the reference sees
// them (nil, bool, *big.Rat, float64 or string), as integers and decimals are
// exact fractions, dates and timestamps such of seconds.
type testColumn struct {
	name string
	typ  arrow.DataType
	pool []any
}

func ints(xs ...int64) []any {
	var out []any
	for _, x := range xs {
		out = append(out, new(big.Rat).SetInt64(x))
	}
	return out
}

// fractions are units of 1/den.
func fractions(den int64, xs ...int64) []any {
	var out []any
	for _, x := range xs {
		out = append(out, big.NewRat(x, den))
	}
	return out
}

var testColumns = []testColumn{
	{"i8", arrow.PrimitiveTypes.Int8, ints(-128, -1, 0, 1, 2, 127)},
	{"i16", arrow.PrimitiveTypes.Int16, ints(-300, 0, 1, 2, 300)},
	{"i32", arrow.PrimitiveTypes.Int32, ints(-70000, -1, 0, 1, 2, 70000)},
	{"i64", arrow.PrimitiveTypes.Int64, ints(-1<<40, -1, 0, 1, 2, 1<<40)},
	{"u8", arrow.PrimitiveTypes.Uint8, ints(0, 1, 2, 255)},
	{"u16", arrow.PrimitiveTypes.Uint16, ints(0, 1, 2, 65535)},
	{"u32", arrow.PrimitiveTypes.Uint32, ints(0, 1, 2, 1<<32-1)},
	{"u64", arrow.PrimitiveTypes.Uint64, append(ints(0, 1, 2), new(big.Rat).SetUint64(math.MaxUint64))},
	{"f16", arrow.FixedWidthTypes.Float16, []any{-1.5, 0.0, 0.5, 1.0, 2.0, math.Inf(1), math.NaN()}},
	{"f32", arrow.PrimitiveTypes.Float32, []any{-1.5, 0.0, 0.5, 1.0, 2.0, math.Inf(-1), math.NaN()}},
	{"f64", arrow.PrimitiveTypes.Float64, []any{-1.5, math.Copysign(0, -1), 0.0, 0.1, 0.5, 1.0, 2.0, math.Inf(1), math.NaN()}},
	{"d2", &arrow.Decimal128Type{Precision: 9, Scale: 2}, fractions(100, -150, 0, 10, 100, 150, 99999)},
	{"d6", &arrow.Decimal128Type{Precision: 30, Scale: 6}, fractions(1000000, -1500000, 0, 100001, 1000000, 2000000)},
	{"s", arrow.BinaryTypes.String, []any{"", "a", "ab", "ba", "Ab", "b", "größe", "a%"}},
	{"t", arrow.BinaryTypes.String, []any{"", "a", "ab", "b"}},
	{"y", arrow.BinaryTypes.Binary, []any{"", "a", "\xff", "b"}},
	{"b", arrow.FixedWidthTypes.Boolean, []any{true, false}},
	{"c", arrow.FixedWidthTypes.Boolean, []any{true, false}},
	{"day", arrow.FixedWidthTypes.Date32, ints(0, 86400, -86400, 1709164800)},
	{"sec", &arrow.TimestampType{Unit: arrow.Second}, ints(0, 1, 86400, 1709164800)},
	{"us", &arrow.TimestampType{Unit: arrow.Microsecond}, fractions(1000000, 0, 1, 86400000000, 1709164800000001)},
	{"day64", arrow.FixedWidthTypes.Date64, ints(0, 86400, 1709164800)},
	{"n", arrow.Null, nil},
}

func scopeOf(cols []testColumn) Scope {
	return func(c sql.Column) (int, arrow.DataType, error) {
		for i, t := range cols {
			if t.name == c.String() {
				return i, t.typ, nil
			}
		}
		return 0, nil, errNoColumn
	}
}

// unscaled returns x as an integer in units of t.
func unscaled(t arrow.DataType, x *big.Rat) *big.Int {
	v := columnValue(nil, 0, t)
	num, den := v.unit()
	q := new(big.Rat).Mul(x, new(big.Rat).SetFrac(den, num))
	if !q.IsInt() {
		panic("BUG: a value of the test that its type does not hold")
	}
	return q.Num()
}

// flatVector is a flat vector of values, nil for NULL.
func flatVector(t arrow.DataType, vals []any) *vector.Vector {
	v := vector.New(t, len(vals))
	valid := vector.NewBitmap(len(vals))
	nulls := false
	for i, x := range vals {
		if x == nil {
			nulls = true
		} else {
			valid.Set(i)
		}
		switch x := x.(type) {
		case bool:
			if x {
				vector.Bitmap(v.Data).Set(i)
			}
		case string:
			v.Data = append(v.Data, x...)
		case float64:
			switch t.ID() {
			case arrow.FLOAT16:
				vector.Values[uint16](v)[i] = float16.New(float32(x)).Uint16()
			case arrow.FLOAT32:
				vector.Values[float32](v)[i] = float32(x)
			default:
				vector.Values[float64](v)[i] = x
			}
		case *big.Rat:
			w, _ := toInt128(unscaled(t, x))
			width := vector.Width(t)
			copy(v.Data[i*width:(i+1)*width], vector.AsBytes([]int128{w}))
		}
		if v.Offsets != nil {
			v.Offsets[i+1] = int32(len(v.Data))
		}
	}
	if nulls || t.ID() == arrow.NULL {
		v.Valid = valid
	}
	return v
}

// randomVector gives a vector of n rows in any form, with its values.
func randomVector(rng *rand.Rand, c testColumn, n int) (*vector.Vector, []any) {
	vals := make([]any, n)
	share := []float64{0, 0.2, 1}[rng.IntN(3)]
	if c.pool == nil {
		share = 1
	}
	pick := func() any {
		if rng.Float64() < share {
			return nil
		}
		return c.pool[rng.IntN(len(c.pool))]
	}
	form := rng.IntN(4)
	if form < 2 || c.typ.ID() == arrow.NULL {
		for i := range vals {
			vals[i] = pick()
		}
		return flatVector(c.typ, vals), vals
	}
	entries := make([]any, 1+rng.IntN(8)*(3-form))
	for i := range entries {
		entries[i] = pick()
	}
	v := &vector.Vector{Type: c.typ, Len: n, Dict: flatVector(c.typ, entries)}
	if rng.IntN(2) == 0 {
		v.Dict.ID = vector.NextID()
	}
	if form == 2 {
		v.Codes = make([]uint32, n)
		for i := range v.Codes {
			v.Codes[i] = uint32(rng.IntN(len(entries)))
		}
	}
	if rng.IntN(2) == 0 {
		v.Valid = vector.NewBitmap(n)
	}
	for i := range vals {
		switch {
		case v.Valid == nil:
		case rng.IntN(4) == 0:
			if v.Codes != nil {
				v.Codes[i] = 0
			}
			continue
		default:
			v.Valid.Set(i)
		}
		vals[i] = entries[v.Code(i)]
	}
	return v, vals
}

func bound(t *testing.T, text string) *Condition {
	t.Helper()
	e, err := sql.ParseExpr(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c, err := Bind(text, e, scopeOf(testColumns))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}
