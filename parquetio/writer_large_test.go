package parquetio

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/colagg/colagg/vector"
)

const largeRows = 2*rowGroupRows + 1000

// largeFile has several row groups. Each batch lies in the memory of the one
// before, as those of a stream do. Column few has dictionaries, many loses its
// dictionary in mid-chunk, and uniq has none.
func largeFile(t testing.TB) []byte {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "row", Type: arrow.PrimitiveTypes.Uint64, Nullable: true},
		{Name: "few", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "many", Type: arrow.BinaryTypes.String},
		{Name: "uniq", Type: arrow.BinaryTypes.Binary},
		{Name: "dec", Type: &arrow.Decimal128Type{Precision: 20, Scale: 1}},
	}, nil)
	var cols []*vector.Builder
	for _, f := range s.Fields() {
		cols = append(cols, vector.NewBuilder(f.Type))
	}
	var out bytes.Buffer
	w, err := NewWriter(&out, s)
	if err != nil {
		t.Fatal(err)
	}
	const step = 7001
	for lo := 0; lo < largeRows; lo += step {
		b := &vector.Batch{}
		for c, col := range cols {
			col.Reset()
			for r := lo; r < min(lo+step, largeRows); r++ {
				v := largeValue(s.Field(c).Name, r)
				if v == nil {
					col.AppendNull()
				} else if err := col.AppendBytes(v); err != nil {
					t.Fatal(err)
				}
			}
			b.Cols, b.Len = append(b.Cols, col.Vector()), col.Len()
		}
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// largeValue returns what largeFile holds, as a vector stores it.
func largeValue(name string, r int) []byte {
	switch name {
	case "row":
		if r%3 == 0 {
			return nil
		}
		return le(uint64(r) << 40)
	case "few":
		if r%5 == 0 {
			return nil
		}
		return fmt.Appendf(nil, "v%d", (largeRows-r)/10000)
	case "many": // one value repeats in the first batch, which gives the column its dictionary
		return fmt.Appendf(nil, "%030d", max(0, r-20000)*7919%100000)
	case "uniq":
		return fmt.Appendf(nil, "%d", largeRows-r)
	default:
		return le([2]uint64{uint64(int64(50 - r)), uint64(int64(50-r) >> 63)})
	}
}

func TestWriterLargeReadByLibrary(t *testing.T) {
	f, err := file.NewParquetReader(bytes.NewReader(largeFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != largeRows || f.NumRowGroups() != 3 {
		t.Fatalf("%d rows in %d row groups", f.NumRows(), f.NumRowGroups())
	}
	row := 0
	for g := range f.NumRowGroups() {
		rg := f.RowGroup(g)
		for c := range f.MetaData().Schema.NumColumns() {
			checkChunk(t, rg, c, row)
		}
		row += int(rg.NumRows())
	}
}

// checkChunk compares column c of a row group, whose first row is given, with
// largeValue.
func checkChunk(t *testing.T, rg *file.RowGroupReader, c, row int) {
	t.Helper()
	meta, err := rg.MetaData().ColumnChunk(c)
	if err != nil {
		t.Fatal(err)
	}
	col, err := rg.Column(c)
	if err != nil {
		t.Fatal(err)
	}
	name := col.Descriptor().Name()
	if enc := slices.Contains(meta.Encodings(), parquet.Encodings.RLEDict); enc != (name == "few" || name == "many") {
		t.Errorf("%s: encodings %v", name, meta.Encodings())
	}
	n := int(rg.NumRows())
	// A chunk that has lost its dictionary lists PLAIN twice.
	if lost := len(meta.Encodings()) == 4; lost != (name == "many" && n == rowGroupRows) {
		t.Errorf("%s: encodings %v", name, meta.Encodings())
	}
	levels := make([]int16, n)
	values := readAll(t, col, levels)
	for i := range n {
		want := largeValue(name, row+i)
		if col.Descriptor().MaxDefinitionLevel() == 1 && (levels[i] == 0) != (want == nil) {
			t.Fatalf("%s, row %d: level %d", name, row+i, levels[i])
		}
		if want == nil {
			continue
		}
		if name == "dec" {
			want = be9(want)
		}
		if !bytes.Equal(values[0], want) {
			t.Fatalf("%s, row %d: %x, not %x", name, row+i, values[0], want)
		}
		values = values[1:]
	}
	if len(values) != 0 {
		t.Fatalf("%s: %d values left over", name, len(values))
	}
}

// be9 returns the low nine bytes of a little-endian number, highest first.
func be9(v []byte) []byte {
	v = slices.Clone(v[:9])
	slices.Reverse(v)
	return v
}

func readAll(t *testing.T, col file.ColumnChunkReader, levels []int16) [][]byte {
	t.Helper()
	var out [][]byte
	var k int
	var total int64
	var err error
	for total < int64(len(levels)) && err == nil {
		var rows int64
		switch col := col.(type) {
		case *file.Int64ColumnChunkReader:
			v := make([]int64, len(levels))
			rows, k, err = col.ReadBatch(1000, v, levels[total:], nil)
			for _, x := range v[:k] {
				out = append(out, le(x))
			}
		case *file.ByteArrayColumnChunkReader:
			v := make([]parquet.ByteArray, len(levels))
			rows, k, err = col.ReadBatch(1000, v, levels[total:], nil)
			for _, x := range v[:k] {
				out = append(out, bytes.Clone(x))
			}
		case *file.FixedLenByteArrayColumnChunkReader:
			v := make([]parquet.FixedLenByteArray, len(levels))
			rows, k, err = col.ReadBatch(1000, v, levels[total:], nil)
			for _, x := range v[:k] {
				out = append(out, bytes.Clone(x))
			}
		}
		if rows == 0 {
			break
		}
		total += rows
	}
	if err != nil || total != int64(len(levels)) {
		t.Fatalf("%d of %d rows, error %v", total, len(levels), err)
	}
	return out
}

// TestWriterLargeReadByPyarrow looks at a sample of values; the script checks
// all statistics.
func TestWriterLargeReadByPyarrow(t *testing.T) {
	const step = 997
	cols := pyarrowRead(t, step, map[string][]byte{"large": largeFile(t)})["large"]
	for k := range (largeRows + step - 1) / step {
		r := k * step
		for _, name := range []string{"few", "many", "uniq"} {
			want := "NULL"
			if v := largeValue(name, r); v != nil {
				want = fmt.Sprintf("%x", v)
			}
			if got := cols[name][1+k]; got != want {
				t.Fatalf("%s, row %d: %s, not %s", name, r, got, want)
			}
		}
		want := "NULL"
		if r%3 != 0 {
			want = strconv.FormatUint(uint64(r)<<40, 10)
		}
		if got := cols["row"][1+k]; got != want {
			t.Fatalf("row %d: %s, not %s", r, got, want)
		}
		if got, want := cols["dec"][1+k], fmt.Sprintf("%.1f", float64(50-r)/10); got != want {
			t.Fatalf("dec, row %d: %s, not %s", r, got, want)
		}
	}
}

// TestWriterSplitsByBytes checks that long strings make short row groups.
func TestWriterSplitsByBytes(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	long := bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16)
	b := batchOf(flatOf(t, s.Field(0).Type, long, long, long, long, long, long))
	f, err := file.NewParquetReader(bytes.NewReader(written(t, s, b, b, b)))
	if err != nil {
		t.Fatal(err)
	}
	if f.NumRows() != 18 || f.NumRowGroups() != 2 || f.RowGroup(0).NumRows() != 11 {
		t.Errorf("%d rows in %d row groups, %d in the first", f.NumRows(), f.NumRowGroups(), f.RowGroup(0).NumRows())
	}
}
