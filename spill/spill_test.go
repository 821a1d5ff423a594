package spill

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// table is a schema with batches of it.
type table struct {
	schema  *arrow.Schema
	batches []*vector.Batch
}

// column makes n random rows of type t, some of them NULL.
func column(rnd *rand.Rand, t arrow.DataType, n int) *vector.Vector {
	b := vector.NewBuilder(t)
	for range n {
		if rnd.IntN(5) == 0 || t.ID() == arrow.NULL {
			b.AppendNull()
			continue
		}
		w := vector.Width(t)
		if vector.IsBytes(t) {
			w = rnd.IntN(20)
		} else if t.ID() == arrow.BOOL {
			w = 1
		}
		p := make([]byte, w)
		for i := range p {
			p[i] = byte(rnd.IntN(4))
		}
		if t.ID() == arrow.BOOL {
			p[0] &= 1
		}
		if err := b.AppendBytes(p); err != nil {
			panic(err)
		}
	}
	v := b.Vector()
	if rnd.IntN(2) == 0 && n > 0 { // no NULLs
		v.Valid = nil
		if t.ID() == arrow.NULL {
			v = vector.NewNull(t, n)
		}
	}
	return v
}

var types = []arrow.DataType{
	arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Uint8,
	arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.Binary, &arrow.Decimal128Type{Precision: 30, Scale: 2},
	&arrow.Decimal256Type{Precision: 50, Scale: 2}, arrow.FixedWidthTypes.Timestamp_us, arrow.Null,
	&arrow.FixedSizeBinaryType{ByteWidth: 5}, arrow.PrimitiveTypes.Int16, arrow.FixedWidthTypes.Date32,
	&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Berlin"},
}

func makeTable(seed uint64, types []arrow.DataType, rows ...int) table {
	rnd := rand.New(rand.NewPCG(seed, 1))
	var fields []arrow.Field
	for i, t := range types {
		fields = append(fields, arrow.Field{Name: string(rune('a' + i)), Type: t, Nullable: true})
	}
	out := table{schema: arrow.NewSchema(fields, nil)}
	for _, n := range rows {
		b := &vector.Batch{Len: n}
		for _, t := range types {
			b.Cols = append(b.Cols, column(rnd, t, n))
		}
		out.batches = append(out.batches, b)
	}
	return out
}

// same reports whether two batches have equal rows.
func same(t *testing.T, got, want *vector.Batch) {
	t.Helper()
	if got.Len != want.Len || len(got.Cols) != len(want.Cols) || got.Sel != nil {
		t.Fatalf("a batch of %d rows and %d columns, not %d and %d", got.Len, len(got.Cols), want.Len, len(want.Cols))
	}
	for c, w := range want.Cols {
		g := got.Cols[c]
		if g.Len != w.Len || !arrow.TypeEqual(g.Type, w.Type) {
			t.Fatalf("column %d is %s, not %s", c, g, w)
		}
		for i := range w.Len {
			if g.IsNull(i) != w.IsNull(i) || !w.IsNull(i) && string(g.Bytes(i)) != string(w.Bytes(i)) {
				t.Fatalf("column %d (%s) differs in row %d", c, w, i)
			}
		}
	}
}

// empty checks that nothing is in dir.
func empty(t *testing.T, dir string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil || len(names) > 0 {
		t.Errorf("%s has %v (%v)", dir, names, err)
	}
}

// readAll compares what extents give with want.
func readAll(t *testing.T, d *Dir, schema *arrow.Schema, extents []Extent, want []*vector.Batch) {
	t.Helper()
	r := d.Reader(schema, extents)
	defer func() { _ = r.Close() }()
	for _, w := range want {
		if w.Len == 0 {
			continue
		}
		b, err := r.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		same(t, b, w)
	}
	for range 2 {
		if b, err := r.Next(context.Background()); err != io.EOF {
			t.Fatalf("after the end: %v, %v", b, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	temp := t.TempDir()
	budget := memory.NewBudget(0)
	d := Open(Config{Dirs: []string{temp}, Budget: budget})
	tab := makeTable(1, types, 1000, 1, 0, 8191, 3)
	f, g := d.File(), d.File()
	var extents []Extent
	var want []*vector.Batch
	for i, w := range []*File{f, g, f, f, g} {
		e, err := w.Append(tab.schema, tab.batches[i:]...)
		if err != nil {
			t.Fatal(err)
		}
		extents = append(extents, e)
		want = append(want, tab.batches[i:]...)
	}
	readAll(t, d, tab.schema, extents, want)
	readAll(t, d, tab.schema, nil, nil)
	if e := extents[4]; e.Rows != 3 || e.Batches != 1 || e.Size < 3*8 || e.Size > 3*200 {
		t.Errorf("extent %+v", e)
	}
	s := d.Stats()
	if s.Files != 2 || s.Extents != 5 || s.Written != s.Read || s.Written == 0 || s.OnDisk < s.Written || s.Peak != s.OnDisk {
		t.Errorf("stats %+v", s)
	}
	empty(t, temp)
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if budget.Used() != 0 || d.Stats().OnDisk != 0 {
		t.Errorf("%d bytes of memory and %d on disk are left", budget.Used(), d.Stats().OnDisk)
	}
	if _, err := f.Append(tab.schema, tab.batches...); !errors.Is(err, ErrClosed) {
		t.Errorf("append after Close gave %v", err)
	}
	if _, err := d.Reader(tab.schema, extents).Next(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("read after Close gave %v", err)
	}
}
