package oracle_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
	"github.com/colagg/colagg/parquetio"
	"github.com/colagg/colagg/vector"
)

// kinds are the types of random columns.
var kinds = []arrow.DataType{
	arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	&arrow.Decimal128Type{Precision: 9, Scale: 2}, &arrow.Decimal128Type{Precision: 18, Scale: 0}, &arrow.Decimal128Type{Precision: 34, Scale: 7},
	&arrow.Decimal256Type{Precision: 60, Scale: 5},
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns,
	&arrow.TimestampType{Unit: arrow.Millisecond}, arrow.FixedWidthTypes.Timestamp_us, &arrow.TimestampType{Unit: arrow.Nanosecond},
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary,
	&arrow.FixedSizeBinaryType{ByteWidth: 1}, &arrow.FixedSizeBinaryType{ByteWidth: 4}, &arrow.FixedSizeBinaryType{ByteWidth: 19},
	arrow.Null,
}

// column says how random values of a column are drawn.
type column struct {
	typ    arrow.DataType
	values int     // how many different ones
	nulls  float64 // share of NULLs
	coded  bool    // as a dictionary array
}

func randomColumn(rng *rand.Rand) column {
	c := column{typ: kinds[rng.IntN(len(kinds))], values: []int{1, 3, 40, 100_000}[rng.IntN(4)]}
	c.nulls = []float64{0, 0, 0.1, 0.9}[rng.IntN(4)]
	c.coded = c.typ.ID() != arrow.NULL && rng.IntN(3) == 0
	return c
}

// randomTable is rows in records of random lengths, keys first.
type randomTable struct {
	keys    int
	columns []column
	records []arrow.Record
}

func (t *randomTable) String() string {
	var b strings.Builder
	for i, c := range t.columns {
		fmt.Fprintf(&b, "c%d %s of %d, %g NULL, coded %t; ", i, c.typ, c.values, c.nulls, c.coded)
	}
	return b.String()
}

func newRandomTable(rng *rand.Rand) *randomTable {
	t := &randomTable{keys: rng.IntN(5)}
	for range t.keys + 3 {
		t.columns = append(t.columns, randomColumn(rng))
	}
	rows := []int{0, 1, 9, 200, 2500}[rng.IntN(5)]
	most := []int{1, 7, 100, 5000}[rng.IntN(4)]
	if rows/most > 500 {
		most = 7
	}
	var fields []arrow.Field
	for i, c := range t.columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: c.arrowType(), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	for rows > 0 || len(t.records) == 0 {
		n := min(rows, 1+rng.IntN(most))
		rows -= n
		var cols []arrow.Array
		for _, c := range t.columns {
			cols = append(cols, c.array(rng, n))
		}
		t.records = append(t.records, array.NewRecord(schema, cols, int64(n)))
	}
	return t
}

// arrowType returns the type of the column's arrays.
func (c column) arrowType() arrow.DataType {
	if c.coded {
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: c.typ}
	}
	return c.typ
}

// array returns n random values.
func (c column) array(rng *rand.Rand, n int) arrow.Array {
	if !c.coded {
		b := array.NewBuilder(memory.DefaultAllocator, c.typ)
		for range n {
			if rng.Float64() < c.nulls {
				b.AppendNull()
			} else {
				appendValue(b, rng.IntN(c.values))
			}
		}
		return b.NewArray()
	}
	dict := array.NewBuilder(memory.DefaultAllocator, c.typ)
	codes := array.NewInt32Builder(memory.DefaultAllocator)
	for range n {
		if rng.Float64() < c.nulls {
			codes.AppendNull()
			continue
		}
		codes.Append(int32(dict.Len())) // entries may repeat
		appendValue(dict, rng.IntN(c.values))
	}
	if c.nulls > 0 {
		dict.AppendNull() // an entry may be NULL
	}
	return array.NewDictionaryArray(c.arrowType(), codes.NewArray(), dict.NewArray())
}

// mix spreads k over 64 bits; small k give the limits of every width.
func mix(k int) int64 {
	limits := []int64{0, 1, -1, math.MaxInt64, math.MinInt64}
	if k < len(limits) {
		return limits[k]
	}
	return int64(uint64(k) * 0x9e3779b97f4a7c15)
}

