package parquetio

import (
	"encoding/binary"
	"hash/crc32"
)

// thriftWriter writes the compact protocol, for files that no writer makes.
type thriftWriter struct {
	b    []byte
	last []int16
}

func (w *thriftWriter) uvarint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }

func (w *thriftWriter) zigzag(v int64) { w.uvarint(uint64(v<<1) ^ uint64(v>>63)) }

func (w *thriftWriter) begin() { w.last = append(w.last, 0) }

func (w *thriftWriter) end() {
	w.b = append(w.b, thriftStop)
	w.last = w.last[:len(w.last)-1]
}

func (w *thriftWriter) field(id int16, t byte) {
	last := &w.last[len(w.last)-1]
	if d := id - *last; d > 0 && d < 16 {
		w.b = append(w.b, byte(d)<<4|t)
	} else {
		w.b = append(w.b, t)
		w.zigzag(int64(id))
	}
	*last = id
}

func (w *thriftWriter) i32(id int16, v int) {
	w.field(id, thriftI32)
	w.zigzag(int64(v))
}

func (w *thriftWriter) i64(id int16, v int64) {
	w.field(id, thriftI64)
	w.zigzag(v)
}

func (w *thriftWriter) text(id int16, s string) {
	w.field(id, thriftBinary)
	w.uvarint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *thriftWriter) flag(id int16, v bool) {
	t := byte(thriftFalse)
	if v {
		t = thriftTrue
	}
	w.field(id, t)
}

func (w *thriftWriter) list(id int16, elem byte, n int) {
	w.field(id, thriftList)
	if n < 15 {
		w.b = append(w.b, byte(n)<<4|elem)
	} else {
		w.b = append(w.b, 0xf0|elem)
		w.uvarint(uint64(n))
	}
}

func (w *thriftWriter) structure(id int16) {
	w.field(id, thriftStruct)
	w.begin()
}

// testPage is a page as it is to be written; zero sizes become those of body.
type testPage struct {
	kind             int32
	values           int
	encoding         int
	levels           int // encoding of version 1's definition levels; 0 is RLE
	defBytes         int // version 2
	nulls            int
	unpacked, packed int
	plain            bool // version 2: not compressed
	checksum         bool
	zeroChecksum     bool
	body             []byte // as stored
}

func (p *testPage) bytes() []byte {
	w := &thriftWriter{}
	w.begin()
	unpacked, packed := p.unpacked, p.packed
	if unpacked == 0 {
		unpacked = len(p.body)
	}
	if packed == 0 {
		packed = len(p.body)
	}
	w.i32(1, int(p.kind))
	w.i32(2, unpacked)
	w.i32(3, packed)
	if p.checksum {
		w.i32(4, int(int32(crc32.ChecksumIEEE(p.body))))
	}
	if p.zeroChecksum {
		w.i32(4, 0)
	}
	switch p.kind {
	case pageData:
		w.structure(5)
		w.i32(1, p.values)
		w.i32(2, p.encoding)
		w.i32(3, max(p.levels, encodingRLE))
		w.i32(4, encodingRLE)
		w.end()
	case pageDictionary:
		w.structure(7)
		w.i32(1, p.values)
		w.i32(2, p.encoding)
		w.end()
	case pageDataV2:
		w.structure(8)
		w.i32(1, p.values)
		w.i32(2, p.nulls)
		w.i32(3, p.values)
		w.i32(4, p.encoding)
		w.i32(5, p.defBytes)
		w.i32(6, 0)
		w.flag(7, !p.plain)
		w.end()
	}
	w.end()
	return append(w.b, p.body...)
}

// testChunk is a column of a one-group file.
type testChunk struct {
	name       string
	physical   int
	length     int
	optional   bool
	repeated   bool
	logical    func(w *thriftWriter) // fields of the schema element
	codec      int
	values     int64
	pages      []testPage
	trailing   []byte // after the pages, in the chunk
	sizeDelta  int64  // added to the chunk's size in the footer
	dictAt     int64  // what the footer says: 0 the right one, -1 none
	dataAt     int64  // the same
	physicalIs int    // type in the chunk's metadata, if it is to differ
	meta       func(w *thriftWriter)
}

// testFile writes a file of one row group.
func testFile(rows int64, chunks ...testChunk) []byte {
	out := []byte(magic)
	w := &thriftWriter{}
	w.begin()
	w.i32(1, 1)
	w.list(2, thriftStruct, len(chunks)+1)
	w.begin()
	w.text(4, "root")
	w.i32(5, len(chunks))
	w.end()
	for i := range chunks {
		chunks[i].element(w)
	}
	w.i64(3, rows)
	w.list(4, thriftStruct, 1)
	w.begin()
	w.list(1, thriftStruct, len(chunks))
	for i := range chunks {
		out = chunks[i].write(out, w)
	}
	w.i64(2, int64(len(out)))
	w.i64(3, rows)
	w.end()
	w.text(6, "test")
	w.end()
	return withFooter(out, w.b)
}

func withFooter(pages, footer []byte) []byte {
	out := append(pages, footer...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer)))
	return append(out, magic...)
}

func (c *testChunk) element(w *thriftWriter) {
	w.begin()
	w.i32(1, c.physical)
	if c.length > 0 {
		w.i32(2, c.length)
	}
	repetition := 0
	if c.optional {
		repetition = repetitionOptional
	}
	if c.repeated {
		repetition = repetitionRepeated
	}
	w.i32(3, repetition)
	w.text(4, c.name)
	if c.logical != nil {
		c.logical(w)
	}
	w.end()
}

// write appends the pages to out and the chunk's metadata to w.
func (c *testChunk) write(out []byte, w *thriftWriter) []byte {
	start := int64(len(out))
	dictAt, dataAt := int64(0), start
	for i := range c.pages {
		p := c.pages[i].bytes()
		if c.pages[i].kind == pageDictionary && i == 0 {
			dictAt, dataAt = start, start+int64(len(p))
		}
		out = append(out, p...)
	}
	out = append(out, c.trailing...)
	if c.dataAt != 0 {
		dataAt = c.dataAt
	}
	if c.dictAt != 0 {
		dictAt = c.dictAt
	}
	physical := c.physical
	if c.physicalIs != 0 {
		physical = c.physicalIs
	}
	w.begin()
	w.i64(2, 1<<40) // file_offset means nothing
	w.structure(3)
	w.i32(1, physical)
	w.list(2, thriftI32, 0)
	w.list(3, thriftBinary, 0)
	w.i32(4, c.codec)
	w.i64(5, c.values)
	w.i64(6, int64(len(out))-start)
	w.i64(7, int64(len(out))-start+c.sizeDelta)
	w.i64(9, dataAt)
	if dictAt > 0 {
		w.i64(11, dictAt)
	}
	if c.meta != nil {
		c.meta(w)
	}
	w.end()
	w.end()
	return out
}

// int64s is a body of PLAIN values.
func int64s(values ...int64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// strs is a body of PLAIN strings.
func strs(values ...string) []byte {
	var b []byte
	for _, v := range values {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

// levels is the RLE run of n equal levels of one bit, as version 2 has it.
func levels(n int, level byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(n)<<1), level)
}

// prefixed puts the length before b, as version 1 has levels.
func prefixed(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

func join(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
