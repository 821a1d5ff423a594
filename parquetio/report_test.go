package parquetio

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colagg/colagg/vector"
)

// tapped counts the bytes that are fetched of an Input.
type tapped struct {
	Input
	bytes *atomic.Int64
}

func (t tapped) Open(ctx context.Context) (ReaderAt, error) {
	r, err := t.Input.Open(ctx)
	return tappedReader{r, t.bytes}, err
}

type tappedReader struct {
	ReaderAt
	bytes *atomic.Int64
}

func (t tappedReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(p, off)
	t.bytes.Add(int64(n))
	return n, err
}

// TestReport splits a row group of ten pages into five morsels: each reads the
// dictionary again and steps over the pages before its own two.
func TestReport(t *testing.T) {
	plain := ints(100)
	text := texts(100, dictionary(2, strs("a", "b")))
	text.name = "y"
	for range 10 {
		plain.pages = append(plain.pages, data(10, int64s(make([]int64, 10)...)))
		text.pages = append(text.pages, coded(10, join(prefixed(levels(10, 1)), codes(10, 1))))
	}
	var fetched atomic.Int64
	f := mustFooter(t, tapped{bytesFile(testFile(100, plain, text)), &fetched})
	fetched.Store(0)
	s, err := newScan([]*File{f}, [][]int{{0, 1}}, []string{"x", "y"}, ScanOptions{BatchRows: 7, Workers: 2}, 20)
	if err != nil {
		t.Fatal(err)
	}
	before := s.Report()
	if before.Files != 1 || before.RowGroups != 1 || before.Morsels != 5 || before.RowGroupsRead != 0 || before.MorselsRead != 0 {
		t.Errorf("before: %+v", before)
	}
	start := time.Now()
	var mu sync.Mutex
	rows := 0
	err = drain(s, 2, func(b *vector.Batch) {
		mu.Lock()
		rows += b.Len
		mu.Unlock()
	})
	spent := 2 * time.Since(start)
	r := s.Report()
	if err != nil || rows != 100 || r.RowGroupsRead != 1 || r.MorselsRead != 5 {
		t.Fatalf("%d rows, %v, %+v", rows, err, r)
	}
	var bytes, chunks int64
	for k, c := range r.Columns {
		if c.Rows != 100 || c.Pages != 10 || c.PagesSkipped != 20 || c.Dictionaries != int64(5*k) {
			t.Errorf("column %d: %+v", k, c)
		}
		body := len(plain.pages[0].body)
		if k == 1 {
			body = len(text.pages[1].body)
		}
		if c.BytesSkipped != 20*int64(body) || c.ChunkBytes != before.Columns[k].ChunkBytes || c.BytesRead < c.ChunkBytes {
			t.Errorf("column %d: %+v", k, c)
		}
		all := c.Read + c.Decompress + c.Decode
		if c.Read <= 0 || c.Decode <= 0 || c.Decompress != 0 || all > spent {
			t.Errorf("column %d took %v in %v: %+v", k, all, spent, c)
		}
		bytes += c.BytesRead
		chunks += c.ChunkBytes
	}
	if bytes != fetched.Load() || chunks != s.Bytes() {
		t.Errorf("columns say %d bytes, %d were fetched; chunks of %d, the scan has %d", bytes, fetched.Load(), chunks, s.Bytes())
	}
}

// TestReportOfCodecs reads every column of the matrix's files.
func TestReportOfCodecs(t *testing.T) {
	for _, file := range matrixFiles(t) {
		f := mustFooter(t, diskFile(file))
		leaves, names := allReadable(f)
		s, err := NewScan([]*File{f}, [][]int{leaves}, names, ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := drain(s, 1, func(*vector.Batch) {}); err != nil {
			t.Fatal(err)
		}
		for k, c := range s.Report().Columns {
			packed := len(c.Codecs) == 1 && c.Codecs[0] != "UNCOMPRESSED" && c.Pages > 0
			if c.Rows != f.NumRows() || c.BytesRead == 0 || c.Pages == 0 && c.PagesSkipped == 0 || c.Decode <= 0 {
				t.Errorf("%s, %s: %+v", file, names[k], c)
			}
			if !packed && c.Decompress != 0 || len(c.Encodings) == 0 {
				t.Errorf("%s, %s: %+v", file, names[k], c)
			}
		}
	}
}
