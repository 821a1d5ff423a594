package parquetio

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg/vector"
)

// listScript compares a Parquet file with an Arrow file of the same rows, read
// by pyarrow, and by DuckDB where that is installed.
const listScript = `
import sys
try:
    import pyarrow as pa, pyarrow.parquet as pq
except ImportError:
    sys.exit(77)
got, want = pq.read_table(sys.argv[1]), pa.ipc.open_file(sys.argv[2]).read_all()
assert got.num_rows == want.num_rows, (got.num_rows, want.num_rows)
for name in want.column_names:
    g, w = got[name].to_pylist(), want[name].to_pylist()
    for i in range(len(w)):
        assert g[i] == w[i], (name, i, g[i], w[i])
m = pq.ParquetFile(sys.argv[1])
for g in range(m.num_row_groups): m.read_row_group(g)
try:
    import duckdb
except ImportError:
    sys.exit(0)
for name in want.column_names:
    if pa.types.is_null(want.schema.field(name).type.value_type): continue
    d = [r[0] for r in duckdb.sql('select "%s" from read_parquet(\'%s\')' % (name, sys.argv[1])).fetchall()]
    w = want[name].to_pylist()
    for i in range(len(w)):
        assert d[i] == w[i], ("DuckDB", name, i, d[i], w[i])
`

// listTypes are types of elements, each with elements as JSON.
var listTypes = []struct {
	elem   arrow.DataType
	values []string
}{
	{arrow.FixedWidthTypes.Boolean, []string{"true", "null", "false"}},
	{arrow.PrimitiveTypes.Int8, []string{"-128", "5", "null"}},
	{arrow.PrimitiveTypes.Uint16, []string{"65535", "5", "null"}},
	{arrow.PrimitiveTypes.Int64, []string{"-9007199254740993", "null", "7"}},
	{arrow.PrimitiveTypes.Uint64, []string{"9007199254740993", "7"}},
	{arrow.PrimitiveTypes.Float64, []string{"1.5", "-2.25", "null"}},
	{&arrow.Decimal128Type{Precision: 20, Scale: 2}, []string{`"1.25"`, "null", `"-99999999999999999.99"`}},
	{arrow.FixedWidthTypes.Date32, []string{`"1969-12-31"`, `"2024-02-29"`, "null"}},
	{arrow.FixedWidthTypes.Timestamp_us, []string{`"1969-12-31 23:59:59"`, "null"}},
	{arrow.BinaryTypes.String, []string{`""`, `"grün"`, "null", `"a longer string"`}},
	{arrow.Null, []string{"null"}},
}

// listColumn returns n lists of 0 to 9 elements, one in seven NULL unless the
// column has none, and a long one at row 5.
func listColumn(t *testing.T, elem arrow.DataType, values []string, n int, nullable bool) *vector.Vector {
	t.Helper()
	b := array.NewListBuilder(memory.DefaultAllocator, elem)
	defer b.Release()
	for i := range n {
		if nullable && i%7 == 3 {
			b.AppendNull()
			continue
		}
		size := i * 5 % 10
		if i == 5 {
			size = 3000
		}
		parts := make([]string, size)
		for k := range parts {
			parts[k] = values[(i+k)%len(values)]
		}
		if err := b.AppendValueFromString("[" + strings.Join(parts, ",") + "]"); err != nil {
			t.Fatal(err)
		}
	}
	v, err := vector.FromArrow(b.NewArray())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWriterLists writes lists flat, coded and selected, and has others read
// them.
func TestWriterLists(t *testing.T) {
	const n = 2500
	var fields []arrow.Field
	var cols []*vector.Vector
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = uint32(i * 7 % 50)
	}
	for _, l := range listTypes {
		for _, nullable := range []bool{true, false} {
			fields = append(fields, arrow.Field{Name: fmt.Sprint(l.elem, nullable), Type: arrow.ListOf(l.elem), Nullable: nullable})
			cols = append(cols, listColumn(t, l.elem, l.values, n, nullable))
			fields = append(fields, arrow.Field{Name: fmt.Sprint(l.elem, nullable, "coded"), Type: arrow.ListOf(l.elem), Nullable: nullable})
			cols = append(cols, &vector.Vector{Type: arrow.ListOf(l.elem), Len: n, Codes: codes, Dict: listColumn(t, l.elem, l.values, 50, nullable)})
		}
	}
	schema := arrow.NewSchema(fields, nil)
	b := &vector.Batch{Cols: cols, Len: n}
	for i := range uint32(n) {
		if i%3 > 0 {
			b.Sel = append(b.Sel, i)
		}
	}
	compareLists(t, schema, b)
	b.Sel = nil
	compareLists(t, schema, b)
}

func compareLists(t *testing.T, schema *arrow.Schema, b *vector.Batch) {
	t.Helper()
	dir := t.TempDir()
	pq, ar := filepath.Join(dir, "lists.parquet"), filepath.Join(dir, "lists.arrow")
	if err := os.WriteFile(pq, written(t, schema, b), 0o600); err != nil {
		t.Fatal(err)
	}
	flat := &vector.Batch{Len: b.Rows()}
	for _, v := range b.Cols {
		if b.Sel != nil {
			var err error
			if v, err = vector.Gather(nil, v, b.Sel); err != nil {
				t.Fatal(err)
			}
		}
		flat.Cols = append(flat.Cols, v)
	}
	rec, err := vector.ToRecord(schema, flat)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	f, err := os.Create(ar)
	if err != nil {
		t.Fatal(err)
	}
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.Write(rec), w.Close(), f.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	out, err := exec.Command(python, "-c", listScript, pq, ar).CombinedOutput()
	var code *exec.ExitError
	if err != nil {
		if code, _ = err.(*exec.ExitError); code != nil && code.ExitCode() == 77 {
			t.Skip("needs pyarrow")
		}
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestWriterListsRefuses(t *testing.T) {
	typ := arrow.ListOf(arrow.PrimitiveTypes.Int64)
	schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: typ}}, nil)
	w, err := NewWriter(&bytes.Buffer{}, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&vector.Batch{Cols: []*vector.Vector{vector.NewNull(typ, 2)}, Len: 2}); err == nil || !strings.Contains(err.Error(), "NULL") {
		t.Errorf("a NULL list in a column that is not nullable: error %v", err)
	}
	durations := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.FixedWidthTypes.Duration_s), Nullable: true}}, nil)
	if _, err := NewWriter(&bytes.Buffer{}, durations); err == nil || !strings.Contains(err.Error(), `column "l"`) {
		t.Errorf("lists of durations: error %v", err)
	}
}
