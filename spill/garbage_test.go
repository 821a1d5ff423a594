//go:build !race

package spill

import (
	"context"
	"runtime"
	"testing"
)

// allocated returns the bytes that a call of f allocates, on average.
func allocated(f func()) uint64 {
	const rounds = 200
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / rounds
}

// TestGarbage bounds what writing and reading leave to the collector: little
// beside the data, of which nothing is allocated anew. (The race detector makes
// pools forget.)
func TestGarbage(t *testing.T) {
	const most = 16 << 10
	tab := numbers(2730) // 64 KiB
	d := Open(Config{Dirs: []string{t.TempDir()}})
	defer func() { _ = d.Close() }()
	f := d.File()
	var extents []Extent
	if n := allocated(func() {
		e, err := f.Append(tab.schema, tab.batches...)
		if err != nil {
			t.Fatal(err)
		}
		extents = append(extents, e)
	}); n > most {
		t.Errorf("%d bytes are allocated for writing 64 KiB", n)
	}
	r := d.Reader(tab.schema, extents)
	if n := allocated(func() {
		if _, err := r.Next(context.Background()); err != nil {
			t.Fatal(err)
		}
	}); n > most {
		t.Errorf("%d bytes are allocated for reading 64 KiB", n)
	}
	_ = r.Close()
}
