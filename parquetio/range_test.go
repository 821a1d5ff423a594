package parquetio

import (
	"math"
	"testing"
)

// stats writes statistics: the old fields, then the new ones; nil leaves one
// out.
func stats(oldMin, oldMax, minimum, maximum []byte, nulls int64) func(*thriftWriter) {
	return func(w *thriftWriter) {
		w.structure(12)
		for id, b := range [][]byte{1: oldMax, 2: oldMin} {
			if b != nil {
				w.text(int16(id), string(b))
			}
		}
		if nulls != -1 {
			w.i64(3, nulls)
		}
		for i, b := range [][]byte{maximum, minimum} {
			if b != nil {
				w.text(int16(5+i), string(b))
			}
		}
		w.end()
	}
}

// TestRange takes hints from statistics that can be meant, and only those.
func TestRange(t *testing.T) {
	unsigned := func(w *thriftWriter) { w.i32(6, 14) }
	v := func(x int64) []byte { return int64s(x) }
	for _, tt := range []struct {
		name   string
		meta   func(*thriftWriter)
		logic  func(*thriftWriter)
		lo, hi int64
		ok     bool
	}{
		{"none", nil, nil, 0, 0, false},
		{"new", stats(nil, nil, v(-3), v(5), 0), nil, -3, 5, true},
		{"old", stats(v(-3), v(5), nil, nil, -1), nil, -3, 5, true},
		{"both", stats(v(1), v(2), v(-3), v(5), 0), nil, -3, 5, true},
		{"turned", stats(nil, nil, v(5), v(-3), 0), nil, 0, 0, false},
		{"half", stats(nil, nil, v(5), nil, 0), nil, 0, 0, false},
		{"short", stats(nil, nil, v(5)[:4], v(9)[:4], 0), nil, 0, 0, false},
		{"all null", stats(nil, nil, nil, nil, 1), nil, 0, 0, false},
		{"negative nulls", stats(nil, nil, v(1), v(2), -2), nil, 0, 0, false},
		{"unsigned", stats(nil, nil, v(1), v(2), 0), unsigned, 1, 2, true},
		{"unsigned, old", stats(v(1), v(2), nil, nil, 0), unsigned, 0, 0, false},
		{"unsigned, large", stats(nil, nil, v(1), v(-1), 0), unsigned, 0, 0, false},
		{"whole", stats(nil, nil, v(math.MinInt64), v(math.MaxInt64), 0), nil, math.MinInt64, math.MaxInt64, true},
	} {
		c := ints(1, data(1, v(1)))
		c.meta, c.logical = tt.meta, tt.logic
		f := mustFooter(t, bytesFile(testFile(1, c)))
		s, err := NewScan([]*File{f, f}, [][]int{{0}, {0}}, []string{"x"}, ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi, ok := s.Range(0); lo != tt.lo || hi != tt.hi || ok != tt.ok {
			t.Errorf("%s: %d to %d, %v; want %d to %d, %v", tt.name, lo, hi, ok, tt.lo, tt.hi, tt.ok)
		}
	}
}

// TestRangeOfFiles joins the ranges of files, and has none for types that are
// no integers.
func TestRangeOfFiles(t *testing.T) {
	file := func(lo, hi int64) *File {
		c := ints(1, data(1, int64s(lo)))
		c.meta = stats(nil, nil, int64s(lo), int64s(hi), 0)
		return mustFooter(t, bytesFile(testFile(1, c)))
	}
	s, err := NewScan([]*File{file(5, 6), file(-1, 3)}, [][]int{{0}, {0}}, []string{"x"}, ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi, ok := s.Range(0); lo != -1 || hi != 6 || !ok {
		t.Errorf("%d to %d, %v", lo, hi, ok)
	}
	c := testChunk{name: "x", physical: physicalDouble, values: 1, pages: []testPage{data(1, int64s(0))}}
	c.meta = stats(nil, nil, int64s(0), int64s(0), 0)
	f := mustFooter(t, bytesFile(testFile(1, c)))
	s, err = NewScan([]*File{f}, [][]int{{0}}, []string{"x"}, ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := s.Range(0); ok {
		t.Error("a range of a double")
	}
}
