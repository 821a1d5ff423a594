package parquetio

import (
	"context"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/colagg/colagg/vector"
)

// BenchmarkScan reads all columns of the file that COLAGG_BENCH_FILE names
// with two streams.
func BenchmarkScan(b *testing.B) {
	path := os.Getenv("COLAGG_BENCH_FILE")
	if path == "" {
		b.Skip("COLAGG_BENCH_FILE is not set")
	}
	f := mustFooter(b, diskFile(path))
	cols, names := allReadable(f)
	b.ReportAllocs()
	for b.Loop() {
		s, err := NewScan([]*File{f}, [][]int{cols}, names, ScanOptions{Workers: 2})
		if err != nil {
			b.Fatal(err)
		}
		if err := drain(s, 2, func(*vector.Batch) {}); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(s.Bytes())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(f.NumRows())/float64(len(cols)), "ns/value")
}

// allReadable lists the columns that can be read.
func allReadable(f *File) (leaves []int, names []string) {
	for i, c := range f.Columns() {
		if c.Type != nil && !c.Repeated {
			leaves, names = append(leaves, i), append(names, c.Name())
		}
	}
	return leaves, names
}

// drain reads s with several streams at once; visit is called by all of them.
func drain(s *Scan, streams int, visit func(*vector.Batch)) error {
	errs := make([]error, streams)
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			st, err := s.Stream()
			if err != nil {
				errs[i] = err
				return
			}
			defer st.Close()
			for {
				b, err := st.Next(context.Background())
				if err == io.EOF {
					return
				}
				if err != nil {
					errs[i] = err
					return
				}
				visit(b)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
