package parquetio

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
)

// oneColumn writes the schema of a file with the column c alone.
func (w *thriftWriter) oneColumn(c testChunk) {
	w.list(2, thriftStruct, 2)
	w.begin()
	w.text(4, "root")
	w.i32(5, 1)
	w.end()
	c.element(w)
}

// rawFooter is a file that is all footer: one INT64 column, one row group,
// whose chunks are written by the given functions.
func rawFooter(fileRows, groupRows int64, chunks ...func(w *thriftWriter)) []byte {
	w := &thriftWriter{}
	w.begin()
	w.oneColumn(ints(0))
	w.i64(3, fileRows)
	w.list(4, thriftStruct, 1)
	w.begin()
	w.list(1, thriftStruct, len(chunks))
	for _, chunk := range chunks {
		w.begin()
		chunk(w)
		w.end()
	}
	w.i64(3, groupRows)
	w.end()
	w.end()
	return withFooter([]byte(magic), w.b)
}

// described writes a chunk's metadata.
func described(w *thriftWriter) { describedWithout(0)(w) }

// describedWithout leaves a field of the metadata out.
func describedWithout(field int16) func(w *thriftWriter) {
	return func(w *thriftWriter) {
		w.structure(3)
		for _, f := range []struct {
			id    int16
			t     byte
			value int64
		}{
			{1, thriftI32, physicalInt64}, {4, thriftI32, codecNone}, {5, thriftI64, 3}, {7, thriftI64, 0}, {9, thriftI64, 4},
		} {
			if f.id != field {
				w.field(f.id, f.t)
				w.zigzag(f.value)
			}
		}
		w.end()
	}
}

// TestFooterChecks refuses what contradicts itself: the whole file where
// nothing can be made of it, else the column.
func TestFooterChecks(t *testing.T) {
	elsewhere := func(w *thriftWriter) {
		w.text(1, "part-2.parquet")
		described(w)
	}
	wrongType := func(w *thriftWriter) { w.i32(3, 1) }
	for _, tt := range []struct {
		name   string
		file   []byte
		footer bool
		want   string
	}{
		{"rows differ", rawFooter(4, 3, described), true, "3 rows together where the file says 4"},
		{"no chunks", rawFooter(3, 3), true, "0 columns where the schema has 1"},
		{"two chunks", rawFooter(3, 3, described, described), true, "2 columns where the schema has 1"},
		{"negative rows", rawFooter(-3, -3, described), true, "negative"},
		{"rows without bytes", rawFooter(1<<50, 1<<50, described), true, "more rows"},
		{"field of another type", rawFooter(3, 3, wrongType), true, "wrong type"},
		{"chunk without a type", rawFooter(3, 3, describedWithout(1)), true, "ColumnMetaData.type"},
		{"chunk without a codec", rawFooter(3, 3, describedWithout(4)), true, "ColumnMetaData.codec"},
		{"chunk without a count", rawFooter(3, 3, describedWithout(5)), true, "ColumnMetaData.num_values"},
		{"chunk without a size", rawFooter(3, 3, describedWithout(7)), true, "ColumnMetaData.total_compressed_size"},
		{"chunk without a position", rawFooter(3, 3, describedWithout(9)), true, "ColumnMetaData.data_page_offset"},
		{"chunk elsewhere", rawFooter(3, 3, elsewhere), false, "in another file"},
		{"chunk not described", rawFooter(3, 3, func(*thriftWriter) {}), false, "does not describe it"},
		{"no pages", rawFooter(3, 3, described), false, "fewer values"},
	} {
		f, err := ReadFooter(context.Background(), bytesFile(tt.file))
		if (err != nil) != tt.footer {
			t.Errorf("%s: footer: %v", tt.name, err)
			continue
		}
		if err == nil {
			err = scanAll(f, []int{0}, ScanOptions{}, func(*vector.Batch) {})
		}
		if err == nil || !typed(err) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestFooterOfDrafts reads hints whose types are those of drafts of the format:
// they count as not there.
func TestFooterOfDrafts(t *testing.T) {
	c := ints(1, data(1, int64s(5)))
	c.meta = func(w *thriftWriter) {
		w.i32(14, 7)
		w.i64(15, 7)
		w.i32(13, 1)
	}
	f := mustFooter(t, bytesFile(testFile(1, c)))
	if m := f.meta.groups[0].chunks[0]; m.bloom != (span{}) || m.coded {
		t.Errorf("%+v", m)
	}
	if got, err := show(t, testFile(1, c), 1); got != "5" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFooterOfManyBytes reads a footer that the first read does not reach.
func TestFooterOfManyBytes(t *testing.T) {
	c := ints(1, data(1, int64s(5)))
	c.meta = func(w *thriftWriter) { w.text(100, strings.Repeat("x", 2*firstRead)) }
	if got, err := show(t, testFile(1, c), 1); got != "5" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestFile checks what a File tells.
func TestFile(t *testing.T) {
	file := testFile(2, ints(2, dictionary(2, int64s(7, 8)), coded(2, codes(2, 1))), testChunk{name: "y", physical: physicalByteArray, values: 2, codec: codecZstd})
	f := mustFooter(t, bytesFile(file))
	if f.Name() != "memory" || f.NumRows() != 2 || f.CreatedBy() != "test" || f.Size() != int64(len(file)) {
		t.Error(f.Name(), f.NumRows(), f.CreatedBy(), f.Size())
	}
	g := f.RowGroups()
	if len(g) != 1 || g[0].Rows != 2 || len(g[0].Columns) != 2 {
		t.Fatalf("%+v", g)
	}
	x, y := g[0].Columns[0], g[0].Columns[1]
	if x.Codec != "UNCOMPRESSED" || x.Values != 2 || x.Compressed != x.Uncompressed || x.Compressed == 0 || y.Codec != "ZSTD" {
		t.Errorf("%+v, %+v", x, y)
	}
	full := mustFooter(t, diskFile("testdata/read/full_fallback_v1.parquet"))
	if e := full.RowGroups()[0].Columns[23].Encodings; !slices.Equal(e, []string{"PLAIN", "RLE", "RLE_DICTIONARY"}) {
		t.Error(e)
	}
}

// TestErrorTexts checks how places are written.
func TestErrorTexts(t *testing.T) {
	cause := errors.New("cause")
	for want, err := range map[string]error{
		"f: cause":                            &CorruptError{File: "f", RowGroup: -1, Err: cause},
		`f: column "x": cause`:                &CorruptError{File: "f", RowGroup: -1, Column: "x", Err: cause},
		`f: row group 3, column "x": cause`:   &CorruptError{File: "f", RowGroup: 3, Column: "x", Err: cause},
		`f: row group 0: what`:                &UnsupportedError{File: "f", What: "what"},
		`f: row group 0, column "x": unknown`: &UnsupportedError{File: "f", Column: "x", What: "unknown"},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if !errors.Is(&CorruptError{Err: cause}, cause) {
		t.Error("the cause is lost")
	}
}
