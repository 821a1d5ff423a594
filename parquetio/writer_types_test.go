package parquetio

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

// typeCase is a column of one type: its values as a vector stores them (nil is
// NULL), the type that pyarrow finds in the file, and its values in the text
// form of readScript.
type typeCase struct {
	name   string
	typ    arrow.DataType
	values [][]byte
	stored string
	want   []string
}

// typeCases has four rows per type, the last of them NULL.
func typeCases() []typeCase {
	d128 := &arrow.Decimal128Type{Precision: 38, Scale: 3}
	d256 := &arrow.Decimal256Type{Precision: 76, Scale: 0}
	neg1 := uint64(math.MaxUint64)
	v := func(b ...[]byte) [][]byte { return append(b, nil) }
	w := func(s ...string) []string { return append(s, "NULL") }
	return []typeCase{
		{"bool", arrow.FixedWidthTypes.Boolean, v([]byte{1}, []byte{0}, []byte{1}), "bool", w("true", "false", "true")},
		{"i8", arrow.PrimitiveTypes.Int8, v(le(int8(-128)), le(int8(127)), le(int8(0))), "int8", w("-128", "127", "0")},
		{"i16", arrow.PrimitiveTypes.Int16, v(le(int16(-32768)), le(int16(32767)), le(int16(1))), "int16", w("-32768", "32767", "1")},
		{"i32", arrow.PrimitiveTypes.Int32, v(le(int32(math.MinInt32)), le(int32(math.MaxInt32)), le(int32(1))), "int32", w("-2147483648", "2147483647", "1")},
		{"i64", arrow.PrimitiveTypes.Int64, v(le(int64(math.MinInt64)), le(int64(math.MaxInt64)), le(int64(1))), "int64", w("-9223372036854775808", "9223372036854775807", "1")},
		{"u8", arrow.PrimitiveTypes.Uint8, v(le(uint8(255)), le(uint8(0)), le(uint8(128))), "uint8", w("255", "0", "128")},
		{"u16", arrow.PrimitiveTypes.Uint16, v(le(uint16(65535)), le(uint16(7)), le(uint16(32768))), "uint16", w("65535", "7", "32768")},
		{"u32", arrow.PrimitiveTypes.Uint32, v(le(uint32(math.MaxUint32)), le(uint32(7)), le(uint32(1<<31))), "uint32", w("4294967295", "7", "2147483648")},
		{"u64", arrow.PrimitiveTypes.Uint64, v(le(neg1), le(uint64(7)), le(uint64(1<<63))), "uint64", w("18446744073709551615", "7", "9223372036854775808")},
		{"f16", arrow.FixedWidthTypes.Float16, v(le(uint16(0x3c00)), le(uint16(0xfc00)), le(uint16(0x0001))), "halffloat", w("0x1.0000000000000p+0", "-inf", "0x1.0000000000000p-24")},
		{"f32", arrow.PrimitiveTypes.Float32, v(le(float32(1.5)), le(float32(math.Inf(-1))), le(float32(math.Copysign(0, -1)))), "float", w("0x1.8000000000000p+0", "-inf", "-0x0.0p+0")},
		{"f64", arrow.PrimitiveTypes.Float64, v(le(math.Inf(1)), le(math.NaN()), le(math.MaxFloat64)), "double", w("inf", "nan", "0x1.fffffffffffffp+1023")},
		{"d128", d128, v(le([2]uint64{0x098a223fffffffff, 0x4b3b4ca85a86c47a}), le([2]uint64{0xf675ddc000000001, 0xb4c4b357a5793b85}), le([2]uint64{neg1, neg1})),
			"decimal128(38, 3)", w("99999999999999999999999999999999999.999", "-99999999999999999999999999999999999.999", "-0.001")},
		{"d128small", &arrow.Decimal128Type{Precision: 5, Scale: 2}, v(le([2]uint64{99999, 0}), le([2]uint64{neg1 - 99998, neg1}), le([2]uint64{100, 0})),
			"decimal128(5, 2)", w("999.99", "-999.99", "1.00")},
		{"d256", d256, v(le([4]uint64{1, 0, 0, 1}), le([4]uint64{0, 0, neg1, neg1}), le([4]uint64{5})),
			"decimal256(76, 0)", w("6277101735386680763835789423207666416102355444464034512897", "-340282366920938463463374607431768211456", "5")},
		{"date32", arrow.FixedWidthTypes.Date32, v(le(int32(-719162)), le(int32(19000)), le(int32(0))), "date32[day]", w("-719162", "19000", "0")},
		{"date64", arrow.FixedWidthTypes.Date64, v(le(int64(-86400000)), le(int64(86400000*3)), le(int64(0))), "date32[day]", w("-1", "3", "0")},
		{"time32s", arrow.FixedWidthTypes.Time32s, v(le(int32(0)), le(int32(86399)), le(int32(1))), "time32[ms]", w("0", "86399000", "1000")},
		{"time32ms", arrow.FixedWidthTypes.Time32ms, v(le(int32(0)), le(int32(86399999)), le(int32(1))), "time32[ms]", w("0", "86399999", "1")},
		{"time64us", arrow.FixedWidthTypes.Time64us, v(le(int64(0)), le(int64(86399999999)), le(int64(1))), "time64[us]", w("0", "86399999999", "1")},
		{"time64ns", arrow.FixedWidthTypes.Time64ns, v(le(int64(0)), le(int64(86399999999999)), le(int64(1))), "time64[ns]", w("0", "86399999999999", "1")},
		{"tss", &arrow.TimestampType{Unit: arrow.Second}, v(le(int64(-1)), le(int64(1700000000)), le(int64(0))), "timestamp[ms]", w("-1000", "1700000000000", "0")},
		{"tsms", &arrow.TimestampType{Unit: arrow.Millisecond}, v(le(int64(-1)), le(int64(1700000000001)), le(int64(0))), "timestamp[ms]", w("-1", "1700000000001", "0")},
		{"tsusz", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Paris"}, v(le(int64(math.MinInt64)), le(int64(math.MaxInt64)), le(int64(0))),
			"timestamp[us, tz=UTC]", w("-9223372036854775808", "9223372036854775807", "0")},
		{"tsns", &arrow.TimestampType{Unit: arrow.Nanosecond}, v(le(int64(-1)), le(int64(math.MaxInt64)), le(int64(0))), "timestamp[ns]", w("-1", "9223372036854775807", "0")},
		{"str", arrow.BinaryTypes.String, v([]byte("grün"), []byte(""), []byte("a\x00b")), "string", w("6772c3bc6e", "", "610062")},
		{"bin", arrow.BinaryTypes.Binary, v([]byte{0xff, 0xfe}, []byte{}, []byte{0}), "binary", w("fffe", "", "00")},
		{"fsb", &arrow.FixedSizeBinaryType{ByteWidth: 3}, v([]byte{0xff, 0, 1}, []byte{0, 0, 0}, []byte("abc")), "fixed_size_binary[3]", w("ff0001", "000000", "616263")},
		{"null", arrow.Null, [][]byte{nil, nil, nil, nil}, "null", []string{"NULL", "NULL", "NULL", "NULL"}},
	}
}

