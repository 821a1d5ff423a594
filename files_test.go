package colagg_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg"
	"github.com/colagg/colagg/parquetio"
	"github.com/colagg/colagg/vector"
)

// parquetOf writes a file with the given fields and three rows of zeros.
func parquetOf(t testing.TB, fields ...arrow.Field) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var buf bytes.Buffer
	w, err := parquetio.NewWriter(&buf, schema)
	if err != nil {
		t.Fatal(err)
	}
	b := &vector.Batch{Len: 3}
	for _, f := range fields {
		b.Cols = append(b.Cols, vector.New(f.Type, 3))
	}
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func field(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

// makeTree writes one small file under each name and returns the folder.
func makeTree(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	data := parquetOf(t, field("x", arrow.PrimitiveTypes.Int64))
	for _, n := range names {
		path := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var treeNames = []string{
	"a.parquet", "b.parq", "c.pq", "D.PARQUET", "notes.txt", "_SUCCESS", ".hidden.parquet", "_metadata.parquet",
	"year=2024/m=1/x.parquet", "year=2024/m=2/y.parquet", "year=2025/z.parquet", ".git/w.parquet", "_tmp/v.parquet", "deep/1/2/3/u.parquet",
}

// found returns the files that paths stand for, below dir, with slashes.
func found(t testing.TB, dir string, infos []colagg.FileInfo) string {
	t.Helper()
	var out []string
	for _, i := range infos {
		name := i.Name
		if filepath.IsAbs(name) {
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(rel)
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

var pathCases = map[string]string{
	"a.parquet":            "a.parquet",
	".":                    "D.PARQUET a.parquet b.parq c.pq deep/1/2/3/u.parquet year=2024/m=1/x.parquet year=2024/m=2/y.parquet year=2025/z.parquet",
	"year=2024":            "year=2024/m=1/x.parquet year=2024/m=2/y.parquet",
	"*.parquet":            "a.parquet",
	"_*.parquet":           "_metadata.parquet",
	"_tmp/*.parquet":       "_tmp/v.parquet",
	"[abc].*":              "a.parquet b.parq c.pq",
	"?.p*":                 "a.parquet b.parq c.pq",
	"{c,a}.{pq,parquet}":   "a.parquet c.pq",
	"**/*.parquet":         "a.parquet deep/1/2/3/u.parquet year=2024/m=1/x.parquet year=2024/m=2/y.parquet year=2025/z.parquet",
	"year=*/**/[xz]*":      "year=2024/m=1/x.parquet year=2025/z.parquet",
	"deep/**":              "deep/1/2/3/u.parquet",
	"year=202[0-4]/*/*":    "year=2024/m=1/x.parquet year=2024/m=2/y.parquet",
	".hidden.parquet":      ".hidden.parquet",
	"year=2025/z.parquet":  "year=2025/z.parquet",
	"a.parquet|.git":       "a.parquet .git/w.parquet",
	"c.pq|a.parquet":       "c.pq a.parquet",
	"a.parquet|a.parquet":  "a.parquet a.parquet",
	"b.parq|*.p*q|deep|.g": "not found: .g: ",
	"nothing.parquet":      "not found: nothing.parquet: ",
	"*.csv":                "not found: no files match ",
	"deep/1/[":             "bad query: bad file pattern ",
	"":                     "bad query: the path of an input is empty",
}

func TestFiles(t *testing.T) {
	dir := makeTree(t, treeNames...)
	e := newEngine(t, colagg.Options{})
	for paths, want := range pathCases {
		list := strings.Split(paths, "|")
		for i, p := range list {
			if p != "" {
				list[i] = filepath.Join(dir, filepath.FromSlash(p))
			}
		}
		infos, err := e.Describe(t.Context(), colagg.Files(list...))
		checkFound(t, paths, found(t, dir, infos), err, want)
	}
	// Relative paths stay relative.
	t.Chdir(dir)
	infos, err := e.Describe(t.Context(), colagg.Files("year=*/z.parquet", "a.parquet"))
	checkFound(t, "relative", found(t, dir, infos), err, "year=2025/z.parquet a.parquet")
	_, rows := query(t, e, colagg.Query{From: colagg.Files(".", "a.parquet"), GroupBy: []string{"x"}})
	wantRows(t, rows, "0 27")
}

func TestFS(t *testing.T) {
	dir := makeTree(t, treeNames...)
	e := newEngine(t, colagg.Options{})
	inMemory := fstest.MapFS{}
	for _, n := range treeNames {
		inMemory[n] = &fstest.MapFile{Data: parquetOf(t, field("x", arrow.PrimitiveTypes.Int64))}
	}
	for name, fsys := range map[string]fs.FS{"dir": os.DirFS(dir), "memory": inMemory, "seek only": limitedFS{inMemory, seekOnly}, "read only": limitedFS{inMemory, readOnly}} {
		for paths, want := range pathCases {
			infos, err := e.Describe(t.Context(), colagg.FS(fsys, strings.Split(paths, "|")...))
			checkFound(t, name+" "+paths, found(t, dir, infos), err, want)
		}
		_, rows := query(t, e, colagg.Query{From: colagg.FS(fsys, "."), GroupBy: []string{"x"}})
		wantRows(t, rows, "0 24")
	}
	_, err := e.Describe(t.Context(), colagg.FS(nil, "a"))
	wantError(t, err, colagg.BadQuery, "the file system is nil")
	_, err = e.Describe(t.Context(), colagg.FS(inMemory))
	wantError(t, err, colagg.BadQuery, "no input files")
}

func checkFound(t *testing.T, what, got string, err error, want string) {
	t.Helper()
	for kind, prefix := range map[colagg.Kind]string{colagg.NotFound: "not found: ", colagg.BadQuery: "bad query: "} {
		if message, ok := strings.CutPrefix(want, prefix); ok {
			wantError(t, err, kind, message)
			return
		}
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
	} else if got != want {
		t.Errorf("%s: got %s\nwant %s", what, got, want)
	}
}

// limitedFS gives files with fewer methods than those below it.
type limitedFS struct {
	fs.FS
	limit func(fs.File) fs.File
}

func (l limitedFS) Open(name string) (fs.File, error) {
	f, err := l.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if _, dir := f.(fs.ReadDirFile); dir {
		return f, nil
	}
	return l.limit(f), nil
}

type seekFile struct {
	fs.File
	seek func(int64, int) (int64, error)
}

func (f seekFile) Seek(off int64, whence int) (int64, error) { return f.seek(off, whence) }

func seekOnly(f fs.File) fs.File {
	return seekFile{f, f.(interface {
		Seek(int64, int) (int64, error)
	}).Seek}
}

func readOnly(f fs.File) fs.File { return struct{ fs.File }{f} }

func TestOddFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := makeTree(t, "in/a.parquet", "in/b[1].parquet", "in/b1.parquet", "out/c.parquet", "empty/x.txt")
	e := newEngine(t, colagg.Options{})
	describe := func(path string) (string, error) {
		infos, err := e.Describe(t.Context(), colagg.Files(filepath.Join(dir, path)))
		return found(t, dir, infos), err
	}
	for from, to := range map[string]string{"in/loop": dir, "in/other": filepath.Join(dir, "out"), "in/link.parquet": filepath.Join(dir, "out", "c.parquet")} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := describe("in")
	checkFound(t, "links", got, err, "in/a.parquet in/b1.parquet in/b[1].parquet in/link.parquet in/loop/out/c.parquet in/other/c.parquet")
	got, err = describe("in/b[1].parquet")
	checkFound(t, "a path that exists is no pattern", got, err, "in/b[1].parquet")

	for from, to := range map[string]string{"README.txt": "nothere", "round": "round"} {
		if err := os.Symlink(to, filepath.Join(dir, "out", from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"out", "out/*.parquet", "o*/**/*.parquet"} {
		got, err := describe(path)
		checkFound(t, path+" with links to nothing", got, err, "out/c.parquet")
	}
	_, err = describe("empty")
	wantError(t, err, colagg.NotFound, "no Parquet files below directory", ".pq")
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "out", "broken.parquet")); err != nil {
		t.Fatal(err)
	}
	_, err = describe("out")
	wantError(t, err, colagg.NotFound, "broken.parquet: ")
	for _, pattern := range []string{"out/*.parquet", "out/**/*.parquet", "o*/*.parquet"} {
		_, err = describe(pattern)
		wantError(t, err, colagg.NotFound, "broken.parquet: ")
	}
	_, err = describe("in/a.parquet/x")
	wantError(t, err, colagg.IO, "a.parquet")
	_, err = e.Describe(t.Context(), colagg.Files("/dev/null"))
	wantError(t, err, colagg.Unsupported, "/dev/null: this is a device, not a regular file; Parquet is read from the end")
}

func TestFilesMustAgree(t *testing.T) {
	checkLeaks(t)
	dir := t.TempDir()
	write := func(name string, fields ...arrow.Field) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, parquetOf(t, fields...), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	i64, str := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	first := write("1.parquet", field("k", str), field("x", i64), field("same", i64))
	swapped := write("2.parquet", field("same", i64), field("x", i64), field("more", i64), field("k", str))
	narrow := write("3.parquet", field("k", str), field("x", arrow.PrimitiveTypes.Int32))
	without := write("4.parquet", field("k", str), field("X", i64))

	e := newEngine(t, colagg.Options{})
	q := colagg.Query{GroupBy: []string{"k"}, Aggs: []string{"count(*), sum(x)"}}
	q.From = colagg.Files(first, swapped, first)
	_, rows := query(t, e, q)
	wantRows(t, rows, " 9 0")
	q.From = colagg.Files(first, swapped, narrow)
	wantError(t, failQuery(t, e, q), colagg.BadQuery, narrow+": column x has type int32, but int64 in "+first)
	q.From = colagg.Files(first, without)
	wantError(t, failQuery(t, e, q), colagg.BadQuery, without+": there is no column x, which "+first+" has")
	q.Aggs = nil // x is not needed then
	q.From = colagg.Files(first, swapped, narrow, without)
	_, rows = query(t, e, q)
	wantRows(t, rows, " 12")
	q.GroupBy = nil
	_, rows = query(t, e, q)
	wantRows(t, rows, "12")
}

func TestDescribe(t *testing.T) {
	e := newEngine(t, colagg.Options{})
	infos, err := e.Describe(t.Context(), colagg.Files(trips))
	if err != nil {
		t.Fatal(err)
	}
	f := infos[0]
	if f.Name != trips || f.Rows != 5000 || f.Size != int64(len(readFile(t, trips))) || len(f.RowGroups) != 4 || !strings.Contains(f.CreatedBy, "parquet-cpp-arrow") {
		t.Errorf("odd file: %+v", f)
	}
	var rows, packed, unpacked int64
	for _, g := range f.RowGroups {
		rows, packed, unpacked = rows+g.Rows, packed+g.Compressed, unpacked+g.Uncompressed
	}
	columns := map[string]colagg.ColumnInfo{}
	for _, c := range f.Columns {
		columns[c.Name] = c
		packed, unpacked = packed-c.Compressed, unpacked-c.Uncompressed
		if len(c.Encodings) == 0 || len(c.Codecs) == 0 || c.Values < 5000 {
			t.Errorf("odd column: %+v", c)
		}
	}
	if rows != 5000 || packed != 0 || unpacked != 0 {
		t.Errorf("columns and row groups differ: %d rows, %d and %d bytes too many in row groups", rows, packed, unpacked)
	}
	for name, want := range map[string][3]string{
		"id":                {"INT64", "", "int64"},
		"pickup":            {"INT64", "TIMESTAMP(us,UTC)", "timestamp[us, tz=UTC]"},
		"payment.method":    {"BYTE_ARRAY", "STRING", "utf8"},
		"tags.list.element": {"BYTE_ARRAY", "STRING", "utf8"},
	} {
		if c := columns[name]; [3]string{c.Physical, c.Logical, c.Arrow} != want || c.Repeated != strings.HasPrefix(name, "tags") || c.Nullable != (len(name) > 6) {
			t.Errorf("%s: got %+v, want %v", name, c, want)
		}
	}
	_, err = e.Describe(t.Context(), colagg.Records(int64Reader(t)))
	wantError(t, err, colagg.BadQuery, "only files can be described")
	_, err = e.Describe(t.Context(), nil)
	wantError(t, err, colagg.BadQuery, "no source")
}
