package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/cespare/xxhash/v2"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// TestMemoryLimit has no memory at all: extents of the usual size are written and
// read, much larger ones are refused, and nothing is held in the end.
func TestMemoryLimit(t *testing.T) {
	temp := t.TempDir()
	budget := memory.NewBudget(1)
	d := Open(Config{Dirs: []string{temp}, Budget: budget})
	f := d.File()
	tab := makeTable(2, types, 2000, 100)
	e, err := f.Append(tab.schema, tab.batches...)
	if err != nil {
		t.Fatal(err)
	}
	r := d.Reader(tab.schema, []Extent{e, e})
	for _, want := range append(tab.batches, tab.batches...) {
		b, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		same(t, b, want)
	}
	if budget.Peak() == 0 || budget.Peak() > needed {
		t.Errorf("%d bytes were held", budget.Peak())
	}
	large := numbers(needed / 16)
	if _, err := f.Append(large.schema, large.batches...); !errors.Is(err, memory.ErrLimit) {
		t.Errorf("writing %d bytes gave %v", large.bytes(), err)
	}
	if _, err = f.Append(tab.schema, tab.batches...); err != nil {
		t.Errorf("after that: %v", err)
	}
	_ = r.Close()
	_ = d.Close()
	if budget.Used() != 0 {
		t.Errorf("%d bytes are left", budget.Used())
	}
	empty(t, temp)
}

// TestReserve writes when there is no memory any more, for sizes and shapes of
// columns that follow each other.
func TestReserve(t *testing.T) {
	for _, n := range []int64{8 << 10, 64 << 10, 1 << 20} {
		budget := memory.NewBudget(8 << 20)
		d := Open(Config{Dirs: []string{t.TempDir()}, Budget: budget})
		f := d.File()
		if err := f.Reserve(n); err != nil {
			t.Fatal(err)
		}
		rest := budget.Account("rest")
		for rest.Resize(rest.Size()+1) == nil { // all that is left
			if free := budget.Free(); free > 0 {
				_ = rest.Resize(rest.Size() + free)
			}
		}
		for i := range 50 {
			tab := texts(1 + int(n)*(i%5+1)/5/60)
			if i%2 == 0 {
				tab = numbers(1 + int(n)*(i%7+1)/7/30)
			}
			if tab.bytes() > n {
				t.Fatalf("%d bytes", tab.bytes())
			}
			e, err := f.Append(tab.schema, tab.batches...)
			if err != nil {
				t.Fatalf("%d of %d bytes after %d extents: %v", tab.bytes(), n, i, err)
			}
			d.Release(e)
		}
		rest.Close()
		f.Trim()
		if budget.Used() != 0 {
			t.Errorf("%d bytes are held after Trim", budget.Used())
		}
		if err := f.Reserve(16 << 20); !errors.Is(err, memory.ErrLimit) {
			t.Errorf("Reserve of too much gave %v", err)
		}
		_ = d.Close()
		if err := f.Reserve(1); !errors.Is(err, ErrClosed) {
			t.Errorf("Reserve after Close gave %v", err)
		}
	}
}

// TestForged changes streams and gives them the checksum that fits: that is
// what a fault in writing would look like. Anything but a panic may come of it,
// and no batch that does not hold together.
func TestForged(t *testing.T) {
	budget := memory.NewBudget(16 << 20)
	d := Open(Config{Dirs: []string{t.TempDir()}, Budget: budget})
	tab := makeTable(5, types[:4], 64, 8)
	f := d.File()
	e, err := f.Append(tab.schema, tab.batches...)
	if err != nil {
		t.Fatal(err)
	}
	f.Trim()
	good := raw(t, e)
	forge := func(p []byte) error {
		x := e
		x.Bytes, x.sum = int64(len(p)), xxhash.Sum64(p)
		if _, err := e.segment.handle.WriteAt(p, e.offset); err != nil {
			t.Fatal(err)
		}
		r := d.Reader(tab.schema, []Extent{x})
		defer func() {
			_ = r.Close()
			if budget.Used() != 0 {
				t.Fatalf("%d bytes are held", budget.Used())
			}
		}()
		for {
			b, err := r.Next(context.Background())
			if err != nil {
				if err != io.EOF && !errors.Is(err, ErrDamaged) && !errors.Is(err, memory.ErrLimit) {
					t.Fatal(err)
				}
				return err
			}
			for _, v := range b.Cols {
				if v.Len != b.Len {
					t.Fatalf("a column of %d rows in a batch of %d", v.Len, b.Len)
				}
			}
		}
	}
	if err := forge(good); err != io.EOF {
		t.Fatalf("the true stream gave %v", err)
	}
	for n := range good {
		if err := forge(good[:n]); err == io.EOF || err == nil {
			t.Fatalf("the first %d of %d bytes pass", n, len(good))
		}
	}
	if err := forge(append(bytes.Clone(good), good...)); err == io.EOF {
		t.Error("a stream after the stream passes")
	}
	rnd := rand.New(rand.NewPCG(7, 7))
	for range 5000 {
		_ = forge(mutate(rnd, good))
	}
	_ = d.Close()
}

// mutate changes p in one to three places.
func mutate(rnd *rand.Rand, p []byte) []byte {
	bad := bytes.Clone(p)
	for range 1 + rnd.IntN(3) {
		i := rnd.IntN(len(bad) - 4)
		switch rnd.IntN(3) {
		case 0:
			bad[i] = byte(rnd.IntN(256))
		case 1:
			bad[i] ^= 1 << rnd.IntN(8)
		default:
			binary.LittleEndian.PutUint32(bad[i:], []uint32{0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000}[rnd.IntN(5)])
		}
	}
	return bad
}

