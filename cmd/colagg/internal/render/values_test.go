package render

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// column builds a record of one column "x" beside a column of zeros, with a
// NULL at its end.
func column[B array.Builder](t *testing.T, typ arrow.DataType, fill func(b B)) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: typ, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Int8},
	}, nil))
	defer b.Release()
	fill(b.Field(0).(B))
	b.Field(0).AppendNull()
	for range b.Field(0).Len() {
		b.Field(1).(*array.Int8Builder).Append(0)
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

// values returns the text and the JSON forms of column x, without the NULL,
// after checking the latter.
func values(t *testing.T, rec arrow.Record) (textForm, jsonForm string) {
	t.Helper()
	var txt, js []string
	for _, line := range strings.Split(strings.TrimSpace(printed(t, TSV, Screen{}, rec)), "\n")[1:] {
		txt = append(txt, strings.TrimSuffix(line, "\t0"))
	}
	for _, line := range strings.Split(strings.TrimSpace(printed(t, NDJSON, Screen{}, rec)), "\n") {
		js = append(js, strings.TrimSuffix(strings.TrimPrefix(line, `{"x":`), `,"n":0}`))
	}
	if last := len(txt) - 1; txt[last] != `\N` || js[last] != "null" {
		t.Errorf("NULL is %s and %s", txt[last], js[last])
	}
	return strings.Join(txt[:len(txt)-1], " "), strings.Join(js[:len(js)-1], " ")
}

func check(t *testing.T, rec arrow.Record, text, json string) {
	t.Helper()
	gotText, gotJSON := values(t, rec)
	if gotText != text {
		t.Errorf("%s: text %s, want %s", rec.Schema().Field(0).Type, gotText, text)
	}
	if gotJSON != json {
		t.Errorf("%s: JSON %s, want %s", rec.Schema().Field(0).Type, gotJSON, json)
	}
}

func same(t *testing.T, rec arrow.Record, want string) {
	t.Helper()
	check(t, rec, want, want)
}

func quoted(t *testing.T, rec arrow.Record, want ...string) {
	t.Helper()
	check(t, rec, strings.Join(want, " "), `"`+strings.Join(want, `" "`)+`"`)
}

func TestIntegers(t *testing.T) {
	same(t, column(t, arrow.PrimitiveTypes.Int8, func(b *array.Int8Builder) { b.AppendValues([]int8{-128, 127}, nil) }), "-128 127")
	same(t, column(t, arrow.PrimitiveTypes.Int16, func(b *array.Int16Builder) { b.AppendValues([]int16{-32768, 32767}, nil) }), "-32768 32767")
	same(t, column(t, arrow.PrimitiveTypes.Int32, func(b *array.Int32Builder) { b.Append(math.MinInt32) }), "-2147483648")
	same(t, column(t, arrow.PrimitiveTypes.Int64, func(b *array.Int64Builder) {
		b.AppendValues([]int64{math.MinInt64, 1<<53 + 1, math.MaxInt64}, nil)
	}), "-9223372036854775808 9007199254740993 9223372036854775807")
	same(t, column(t, arrow.PrimitiveTypes.Uint8, func(b *array.Uint8Builder) { b.Append(255) }), "255")
	same(t, column(t, arrow.PrimitiveTypes.Uint16, func(b *array.Uint16Builder) { b.Append(65535) }), "65535")
	same(t, column(t, arrow.PrimitiveTypes.Uint32, func(b *array.Uint32Builder) { b.Append(math.MaxUint32) }), "4294967295")
	same(t, column(t, arrow.PrimitiveTypes.Uint64, func(b *array.Uint64Builder) { b.Append(math.MaxUint64) }), "18446744073709551615")
	same(t, column(t, arrow.FixedWidthTypes.Boolean, func(b *array.BooleanBuilder) { b.AppendValues([]bool{true, false}, nil) }), "true false")
}

func TestFloats(t *testing.T) {
	check(t, column(t, arrow.PrimitiveTypes.Float64, func(b *array.Float64Builder) {
		b.AppendValues([]float64{2, 0.1, -0.5, math.Copysign(0, -1), 1e15, 1e16, 1.0 / 3, 1e-4, 1e-5, 1e300, 123456789.125,
			math.NaN(), math.Inf(1), math.Inf(-1)}, nil)
	}),
		"2.0 0.1 -0.5 -0.0 1000000000000000.0 1e+16 0.3333333333333333 0.0001 1e-05 1e+300 123456789.125 NaN inf -inf",
		"2.0 0.1 -0.5 -0.0 1000000000000000.0 1e+16 0.3333333333333333 0.0001 1e-05 1e+300 123456789.125 null null null")
	same(t, column(t, arrow.PrimitiveTypes.Float32, func(b *array.Float32Builder) {
		b.AppendValues([]float32{0.1, 16777216, 1.0 / 3}, nil)
	}), "0.1 16777216.0 0.33333334")
	same(t, column(t, arrow.FixedWidthTypes.Float16, func(b *array.Float16Builder) {
		b.Append(float16.New(1.5))
		b.Append(float16.New(-65504))
		for _, bits := range []uint16{0x0001, 0x83ff, 0x0400, 0x8000, 0x3555} {
			b.Append(float16.FromBits(bits))
		}
	}), "1.5 -65504.0 5.9604645e-08 -6.097555e-05 6.1035156e-05 -0.0 0.33325195")
	check(t, column(t, arrow.FixedWidthTypes.Float16, func(b *array.Float16Builder) {
		for _, bits := range []uint16{0x7c00, 0xfc00, 0x7e01} {
			b.Append(float16.FromBits(bits))
		}
	}), "inf -inf NaN", "null null null")
}

func TestDecimals(t *testing.T) {
	same(t, column(t, &arrow.Decimal128Type{Precision: 10, Scale: 2}, func(b *array.Decimal128Builder) {
		for _, v := range []int64{-100, 5, -5, 0, 12345, 1000, -123450} {
			b.Append(decimal128.FromI64(v))
		}
	}), "-1.00 0.05 -0.05 0.00 123.45 10.00 -1234.50")
	big128, _ := new(big.Int).SetString("99999999999999999999999999999999999999", 10)
	same(t, column(t, &arrow.Decimal128Type{Precision: 38, Scale: 9}, func(b *array.Decimal128Builder) {
		b.Append(decimal128.FromBigInt(big128))
		b.Append(decimal128.FromBigInt(new(big.Int).Neg(big128)))
		b.Append(decimal128.FromBigInt(new(big.Int).Lsh(big.NewInt(1), 63)))
		b.Append(decimal128.FromBigInt(new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 63))))
	}), "99999999999999999999999999999.999999999 -99999999999999999999999999999.999999999 9223372036.854775808 -9223372036.854775808")
	same(t, column(t, &arrow.Decimal128Type{Precision: 5, Scale: -2}, func(b *array.Decimal128Builder) {
		b.Append(decimal128.FromI64(-12))
		b.Append(decimal128.FromI64(0))
	}), "-1200 0")
	same(t, column(t, &arrow.Decimal128Type{Precision: 20, Scale: 0}, func(b *array.Decimal128Builder) {
		b.Append(decimal128.FromI64(9007199254740993))
	}), "9007199254740993")
	big256, _ := new(big.Int).SetString(strings.Repeat("1234567890", 7)+"123456", 10)
	same(t, column(t, &arrow.Decimal256Type{Precision: 76, Scale: 76}, func(b *array.Decimal256Builder) {
		b.Append(decimal256.FromBigInt(big256))
		b.Append(decimal256.FromI64(-1))
	}), "0."+strings.Repeat("1234567890", 7)+"123456 -0."+strings.Repeat("0", 75)+"1")
}

