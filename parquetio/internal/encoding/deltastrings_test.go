package encoding

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDeltaLengthStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 100 {
		values := randomStrings(rng, rng.IntN(1000), rng.IntN(40))
		testStrings(t, &DeltaLengthStrings{}, encodeDeltaLength(rng, values), len(values), values, true, rng.Uint64())
	}
	lengths := func(n ...int64) []byte { return encodeDelta(rng, n, 32, 128, 4) }
	for _, c := range []struct {
		data  []byte
		fault string
	}{
		{append(lengths(2, 3), "abcd"...), "strings of 5 bytes"},
		{append(lengths(2, -1), "abcd"...), "negative length"},
		{lengths(2)[:3], "variable-length number"},
		{append(lengths(3), "abcd"...), "2 more values"},
		{nil, "2 more values"},
	} {
		var p DeltaLengthStrings
		var s Strings
		err := p.Reset(c.data)
		if err == nil {
			err = p.Decode(&s, 2)
		}
		if err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("error %v, want %q", err, c.fault)
		}
	}
}

func TestDeltaStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for range 100 {
		values := randomStrings(rng, rng.IntN(1000), rng.IntN(40))
		if rng.IntN(2) == 0 {
			slices.SortFunc(values, bytes.Compare)
		}
		testStrings(t, &DeltaStrings{}, encodeDeltaStrings(rng, values), len(values), values, true, rng.Uint64())
	}
	page := func(prefixes, lengths []int64, bodies string) []byte {
		return append(append(encodeDelta(rng, prefixes, 32, 128, 4), encodeDelta(rng, lengths, 32, 128, 4)...), bodies...)
	}
	for _, c := range []struct {
		data  []byte
		fault string
	}{
		{page([]int64{0, 3}, []int64{2, 0}, "ab"), "prefix of 3 bytes"},
		{page([]int64{1, 0}, []int64{2, 0}, "ab"), "prefix of 1 bytes before byte"},
		{page([]int64{0, -1}, []int64{2, 0}, "ab"), "prefix of -1 bytes"},
		{page([]int64{0, 1}, []int64{2, 1}, "ab"), "strings of 3 bytes"},
		{page([]int64{0, 1}, []int64{2}, "ab"), "2 more values"},
		{page([]int64{0}, []int64{2}, "ab"), "2 more values"},
		{encodeDelta(rng, []int64{0, 1}, 32, 128, 4), "2 more values"},
		{encodeDelta(rng, []int64{0, 0, 9}, 32, 128, 4)[:11], "2 more values"},
	} {
		var p DeltaStrings
		var s Strings
		err := p.Reset(c.data)
		if err == nil {
			err = p.Decode(&s, 2)
		}
		if err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("error %v, want %q", err, c.fault)
		}
	}
}

func TestDeltaStringsFixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 300 {
		n, width := rng.IntN(1000), 1+rng.IntN(40)
		values := make([][]byte, n)
		for i := range values {
			values[i] = noise(width + i%3)[:width]
		}
		data := encodeDeltaStrings(rng, values)
		want := slices.Concat(values...)
		testFixed(t, data, width, n, want, true, rng.Uint64())
	}
	values := [][]byte{[]byte("abc"), []byte("ab")}
	var p DeltaStrings
	if err := p.Reset(encodeDeltaStrings(rng, values)); err != nil {
		t.Fatal(err)
	}
	if err := p.DecodeFixed(make([]byte, 6), 3); err == nil || !strings.Contains(err.Error(), "string of 2 bytes") {
		t.Error(err)
	}
}

// testFixed decodes n values of width bytes in steps.
func testFixed(t *testing.T, data []byte, width, n int, want []byte, ok bool, seed uint64) {
	t.Helper()
	var p DeltaStrings
	err := p.Reset(slices.Clip(data))
	if err == nil {
		err = inSteps(n, seed, func(from, k int) error {
			got := make([]byte, k*width)
			if err := p.DecodeFixed(got, width); err != nil {
				return err
			}
			if ok && !bytes.Equal(got, want[from*width:(from+k)*width]) {
				t.Fatalf("values %d to %d are wrong", from, from+k)
			}
			return nil
		}, func(_, k int) error { return p.Skip(k) })
	}
	if ok || n == 0 {
		check(t, err, ok)
	}
}
