package parquetio

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// between selects the rows whose int64 in column 0 is from lo to hi.
type between struct {
	lo, hi int64
	sel    []uint32
}

func (b *between) Select(batch *vector.Batch) ([]uint32, error) {
	v, err := vector.Flatten(batch.Cols[0])
	if err != nil {
		return nil, err
	}
	b.sel = b.sel[:0]
	for i, x := range vector.Values[int64](v) {
		if x >= b.lo && x <= b.hi {
			b.sel = append(b.sel, uint32(i))
		}
	}
	return b.sel, nil
}

func (b *between) Close() {}

func betweenWhere(keep int, lo, hi int64) *Where {
	return &Where{
		Keep: keep, Columns: []int{0}, Selector: func() operators.Selector { return &between{lo: lo, hi: hi} },
		Domains: map[int]vector.Domain{0: vector.NewDomain(false, vector.Span{Lo: vector.KeyInt(lo), Hi: vector.After(vector.KeyInt(hi))})},
	}
}

// scanWhere scans columns 0 and 6 of testdata/skip/ordered.parquet, of which the
// first is the number of the row, and returns how many rows came out.
func scanWhere(file *File, where *Where) (rows int, s *Scan, err error) {
	s, err = newScan([]*File{file}, [][]int{{0, 6}}, []string{"n", "long"}, ScanOptions{Where: where, BatchRows: 64, Workers: 2, Budget: memory.NewBudget(64 << 20)}, 100)
	if err != nil {
		return 0, nil, err
	}
	if err := s.Prepare(context.Background()); err != nil {
		return 0, s, err
	}
	wrong := errors.New("wrong rows")
	err = drain(s, 1, func(b *vector.Batch) {
		n, _ := vector.Flatten(b.Cols[0])
		sel := b.Sel
		if sel == nil {
			for i := range b.Len {
				sel = append(sel, uint32(i))
			}
		}
		for _, i := range sel {
			if uint64(vector.Values[int64](n)[i]) != b.Row+uint64(i) || b.Cols[1].IsNull(int(i)) {
				panic(wrong)
			}
		}
		rows += len(sel)
	})
	return rows, s, err
}

// TestPagesByIndex reads pages by the page index and all others not at all.
func TestPagesByIndex(t *testing.T) {
	f := mustFooter(t, diskFile("../testdata/skip/ordered.parquet"))
	for _, c := range []struct{ lo, hi int64 }{{0, 0}, {1499, 1500}, {200, 400}, {3100, 5200}, {5999, 9000}, {-5, 7000}} {
		rows, s, err := scanWhere(f, betweenWhere(2, c.lo, c.hi))
		want := min(c.hi, 5999) - max(c.lo, 0) + 1
		if err != nil || int64(rows) != want {
			t.Errorf("%d to %d: %d rows of %d, %v", c.lo, c.hi, rows, want, err)
		}
		r := s.Report()
		if want < 500 && (r.Columns[0].BytesRead+r.Columns[1].BytesRead > 6*want*20+6000 || r.Skipped.Pages == 0) {
			t.Errorf("%d to %d: %d and %d bytes read; %+v", c.lo, c.hi, r.Columns[0].BytesRead, r.Columns[1].BytesRead, r.Skipped)
		}
	}
}

// TestDamagedPageIndex changes each byte of the indexes, or many of them: right
// rows come out, fewer at most (bounds can be changed to others), or an error.
func TestDamagedPageIndex(t *testing.T) {
	b, err := os.ReadFile("../testdata/skip/ordered.parquet")
	if err != nil {
		t.Fatal(err)
	}
	f := mustFooter(t, bytesFile(b))
	unusable := 0
	step := 3
	if testing.Short() {
		step = 29
	}
	for _, leaf := range []int{0, 6} {
		m := &f.meta.groups[0].chunks[leaf]
		for _, at := range []span{m.columnIndex, m.offsetIndex} {
			for i := int64(0); i < int64(at.n); i += int64(step) {
				for _, x := range []byte{0xff, 0x01} {
					bad := append([]byte(nil), b...)
					bad[at.at+i] ^= x
					rows, s, err := scanWhere(mustFooter(t, bytesFile(bad)), betweenWhere(2, 200, 400))
					if err != nil && !errors.As(err, new(*CorruptError)) || rows > 201 {
						t.Fatalf("byte %d: %d rows, %v", at.at+i, rows, err)
					}
					unusable += s.Report().Skipped.Unusable
				}
			}
		}
	}
	if unusable == 0 {
		t.Error("no damage was found")
	}
}

