package encoding

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
)

// page is a line of testdata/pages.txt.
type page struct {
	name           string
	version, max   int
	encoding, kind string
	width          int // bytes of a fixed-width value
	rows, levels   int
	dict, body     []byte
	values         []string
}

func readPages(t testing.TB) []page {
	t.Helper()
	f, err := os.Open("testdata/pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []page
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		number := func(i int) int {
			n, err := strconv.Atoi(w[i])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		p := page{name: strings.Join(w[:5], " "), version: number(2), max: number(3), encoding: w[4], rows: number(6), levels: number(7)}
		kind, size, _ := strings.Cut(w[5], ":")
		p.kind = kind
		p.width = map[string]int{"INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8}[kind]
		if size != "" {
			p.width, _ = strconv.Atoi(size)
		}
		p.dict, p.body, p.values = unhex(t, w[8]), unhex(t, w[9]), strings.Split(w[10], ",")
		out = append(out, p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Trim(s, "_"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPages decodes pages that other programs wrote, as the package's user
// does: levels, dense values, values in their rows.
func TestPages(t *testing.T) {
	for i, p := range readPages(t) {
		t.Run(fmt.Sprint(i, " ", p.name), func(t *testing.T) {
			for _, step := range []int{1, 7, 64, p.rows} {
				got, err := p.decode(step)
				if err != nil {
					t.Fatalf("%d rows at a time: %v", step, err)
				}
				if len(got) != len(p.values) {
					t.Fatalf("%d rows at a time: %d rows, want %d", step, len(got), len(p.values))
				}
				for i := range p.values {
					if got[i] != p.values[i] {
						t.Fatalf("%d rows at a time: row %d is %s, want %s", step, i, got[i], p.values[i])
					}
				}
			}
		})
	}
}

func (p page) decode(step int) (out []string, err error) {
	var levels Levels
	data := p.body
	if p.version == 2 {
		err = levels.Reset(data[:p.levels], p.max)
		data = data[p.levels:]
	} else {
		var block []byte
		if block, data, err = CutPrefixed(data); err == nil {
			err = levels.Reset(block, p.max)
		}
	}
	if err != nil {
		return nil, err
	}
	take, err := p.decoder(data)
	if err != nil {
		return nil, err
	}
	for n := p.rows; n > 0; n -= step {
		n := min(n, step)
		valid := vector.NewBitmap(n)
		k := n
		if levels.AllValid(n) {
			valid.SetRange(0, n)
		} else if k, err = levels.Decode(valid, 0, n); err != nil {
			return nil, err
		}
		rows, err := take(k, n, valid)
		if err != nil {
			return nil, err
		}
		for i, v := range rows {
			if !valid.Get(i) {
				v = "-"
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// taker decodes the next k values into n rows, as text.
type taker func(k, n int, valid vector.Bitmap) ([]string, error)

func (p page) decoder(data []byte) (taker, error) {
	switch {
	case p.encoding == "RLE_DICTIONARY":
		return p.codes(data)
	case p.kind == "BOOLEAN":
		return p.bools(data)
	case p.kind == "BYTE_ARRAY":
		return p.strings(data)
	}
	var err error
	var next func(dst []byte) error
	switch p.encoding {
	case "BYTE_STREAM_SPLIT":
		d := new(ByteStreamSplit)
		next, err = d.Decode, d.Reset(data, p.width)
	case "DELTA_BYTE_ARRAY":
		d := new(DeltaStrings)
		next, err = func(dst []byte) error { return d.DecodeFixed(dst, p.width) }, d.Reset(data)
	case "DELTA_BINARY_PACKED":
		if p.width == 4 {
			d := new(Delta[int32])
			next, err = func(dst []byte) error { return d.Decode(vector.View[int32](dst)) }, d.Reset(data)
		} else {
			d := new(Delta[int64])
			next, err = func(dst []byte) error { return d.Decode(vector.View[int64](dst)) }, d.Reset(data)
		}
	}
	return func(k, n int, valid vector.Bitmap) ([]string, error) {
		rows := make([]byte, n*p.width)
		err := next(rows[:k*p.width])
		Spread(rows, rows[:k*p.width], p.width, valid, 0)
		var out []string
		for i := range n {
			out = append(out, hex.EncodeToString(rows[i*p.width:(i+1)*p.width]))
		}
		return out, err
	}, err
}

func (p page) bools(data []byte) (taker, error) {
	d := interface {
		Reset([]byte) error
		Decode(vector.Bitmap, int, int) error
	}(new(PlainBools))
	if p.encoding == "RLE" {
		d = new(RLEBools)
	}
	return func(k, n int, valid vector.Bitmap) ([]string, error) {
		dense, rows := vector.NewBitmap(k), vector.NewBitmap(n)
		err := d.Decode(dense, 0, k)
		SpreadBits(rows, dense, valid, 0, n)
		var out []string
		for i := range n {
			out = append(out, map[bool]string{true: "01", false: "00"}[rows.Get(i)])
		}
		return out, err
	}, d.Reset(data)
}

func (p page) strings(data []byte) (taker, error) {
	d := map[string]byteDecoder{
		"PLAIN":                   new(PlainStrings),
		"DELTA_LENGTH_BYTE_ARRAY": new(DeltaLengthStrings),
		"DELTA_BYTE_ARRAY":        new(DeltaStrings),
	}[p.encoding]
	return func(k, n int, valid vector.Bitmap) ([]string, error) {
		var s Strings
		if err := d.Decode(&s, k); err != nil {
			return nil, err
		}
		s.Offsets = append(s.Offsets, make([]int32, n-k)...)
		SpreadOffsets(s.Offsets, k, valid, 0)
		return texts(s.values()), nil
	}, d.Reset(data)
}

func texts(values [][]byte) (out []string) {
	for _, v := range values {
		text := hex.EncodeToString(v)
		if text == "" {
			text = "_"
		}
		out = append(out, text)
	}
	return out
}

func (p page) codes(data []byte) (taker, error) {
	var dict []string
	if p.width > 0 {
		for i := 0; i < len(p.dict); i += p.width {
			dict = append(dict, hex.EncodeToString(p.dict[i:i+p.width]))
		}
	} else {
		var d PlainStrings
		var s Strings
		_ = d.Reset(p.dict)
		for d.pos < len(p.dict) {
			if err := d.Decode(&s, 1); err != nil {
				return nil, err
			}
		}
		dict = texts(s.values())
	}
	h := new(Hybrid)
	return func(k, n int, valid vector.Bitmap) ([]string, error) {
		codes := make([]uint32, n)
		if err := h.DecodeCodes(codes[:k], len(dict)); err != nil {
			return nil, err
		}
		Spread(vector.AsBytes(codes), vector.AsBytes(codes[:k]), 4, valid, 0)
		var out []string
		for _, c := range codes {
			out = append(out, dict[c])
		}
		return out, nil
	}, h.ResetCodes(data)
}
