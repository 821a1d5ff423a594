package parquetio

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// readScript prints, for each column, a line of name, type and values,
// separated by tabs; of the values, every n-th for its second argument n. It
// compares the statistics in the file with the values of
// each row group, and reads the file with DuckDB too where that is installed.
const readScript = `
import sys, pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
f = pq.ParquetFile(sys.argv[1])
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
for name, col in zip(f.schema_arrow.names, f.read().columns):
    some = col.take(pa.array(range(0, len(col), int(sys.argv[2])), pa.int64()))
    print("\t".join([name, str(col.type)] + [text(col.type, v) for v in some]))
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
        where = "%s, row group %d" % (tab.schema.names[c], g)
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
try:
    import duckdb
except ImportError:
    sys.exit()
n = duckdb.sql("select count(hash(t)) from '%s' t" % sys.argv[1]).fetchall()[0][0]
assert n == m.num_rows, "DuckDB finds %d rows of %d" % (n, m.num_rows)
`

// pyarrowRead returns what readScript prints for the file, by column: its type
// and every step-th value.
func pyarrowRead(t *testing.T, data []byte, step int) map[string][]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	if err := exec.Command(python, "-c", "import pyarrow.parquet").Run(); err != nil {
		t.Skip("needs pyarrow")
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", readScript, path, strconv.Itoa(step))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	cols := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		cols[f[0]] = f[1:]
	}
	return cols
}

// doubled returns v with a row that does not count before each row, and the
// selection of those that do.
func doubled(t *testing.T, v *vector.Vector) (*vector.Vector, []uint32) {
	t.Helper()
	var twice, sel []uint32
	for i := range uint32(v.Len) {
		twice = append(twice, (i+1)%uint32(v.Len), i)
		sel = append(sel, 2*i+1)
	}
	out, err := vector.Gather(nil, v, twice)
	if err != nil {
		t.Fatal(err)
	}
	return out, sel
}

func TestWriterTypesReadByPyarrow(t *testing.T) {
	cases := typeCases()
	forms := map[string]func(*vector.Vector) (*vector.Vector, []uint32){
		"flat":           func(v *vector.Vector) (*vector.Vector, []uint32) { return v, nil },
		"coded":          func(v *vector.Vector) (*vector.Vector, []uint32) { return codedOf(t, v), nil },
		"selected":       func(v *vector.Vector) (*vector.Vector, []uint32) { return doubled(t, v) },
		"coded selected": func(v *vector.Vector) (*vector.Vector, []uint32) { return doubled(t, codedOf(t, v)) },
	}
	for form, make := range forms {
		b := &vector.Batch{}
		for _, c := range cases {
			v := flatOf(t, c.typ, c.values...)
			if c.typ.ID() != arrow.NULL {
				v, b.Sel = make(v)
			} else if b.Sel != nil {
				v = vector.NewNull(c.typ, 2*v.Len)
			}
			b.Cols, b.Len = append(b.Cols, v), v.Len
		}
		got := pyarrowRead(t, written(t, schemaOf(cases), b), 1)
		for _, c := range cases {
			if want := append([]string{c.stored}, c.want...); !slices.Equal(got[c.name], want) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", form, c.name, got[c.name], want)
			}
		}
	}
}

// TestWriterEdgesReadByPyarrow has files of no rows, of NULLs only, and of
// constants.
func TestWriterEdgesReadByPyarrow(t *testing.T) {
	cases := typeCases()
	s := schemaOf(cases)
	empty, nulls, constant, required := &vector.Batch{}, &vector.Batch{Len: 2}, &vector.Batch{Len: 2}, &vector.Batch{Len: 1}
	var fields []arrow.Field
	for _, c := range cases {
		v := flatOf(t, c.typ, c.values...)
		empty.Cols = append(empty.Cols, vector.New(c.typ, 0))
		nulls.Cols = append(nulls.Cols, vector.NewNull(c.typ, 2))
		one, err := vector.Gather(nil, v, []uint32{0})
		if err != nil {
			t.Fatal(err)
		}
		constant.Cols = append(constant.Cols, &vector.Vector{Type: c.typ, Len: 2, Dict: one})
		required.Cols = append(required.Cols, one)
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ})
	}
	files := map[string]struct {
		schema  *arrow.Schema
		batches []*vector.Batch
		want    func(c typeCase) []string
	}{
		"no batch":    {s, nil, func(c typeCase) []string { return nil }},
		"empty batch": {s, []*vector.Batch{empty, empty}, func(c typeCase) []string { return nil }},
		"nulls":       {s, []*vector.Batch{nulls, nulls}, func(c typeCase) []string { return slices.Repeat([]string{"NULL"}, 4) }},
		"mixed":       {s, []*vector.Batch{nulls, empty, constant}, func(c typeCase) []string { return []string{"NULL", "NULL", c.want[0], c.want[0]} }},
		"required":    {arrow.NewSchema(fields, nil), []*vector.Batch{required}, func(c typeCase) []string { return c.want[:1] }},
	}
	for name, f := range files {
		got := pyarrowRead(t, written(t, f.schema, f.batches...), 1)
		for _, c := range cases {
			if want := append([]string{c.stored}, f.want(c)...); !slices.Equal(got[c.name], want) {
				t.Errorf("%s, %s:\ngot  %q\nwant %q", name, c.name, got[c.name], want)
			}
		}
	}
}