func schemaOf(cases []typeCase) *arrow.Schema {
	var fields []arrow.Field
	for _, c := range cases {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

func TestWriterRefusesSchemas(t *testing.T) {
	i64 := arrow.PrimitiveTypes.Int64
	for name, fields := range map[string][]arrow.Field{
		"no columns":     nil,
		"same name":      {{Name: "a", Type: i64}, {Name: "a", Type: i64}},
		"duration":       {{Name: "a", Type: arrow.FixedWidthTypes.Duration_us}},
		"interval":       {{Name: "a", Type: arrow.FixedWidthTypes.MonthDayNanoInterval}},
		"negative scale": {{Name: "a", Type: &arrow.Decimal128Type{Precision: 5, Scale: -1}}},
		"scale too big":  {{Name: "a", Type: &arrow.Decimal128Type{Precision: 5, Scale: 6}}},
		"too precise":    {{Name: "a", Type: &arrow.Decimal128Type{Precision: 39}}},
		"no width":       {{Name: "a", Type: &arrow.FixedSizeBinaryType{}}},
		"list of lists":  {{Name: "a", Type: arrow.ListOf(arrow.ListOf(i64))}},
	} {
		if _, err := NewWriter(nil, arrow.NewSchema(fields, nil)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestWriterRefusesValues has values that would be stored as others.
func TestWriterRefusesValues(t *testing.T) {
	for name, c := range map[string]struct {
		typ arrow.DataType
		bad []byte
	}{
		"decimal128 too long":          {&arrow.Decimal128Type{Precision: 5}, le([2]uint64{100000, 0})},
		"decimal128 negative too long": {&arrow.Decimal128Type{Precision: 5}, le([2]uint64{math.MaxUint64 - 99999, math.MaxUint64})},
		"decimal128 smallest":          {&arrow.Decimal128Type{Precision: 38}, le([2]uint64{0, 1 << 63})},
		"decimal256 too long":          {&arrow.Decimal256Type{Precision: 40}, le([4]uint64{0, 0, 1 << 20, 0})},
		"decimal256 smallest":          {&arrow.Decimal256Type{Precision: 76}, le([4]uint64{0, 0, 0, 1 << 63})},
		"timestamp":                    {&arrow.TimestampType{Unit: arrow.Second}, le(int64(math.MaxInt64/1000 + 1))},
		"timestamp before":             {&arrow.TimestampType{Unit: arrow.Second}, le(int64(math.MinInt64/1000 - 1))},
		"time":                         {arrow.FixedWidthTypes.Time32s, le(int32(math.MaxInt32/1000 + 1))},
		"half a day":                   {arrow.FixedWidthTypes.Date64, le(int64(43200000))},
		"NULL":                         {arrow.PrimitiveTypes.Int64, nil},
	} {
		w, err := NewWriter(&countingSink{}, arrow.NewSchema([]arrow.Field{{Name: "a", Type: c.typ, Nullable: name != "NULL"}}, nil))
		if err != nil {
			t.Fatal(err)
		}
		first := w.Write(batchOf(flatOf(t, c.typ, c.bad)))
		if first == nil {
			t.Errorf("%s: no error", name)
		}
		if err := w.Close(); err != first {
			t.Errorf("%s: Close gave %v after %v", name, err, first)
		}
	}
}

type countingSink struct{ n int }

func (s *countingSink) Write(p []byte) (int, error) { s.n += len(p); return len(p), nil }

func TestWriterRefusesBatches(t *testing.T) {
	i64, str := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: i64}, {Name: "b", Type: str}}, nil)
	a, b := flatOf(t, i64, le(int64(1))), flatOf(t, str, []byte("x"))
	bad := []struct {
		name string
		w    func(w *Writer) error
	}{
		{"too few columns", func(w *Writer) error { return w.Write(batchOf(a)) }},
		{"other type", func(w *Writer) error { return w.Write(batchOf(a, a)) }},
		{"other length", func(w *Writer) error { return w.Write(batchOf(a, flatOf(t, str))) }},
		{"after Close", func(w *Writer) error {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return w.Write(batchOf(a, b))
		}},
	}
	for _, c := range bad {
		w, err := NewWriter(&countingSink{}, s)
		if err != nil {
			t.Fatal(err)
		}
		if c.w(w) == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}