// TestForms writes coded and constant columns, and cuts of others.
func TestForms(t *testing.T) {
	d := Open(Config{Dirs: []string{t.TempDir()}})
	defer func() { _ = d.Close() }()
	tab := makeTable(6, types, 100)
	coded := &vector.Batch{Len: 50}
	rnd := rand.New(rand.NewPCG(1, 1))
	for i, v := range tab.batches[0].Cols {
		out := &vector.Vector{Type: v.Type, Len: 50, Dict: v}
		switch i % 3 {
		case 0: // coded
			out.Codes = make([]uint32, 50)
			for k := range out.Codes {
				out.Codes[k] = uint32(rnd.IntN(100))
			}
		case 1: // constant, with NULLs of its own
			one := &vector.Vector{}
			vector.Slice(one, v, 8, 9)
			out.Dict, out.Valid = one, vector.NewBitmap(50)
			out.Valid.SetRange(3, 40)
		default: // a part
			out = &vector.Vector{}
			vector.Slice(out, v, 24, 74)
		}
		coded.Cols = append(coded.Cols, out)
	}
	e, err := d.File().Append(tab.schema, coded)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, d, tab.schema, []Extent{e}, []*vector.Batch{coded})

	none := arrow.NewSchema(nil, nil)
	rows := []*vector.Batch{{Len: 7}, {Len: 2}}
	if e, err = d.File().Append(none, rows...); err != nil || e.Rows != 9 {
		t.Fatalf("rows without columns: %+v, %v", e, err)
	}
	readAll(t, d, none, []Extent{e}, rows)

	f := d.File() // more schemas than are kept, in turn
	var extents []Extent
	var tabs []table
	for i := range 20 {
		tab := makeTable(uint64(i), types[:1+i%7], 30)
		if i >= 7 {
			tab.schema = tabs[i-7].schema
		}
		tabs = append(tabs, tab)
		e, err := f.Append(tab.schema, tab.batches...)
		if err != nil {
			t.Fatal(err)
		}
		extents = append(extents, e)
	}
	for i, e := range extents {
		readAll(t, d, tabs[i].schema, []Extent{e}, tabs[i].batches)
	}
	wrong := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int8}}, nil)
	if _, err := f.Append(wrong, makeTable(1, types[:1], 5).batches...); err == nil {
		t.Error("columns of another type pass")
	}
	if e, err = f.Append(tabs[3].schema, tabs[3].batches...); err != nil {
		t.Fatal(err)
	}
	readAll(t, d, tabs[3].schema, []Extent{e}, tabs[3].batches)
}

func TestCancelled(t *testing.T) {
	d := Open(Config{Dirs: []string{t.TempDir()}})
	defer func() { _ = d.Close() }()
	tab := makeTable(1, types[:1], 5)
	e, err := d.File().Append(tab.schema, tab.batches...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := d.Reader(tab.schema, []Extent{e})
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if b, err := r.Next(context.Background()); err != nil {
		t.Error(err)
	} else {
		same(t, b, tab.batches[0])
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := r.Next(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// readStream prints the number of rows and NULLs, and the sum of the first
// column, of the Arrow stream in a file.
const readStream = `
import sys
try:
    import pyarrow as pa, pyarrow.ipc as ipc, pyarrow.compute as pc
except ImportError:
    sys.exit(77)
r = ipc.open_stream(sys.argv[1])
batches = list(r)
t = pa.Table.from_batches(batches)
t.validate(full=True)
print(len(batches), t.num_rows, pc.sum(t.column(0)).as_py(), "|".join(str(f.type) for f in r.schema), [c.null_count for c in t.columns])
`

// TestPyarrowReadsExtents holds extents to the format's other implementation.
func TestPyarrowReadsExtents(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is needed")
	}
	d := Open(Config{Dirs: []string{t.TempDir()}})
	defer func() { _ = d.Close() }()
	f := d.File()
	for _, c := range []struct {
		table
		want string
	}{
		{numbers(3000), ""},
		{table{arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil),
			[]*vector.Batch{columns(t, "12", "", "-3"), columns(t, "", "", "7", "8")}}, "2 7 24 int64|string [3, 3]\n"},
	} {
		e, err := f.Append(c.schema, c.batches...)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x.arrows")
		if err := os.WriteFile(path, raw(t, e), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", readStream, path)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 77 {
			t.Skip("pyarrow is needed")
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			var sum int64
			for _, v := range vector.Values[int64](c.batches[0].Cols[0]) {
				sum += v
			}
			c.want = "1 3000 " + itoa(sum) + " int64|int64|uint64 [0, 0, 0]\n"
		}
		if string(out) != c.want {
			t.Errorf("pyarrow reads %q, not %q", out, c.want)
		}
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// columns makes a batch of numbers and their texts; "" is NULL.
func columns(t *testing.T, values ...string) *vector.Batch {
	t.Helper()
	n, s := vector.NewBuilder(arrow.PrimitiveTypes.Int64), vector.NewBuilder(arrow.BinaryTypes.String)
	for _, v := range values {
		if v == "" {
			n.AppendNull()
			s.AppendNull()
			continue
		}
		k, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.AppendBytes(binary.LittleEndian.AppendUint64(nil, uint64(k))); err != nil {
			t.Fatal(err)
		}
		if err := s.AppendBytes([]byte(v)); err != nil {
			t.Fatal(err)
		}
	}
	return &vector.Batch{Len: len(values), Cols: []*vector.Vector{n.Vector(), s.Vector()}}
}
