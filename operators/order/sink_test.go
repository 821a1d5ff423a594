package order

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

var types = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Boolean,
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Time32ms,
	arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Duration_s,
	&arrow.Decimal128Type{Precision: 30, Scale: 2}, &arrow.Decimal256Type{Precision: 60, Scale: 2},
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, &arrow.FixedSizeBinaryType{ByteWidth: 11}, arrow.Null,
}

// value returns the bytes of a random value: few different ones, so that there
// are ties, and often such as are nearly equal or extreme.
func value(r *rand.Rand, t arrow.DataType) []byte {
	w := vector.Width(t)
	switch {
	case vector.IsBytes(t):
		text := bytes.Repeat([]byte("same beginning "), r.IntN(4))
		return append(text, []string{"", "a", "b", "\x00", "\xff\xff", "z"}[r.IntN(6)]...)
	case t.ID() == arrow.BOOL:
		return []byte{byte(r.IntN(2))}
	case t.ID() == arrow.FLOAT64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(float(r)))
	case t.ID() == arrow.FLOAT32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(float(r))))
	case t.ID() == arrow.FLOAT16:
		if f := float(r); f != f {
			return []byte{byte(r.IntN(255) + 1), 0x7c | byte(r.IntN(2))<<7}
		} else {
			return binary.LittleEndian.AppendUint16(nil, float16.New(float32(f)).Uint16())
		}
	}
	p := make([]byte, w)
	switch r.IntN(4) {
	case 0:
		for i := range p {
			p[i] = byte(r.IntN(2)) * 0xff
		}
	case 1:
		p[len(p)-1] = byte(r.IntN(4)) << 6
	default:
		p[0] = byte(r.IntN(5))
	}
	return p
}

func float(r *rand.Rand) float64 {
	all := []float64{0, math.Copysign(0, -1), 1, -1, 1.5, math.Inf(1), math.Inf(-1), math.NaN(), math.Float64frombits(0xfff8000000000123), 2, 3, 4}
	return all[r.IntN(len(all))]
}

// reference is the order that is to be, told by other means.
func reference(v *vector.Vector, i int, u *vector.Vector, j int, k Key) int {
	a, b := v.IsNull(i), u.IsNull(j)
	switch {
	case a && b:
		return 0
	case a || b:
		if a == k.NullsFirst {
			return -1
		}
		return 1
	}
	r := 0
	switch p, q := v.Bytes(i), u.Bytes(j); v.Type.ID() {
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		x, y := toFloat(p), toFloat(q)
		switch {
		case x != x && y != y, x == y:
		case x != x || y == y && x > y:
			r = 1
		default:
			r = -1
		}
	case arrow.STRING, arrow.BINARY, arrow.FIXED_SIZE_BINARY, arrow.BOOL:
		r = bytes.Compare(p, q)
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		r = toInt(p, false).Cmp(toInt(q, false))
	default:
		r = toInt(p, true).Cmp(toInt(q, true))
	}
	if k.Desc {
		return -r
	}
	return r
}

func toFloat(p []byte) float64 {
	switch len(p) {
	case 2:
		b := binary.LittleEndian.Uint16(p)
		if b&0x7fff > 0x7c00 {
			return math.NaN()
		}
		return float64(float16.FromBits(b).Float32())
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(p))
}

func toInt(p []byte, signed bool) *big.Int {
	p = slices.Clone(p)
	slices.Reverse(p)
	n := new(big.Int).SetBytes(p)
	if signed && p[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
	}
	return n
}

// table is a source of batches for several workers.
type table struct {
	schema  *arrow.Schema
	batches []*vector.Batch
	next    atomic.Int64
}

func (t *table) Schema() *arrow.Schema             { return t.schema }
func (t *table) Stream() (operators.Stream, error) { return tableStream{t}, nil }

type tableStream struct{ *table }

func (s tableStream) Next(context.Context) (*vector.Batch, error) {
	i := int(s.next.Add(1)) - 1
	if i >= len(s.batches) {
		return nil, io.EOF
	}
	return s.batches[i], nil
}

func (s tableStream) Close() error { return nil }

