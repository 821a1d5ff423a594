package parquetio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// TestSplitRowGroups reads the matrix's files in morsels of a few rows, by
// several streams, and wants every row once and in its place.
func TestSplitRowGroups(t *testing.T) {
	for _, file := range matrixFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want := readTable(t, file)
			f := mustFooter(t, diskFile(file))
			leaves, names := allReadable(f)
			for _, opt := range []ScanOptions{{BatchRows: 3, Workers: 3}, {BatchRows: 100, Workers: 4}, {BatchRows: 1, Workers: 2}} {
				s, err := newScan([]*File{f}, [][]int{leaves}, names, opt, 5)
				if err != nil {
					t.Fatal(err)
				}
				if len(s.morsels) < 2*opt.Workers {
					t.Fatalf("%d morsels", len(s.morsels))
				}
				var mu sync.Mutex
				seen := map[int]bool{}
				err = drain(s, 3, func(b *vector.Batch) {
					mu.Lock()
					defer mu.Unlock()
					at := int(b.Row)
					for k, v := range b.Cols {
						checkRows(t, names[k], v, want[names[k]][at:at+b.Len])
					}
					for i := range b.Len {
						if seen[at+i] {
							t.Errorf("row %d twice", at+i)
						}
						seen[at+i] = true
					}
				})
				if err != nil || len(seen) != int(f.NumRows()) {
					t.Fatalf("%d rows of %d, error %v", len(seen), f.NumRows(), err)
				}
			}
		})
	}
}

// counting counts how many readers of an Input are open.
type counting struct {
	Input
	open, most *atomic.Int64
}

func (c counting) Open(ctx context.Context) (ReaderAt, error) {
	r, err := c.Input.Open(ctx)
	if err == nil {
		for n, m := c.open.Add(1), c.most.Load(); n > m && !c.most.CompareAndSwap(m, n); m = c.most.Load() {
		}
	}
	return countingReader{r, c.open}, err
}

type countingReader struct {
	ReaderAt
	open *atomic.Int64
}

func (c countingReader) Close() error {
	c.open.Add(-1)
	return c.ReaderAt.Close()
}

// TestManyFiles makes sure that a stream holds one file open at most, that
// every file is read once, and that the progress adds up to Bytes.
func TestManyFiles(t *testing.T) {
	const n = 500
	var open, most, progress, rows, sum atomic.Int64
	var files []*File
	var cols [][]int
	for i := range n {
		in := counting{bytesFile(testFile(1, ints(1, data(1, int64s(int64(i)))))), &open, &most}
		files, cols = append(files, mustFooter(t, in)), append(cols, []int{0})
	}
	s, err := NewScan(files, cols, []string{"x"}, ScanOptions{Workers: 4, Progress: func(d int64) { progress.Add(d) }})
	if err != nil {
		t.Fatal(err)
	}
	err = drain(s, 4, func(b *vector.Batch) {
		rows.Add(int64(b.Len))
		v := vector.Values[int64](b.Cols[0])[0]
		if uint64(v) != b.Row {
			t.Errorf("row %d has %d", b.Row, v)
		}
		sum.Add(v)
	})
	if err != nil || rows.Load() != n || s.Rows() != n || sum.Load() != n*(n-1)/2 {
		t.Errorf("%d rows, sum %d, error %v", rows.Load(), sum.Load(), err)
	}
	if open.Load() != 0 || most.Load() > 4 {
		t.Errorf("%d files left open, at most %d at once", open.Load(), most.Load())
	}
	if progress.Load() != s.Bytes() || s.Bytes() == 0 {
		t.Errorf("progress %d of %d bytes", progress.Load(), s.Bytes())
	}
}

