package encoding

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
)

func TestLevelVectors(t *testing.T) {
	for _, c := range []struct {
		name  string
		data  []byte
		max   int
		want  string // one character for each row
		fault string
	}{
		{"all valid", []byte{20, 1}, 1, "1111111111", ""},
		{"all null", []byte{6, 0}, 1, "000", ""},
		{"packed", []byte{3, 0b11001101}, 1, "10110011", ""},
		{"packed then repeated", []byte{3, 0b11001101, 6, 1, 4, 0}, 1, "1011001111100", ""},
		{"nested", []byte{3, 0b00_01_10_11, 0b10_10_00_11}, 2, "", "definition level 3"},
		{"nested, good", []byte{3, 0b00_01_10_01, 0b10_10_00_00, 4, 2, 2, 1}, 2, "01000011110", ""},
		{"repeated too high", []byte{4, 3}, 2, "", "definition level 3"},
		{"repeated far too high", []byte{4, 2}, 1, "", "more than 1 bits"},
		{"no level but 0", nil, 0, "1111", ""},
		{"short", []byte{4, 1}, 1, "", "before the last value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l Levels
			n := len(c.want)
			if c.fault != "" {
				n = 8
			}
			bits := vector.NewBitmap(n + 3)
			err := l.Reset(c.data, c.max)
			var valid int
			if err == nil {
				valid, err = l.Decode(bits, 3, n)
			}
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("error %v, want one with %q", err, c.fault)
				}
				return
			}
			if err != nil || valid != strings.Count(c.want, "1") {
				t.Fatalf("%d valid, %v", valid, err)
			}
			for i := range n {
				if bits.Get(i+3) != (c.want[i] == '1') {
					t.Errorf("row %d is wrong", i)
				}
			}
		})
	}
	var l Levels
	if err := l.Reset([]byte{8, 3}, 2); err != nil || l.AllNull(4) || l.AllValid(4) {
		t.Error("a level that is too high counts as one or the other")
	}
	if l.Reset(nil, -1) == nil || l.Reset(nil, 1<<20) == nil {
		t.Error("no error for an impossible highest level")
	}
}

func TestPackedLevels(t *testing.T) {
	var l Levels
	// The example of the format's description: 0 to 7 from the highest bit on.
	rest, err := l.ResetPacked([]byte{0x05, 0x39, 0x77, 0xAA}, 7, 8)
	if err != nil || !slices.Equal(rest, []byte{0xAA}) {
		t.Fatalf("rest %x, %v", rest, err)
	}
	got := make([]uint32, 8)
	if err := l.runs.decode(got); err != nil || !slices.Equal(got, []uint32{0, 1, 2, 3, 4, 5, 6, 7}) {
		t.Fatalf("got %v, %v", got, err)
	}
	if _, err := l.ResetPacked([]byte{0x05, 0x39}, 7, 8); err == nil {
		t.Error("no error for too few bytes")
	}
	if _, err := l.ResetPacked([]byte{0x80}, 2, 4); err != nil {
		t.Error(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		max := 1 + rng.IntN(20)
		levels := runny(rng, rng.IntN(200), uint64(max+1))
		width := 0
		for 1<<width <= max {
			width++
		}
		packed := make([]byte, (len(levels)*width+7)/8)
		for i, v := range levels {
			for j := range width {
				bit := i*width + j
				packed[bit/8] |= byte(v>>(width-1-j)&1) << (7 - bit%8)
			}
		}
		if _, err := l.ResetPacked(packed, max, len(levels)); err != nil {
			t.Fatal(err)
		}
		testLevels(t, &l, levels, true, max, rng.Uint64())
	}
}

func TestLevelsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, max := range []int{1, 1, 1, 2, 3, 4, 7, 300} {
		for range 100 {
			levels := runny(rng, rng.IntN(4000), uint64(max+1))
			if rng.IntN(3) == 0 {
				for i := range levels {
					levels[i] = uint32(max)
				}
			}
			data := encodeHybrid(rng, levels, widthOf(max))
			var l Levels
			if err := l.Reset(data, max); err != nil {
				t.Fatal(err)
			}
			testLevels(t, &l, levels, true, max, rng.Uint64())
		}
	}
}

func widthOf(max int) (width int) {
	for 1<<width <= max {
		width++
	}
	return width
}

// testLevels compares l with the levels in steps of all its methods. ok says
// whether the levels are good.
func testLevels(t *testing.T, l *Levels, levels []uint32, ok bool, max int, seed uint64) {
	t.Helper()
	valid := func(from, k int) (n int) {
		for _, v := range levels[from : from+k] {
			if int(v) == max {
				n++
			}
		}
		return n
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	err := inSteps(len(levels), seed, func(from, k int) error {
		if l.AllValid(k) {
			if ok && valid(from, k) != k {
				t.Fatalf("rows %d to %d are not all valid", from, from+k)
			}
			return nil
		}
		if ok && valid(from, k) == k {
			t.Fatalf("rows %d to %d are all valid", from, from+k)
		}
		if null := l.AllNull(k); null {
			if ok && valid(from, k) > 0 {
				t.Fatalf("rows %d to %d are not all null", from, from+k)
			}
			return nil
		} else if ok && valid(from, k) == 0 {
			t.Fatalf("rows %d to %d are all null", from, from+k)
		}
		return testDecodeLevels(t, l, levels[from:from+k], ok, max, rng.IntN(20))
	}, func(from, k int) error {
		n, err := l.Skip(k)
		if ok && err == nil && n != valid(from, k) {
			t.Fatalf("%d valid of rows %d to %d, want %d", n, from, from+k, valid(from, k))
		}
		return err
	})
	check(t, err, ok)
}

func testDecodeLevels(t *testing.T, l *Levels, levels []uint32, ok bool, max, at int) error {
	t.Helper()
	bits := vector.Bitmap(noise(at/8 + len(levels)/8 + 3))
	before := slices.Clone(bits)
	n, err := l.Decode(bits, at, len(levels))
	if err != nil || !ok {
		return err
	}
	for i := range len(bits) * 8 {
		want := before.Get(i)
		if i >= at && i < at+len(levels) {
			want = int(levels[i-at]) == max
			if want {
				n--
			}
		}
		if bits.Get(i) != want {
			t.Fatalf("bit %d is wrong, rows begin at %d", i, at)
		}
	}
	if n != 0 {
		t.Fatalf("the count of valid rows is off by %d", n)
	}
	return nil
}
