package encoding

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
)

// byteDecoder is what the three decoders of byte strings have in common.
type byteDecoder interface {
	Reset(data []byte) error
	Decode(dst *Strings, n int) error
	Skip(n int) error
}

// testStrings decodes n values in steps, appending to one Strings per few
// steps, and compares with the reference's want.
func testStrings(t *testing.T, d byteDecoder, data []byte, n int, want [][]byte, ok bool, seed uint64) {
	t.Helper()
	data = slices.Clip(data)
	err := d.Reset(data)
	var s Strings
	if err == nil {
		err = d.Decode(&s, n)
	}
	check(t, err, ok)
	if ok && !sameStrings(s.values(), want) {
		t.Fatalf("got %q, want %q", s.values(), want)
	}
	if d.Reset(data) != nil {
		return
	}
	var expect [][]byte
	s = Strings{Data: []byte("before")}
	err = inSteps(n, seed, func(from, k int) error {
		if from%3 == 0 {
			s, expect = Strings{}, nil
		}
		err := d.Decode(&s, k)
		if err == nil && ok {
			if expect = append(expect, want[from:from+k]...); !sameStrings(s.values(), expect) {
				t.Fatalf("values %d to %d: got %q, want %q", from, from+k, s.values(), expect)
			}
		}
		return err
	}, func(_, k int) error { return d.Skip(k) })
	check(t, err, ok)
}

func TestPlainStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for range 300 {
		values := randomStrings(rng, rng.IntN(300), rng.IntN(40))
		testStrings(t, &PlainStrings{}, encodePlainStrings(values), len(values), values, true, rng.Uint64())
	}
	for _, c := range []struct{ data, fault string }{
		{"\x07\x00\x00\x00abcdef", "string of 7 bytes at byte 0 of 10"},
		{"\x02\x00\x00\x00abc\x00\x00", "no length of a string at byte 6 of 9"},
		{"\x02\x00\x00\x00ab\xff\xff\xff\xff", "string of 4294967295 bytes at byte 6 of 10"},
		{"", "2 more strings in 0 bytes at byte 0"},
	} {
		var p PlainStrings
		var s Strings
		_ = p.Reset([]byte(c.data))
		if err := p.Decode(&s, 2); err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q: error %v, want %q", c.data, err, c.fault)
		}
		_ = p.Reset([]byte(c.data))
		if p.Skip(2) == nil {
			t.Errorf("%q: no error from Skip", c.data)
		}
	}
}

func TestStringsLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	values := [][]byte{[]byte("hello"), []byte("hell"), []byte("help")}
	for name, d := range map[string]struct {
		byteDecoder
		page []byte
	}{
		"plain":        {&PlainStrings{}, encodePlainStrings(values)},
		"delta length": {&DeltaLengthStrings{}, encodeDeltaLength(rng, values)},
		"delta":        {&DeltaStrings{}, encodeDeltaStrings(rng, values)},
	} {
		for limit, fits := range map[int]bool{12: false, 15: true, 14: false, 0: true} {
			if err := d.Reset(d.page); err != nil {
				t.Fatal(name, err)
			}
			s := Strings{Offsets: []int32{0, 2}, Data: []byte("xx"), Limit: limit}
			err := d.Decode(&s, 3)
			if fits && (err != nil || string(s.Data) != "xxhellohellhelp") {
				t.Errorf("%s, limit %d: %q, %v", name, limit, s.Data, err)
			}
			if !fits && !errors.Is(err, vector.ErrTooLong) {
				t.Errorf("%s, limit %d: %v", name, limit, err)
			}
		}
	}
}

// A page of some hundred bytes that stands for 16 GiB of strings.
func TestDeltaStringsBlowUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	const n, long = 1 << 14, 1 << 20
	prefixes, suffixes := make([]int64, n), make([]int64, n)
	for i := range prefixes {
		prefixes[i] = long
	}
	prefixes[0], suffixes[0] = 0, long
	page := append(encodeDelta(rng, prefixes, 32, 128, 4), encodeDelta(rng, suffixes, 32, 128, 4)...)
	page = append(page, make([]byte, long)...)
	var p DeltaStrings
	if err := p.Reset(page); err != nil {
		t.Fatal(err)
	}
	s := Strings{Limit: 64 << 20}
	if err := p.Decode(&s, 60); err != nil || len(s.Data) != 60*long {
		t.Fatalf("%d bytes, %v", len(s.Data), err)
	}
	if err := p.Decode(&s, n-60); !errors.Is(err, vector.ErrTooLong) {
		t.Fatal(err)
	}
	if cap(s.Data) > 256<<20 {
		t.Fatalf("%d bytes taken for a limit of %d", cap(s.Data), s.Limit)
	}
	if err := p.Reset(page); err != nil {
		t.Fatal(err)
	}
	if err := p.Skip(n); err != nil || len(p.last) != long {
		t.Fatalf("%d bytes of the last value, %v", len(p.last), err)
	}
}