func TestDatesAndTimes(t *testing.T) {
	quoted(t, column(t, arrow.FixedWidthTypes.Date32, func(b *array.Date32Builder) {
		b.AppendValues([]arrow.Date32{0, -1, 19782, 11016, -719468, -719529, -719893, 2932896, 2932897, math.MaxInt32, math.MinInt32}, nil)
	}), "1970-01-01", "1969-12-31", "2024-02-29", "2000-02-29", "0000-03-01", "-0001-12-31", "-0001-01-01", "9999-12-31", "10000-01-01", "5881580-07-11", "-5877641-06-23")
	quoted(t, column(t, arrow.FixedWidthTypes.Date64, func(b *array.Date64Builder) {
		b.AppendValues([]arrow.Date64{0, -86400000, 86400000}, nil)
	}), "1970-01-01", "1969-12-31", "1970-01-02")
	quoted(t, column(t, arrow.FixedWidthTypes.Time32ms, func(b *array.Time32Builder) {
		b.AppendValues([]arrow.Time32{0, 86399999, 1500}, nil)
	}), "00:00:00", "23:59:59.999", "00:00:01.5")
	quoted(t, column(t, arrow.FixedWidthTypes.Time64ns, func(b *array.Time64Builder) {
		b.AppendValues([]arrow.Time64{1, 3600e9}, nil)
	}), "00:00:00.000000001", "01:00:00")
	quoted(t, column(t, arrow.FixedWidthTypes.Duration_us, func(b *array.DurationBuilder) {
		b.AppendValues([]arrow.Duration{-1500000, 360000000000, math.MinInt64}, nil)
	}), "-00:00:01.5", "100:00:00", "-2562047788:00:54.775808")
	quoted(t, column(t, arrow.FixedWidthTypes.MonthDayNanoInterval, func(b *array.MonthDayNanoIntervalBuilder) {
		b.AppendValues([]arrow.MonthDayNanoInterval{{}, {Months: 14, Days: 3, Nanoseconds: 14706500000000}, {Months: -14, Days: 3, Nanoseconds: -1}, {Months: 1}, {Days: -1, Nanoseconds: 1e9}, {Nanoseconds: -1e9}}, nil)
	}), "00:00:00", "1 year 2 mons 3 days 04:05:06.5", "-1 years -2 mons +3 days -00:00:00.000000001", "1 mon", "-1 days +00:00:01", "-00:00:01")
}

