package parquetio

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readScript prints, for each file named in its arguments from the second on
// and each column, a line of file, column, type and values, separated by tabs;
// of the values, every n-th for its first argument n. It compares the
// statistics in the file with the values of each row group, and reads the file
// with DuckDB too where that is installed.
const readScript = `
import sys, os
try:
    import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
except ImportError:
    sys.exit(77)
try:
    import duckdb
except ImportError:
    duckdb = None
def text(t, v):
    if not v.is_valid: return "NULL"
    v = plain(t, v).as_py()
    if pa.types.is_floating(t): return float(v).hex()
    if isinstance(v, str): return v.encode().hex()
    if isinstance(v, bytes): return v.hex()
    if isinstance(v, bool): return str(v).lower()
    return str(v)
def plain(t, v):
    return v.cast(pa.int32() if t.bit_width == 32 else pa.int64()) if pa.types.is_temporal(t) else v
def check(path, step):
    f = pq.ParquetFile(path)
    for name, col in zip(f.schema_arrow.names, f.read().columns):
        some = col.take(pa.array(range(0, len(col), step), pa.int64()))
        print("\t".join([os.path.basename(path), name, str(col.type)] + [text(col.type, v) for v in some]))
    m = f.metadata
    rows = 0
    for g in range(m.num_row_groups):
        tab = f.read_row_group(g)
        rows += m.row_group(g).num_rows
        assert tab.num_rows == m.row_group(g).num_rows
        for c in range(m.num_columns):
            st, col, t = m.row_group(g).column(c).statistics, tab.column(c), tab.schema.field(c).type
            if pa.types.is_floating(t):
                assert st is None or not st.has_min_max, "statistics of floats"
            if st is None: continue
            where = "%s, %s, row group %d" % (path, tab.schema.names[c], g)
            if st.has_null_count: assert st.null_count == col.null_count, where
            if not st.has_min_max:
                assert col.null_count == len(col) or pa.types.is_null(t), where
                continue
            mm = pc.min_max(col if not pa.types.is_fixed_size_binary(t) else col.cast(pa.binary()))
            for side in ("min", "max"):
                raw = "_raw" if pa.types.is_temporal(t) else ""
                got, want = getattr(st, side + raw), plain(t, mm[side]).as_py()
                assert got == want, "%s: %s %s, not %s" % (where, side, got, want)
    assert rows == m.num_rows
    if duckdb:
        n = duckdb.sql("select count(hash(t)) from read_parquet('%s') t" % path).fetchall()[0][0]
        assert n == m.num_rows, "DuckDB finds %d rows of %d" % (n, m.num_rows)

for path in sys.argv[2:]: check(path, int(sys.argv[1]))
`

// pyarrowRead returns what readScript prints, by file and column: the type and
// every step-th value.
func pyarrowRead(t *testing.T, step int, files map[string][]byte) map[string]map[string][]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	args, dir := []string{"-c", readScript, strconv.Itoa(step)}, t.TempDir()
	read := make(map[string]map[string][]string)
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		args, read[name] = append(args, path), make(map[string][]string)
	}
	cmd := exec.Command(python, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() == 77 {
		t.Skip("needs pyarrow")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		read[f[0]][f[1]] = f[2:]
	}
	return read
}

func TestWriterTypesReadByPyarrow(t *testing.T) {
	cases := typeCases()
	files, want := make(map[string][]byte), make(map[string]func(typeCase) []string)
	for form, b := range typeForms(t, cases) {
		files[form] = written(t, schemaOf(cases), b)
		want[form] = func(c typeCase) []string { return c.want }
	}
	for name, f := range edgeFiles(t, cases) {
		files[name], want[name] = written(t, f.schema, f.batches...), f.want
	}
	for name, got := range pyarrowRead(t, 1, files) {
		for _, c := range cases {
			if want := append([]string{c.stored}, want[name](c)...); !slices.Equal(got[c.name], want) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", name, c.name, got[c.name], want)
			}
		}
	}
}