// random returns a table of columns of random types, some of them coded, some
// batches with a selection.
func random(t *testing.T, r *rand.Rand, cols []arrow.DataType, rows int) *table {
	out := &table{}
	var fields []arrow.Field
	for i, typ := range cols {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i), Type: typ, Nullable: true})
	}
	out.schema = arrow.NewSchema(fields, nil)
	nulls := make([]int, len(cols))
	for i := range nulls {
		nulls[i] = r.IntN(3)
	}
	for row := 0; row < rows; {
		n := min(1+r.IntN(700), rows-row)
		b := &vector.Batch{Len: n, Row: uint64(row)}
		for i, typ := range cols {
			b.Cols = append(b.Cols, randomVector(t, r, typ, n, nulls[i]))
		}
		if r.IntN(3) == 0 {
			b.Sel = []uint32{}
			for i := range n {
				if r.IntN(3) > 0 {
					b.Sel = append(b.Sel, uint32(i))
				}
			}
		}
		out.batches = append(out.batches, b)
		row += n
	}
	return out
}

func randomVector(t *testing.T, r *rand.Rand, typ arrow.DataType, n, nulls int) *vector.Vector {
	build := func(n int) *vector.Vector {
		b := vector.NewBuilder(typ)
		for range n {
			if typ.ID() == arrow.NULL || nulls > 0 && r.IntN(2+8*(2-nulls)) == 0 {
				b.AppendNull()
			} else if err := b.AppendBytes(value(r, typ)); err != nil {
				t.Fatal(err)
			}
		}
		return b.Vector()
	}
	if r.IntN(3) > 0 || typ.ID() == arrow.NULL {
		return build(n)
	}
	dict := build(1 + r.IntN(9))
	v := &vector.Vector{Type: typ, Len: n, Dict: dict}
	if r.IntN(4) > 0 || dict.Len > 1 {
		v.Codes = make([]uint32, n)
		for i := range v.Codes {
			v.Codes[i] = uint32(r.IntN(dict.Len))
		}
	}
	return v
}

// rowsOf lists the selected rows of the table.
func rowsOf(t *table) (all []place) {
	for _, b := range t.batches {
		for k := range b.Rows() {
			i := k
			if b.Sel != nil {
				i = int(b.Sel[k])
			}
			all = append(all, place{b, i})
		}
	}
	return all
}

type place struct {
	batch *vector.Batch
	row   int
}

// cells spells a row.
func (p place) cells() string {
	out := ""
	for _, v := range p.batch.Cols {
		if v.IsNull(p.row) {
			out += "NULL;"
		} else {
			out += fmt.Sprintf("%x;", v.Bytes(p.row))
		}
	}
	return out
}

// check sorts src and compares the rows with those of reference.
func check(t *testing.T, src *table, cfg Config, want []place) Report {
	t.Helper()
	src.next.Store(0)
	sink, err := NewSink(src.schema, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	out, _, err := operators.Drain(context.Background(), src, sink, cfg.Workers)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := out.Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	n := 0
	for {
		b, err := stream.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.Row != uint64(n) || b.Len == 0 || len(b.Cols) != src.schema.NumFields() {
			t.Fatalf("a batch of %d rows and %d columns at %d, where %d have come", b.Len, len(b.Cols), b.Row, n)
		}
		for i := range b.Len {
			if n == len(want) {
				if cfg.Limit >= 0 {
					return sink.Report() // who limits reads no further
				}
				t.Fatal("too many rows")
			}
			if got, want := (place{b, i}).cells(), want[n].cells(); got != want {
				t.Fatalf("row %d is %s, not %s (keys %v, limit %d, %d workers)", n, got, want, cfg.Keys, cfg.Limit, cfg.Workers)
			}
			n++
		}
	}
	if n != len(want) {
		t.Fatalf("%d rows, not %d", n, len(want))
	}
	return sink.Report()
}

func TestSink(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 15))
	trials := 96
	if testing.Short() {
		trials = 9
	}
	for trial := range trials {
		cols := []arrow.DataType{types[trial%len(types)]}
		for range r.IntN(4) {
			cols = append(cols, types[r.IntN(len(types))])
		}
		src := random(t, r, cols, []int{0, 1, 50, 1000, 3000, 9500}[trial%6])
		cfg := Config{Workers: 1 + r.IntN(4), BatchRows: []int{1, 64, 8192}[r.IntN(3)], Limit: -1}
		cfg.Keys = append(cfg.Keys, Key{0, r.IntN(2) == 0, r.IntN(2) == 0})
		for i := range r.IntN(len(cols)) {
			cfg.Keys = append(cfg.Keys, Key{i, r.IntN(2) == 0, r.IntN(2) == 0})
		}
		want := rowsOf(src)
		slices.SortStableFunc(want, func(a, b place) int {
			for _, k := range cfg.Keys {
				if c := reference(a.batch.Cols[k.Column], a.row, b.batch.Cols[k.Column], b.row, k); c != 0 {
					return c
				}
			}
			return cmp.Compare(a.batch.Row+uint64(a.row), b.batch.Row+uint64(b.row))
		})
		check(t, src, cfg, want)
		for _, limit := range []int64{0, 1, 10, 1000, 1 << 40} {
			cfg.Limit = limit
			check(t, src, cfg, want[:min(limit, int64(len(want)))])
		}
		cfg.Limit = []int64{-1, 700, 6000}[trial%3]
		spilled(t, src, cfg, want)
	}
}

