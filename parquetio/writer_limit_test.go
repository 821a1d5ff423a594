package parquetio

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/colagg/colagg/vector"
)

// TestLimitRowGroups finds as many row groups as the bound asks for.
func TestLimitRowGroups(t *testing.T) {
	const rows = 100_000 // of 80 bytes in ten columns
	schema, b := wideBatch(rows)
	for bytesAsked, want := range map[int64]int{0: 2, 4 << 20: 2, 8 << 20: 1, 1 << 40: 1} {
		var out bytes.Buffer
		w, err := NewWriter(&out, schema)
		if err != nil {
			t.Fatal(err)
		}
		w.LimitRowGroups(bytesAsked)
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if r.NumRowGroups() != want || r.NumRows() != rows {
			t.Errorf("%d bytes: %d row groups and %d rows, not %d and %d", bytesAsked, r.NumRowGroups(), r.NumRows(), want, rows)
		}
	}
}

func wideBatch(rows int) (*arrow.Schema, *vector.Batch) {
	b := &vector.Batch{Len: rows}
	var fields []arrow.Field
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		v := vector.New(arrow.PrimitiveTypes.Int64, rows)
		for i, values := 0, vector.Values[int64](v); i < rows; i++ {
			values[i] = int64(i)
		}
		fields, b.Cols = append(fields, arrow.Field{Name: name, Type: v.Type}), append(b.Cols, v)
	}
	return arrow.NewSchema(fields, nil), b
}
