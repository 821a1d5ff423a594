package parquetio

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/colagg/colagg/vector"
	"github.com/golang/snappy"
	"github.com/pierrec/lz4/v4"
)

// show writes the rows of leaf 0, "-" for NULL.
func show(t *testing.T, file []byte, rows int) (string, error) {
	t.Helper()
	f, err := ReadFooter(context.Background(), bytesFile(file))
	if err != nil {
		return "", err
	}
	var out []string
	err = scanAll(f, []int{0}, ScanOptions{BatchRows: rows}, func(b *vector.Batch) {
		v := b.Cols[0]
		for i := range v.Len {
			switch {
			case v.IsNull(i):
				out = append(out, "-")
			case vector.IsBytes(v.Type):
				out = append(out, string(v.Bytes(i)))
			default:
				out = append(out, text(v.Type, string(v.Bytes(i))))
			}
		}
	})
	return strings.Join(out, " "), err
}

func data(n int, body []byte) testPage { return testPage{values: n, body: body} }

func coded(n int, body []byte) testPage {
	return testPage{values: n, encoding: encodingRLEDictionary, body: body}
}

func dictionary(n int, body []byte) testPage {
	return testPage{kind: pageDictionary, values: n, encoding: encodingPlain, body: body}
}

// codes is a page's values: n times the code c, in one bit.
func codes(n int, c byte) []byte { return append([]byte{1}, levels(n, c)...) }

func ints(values int64, pages ...testPage) testChunk {
	return testChunk{name: "x", physical: physicalInt64, values: values, pages: pages}
}

func texts(values int64, pages ...testPage) testChunk {
	return testChunk{name: "x", physical: physicalByteArray, optional: true, values: values, pages: pages}
}

// TestShapes reads files of shapes that are rare and right.
func TestShapes(t *testing.T) {
	two := []testPage{dictionary(2, int64s(7, 8)), coded(2, codes(2, 1)), coded(1, codes(1, 0))}
	empty := testPage{kind: pageDataV2, values: 2, nulls: 2, defBytes: 2, body: levels(2, 0)}
	tests := []struct {
		name  string
		rows  int64
		chunk testChunk
		want  string
	}{
		{"plain", 3, ints(3, data(3, int64s(1, 2, 3))), "1 2 3"},
		{"empty pages", 2, ints(2, data(0, nil), data(1, int64s(1)), data(0, nil), data(1, int64s(2)), data(0, nil)), "1 2"},
		{"no dictionary offset", 3, func() testChunk { c := ints(3, two...); c.dictAt, c.dataAt = -1, 4; return c }(), "8 8 7"},
		{"data offset is the dictionary's", 3, func() testChunk { c := ints(3, two...); c.dataAt = 4; return c }(), "8 8 7"},
		{"dictionary offset wrong", 2, func() testChunk {
			c := ints(2, data(1, int64s(1)), data(1, int64s(2)))
			c.trailing, c.dictAt = nil, 5
			c.dataAt = 4
			return c
		}(), "1 2"},
		{"size without a header", 3, func() testChunk { c := ints(3, two...); c.sizeDelta = -14; return c }(), "8 8 7"},
		{"bytes behind the pages", 1, func() testChunk {
			c := ints(1, data(1, int64s(1)))
			c.trailing = []byte{0x26, 0xda, 0x9c}
			return c
		}(), "1"},
		{"index page and unknown page", 2, ints(2, data(1, int64s(1)), testPage{kind: pageIndex, body: []byte("index")},
			testPage{kind: 9, body: []byte("future")}, data(1, int64s(2))), "1 2"},
		{"plain after dictionary", 4, ints(4, append(two, data(1, int64s(9)))...), "8 8 7 9"},
		{"dictionary after plain", 4, ints(4, append([]testPage{dictionary(2, int64s(7, 8)), data(1, int64s(9))}, two[1:]...)...), "9 8 8 7"},
		{"no entries, all null", 2, texts(2, dictionary(0, nil), coded(2, prefixed(levels(2, 0)))), "- -"},
		{"no bits", 2, ints(2, dictionary(1, int64s(5)), coded(2, []byte{0})), "5 5"},
		{"version 2, no data", 2, texts(2, empty), "- -"},
		{"version 2, nothing compressed", 2, func() testChunk {
			p := empty
			p.unpacked = 2
			c := texts(2, p)
			c.codec = codecSnappy
			return c
		}(), "- -"},
		{"bit-packed levels", 9, texts(9, testPage{values: 9, levels: encodingBitPacked,
			body: join([]byte{0b10100000, 0b10000000}, strs("a", "b", "c"))}), "a - b - - - - - c"},
		{"null runs", 6, texts(6, data(2, prefixed(levels(2, 0))), data(2, join(prefixed(levels(2, 1)), strs("a", "b"))),
			data(2, prefixed(levels(2, 0)))), "- - a b - -"},
		{"decimals of bytes", 3, testChunk{name: "x", physical: physicalByteArray, values: 3,
			pages: []testPage{data(3, strs("\xff", "", "\x01\x00"))},
			logical: func(w *thriftWriter) {
				w.i32(6, 5)
				w.i32(7, 1)
				w.i32(8, 9)
			}}, "-0.1 0.0 25.6"},
		{"unknown annotation", 1, testChunk{name: "x", physical: physicalInt64, values: 1, pages: []testPage{data(1, int64s(4))},
			logical: func(w *thriftWriter) {
				w.structure(10)
				w.structure(77)
				w.end()
				w.end()
			}}, "4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := testFile(tt.rows, tt.chunk)
			for rows := 1; rows < 5; rows++ {
				got, err := show(t, file, rows)
				if err != nil || got != tt.want {
					t.Fatalf("batches of %d: %q, %v; want %q", rows, got, err, tt.want)
				}
			}
		})
	}
}