// spilled checks the same with a budget of 64 KiB.
func spilled(t *testing.T, src *table, cfg Config, want []place) Report {
	t.Helper()
	cfg.Budget = memory.NewBudget(64 << 10)
	cfg.Spill = spill.Open(spill.Config{Dirs: []string{os.TempDir()}, Budget: cfg.Budget})
	if cfg.Limit >= 0 {
		want = want[:min(cfg.Limit, int64(len(want)))]
	}
	report := check(t, src, cfg, want)
	if err := cfg.Spill.Close(); err != nil {
		t.Fatal(err)
	}
	if n := cfg.Budget.Used(); n != 0 {
		t.Fatalf("%d bytes of the budget are left", n)
	}
	return report
}

func TestSinkSpills(t *testing.T) {
	rows := 40_000
	if testing.Short() {
		rows = 12_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	src := random(t, r, []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64}, rows)
	cfg := Config{Workers: 3, BatchRows: 512, Limit: -1, Keys: []Key{{Column: 1}, {Column: 0, Desc: true}}}
	want := rowsOf(src)
	slices.SortStableFunc(want, func(a, b place) int {
		for _, k := range cfg.Keys {
			if c := reference(a.batch.Cols[k.Column], a.row, b.batch.Cols[k.Column], b.row, k); c != 0 {
				return c
			}
		}
		return 0
	})
	report := spilled(t, src, cfg, want)
	if report.SpilledRuns < 20 || report.Passes == 0 || report.SpilledBytes == 0 || report.Rows != int64(len(want)) || report.Kept != report.Rows {
		t.Errorf("%+v", report)
	}
	cfg.Limit = 20
	if report := spilled(t, src, cfg, want); report.SpilledRuns != 0 || report.Kept > report.Rows/2 {
		t.Errorf("the first 20: %+v", report)
	}
}

func TestSinkWithoutDisk(t *testing.T) {
	src := random(t, rand.New(rand.NewPCG(1, 2)), []arrow.DataType{arrow.PrimitiveTypes.Int64}, 40_000)
	sink, err := NewSink(src.schema, Config{Keys: []Key{{}}, Limit: -1, Budget: memory.NewBudget(100 << 10)})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if _, _, err := operators.Drain(context.Background(), src, sink, 1); !errors.Is(err, memory.ErrLimit) {
		t.Errorf("%v", err)
	}
	list := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)}}, nil)
	if _, err := NewSink(list, Config{Keys: []Key{{}}}); err == nil || err.Error() != "order: a column of type list<item: int64, nullable> has no order" {
		t.Errorf("%v", err)
	}
}

// TestSinkDiskFull has less room on disk than it needs, at each of many sizes:
// the rows come whole, or there is an error.
func TestSinkDiskFull(t *testing.T) {
	src := random(t, rand.New(rand.NewPCG(3, 4)), []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String}, 6000)
	failed := 0
	for quota := int64(4 << 10); quota < 1<<20; quota += quota/2 + 1 {
		src.next.Store(0)
		budget := memory.NewBudget(64 << 10)
		dir := spill.Open(spill.Config{Dirs: []string{os.TempDir()}, MaxBytes: quota, Budget: budget})
		sink, err := NewSink(src.schema, Config{Keys: []Key{{Column: 1}}, Limit: -1, Workers: 2, Budget: budget, Spill: dir})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		out, _, err := operators.Drain(context.Background(), src, sink, 2)
		if err == nil {
			stream, _ := out.Stream()
			var b *vector.Batch
			for b, err = stream.Next(context.Background()); err == nil; b, err = stream.Next(context.Background()) {
				rows += b.Len
			}
			_ = stream.Close()
		}
		switch {
		case errors.Is(err, spill.ErrQuota):
			failed++
		case err != io.EOF || rows != len(rowsOf(src)):
			t.Errorf("%d bytes: %d rows, %v", quota, rows, err)
		}
		sink.Close()
		if err := dir.Close(); err != nil || budget.Used() != 0 {
			t.Errorf("%d bytes: %v, %d bytes of memory left", quota, err, budget.Used())
		}
	}
	if failed < 3 {
		t.Errorf("only %d quotas were too small", failed)
	}
}
