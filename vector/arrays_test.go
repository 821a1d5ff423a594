package vector

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// lists are types of lists that vectors hold, as literals are of other types.
var lists = []literal{
	{arrow.ListOf(arrow.PrimitiveTypes.Int64), []string{"[]", "[1,null,-3]", "[7]"}},
	{arrow.ListOf(arrow.FixedWidthTypes.Boolean), []string{"[true,false,true,null,true,true,false,true,false]", "[]", "[null]"}},
	{arrow.ListOf(arrow.BinaryTypes.String), []string{`["","a",null]`, `["a longer string of bytes"]`, "[]"}},
	{arrow.ListOf(arrow.Null), []string{"[]", "[null,null]"}},
}

type literal struct {
	typ    arrow.DataType
	values []string
}

// literals are the types that vectors hold, each with values in the text form
// that Arrow's builders read.
var literals = []literal{
	{arrow.FixedWidthTypes.Boolean, []string{"true", "false"}},
	{arrow.PrimitiveTypes.Int8, []string{"-128", "127", "0"}},
	{arrow.PrimitiveTypes.Uint8, []string{"255", "1"}},
	{arrow.PrimitiveTypes.Int16, []string{"-32768", "5"}},
	{arrow.PrimitiveTypes.Uint16, []string{"65535", "5"}},
	{arrow.FixedWidthTypes.Float16, []string{"1.5", "-2"}},
	{arrow.PrimitiveTypes.Int32, []string{"-2147483648", "5"}},
	{arrow.PrimitiveTypes.Uint32, []string{"4294967295", "5"}},
	{arrow.PrimitiveTypes.Float32, []string{"1.5", "-Inf"}},
	{arrow.PrimitiveTypes.Int64, []string{"-9223372036854775808", "5"}},
	{arrow.PrimitiveTypes.Uint64, []string{"18446744073709551615", "5"}},
	{arrow.PrimitiveTypes.Float64, []string{"1e300", "-0"}},
	{arrow.FixedWidthTypes.Date32, []string{"1969-12-31", "2024-02-29"}},
	{arrow.FixedWidthTypes.Date64, []string{"1969-12-31", "2024-02-29"}},
	{arrow.FixedWidthTypes.Time32s, []string{"00:00:01", "23:59:59"}},
	{arrow.FixedWidthTypes.Time64us, []string{"00:00:01", "23:59:59"}},
	{arrow.FixedWidthTypes.Timestamp_us, []string{"1969-12-31T23:59:59Z", "2024-02-29T00:00:00Z"}},
	{&arrow.Decimal128Type{Precision: 38, Scale: 2}, []string{"-1.25", "123456789012345678901234567890.12"}},
	{&arrow.Decimal256Type{Precision: 76, Scale: 2}, []string{"-1.25", "1234567890123456789012345678901234567890.12"}},
	{arrow.FixedWidthTypes.MonthDayNanoInterval, []string{`{"months":-1,"days":2,"nanoseconds":-3}`, `{"months":14,"days":0,"nanoseconds":5}`}},
	{arrow.BinaryTypes.String, []string{"", "a", "grün", "a longer string of bytes"}},
	{arrow.BinaryTypes.Binary, []string{base64.StdEncoding.EncodeToString([]byte{0xff, 0}), ""}},
	{&arrow.FixedSizeBinaryType{ByteWidth: 3}, []string{base64.StdEncoding.EncodeToString([]byte{1, 2, 3}), base64.StdEncoding.EncodeToString([]byte{255, 0, 255})}},
	{arrow.Null, nil},
}

// filled returns an Arrow array of n rows that walks over the values; row i is
// NULL where i modulo every is 0, and none is if every is 0.
func filled(t testing.TB, typ arrow.DataType, values []string, n, every int) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, typ)
	defer b.Release()
	for i := range n {
		if len(values) == 0 || every > 0 && i%every == 0 {
			b.AppendNull()
		} else if err := b.AppendValueFromString(values[(i+i/7)%len(values)]); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewArray()
}

// eachArray calls do with slices of arrays of all types.
func eachArray(t *testing.T, do func(t *testing.T, a arrow.Array)) {
	for _, l := range slices.Concat(literals, lists) {
		for _, every := range []int{0, 1, 3} {
			whole := filled(t, l.typ, l.values, 70, every)
			for _, s := range [][2]int{{0, 70}, {0, 0}, {70, 70}, {3, 4}, {8, 17}, {5, 64}, {64, 70}} {
				t.Run(fmt.Sprintf("%s every %d %v", l.typ, every, s), func(t *testing.T) {
					do(t, array.NewSlice(whole, int64(s[0]), int64(s[1])))
				})
			}
		}
	}
}

// same checks that the rows of v that pick lists are those of want that it
// gives for them.
func same(t testing.TB, v *Vector, want arrow.Array, pick []uint32) {
	t.Helper()
	if v.Len != len(pick) {
		t.Fatalf("%d rows, not %d", v.Len, len(pick))
	}
	if v.Flat() && (v.Codes != nil || (v.Offsets != nil) != (IsBytes(v.Type) || IsList(v.Type)) || (v.Child != nil) != IsList(v.Type)) {
		t.Fatalf("%d codes and %d offsets in a flat vector of %s", len(v.Codes), len(v.Offsets), v.Type)
	}
	got, err := ToArrow(v)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	if !arrow.TypeEqual(got.DataType(), want.DataType()) {
		t.Fatalf("type %s, not %s", got.DataType(), want.DataType())
	}
	nulls := 0
	for i, k := range pick {
		null := isNull(want, int(k))
		if isNull(got, i) != null || v.IsNull(i) != null {
			t.Fatalf("row %d: NULL is %v and %v, not %v", i, isNull(got, i), v.IsNull(i), null)
		}
		if null {
			nulls++
			continue
		}
		if got.ValueStr(i) != want.ValueStr(int(k)) || !array.SliceEqual(got, int64(i), int64(i)+1, want, int64(k), int64(k)+1) {
			t.Fatalf("row %d: %s, not %s", i, got.ValueStr(i), want.ValueStr(int(k)))
		}
		if IsList(v.Type) {
			continue
		}
		one := fromArrow(t, array.NewSlice(want, int64(k), int64(k)+1))
		if !bytes.Equal(v.Bytes(i), one.Bytes(0)) {
			t.Fatalf("row %d: Bytes gives %x, not %x", i, v.Bytes(i), one.Bytes(0))
		}
	}
	if got.NullN() != nulls {
		t.Fatalf("%d NULLs, not %d", got.NullN(), nulls)
	}
	if nulls > 0 && !v.MayHaveNulls() {
		t.Fatal("MayHaveNulls is false")
	}
}

// isNull knows that Arrow's null arrays have no bitmap and say of no row that
// it is NULL.
func isNull(a arrow.Array, i int) bool { return a.DataType().ID() == arrow.NULL || a.IsNull(i) }

// upTo returns 0 to n-1.
func upTo(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

// fromArrow is FromArrow of an array that is known to be good.
func fromArrow(t testing.TB, a arrow.Array) *Vector {
	t.Helper()
	v, err := FromArrow(a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