// number returns the k-th float: special ones first, the rest so that their
// sums are exact.
func number(k int) float64 {
	special := []float64{0, math.Copysign(0, -1), 1.5, math.NaN(), math.Inf(1), -2.25, math.Float64frombits(0xfff8000000000abc)}
	if k < len(special) {
		return special[k]
	}
	return float64(mix(k)>>56) / 8
}

// text returns the k-th string; lengths go from 0 to 40.
func text(k int) []byte {
	s := fmt.Sprintf("%d\x00\xff%s", k, strings.Repeat("é", k%19))
	return []byte(s[:min(len(s), k)])
}

// appendValue appends the k-th value of the builder's type.
func appendValue(b array.Builder, k int) {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(k%2 == 1)
	case *array.Float16Builder:
		b.Append(float16.New(float32(number(k))))
	case *array.Float32Builder:
		b.Append(float32(number(k)))
	case *array.Float64Builder:
		b.Append(number(k))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(digits(k, b.Type())))
	case *array.Decimal256Builder:
		b.Append(decimal256.FromBigInt(digits(k, b.Type())))
	case *array.StringBuilder:
		b.BinaryBuilder.Append(text(k))
	case *array.BinaryBuilder:
		b.Append(text(k))
	case *array.FixedSizeBinaryBuilder:
		w := b.Type().(*arrow.FixedSizeBinaryType).ByteWidth
		b.Append(fmt.Appendf(nil, "%0*d", w, k)[:w])
	case *array.NullBuilder:
		b.AppendNull()
	default:
		appendInteger(b, mix(k))
	}
}

// digits returns the k-th unscaled decimal of type t; the second and third
// are its limits.
func digits(k int, t arrow.DataType) *big.Int {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.(arrow.DecimalType).GetPrecision())), nil)
	v := new(big.Int).Mul(big.NewInt(mix(k)), big.NewInt(mix(k+77)))
	switch k {
	case 1:
		return limit.Sub(limit, big.NewInt(1))
	case 2:
		return limit.Sub(big.NewInt(1), limit)
	}
	return v.Rem(v, limit)
}

func appendInteger(b array.Builder, v int64) {
	const day = 86_400_000_000
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(v)
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(uint64(v))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v % 2_000_000))
	case *array.Time32Builder:
		b.Append(arrow.Time32(uint64(v) % (day / 1000)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(uint64(v) % day))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	default:
		panic(fmt.Sprintf("BUG: no values for %T", b))
	}
}

// reader returns the table as a record reader.
func (t *randomTable) reader(tb testing.TB) array.RecordReader {
	tb.Helper()
	r, err := array.NewRecordReader(t.records[0].Schema(), t.records)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// parquet returns the table as a Parquet file.
func (t *randomTable) parquet(tb testing.TB) fileBytes {
	tb.Helper()
	var fields []arrow.Field
	for i, f := range t.records[0].Schema().Fields() {
		fields = append(fields, arrow.Field{Name: f.Name, Type: t.columns[i].typ, Nullable: true})
	}
	var out bytes.Buffer
	w, err := parquetio.NewWriter(&out, arrow.NewSchema(fields, nil))
	if err != nil {
		tb.Fatal(err)
	}
	for _, rec := range t.records {
		b := &vector.Batch{Len: int(rec.NumRows())}
		for _, col := range rec.Columns() {
			v, err := vector.FromArrow(col)
			if err != nil {
				tb.Fatal(err)
			}
			b.Cols = append(b.Cols, v)
		}
		if err := w.Write(b); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// fileBytes is a file in memory.
type fileBytes []byte

// Name returns what errors call the file.
func (f fileBytes) Name() string { return "memory.parquet" }

// Open returns the bytes.
func (f fileBytes) Open(context.Context) (colagg.ReaderAt, error) {
	return openBytes{bytes.NewReader(f)}, nil
}

type openBytes struct{ *bytes.Reader }

// Size returns the length.
func (o openBytes) Size() int64 { return o.Reader.Size() }

// Close does nothing.
func (o openBytes) Close() error { return nil }

var _ io.ReaderAt = openBytes{}
