package parquetio

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
)

// matrixFiles returns the files that testdata/read/make.py has written.
func matrixFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "read", "*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files in testdata/read: ", err)
	}
	return files
}

// table is what a file holds: column, row, bytes in hexadecimal or nil.
type table map[string][]*string

func readTable(t testing.TB, file string) table {
	t.Helper()
	name, _, _ := strings.Cut(filepath.Base(file), "_")
	data, err := os.ReadFile(filepath.Join(filepath.Dir(file), name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var out table
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// differs compares row i of v with its hexadecimal form.
func differs(v *vector.Vector, i int, want *string) bool {
	if want == nil || v.IsNull(i) {
		return want != nil || !v.IsNull(i)
	}
	return hex.EncodeToString(v.Bytes(i)) != *want
}

// TestMatrix reads tables of all types in every encoding, page version and
// codec, with and without NULLs, in batches that do and do not end with the
// pages.
func TestMatrix(t *testing.T) {
	for _, file := range matrixFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := readTable(t, file)
			f := mustFooter(t, diskFile(file))
			leaves, names := allReadable(f)
			if len(leaves) != len(f.Columns()) {
				t.Fatalf("only the columns %s can be read", names)
			}
			for _, rows := range []int{1, 3, 7, 16, 1000} {
				at := 0
				err := scanAll(f, leaves, ScanOptions{BatchRows: rows}, func(b *vector.Batch) {
					if int(b.Row) != at {
						t.Fatalf("batch at row %d says %d", at, b.Row)
					}
					for k, v := range b.Cols {
						checkRows(t, names[k], v, want[names[k]][at:at+b.Len])
					}
					at += b.Len
				})
				if err != nil || at != len(want["int64"]) {
					t.Fatalf("batches of %d: %d rows, error %v", rows, at, err)
				}
			}
		})
	}
}

func checkRows(t *testing.T, name string, v *vector.Vector, want []*string) {
	t.Helper()
	if v.Len != len(want) {
		t.Fatalf("column %s: %d rows, want %d", name, v.Len, len(want))
	}
	for i, w := range want {
		if differs(v, i, w) {
			t.Fatalf("column %s, row %d of a batch (%s) is %x", name, i, v, v.Bytes(i))
		}
	}
	checkLayout(t, name, v)
	flat, err := vector.Flatten(v)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if differs(flat, i, w) {
			t.Fatalf("column %s, row %d of a flat batch differs", name, i)
		}
	}
}

// checkLayout checks what package vector promises of every vector.
func checkLayout(t *testing.T, name string, v *vector.Vector) {
	t.Helper()
	bad := v.Valid != nil && len(v.Valid)*8 < v.Len
	switch {
	case v.Dict != nil:
		bad = bad || !v.Dict.Flat() || v.Codes != nil && len(v.Codes) != v.Len
		for i, c := range v.Codes {
			bad = bad || int(c) >= v.Dict.Len || v.IsNull(i) && c != 0
		}
	case vector.IsBytes(v.Type):
		bad = bad || len(v.Offsets) != v.Len+1 || int(v.Offsets[v.Len]) > len(v.Data)
		for i := range v.Len {
			bad = bad || v.Offsets[i] > v.Offsets[i+1]
		}
	default:
		bad = bad || len(v.Data) < v.Len*vector.Width(v.Type)
	}
	if bad {
		t.Fatalf("column %s: %s breaks the rules of its layout", name, v)
	}
}

// TestMatrixCovers makes sure that the files are what they are meant to be.
func TestMatrixCovers(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range matrixFiles(t) {
		for _, g := range mustFooter(t, diskFile(file)).RowGroups() {
			for _, c := range g.Columns {
				seen[c.Codec] = true
				for _, e := range c.Encodings {
					seen[e] = true
				}
				if slices.Contains(c.Encodings, "RLE_DICTIONARY") && strings.Contains(file, "fallback") {
					seen["fallback"] = true
				}
			}
		}
	}
	for _, want := range []string{
		"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4_RAW", "PLAIN", "RLE", "RLE_DICTIONARY",
		"DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "fallback",
	} {
		if !seen[want] {
			t.Errorf("no file has %s", want)
		}
	}
}