// TestWrongPages reads files whose pages are not what the footer promises.
func TestWrongPages(t *testing.T) {
	with := func(c testChunk, change func(*testChunk)) testChunk {
		change(&c)
		return c
	}
	tests := []struct {
		name  string
		rows  int64
		chunk testChunk
		want  string
	}{
		{"too few pages", 3, ints(3, data(2, int64s(1, 2))), "fewer values"},
		{"one page too many", 2, ints(2, data(2, int64s(1, 2)), data(1, int64s(3))), "more values"},
		{"a page too long", 2, ints(2, data(3, int64s(1, 2, 3))), "more values"},
		{"a page too short", 3, ints(3, data(3, int64s(1, 2))), "fewer values"},
		{"chunk and group differ", 3, ints(2, data(2, int64s(1, 2))), "2 values where the row group has 3"},
		{"second dictionary", 2, ints(2, dictionary(1, int64s(7)), coded(1, codes(1, 0)), dictionary(1, int64s(7)), coded(1, codes(1, 0))), "second dictionary"},
		{"no dictionary", 1, ints(1, coded(1, codes(1, 0))), "no"},
		{"code too high", 1, ints(1, dictionary(1, int64s(7)), coded(1, codes(1, 1))), "1"},
		{"level too high", 1, texts(1, data(1, join(prefixed([]byte{2, 3}), strs("a")))), "bit"},
		{"dictionary short", 1, ints(1, dictionary(2, int64s(7)), coded(1, codes(1, 0))), "fewer values"},
		{"dictionary of strings short", 1, texts(1, dictionary(1<<30, strs("a")), coded(1, codes(1, 0))), "cannot hold"},
		{"page larger than chunk", 1, ints(1, testPage{values: 1, packed: 1 << 20, body: int64s(1)}), "damaged"},
		{"size wrong", 1, ints(1, testPage{values: 1, unpacked: 99, body: int64s(1)}), "size"},
		{"snappy claims much", 1, with(ints(1, testPage{values: 1, unpacked: 1 << 30, body: snappy.Encode(nil, int64s(1))}),
			func(c *testChunk) { c.codec = codecSnappy }), "claims more"},
		{"zstd claims much", 1, with(ints(1, testPage{values: 1, unpacked: 1 << 30, body: []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0}}),
			func(c *testChunk) { c.codec = codecZstd }), "ZSTD"},
		{"outside the file", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) { c.sizeDelta = 1 << 40 }), "outside the file"},
		{"before the file", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) { c.dataAt = -4 }), "outside the file"},
		{"other type", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) { c.physicalIs = physicalDouble }), "physical type"},
		{"encoding of other types", 1, ints(1, testPage{values: 1, encoding: encodingDeltaLengthByteArray, body: int64s(1)}), "DELTA_LENGTH_BYTE_ARRAY"},
		{"unknown encoding", 1, ints(1, testPage{values: 1, encoding: 12, body: int64s(1)}), "encoding 12"},
		{"unknown codec", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) { c.codec = 77 }), "codec"},
		{"codec LZO", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) { c.codec = codecLZO }), "LZO"},
		{"repeated", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) { c.repeated = true }), "it is a list"},
		{"narrow", 1, testChunk{name: "x", physical: physicalInt32, values: 1, pages: []testPage{data(1, []byte{0, 1, 0, 0})},
			logical: func(w *thriftWriter) { w.i32(6, 15) }}, "int8"},
		{"contradiction", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) {
			c.logical = func(w *thriftWriter) { w.i32(6, 0) }
		}), "STRING does not go with physical type INT64"},
		{"encrypted column", 1, with(ints(1, data(1, int64s(1))), func(c *testChunk) {
			c.meta = func(w *thriftWriter) {
				w.end()
				w.last[len(w.last)-1] = 3
				w.structure(8)
			}
		}), "encrypted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := testFile(tt.rows, tt.chunk)
			for _, rows := range []int{1, 2, 100} {
				got, err := show(t, file, rows)
				if err == nil || !typed(err) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"x"`) {
					t.Fatalf("batches of %d: %q, %v (%T); want an error about %q", rows, got, err, err, tt.want)
				}
			}
		})
	}
}

// TestCodecShapes decompresses what is in use and in no specification.
func TestCodecShapes(t *testing.T) {
	body := int64s(1, 2, 3, 3, 3, 3, 3, 3)
	block := make([]byte, 200)
	n, err := lz4.CompressBlock(body, block, nil)
	if err != nil || n == 0 {
		t.Fatal("lz4: ", n, err)
	}
	block = block[:n]
	piece := func(size int, b []byte) []byte {
		h := binary.BigEndian.AppendUint32(nil, uint32(size))
		return append(binary.BigEndian.AppendUint32(h, uint32(len(b))), b...)
	}
	stored := func(b []byte) []byte { return append([]byte{byte(len(b)) << 4}, b...) } // an LZ4 block of literals
	var frame, members bytes.Buffer
	lw := lz4.NewWriter(&frame)
	lw.Write(body)
	lw.Close()
	for _, part := range [][]byte{body[:16], body[16:]} {
		gw := gzip.NewWriter(&members)
		gw.Write(part)
		gw.Close()
	}
	two := append(piece(8, stored(body[:8])), piece(8, stored(body[8:16]))...)
	for _, tt := range []struct {
		name  string
		codec int
		body  []byte
		size  int
		want  string
	}{
		{"LZ4 Hadoop", codecLZ4, piece(64, block), 64, "1 2 3 3 3 3 3 3"},
		{"LZ4 Hadoop, two blocks", codecLZ4, two, 16, "1 2"},
		{"LZ4 Hadoop, two pieces", codecLZ4, append(piece(16, stored(body[:8])), two[21:]...), 16, "1 2"},
		{"LZ4 block", codecLZ4, block, 64, "1 2 3 3 3 3 3 3"},
		{"LZ4 frame", codecLZ4, frame.Bytes(), 64, "1 2 3 3 3 3 3 3"},
		{"LZ4_RAW", codecLZ4Raw, block, 64, "1 2 3 3 3 3 3 3"},
		{"gzip members", codecGzip, members.Bytes(), 64, "1 2 3 3 3 3 3 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := ints(int64(tt.size/8), testPage{values: tt.size / 8, unpacked: tt.size, body: tt.body})
			c.codec = tt.codec
			if got, err := show(t, testFile(int64(tt.size/8), c), 100); err != nil || got != tt.want {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
			for _, delta := range []int{-8, 8} {
				c.pages[0].unpacked = tt.size + delta
				if got, err := show(t, testFile(int64(tt.size/8), c), 100); err == nil {
					t.Errorf("size off by %d: %q", delta, got)
				}
			}
		})
	}
}
