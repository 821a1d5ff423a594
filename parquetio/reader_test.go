package parquetio

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"github.com/colagg/colagg/vector"
)

// diskFile is an Input that is a file on disk.
type diskFile string

func (d diskFile) Name() string { return string(d) }

func (d diskFile) Open(context.Context) (ReaderAt, error) {
	f, err := os.Open(string(d))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &diskReader{f, info.Size()}, nil
}

type diskReader struct {
	*os.File
	size int64
}

func (d *diskReader) Size() int64 { return d.size }

// bytesFile is an Input in memory.
type bytesFile []byte

func (bytesFile) Name() string { return "memory" }

func (b bytesFile) Open(context.Context) (ReaderAt, error) {
	return bytesReader{bytes.NewReader(b)}, nil
}

type bytesReader struct{ *bytes.Reader }

func (bytesReader) Close() error { return nil }

// scanAll reads leaves of one file with one stream and calls visit for each
// batch.
func scanAll(f *File, leaves []int, opt ScanOptions, visit func(*vector.Batch)) error {
	names := make([]string, len(leaves))
	for i, l := range leaves {
		names[i] = f.Columns()[l].Name()
	}
	s, err := NewScan([]*File{f}, [][]int{leaves}, names, opt)
	if err != nil {
		return err
	}
	st, err := s.Stream()
	if err != nil {
		return err
	}
	defer st.Close()
	for {
		b, err := st.Next(context.Background())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		visit(b)
	}
}

func mustFooter(t testing.TB, in Input) *File {
	t.Helper()
	f, err := ReadFooter(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