// FuzzIndexes parses any bytes as page indexes and the header of a bloom filter.
func FuzzIndexes(f *testing.F) {
	for _, name := range []string{"ordered", "bloom"} {
		b, err := os.ReadFile("../testdata/skip/" + name + ".parquet")
		if err != nil {
			f.Fatal(err)
		}
		m := &mustFooter(f, bytesFile(b)).meta.groups[0].chunks[0]
		for _, s := range []span{m.columnIndex, m.offsetIndex, m.bloom} {
			f.Add(b[s.at : s.at+int64(s.n)])
		}
	}
	col := &Column{Nullable: true, Type: mustColumn(f).Type}
	f.Fuzz(func(t *testing.T, b []byte) {
		pages, err := parseOffsetIndex(b)
		m := &chunkMeta{dataAt: 4, packed: 1 << 20}
		if err == nil && m.located(pages, 1<<20) {
			want(pages, 1<<20, []rowRange{{5, 10}, {100, 2000}})
			if r := pageRows(pages, len(pages)-1, 1<<20); r.lo >= r.hi || runEnd(pages, 0) > 1<<20+slack+4 {
				t.Fatal("pages that cannot be")
			}
		}
		if x, err := parseColumnIndex(b); err == nil && x.fits(len(x.empty)) {
			for i := range x.empty {
				x.mayHave(col, i, vector.AllValues())
			}
		}
		if header, size, err := parseBloomHeader(b); err == nil {
			if header > len(b) || bloomPlace(math.MaxUint64, size) > size-bloomBlock {
				t.Fatalf("a header of %d bytes, %d of blocks", header, size)
			}
		}
	})
}

func mustColumn(t testing.TB) *Column {
	return &mustFooter(t, diskFile("../testdata/skip/ordered.parquet")).columns[0]
}

// TestTrust has statistics that are believed, and such that are not.
func TestTrust(t *testing.T) {
	f := mustFooter(t, diskFile("../testdata/skip/ordered.parquet"))
	at := map[string]int{}
	for i, c := range f.columns {
		at[c.Name()] = i
	}
	le := func(x uint64, n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(x >> (8 * i))
		}
		return b
	}
	float := func(x float64) []byte { return le(math.Float64bits(x), 8) }
	above := func(k []byte) vector.Domain { return vector.NewDomain(false, vector.Span{Lo: k}) }
	below := func(k []byte) vector.Domain { return vector.NewDomain(false, vector.Span{Hi: k}) }
	nulls := vector.Domain{Null: true}
	for _, c := range []struct {
		name, column, by string
		lo, hi           []byte
		nulls            int64
		old              bool
		d                vector.Domain
		may              bool
	}{
		{"above", "n", "", le(5, 8), le(9, 8), 0, false, above(vector.KeyInt(10)), false},
		{"at the bound", "n", "", le(5, 8), le(9, 8), 0, false, above(vector.KeyInt(9)), true},
		{"old order, signed", "n", "", le(5, 8), le(9, 8), 0, true, above(vector.KeyInt(10)), false},
		{"least above greatest", "n", "", le(9, 8), le(5, 8), 0, false, above(vector.KeyInt(10)), true},
		{"wrong length", "n", "", le(5, 4), le(9, 4), 0, false, above(vector.KeyInt(10)), true},
		{"none", "n", "", nil, nil, 0, false, above(vector.KeyInt(10)), true},
		{"no NULLs", "d", "", le(5, 4), le(9, 4), 0, false, nulls, false},
		{"NULLs", "d", "", le(5, 4), le(9, 4), 1, false, nulls, true},
		{"unknown NULLs", "d", "", le(5, 4), le(9, 4), -1, false, nulls, true},
		{"all NULL", "d", "", nil, nil, 1500, false, above(nil), false},
		{"more NULLs than rows", "d", "", nil, nil, 1501, false, above(nil), true},
		{"text", "s", "", []byte("b"), []byte("c"), 0, false, above([]byte("d")), false},
		{"text, old order", "s", "", []byte("b"), []byte("c"), 0, true, above([]byte("d")), true},
		{"float below", "f", "", float(1), float(2), 0, false, below(vector.KeyFloat(0.5)), false},
		{"float above, where NaN is", "f", "", float(1), float(2), 0, false, above(vector.KeyFloat(3)), true},
		{"NaN as a bound", "f", "", float(1), float(math.NaN()), 0, false, below(vector.KeyFloat(0.5)), true},
		{"negative zero", "f", "", float(0), float(2), 0, false, vector.NewDomain(false, vector.Point(vector.KeyFloat(math.Copysign(0, -1)))), true},
		{"float of arrow-go", "f", "parquet-go version 17.0.0", float(1), float(2), 0, false, below(vector.KeyFloat(0.5)), true},
		{"unsigned", "u", "", le(5, 8), le(1<<63, 8), 0, false, above(vector.KeyUint(1<<63 + 1)), false},
		{"unsigned, old order", "u", "", le(5, 8), le(6, 8), 0, true, above(vector.KeyUint(7)), true},
		{"unsigned of arrow-go", "u", "parquet-go version 17.0.0", le(5, 8), le(6, 8), 0, false, above(vector.KeyUint(7)), true},
	} {
		leaf := at[c.column]
		m := &f.meta.groups[0].chunks[leaf]
		m.least, m.greatest, m.nulls, m.oldRange = c.lo, c.hi, c.nulls, c.old
		f.meta.createdBy = c.by
		if got := f.mayHave(0, leaf, c.d); got != c.may {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	f.meta.createdBy, f.meta.ordered = "", nil
	leaf := at["s"]
	m := &f.meta.groups[0].chunks[leaf]
	m.least, m.greatest, m.nulls, m.oldRange = []byte("b"), []byte("c"), 0, false
	if !f.mayHave(0, leaf, above([]byte("d"))) {
		t.Error("text without a column order")
	}
}
