package colagg_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
)

// Damage that only a checksum shows is an error, unless checksums are skipped.
func TestChecksums(t *testing.T) {
	file := readFile(t, filepath.Join("parquetio", "testdata", "read", "full_snappy_v1.parquet"))
	in := &countingInput{data: slices.Clone(file)}
	q := colagg.Query{From: colagg.Inputs(in), Aggs: []string{"avg(int64)"}}
	careful, careless := newEngine(t, colagg.Options{}), newEngine(t, colagg.Options{SkipChecksums: true})
	_, right := query(t, careful, q)
	wrong := 0
	for i := range len(file) / 2 {
		in.data[i] ^= 1
		_, err := careless.Query(t.Context(), q)
		if err == nil {
			if _, rows := query(t, careless, q); !slices.Equal(rows, right) {
				wrong++
				err := failQuery(t, careful, q)
				wantError(t, err, colagg.Corrupt, `counted.parquet: row group `, `, column "int64": a page's checksum is wrong`, "; Options.SkipChecksums reads it as it is")
				if !errors.Is(err, colagg.ErrChecksum) {
					t.Errorf("%v is no ErrChecksum", err)
				}
			}
		}
		in.data[i] ^= 1
	}
	if wrong < 10 {
		t.Errorf("only %d changed bytes changed the average", wrong)
	}
}

// A name with a line break leaves the message one line with the reason in it.
func TestNamesWithLineBreaks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such names there")
	}
	t.Chdir(t.TempDir())
	good := parquetOf(t, field("k\ney", arrow.PrimitiveTypes.Int64))
	other := parquetOf(t, field("k\ney", arrow.BinaryTypes.String))
	for name, data := range map[string][]byte{"bad\n.parquet": []byte("no Parquet at all"), "ok\n.parquet": good, "other\n.parquet": other} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	e := newEngine(t, colagg.Options{})
	for _, c := range []struct {
		kind  colagg.Kind
		want  string
		files []string
		by    string
	}{
		{colagg.NotFound, `"gone\n.parquet": no such file or directory`, []string{"gone\n.parquet"}, ""},
		{colagg.NotFound, `no files match "gone\n*"`, []string{"gone\n*"}, ""},
		{colagg.Corrupt, `"bad\n.parquet": not a Parquet file`, []string{"bad\n.parquet"}, ""},
		{colagg.BadQuery, `the only column is "k\ney"`, []string{"ok\n.parquet"}, "x"},
		{colagg.BadQuery, `"other\n.parquet": column "k\ney" has type utf8, but int64 in "ok\n.parquet"`, []string{"ok\n.parquet", "other\n.parquet"}, "\"k\ney\""},
	} {
		q := colagg.Query{From: colagg.Files(c.files...)}
		if c.by != "" {
			q.GroupBy = []string{c.by}
		}
		wantError(t, failQuery(t, e, q), c.kind, c.want)
	}
	broken := bytes.Replace(good, []byte("PAR1"), []byte("PAR\n"), 1)
	if _, err := e.Describe(t.Context(), colagg.Inputs(&countingInput{data: broken[:len(broken)-1]})); strings.Contains(err.Error(), "\n") {
		t.Errorf("%q", err)
	}
}

// A map is called a map, in records as in files.
func TestMapColumns(t *testing.T) {
	e := newEngine(t, colagg.Options{})
	schema := arrow.NewSchema([]arrow.Field{
		field("m", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)),
		field("l", arrow.ListOf(arrow.PrimitiveTypes.Int64)),
	}, nil)
	for column, want := range map[string]string{"m": "column m is a map, which cannot be queried yet", "l": "column l is a list, which"} {
		rr, err := array.NewRecordReader(schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, failQuery(t, e, colagg.Query{From: colagg.Records(rr), Aggs: []string{"count(" + column + ")"}}), colagg.BadQuery, want)
	}
}