// TestNoColumns counts rows from footers and opens nothing.
func TestNoColumns(t *testing.T) {
	file := testFile(10_000, ints(10_000))
	var open, most atomic.Int64
	f := mustFooter(t, counting{bytesFile(file), &open, &most})
	most.Store(0)
	rows := 0
	err := scanAll(f, nil, ScanOptions{}, func(b *vector.Batch) {
		if b.Len > DefaultBatchRows || int(b.Row) != rows || len(b.Cols) != 0 {
			t.Errorf("batch of %d rows at %d", b.Len, b.Row)
		}
		rows += b.Len
	})
	if err != nil || rows != 10_000 || most.Load() != 0 {
		t.Errorf("%d rows, error %v, %d opened", rows, err, most.Load())
	}
}

// TestNoRows scans files without rows and without row groups.
func TestNoRows(t *testing.T) {
	for _, file := range [][]byte{testFile(0, ints(0)), noGroups()} {
		got, err := show(t, file, 10)
		if got != "" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}

func noGroups() []byte {
	w := &thriftWriter{}
	w.begin()
	w.oneColumn(ints(0))
	w.i64(3, 0)
	w.list(4, thriftStruct, 0)
	w.end()
	return withFooter([]byte(magic), w.b)
}

// large writes a file of one column in one row group of many pages.
func large(pages int) []byte {
	body := make([]byte, 8*1024)
	c := ints(int64(pages) * 1024)
	for range pages {
		c.pages = append(c.pages, data(1024, body))
	}
	return testFile(c.values, c)
}

// TestMemoryOfLargeRowGroups reads a row group in a fraction of its size.
func TestMemoryOfLargeRowGroups(t *testing.T) {
	f := mustFooter(t, bytesFile(large(4096)))
	budget := memory.NewBudget(3 << 20)
	rows := 0
	if err := scanAll(f, []int{0}, ScanOptions{Budget: budget}, func(b *vector.Batch) { rows += b.Len }); err != nil {
		t.Fatal(err)
	}
	if rows != 4096*1024 || budget.Used() != 0 {
		t.Errorf("%d rows, %d bytes not given back", rows, budget.Used())
	}
}

// TestBudget refuses what does not fit, with the place: large pages, and small
// ones that become large.
func TestBudget(t *testing.T) {
	const n = 8000
	mixed := texts(n, dictionary(1, strs(strings.Repeat("x", 5000))), coded(n-1, join(prefixed(levels(n-1, 1)), codes(n-1, 0))),
		data(1, join(prefixed(levels(1, 1)), strs("y"))))
	for name, tt := range map[string]struct {
		file         []byte
		enough, less int64
		size         int64
	}{
		"pages":      {large(300), 200 << 10, 16 << 10, 300 * 8192},
		"prefixes":   {testFile(n, growing(n)), 200 << 20, 8 << 20, n * (n + 1) / 2},
		"dictionary": {testFile(n, mixed), 200 << 20, 8 << 20, 5000*(n-1) + 1},
	} {
		f := mustFooter(t, bytesFile(tt.file))
		var size int64
		budget := memory.NewBudget(tt.enough)
		err := scanAll(f, []int{0}, ScanOptions{Budget: budget}, func(b *vector.Batch) { size += int64(len(b.Cols[0].Data)) })
		if err != nil || size != tt.size || budget.Used() != 0 {
			t.Errorf("%s: %d bytes, want %d; %v; %d bytes not given back", name, size, tt.size, err, budget.Used())
		}
		budget = memory.NewBudget(tt.less)
		err = scanAll(f, []int{0}, ScanOptions{Budget: budget}, func(*vector.Batch) {})
		if !errors.Is(err, memory.ErrLimit) || !strings.Contains(err.Error(), `memory: row group 0, column "x"`) || budget.Used() != 0 {
			t.Errorf("%s: %v; %d bytes not given back", name, err, budget.Used())
		}
	}
}

// growing is a page of the strings a, aa, aaa and so on, each the one before
// it and one byte.
func growing(n int) testChunk {
	block := []byte{128, 1, 4}
	blocks := func(delta byte) []byte { return bytes.Repeat([]byte{delta << 1, 0, 0, 0, 0}, (n+126)/128) }
	count := binary.AppendUvarint(nil, uint64(n))
	body := join(block, count, []byte{0}, blocks(1), block, count, []byte{2}, blocks(0), bytes.Repeat([]byte{'a'}, n))
	return testChunk{name: "x", physical: physicalByteArray, values: int64(n),
		pages: []testPage{{values: n, encoding: encodingDeltaByteArray, body: body}}}
}

// TestCancel stops within a batch, and stays stopped.
func TestCancel(t *testing.T) {
	f := mustFooter(t, bytesFile(large(4)))
	s, err := NewScan([]*File{f}, [][]int{{0}}, []string{"x"}, ScanOptions{BatchRows: 10})
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	if _, err := st.Next(ctx); err != nil {
		t.Fatal(err)
	}
	cancel(cause)
	for range 2 {
		if b, err := st.Next(ctx); !errors.Is(err, cause) || b != nil {
			t.Errorf("%v, %v", b, err)
		}
	}
}

// TestChangedFile notices a file that is not the one whose footer was read.
func TestChangedFile(t *testing.T) {
	f := mustFooter(t, bytesFile(large(1)))
	f.in = bytesFile(large(2))
	err := scanAll(f, []int{0}, ScanOptions{}, func(*vector.Batch) {})
	if !errors.As(err, new(*CorruptError)) || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
}

// TestNoGarbage makes sure that batches cost no allocation once the buffers
// are there.
func TestNoGarbage(t *testing.T) {
	body := make([]byte, 8*4096)
	levels := prefixed(levels(4096, 1))
	var plain, dict, text testChunk
	plain, dict, text = ints(0), ints(0, dictionary(2, int64s(7, 8))), texts(0)
	plain.name, dict.name = "plain", "dict"
	for range 200 {
		plain.pages = append(plain.pages, data(4096, body))
		dict.pages = append(dict.pages, coded(4096, codes(4096, 1)))
		text.pages = append(text.pages, data(4096, join(levels, make([]byte, 4*4096))))
	}
	plain.values, dict.values, text.values = 200*4096, 200*4096, 200*4096
	f := mustFooter(t, bytesFile(testFile(200*4096, plain, dict, text)))
	s, err := NewScan([]*File{f}, [][]int{{0, 1, 2}}, []string{"a", "b", "c"}, ScanOptions{BatchRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	next := func() {
		if _, err := st.Next(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		next()
	}
	if n := testing.AllocsPerRun(300, next); n > 0 {
		t.Errorf("%v allocations per batch", n)
	}
}

// TestForms checks in what form rows come: as a view, coded, constant.
func TestForms(t *testing.T) {
	for _, tt := range []struct {
		chunk testChunk
		want  string
	}{
		{ints(2, data(2, int64s(1, 2))), "int64[2]"},
		{ints(2, dictionary(2, int64s(7, 8)), coded(2, codes(2, 1))), "int64[2] of 2"},
		{ints(2, dictionary(2, int64s(7, 8)), coded(1, codes(1, 1)), coded(1, codes(1, 0))), "int64[2] of 2"},
		{ints(2, dictionary(2, int64s(7, 8)), coded(1, codes(1, 1)), data(1, int64s(1))), "int64[2]"},
		{texts(2, data(2, prefixed(levels(2, 0)))), "binary[2] constant"},
		{texts(2, dictionary(1, strs("a")), data(1, prefixed(levels(1, 0))), coded(1, join(prefixed(levels(1, 1)), codes(1, 0)))), "binary[2] of 1"},
	} {
		f := mustFooter(t, bytesFile(testFile(2, tt.chunk)))
		ids := map[uint64]bool{}
		for range 2 {
			err := scanAll(f, []int{0}, ScanOptions{}, func(b *vector.Batch) {
				v := b.Cols[0]
				if v.String() != tt.want {
					t.Errorf("%s, want %s", v, tt.want)
				}
				if v.Codes != nil && (v.Dict.ID == 0 || ids[v.Dict.ID]) {
					t.Errorf("%s: dictionary has the identity %d", v, v.Dict.ID)
				} else if v.Codes != nil {
					ids[v.Dict.ID] = true
				}
			})
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestRowsOfLongValues bounds batches by bytes.
func TestRowsOfLongValues(t *testing.T) {
	long := strings.Repeat("x", batchBytes/4)
	c := texts(10)
	for range 10 {
		c.pages = append(c.pages, data(1, join(prefixed(levels(1, 1)), strs(long))))
	}
	f := mustFooter(t, bytesFile(testFile(10, c)))
	most, rows := 0, 0
	err := scanAll(f, []int{0}, ScanOptions{}, func(b *vector.Batch) { most, rows = max(most, b.Len), rows+b.Len })
	if err != nil || most != 3 || rows != 10 {
		t.Errorf("%d rows in batches of up to %d, error %v", rows, most, err)
	}
}

// TestTypesPerFile reads a column whose files store it in different ways.
func TestTypesPerFile(t *testing.T) {
	optional := ints(1, data(1, join(prefixed(levels(1, 1)), int64s(2))))
	optional.optional = true
	decimal := func(physical, length int, body []byte) testChunk {
		return testChunk{name: "x", physical: physical, length: length, values: 1, pages: []testPage{data(1, body)},
			logical: func(w *thriftWriter) {
				w.i32(6, 5)
				w.i32(7, 1)
				w.i32(8, 9)
			}}
	}
	for _, chunks := range [][]testChunk{
		{ints(1, data(1, int64s(1))), optional, ints(1, dictionary(1, int64s(3)), coded(1, codes(1, 0)))},
		{decimal(physicalInt32, 0, []byte{10, 0, 0, 0}), decimal(physicalInt64, 0, int64s(20)),
			decimal(physicalFixed, 3, []byte{0, 0, 30}), decimal(physicalByteArray, 0, strs("\x28"))},
	} {
		var files []*File
		var cols [][]int
		for _, c := range chunks {
			files, cols = append(files, mustFooter(t, bytesFile(testFile(1, c)))), append(cols, []int{0})
		}
		budget := memory.NewBudget(0)
		s, err := NewScan(files, cols, []string{"x"}, ScanOptions{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := drain(s, 1, func(b *vector.Batch) {
			got = append(got, strings.TrimSuffix(text(b.Cols[0].Type, string(b.Cols[0].Bytes(0))), ".0"))
		}); err != nil {
			t.Fatal(err)
		}
		if want := "1 2 3 4"; !strings.HasPrefix(want, strings.Join(got, " ")) || len(got) != len(chunks) || budget.Used() != 0 {
			t.Errorf("%s; %d bytes not given back", got, budget.Used())
		}
	}
}

var _ operators.Source = (*Scan)(nil)

// failing is an Input that cannot be opened.
type failing struct{ bytesFile }

func (failing) Open(context.Context) (ReaderAt, error) { return nil, io.ErrClosedPipe }

// TestOpenErrors wraps the errors of Open.
func TestOpenErrors(t *testing.T) {
	if _, err := ReadFooter(context.Background(), failing{}); !errors.Is(err, io.ErrClosedPipe) || typed(err) {
		t.Error(err)
	}
	f := mustFooter(t, bytesFile(large(1)))
	f.in = failing{}
	if err := scanAll(f, []int{0}, ScanOptions{}, func(*vector.Batch) {}); !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(fmt.Sprint(err), "memory") {
		t.Error(err)
	}
}

// TestClosedStreamKeepsNothing has a batch whose vectors somebody still points to.
func TestClosedStreamKeepsNothing(t *testing.T) {
	s, err := NewScan([]*File{mustFooter(t, bytesFile(large(4)))}, [][]int{{0}}, []string{"x"}, ScanOptions{BatchRows: 10})
	if err != nil {
		t.Fatal(err)
	}
	st, err := s.Stream()
	if err != nil {
		t.Fatal(err)
	}
	b, err := st.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	v := b.Cols[0]
	if len(v.Data) == 0 {
		t.Fatal("a vector without data")
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if v.Data != nil || v.Dict != nil {
		t.Error("it keeps the reader's memory")
	}
}
