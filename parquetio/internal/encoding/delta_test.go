package encoding

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDeltaVectors(t *testing.T) {
	for _, c := range []struct {
		name  string
		data  []byte
		n     int
		want  []int64
		fault string
	}{
		// Example 1 of the format's description: 1, 2, 3, 4, 5.
		{"steps of one", []byte{128, 1, 4, 5, 2, 2, 0, 0, 0, 0}, 5, []int64{1, 2, 3, 4, 5}, ""},
		// Example 2: 7, 5, 3, 1, 2, 3, 4, 5; only the first miniblock has a body.
		{"two bits", []byte{128, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0}, 8, []int64{7, 5, 3, 1, 2, 3, 4, 5}, ""},
		{"body cut after the last value", []byte{128, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0, 0x3F}, 8, []int64{7, 5, 3, 1, 2, 3, 4, 5}, ""},
		{"unneeded widths", []byte{128, 1, 4, 5, 2, 2, 0, 99, 200, 255}, 5, []int64{1, 2, 3, 4, 5}, ""},
		{"one value, no block", []byte{128, 1, 4, 1, 2}, 1, []int64{1}, ""},
		{"no values", []byte{128, 1, 4, 0, 0}, 0, []int64{}, ""},
		{"no bytes", nil, 0, []int64{}, ""},
		{"miniblocks of 8", []byte{128, 1, 16, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 2, []int64{1, 2}, ""},
		{"too many asked for", []byte{128, 1, 4, 5, 2, 2, 0, 0, 0, 0}, 6, nil, "6 more values of a delta page that has 5 left"},
		{"body too short", []byte{128, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xC0}, 8, nil, "miniblock at byte 10 is cut short"},
		{"widths missing", []byte{128, 1, 4, 5, 2, 2, 0, 0, 0}, 5, nil, "block at byte 5 is cut short"},
		{"block missing", []byte{128, 1, 4, 5, 2}, 5, nil, "number at byte 5"},
		{"65 bits", []byte{128, 1, 4, 5, 2, 2, 65, 0, 0, 0}, 5, nil, "65 bits"},
		{"block of 0", []byte{0, 4, 5, 2, 2, 0, 0, 0, 0}, 5, nil, "blocks of 0 values"},
		{"block of 100", []byte{100, 4, 5, 2, 2, 0, 0, 0, 0}, 5, nil, "blocks of 100 values"},
		{"block of 128 KiB", []byte{0x80, 0x80, 8, 4, 5, 2, 2, 0, 0, 0, 0}, 5, nil, "blocks of 131072 values"},
		{"no miniblocks", []byte{128, 1, 0, 5, 2, 2, 0, 0, 0, 0}, 5, nil, "in 0 miniblocks"},
		{"3 miniblocks", []byte{128, 1, 3, 5, 2, 2, 0, 0, 0, 0}, 5, nil, "in 3 miniblocks"},
		{"miniblocks of 4", []byte{128, 1, 32, 5, 2, 2, 0, 0, 0, 0}, 5, nil, "in 32 miniblocks"},
		{"count of 2^40", []byte{128, 1, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 2}, 1, nil, "values"},
		{"header cut short", []byte{128, 1, 4, 5}, 1, nil, "number at byte 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d Delta[int64]
			got := make([]int64, c.n)
			err := d.Reset(c.data)
			if err == nil {
				err = d.Decode(got)
			}
			if c.want == nil {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("got %v and error %v, want one with %q", got, err, c.fault)
				}
			} else if err != nil || !slices.Equal(got, c.want) {
				t.Fatalf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestDeltaRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	for i := range 150 {
		size := 32 << (i % 2)
		values := make([]int64, rng.IntN(3000))
		spread := rng.IntN(size)
		for i := range values {
			switch rng.IntN(200) {
			case 0:
				values[i] = wrap(math.MaxInt64, size)
			case 1:
				values[i] = wrap(math.MinInt64, size)
			default:
				values[i] = wrap(rng.Int64()>>(63-spread), size)
			}
		}
		block := 128 << rng.IntN(4)
		data := encodeDelta(rng, values, size, block, 1<<rng.IntN(5))
		if got, _, ok := refDelta(data, size, len(values)); !ok || !slices.Equal(got, values) {
			t.Fatal("the reference is wrong")
		}
		testDelta(t, data, size, len(values), rng.Uint64())
	}
}

func testDelta(t *testing.T, data []byte, size, n int, seed uint64) {
	t.Helper()
	if size == 32 {
		testDeltaOf[int32](t, data, size, n, seed)
	} else {
		testDeltaOf[int64](t, data, size, n, seed)
	}
}

// testDeltaOf decodes n values at once and in steps, and compares both with
// the reference.
func testDeltaOf[T int32 | int64](t *testing.T, data []byte, size, n int, seed uint64) {
	t.Helper()
	data = slices.Clip(data)
	wide, _, ok := refDelta(data, size, n)
	want := make([]T, len(wide))
	for i, v := range wide {
		want[i] = T(v)
	}
	var d Delta[T]
	err := d.Reset(data)
	got := make([]T, n)
	if err == nil {
		err = d.Decode(got)
	}
	check(t, err, ok)
	if ok && !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if d.Reset(data) != nil {
		return
	}
	err = inSteps(n, seed, func(from, k int) error {
		part := got[from : from+k]
		clear(part)
		if err := d.Decode(part); err != nil {
			return err
		}
		if ok && !slices.Equal(part, want[from:from+k]) {
			t.Fatalf("values %d to %d are %v, want %v", from, from+k, part, want[from:from+k])
		}
		return nil
	}, func(_, k int) error { return d.Skip(k) })
	check(t, err, ok)
}
