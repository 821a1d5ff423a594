package colagg_test

import (
	"bytes"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg"
	"github.com/colagg/colagg/parquetio"
)

// A column that is unreadable in the first or in a later file is an error with
// that file; other columns can be queried.
func TestUnreadableInFile(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		field("x", arrow.PrimitiveTypes.Int64), field("wide", &arrow.FixedSizeBinaryType{ByteWidth: 16<<20 + 1}),
	}, nil)
	var buf bytes.Buffer
	w, err := parquetio.NewWriter(&buf, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	good := parquetOf(t, field("x", arrow.PrimitiveTypes.Int64), field("wide", &arrow.FixedSizeBinaryType{ByteWidth: 2}))
	files := fstest.MapFS{"bad.parquet": {Data: buf.Bytes()}, "good.parquet": {Data: good}}
	e := newEngine(t, colagg.Options{})
	for _, names := range [][]string{{"bad.parquet"}, {"bad.parquet", "good.parquet"}, {"good.parquet", "bad.parquet"}} {
		err := failQuery(t, e, colagg.Query{From: colagg.FS(files, names...), GroupBy: []string{"wide"}})
		wantError(t, err, colagg.Unsupported, `bad.parquet: column "wide": `)
		var u *colagg.UnsupportedError
		if !errors.As(err, &u) || u.File != "bad.parquet" || u.RowGroup != -1 || u.Column != "wide" || u.What == "" {
			t.Errorf("%v: got %#v", names, u)
		}
		if _, rows := query(t, e, colagg.Query{From: colagg.FS(files, names...), Aggs: []string{"max(x)"}}); len(rows) != 1 {
			t.Errorf("%v: %v", names, rows)
		}
	}
}