func TestTimestamps(t *testing.T) {
	at := []arrow.Timestamp{0, -1, 1704164645123456, -62135596800000001, math.MaxInt64}
	fill := func(b *array.TimestampBuilder) { b.AppendValues(at, nil) }
	want := []string{"1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2024-01-02 03:04:05.123456", "0000-12-31 23:59:59.999999", "294247-01-10 04:00:54.775807"}
	got, _ := values(t, column(t, &arrow.TimestampType{Unit: arrow.Microsecond}, fill))
	if got != strings.Join(want, " ") {
		t.Errorf("%s, want %s", got, want)
	}
	got, _ = values(t, column(t, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, fill))
	if got != strings.Join(want, "Z ")+"Z" {
		t.Errorf("%s, want %s with Z", got, want)
	}
	for unit, want := range map[arrow.TimeUnit]string{
		arrow.Second: "54511-04-30 19:25:23", arrow.Millisecond: "2022-07-20 09:12:06.123", arrow.Nanosecond: "1970-01-01 00:27:38.308326123",
	} {
		got, _ := values(t, column(t, &arrow.TimestampType{Unit: unit}, func(b *array.TimestampBuilder) { b.Append(1658308326123) }))
		if ok := got == want; !ok && unit != arrow.Second {
			t.Errorf("%s: %s, want %s", unit, got, want)
		} else if unit == arrow.Second && got != time.Unix(1658308326123, 0).UTC().Format("2006-01-02 15:04:05") {
			t.Errorf("s: %s", got)
		}
	}
	// Days of 8,000 years against the standard library.
	for day := int64(-1500000); day < 1500000; day += 13 {
		want := time.Unix(day*secondsPerDay, 0).UTC().Format("2006-01-02")
		if got := string(appendDate(nil, day)); got != want {
			t.Fatalf("day %d: %s, want %s", day, got, want)
		}
	}
}

func TestBinary(t *testing.T) {
	check(t, column(t, arrow.BinaryTypes.Binary, func(b *array.BinaryBuilder) {
		b.Append([]byte("abc"))
		b.Append([]byte{0, 255, '\\', '"'})
	}), `abc \\x00\\xFF\\x5C\\x22`, `"abc" "\\x00\\xFF\\x5C\\x22"`)
	quoted(t, column(t, &arrow.FixedSizeBinaryType{ByteWidth: 3}, func(b *array.FixedSizeBinaryBuilder) {
		b.Append([]byte{0, 171, 255})
	}), "00abff")
	check(t, column(t, arrow.BinaryTypes.LargeString, func(b *array.LargeStringBuilder) { b.Append("x") }), "x", `"x"`)
	check(t, column(t, arrow.BinaryTypes.LargeBinary, func(b *array.BinaryBuilder) { b.Append([]byte("y")) }), "y", `"y"`)
	rec := column(t, arrow.Null, func(b *array.NullBuilder) {})
	if got := printed(t, CSV, Screen{}, rec); got != "x,n\n,0\n" {
		t.Errorf("%q", got)
	}
}
