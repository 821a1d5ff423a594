package encoding

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestHybridVectors(t *testing.T) {
	for _, c := range []struct {
		name  string
		data  []byte
		width int
		n     int
		want  []uint32 // nil: an error that contains fault
		fault string
	}{
		// The bit-packed example of the format's description.
		{"packed", []byte{3, 0x88, 0xC6, 0xFA}, 3, 8, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, ""},
		{"repeated", []byte{8, 5}, 3, 4, []uint32{5, 5, 5, 5}, ""},
		{"two bytes repeated", []byte{6, 0x34, 0x12}, 13, 3, []uint32{0x1234, 0x1234, 0x1234}, ""},
		{"both", []byte{4, 1, 3, 0b10101010}, 1, 10, []uint32{1, 1, 0, 1, 0, 1, 0, 1, 0, 1}, ""},
		{"empty runs", []byte{0, 7, 1, 0, 0, 4, 2}, 3, 2, []uint32{2, 2}, ""},
		{"last group cut short", []byte{3, 0x88, 0xC6}, 3, 5, []uint32{0, 1, 2, 3, 4}, ""},
		{"cut too short", []byte{3, 0x88, 0xC6}, 3, 6, nil, "before the last value"},
		{"more groups than bytes", []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0x10}, 4, 2, []uint32{0, 1}, ""},
		{"no bits, no bytes", nil, 0, 3, []uint32{0, 0, 0}, ""},
		{"no bits repeated", []byte{4}, 0, 2, []uint32{0, 0}, ""},
		{"no bits packed", []byte{3}, 0, 8, make([]uint32, 8), ""},
		{"no bits, too few", []byte{2}, 0, 3, []uint32{0, 0, 0}, ""},
		{"no bytes", nil, 1, 1, nil, "end at byte 0"},
		{"value cut short", []byte{8, 5}, 9, 4, nil, "cut short"},
		{"value too wide", []byte{8, 9}, 3, 4, nil, "more than 3 bits"},
		{"header cut short", []byte{0x80}, 3, 1, nil, "variable-length number at byte 0"},
		{"run too long", []byte{0x80, 0x80, 0x80, 0x80, 0x10, 1}, 3, 1, nil, "run of"},
		{"width 33", []byte{8, 5}, 33, 1, nil, "bit width 33"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h Hybrid
			got := make([]uint32, c.n)
			err := h.Reset(c.data, c.width)
			if err == nil {
				err = h.Decode(got)
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

func TestHybridRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := 0; width <= 32; width++ {
		for range 10 {
			values := runny(rng, rng.IntN(5000), 1<<width)
			data := encodeHybrid(rng, values, width)
			if got, ok := refHybrid(data, width, len(values)); !ok || !slices.Equal(got, values) {
				t.Fatalf("width %d: the reference is wrong", width)
			}
			testHybrid(t, data, width, len(values), rng.Uint64())
		}
	}
}

// testHybrid decodes n values at once and in steps, and compares both with the
// reference.
func testHybrid(t *testing.T, data []byte, width, n int, seed uint64) {
	t.Helper()
	data = slices.Clip(data)
	want, ok := refHybrid(data, width, n)
	var h Hybrid
	if err := h.Reset(data, width); err != nil {
		t.Fatal(err)
	}
	got := make([]uint32, n)
	err := h.Decode(got)
	check(t, err, ok)
	if ok && !slices.Equal(got, want) {
		t.Fatalf("width %d: got %v, want %v", width, got, want)
	}
	if err := h.Reset(data, width); err != nil {
		t.Fatal(err)
	}
	err = inSteps(n, seed, func(from, k int) error {
		part := got[from : from+k]
		clear(part)
		if err := h.Decode(part); err != nil {
			return err
		}
		if ok && !slices.Equal(part, want[from:from+k]) {
			t.Fatalf("width %d: values %d to %d are %v, want %v", width, from, from+k, part, want[from:from+k])
		}
		return nil
	}, func(_, k int) error { return h.Skip(k) })
	check(t, err, ok)
}

func TestCodes(t *testing.T) {
	var h Hybrid
	got := make([]uint32, 4)
	page := []byte{3, 3, 0x88, 0xC6, 0xFA} // width 3, the values 0 to 7
	for _, c := range []struct {
		entries int
		fault   string
	}{{8, ""}, {4, ""}, {3, "value 3 of a batch has index 3 into a dictionary of 3 entries"}, {0, "index 0 into"}} {
		if err := h.ResetCodes(page); err != nil {
			t.Fatal(err)
		}
		err := h.DecodeCodes(got, c.entries)
		if c.fault == "" && (err != nil || !slices.Equal(got, []uint32{0, 1, 2, 3})) {
			t.Errorf("%d entries: got %v, %v", c.entries, got, err)
		}
		if c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%d entries: error %v, want %q", c.entries, err, c.fault)
		}
	}
	all := make([]uint32, 8)
	if err := h.ResetCodes(page); err != nil {
		t.Fatal(err)
	}
	if err := h.DecodeCodes(all, 7); err == nil {
		t.Error("no error for code 7 of 7 entries")
	}
	if err := h.ResetCodes(nil); err != nil {
		t.Error("a page without values:", err)
	}
	if h.Decode(got) == nil {
		t.Error("no error for values of a page without values")
	}
	if h.ResetCodes([]byte{40}) == nil {
		t.Error("no error for codes of 40 bits")
	}
}

func TestCheckCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		codes := make([]uint32, rng.IntN(40))
		entries := 1 + rng.IntN(1<<rng.IntN(33))
		for i := range codes {
			codes[i] = uint32(rng.IntN(entries))
		}
		if err := CheckCodes(codes, entries); err != nil {
			t.Fatal(err)
		}
		if len(codes) == 0 || entries > 1<<32-1 {
			continue
		}
		i := rng.IntN(len(codes))
		codes[i] = uint32(entries + rng.IntN(1<<32-entries))
		if CheckCodes(codes, entries) == nil {
			t.Fatalf("no error for code %d of %d entries at %d of %d", codes[i], entries, i, len(codes))
		}
		codes[i] = uint32(entries) // the nearest
		if CheckCodes(codes, entries) == nil {
			t.Fatalf("no error for code %d of %d entries at %d of %d", codes[i], entries, i, len(codes))
		}
	}
}
