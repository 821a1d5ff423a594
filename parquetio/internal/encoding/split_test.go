package encoding

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestByteStreamSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for _, width := range []int{1, 2, 3, 4, 5, 8, 12, 16, 17} {
		for range 100 {
			testSplit(t, noise(rng.IntN(500)*width), width, rng.Uint64())
		}
	}
	var p ByteStreamSplit
	if p.Reset(make([]byte, 7), 4) == nil || p.Reset(nil, 0) == nil {
		t.Error("no error for a length that is not a multiple of the width")
	}
	if err := p.Reset(make([]byte, 8), 4); err != nil {
		t.Fatal(err)
	}
	if p.Decode(make([]byte, 12)) == nil || p.Skip(3) == nil {
		t.Error("no error for more values than there are")
	}
	if err := p.Decode(make([]byte, 8)); err != nil || p.Len() != 0 {
		t.Error(err)
	}
}

// testSplit decodes all values in steps.
func testSplit(t *testing.T, data []byte, width int, seed uint64) {
	t.Helper()
	n := len(data) / width
	want := make([]byte, len(data))
	for i := range n {
		for s := range width {
			want[i*width+s] = data[s*n+i]
		}
	}
	var p ByteStreamSplit
	if err := p.Reset(slices.Clip(data), width); err != nil {
		t.Fatal(err)
	}
	err := inSteps(n, seed, func(from, k int) error {
		got := make([]byte, k*width)
		if err := p.Decode(got); err != nil {
			return err
		}
		if !bytes.Equal(got, want[from*width:(from+k)*width]) {
			t.Fatalf("width %d: values %d to %d of %d are wrong", width, from, from+k, n)
		}
		return nil
	}, func(_, k int) error { return p.Skip(k) })
	if err != nil {
		t.Fatal(err)
	}
}
