package parquetio

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/parquetio/internal/encoding"
	"github.com/colagg/colagg/vector"
)

var (
	errValues     = errors.New("a page has fewer values than it says")
	errFewer      = errors.New("the pages hold fewer values than the row group has rows")
	errMore       = errors.New("the pages hold more values than the row group has rows")
	errNoDict     = errors.New("a page refers to a dictionary, and there is none")
	errSecondDict = errors.New("there is a second dictionary page")
)

// form is how the rows of a batch are held so far.
type form uint8

const (
	formNulls form = iota // no row has had a value
	formCodes
	formFlat
)

// columnReader decodes one column, chunk by chunk, into batches. Its buffers
// are reused, and what it returns is valid until the next call.
type columnReader struct {
	mem    *spender
	codecs *codecs
	work   *columnWork
	verify bool // compare checksums
	col    *Column
	flat   flat
	window window
	codec  int8
	legacy bool // compressed pages of version 2 may say that they are not

	src   io.ReaderAt
	end   int64 // where the file's pages end
	chunk *chunkMeta
	pages []pageLocation // nil: not known
	begun bool           // something was read of the chunk

	promised int64 // values of the chunk
	seen     int64 // values of the pages begun
	ahead    int   // bytes to read where a header is wanted

	left   int // rows of the page not yet given
	coded  bool
	levels encoding.Levels
	hybrid encoding.Hybrid
	page   []byte // decompressed page
	dict   vector.Vector
	loaded bool // dict is that of this chunk

	form   form
	nulls  bool // valid is in use
	values int  // of the batch
	valid  vector.Bitmap
	codes  []uint32
	out    vector.Vector
	null   *vector.Vector // one NULL row
}

func newColumnReader(c *Column, mem *spender, codecs *codecs, work *columnWork) *columnReader {
	r := &columnReader{mem: mem, codecs: codecs, work: work, col: c, null: vector.NewNull(c.Type, 1)}
	r.window.mem, r.window.work = mem, work
	if c.Type.ID() != arrow.NULL {
		r.flat = newFlat(c, mem)
	}
	return r
}

// reset starts on a chunk of f, read from src. Nothing is read yet. pages is the offset index, or nil.
func (c *columnReader) reset(src io.ReaderAt, f *File, m *chunkMeta, pages []pageLocation) {
	c.pages = pages
	c.promised, c.seen, c.left, c.loaded, c.codec = m.values, 0, 0, false, m.codec
	c.ahead, c.legacy = windowSize, f.legacyV2()
	c.src, c.end, c.chunk, c.begun = src, f.end, m, false
}

// begin finds the chunk's first page.
func (c *columnReader) begin() error {
	c.begun = true
	m, start := c.chunk, c.chunk.start()
	if err := c.window.reset(c.src, start, m.packed, c.end); err != nil {
		return err
	}
	if c.pages != nil {
		c.window.stop = max(runEnd(c.pages, 0), m.dataAt)
	}
	if start == m.dataAt {
		return nil
	}
	h, err := c.window.header(windowSize)
	switch {
	case err == nil && h.kind == pageDictionary:
		c.window.at = start
		return nil
	case err != nil && !errors.Is(err, errPage):
		return err
	}
	// Where no dictionary page is at the position given, the data pages are
	// all there is.
	return c.window.reset(c.src, m.dataAt, m.dataBytes(), c.end)
}

// start is where the chunk's first page is.
func (m *chunkMeta) start() int64 {
	if m.dictAt >= int64(len(magic)) && m.dictAt < m.dataAt {
		return m.dictAt
	}
	return m.dataAt
}

// row is the number of the row that is read next.
func (c *columnReader) row() int64 { return c.seen - int64(c.left) }

// seek passes over the rows before row, which is not behind the next.
func (c *columnReader) seek(row int64) error {
	if !c.begun {
		if err := c.begin(); err != nil {
			return err
		}
	}
	if err := c.jump(row); err != nil {
		return err
	}
	return c.skip(row - c.row())
}

// dataBytes is how far the data pages reach from dataAt, if the chunk begins at
// dictAt. Where dataAt is not in that chunk, dictAt means nothing.
func (m *chunkMeta) dataBytes() int64 {
	if before := m.dataAt - m.dictAt; before <= m.packed {
		return m.packed - before
	}
	return m.packed
}

// manyRows is from how many rows on that nobody wants it pays to pass over them in
// a page.
const manyRows = 256

// read returns the next n rows, which the chunk has; where sel is not nil, only
// those that it lists count, and the last is one of them.
func (c *columnReader) read(n int, sel []uint32) (*vector.Vector, error) {
	c.form, c.nulls, c.values = formNulls, false, 0
	for at := 0; at < n; {
		if gap := unwanted(&sel, at); gap >= manyRows || gap > 0 && c.left == 0 {
			if err := c.omit(at, gap, n); err != nil {
				return nil, err
			}
			at += gap
		}
		if c.left == 0 {
			if err := c.nextPage(0); err != nil {
				return nil, err
			}
		}
		m := min(n-at, c.left)
		if sel != nil {
			m = min(m, wanted(sel, at))
		}
		if c.flat != nil {
			k, err := c.validity(at, m, n)
			if err != nil {
				return nil, err
			}
			c.values += k
			if k == n && !c.coded {
				if p := c.flat.view(n); p != nil {
					c.left -= n
					c.out = vector.Vector{Type: c.col.Type, Len: n, Data: p}
					return &c.out, nil
				}
			}
			if err := c.put(at, m, k, n); err != nil {
				return nil, err
			}
		}
		at += m
		c.left -= m
	}
	return c.vector(n), nil
}

// validity decodes the levels of m rows, of a batch of n, to bits at at and
// returns how many have a value.
func (c *columnReader) validity(at, m, n int) (int, error) {
	if c.col.leaf.maxDef == 0 || c.levels.AllValid(m) {
		if c.nulls {
			c.valid.SetRange(at, at+m)
		}
		return m, nil
	}
	if err := c.marked(at, n); err != nil {
		return 0, err
	}
	return c.levels.Decode(c.valid, at, m)
}

// put adds m rows with k values to a batch of n rows that has at.
func (c *columnReader) put(at, m, k, n int) error {
	var valid vector.Bitmap
	if k < m {
		valid = c.valid
	}
	switch {
	case k == 0 && c.form == formNulls:
		return nil
	case k == 0 && c.form == formCodes:
		clear(c.codes[at : at+m])
		return nil
	case c.coded && c.form != formFlat:
		return c.putCodes(at, m, k, n)
	}
	if err := c.flatten(at, n); err != nil {
		return err
	}
	if !c.coded || k == 0 {
		return c.flat.append(at, m, k, valid)
	}
	if err := c.putCodes(at, m, k, n); err != nil {
		return err
	}
	return c.flat.gather(at, c.codes[at:at+m], &c.dict, valid)
}

// putCodes decodes k codes to m rows.
func (c *columnReader) putCodes(at, m, k, n int) (err error) {
	if !c.loaded {
		return errNoDict
	}
	if c.codes, err = c.mem.words(c.codes, n); err != nil {
		return err
	}
	if c.form == formNulls {
		clear(c.codes[:at])
		c.form = formCodes
	}
	if err := c.hybrid.DecodeCodes(c.codes[at:at+k], c.dict.Len); err != nil {
		return err
	}
	if k < m {
		rows := c.codes[at : at+m]
		encoding.Spread(vector.AsBytes(rows), vector.AsBytes(rows[:k]), 4, c.valid, at)
	}
	return nil
}

// flatten makes the batch's first at rows flat.
func (c *columnReader) flatten(at, n int) error {
	was := c.form
	if was == formFlat {
		return nil
	}
	c.form = formFlat
	if err := c.flat.reset(n); err != nil {
		return err
	}
	var valid vector.Bitmap
	if c.nulls {
		valid = c.valid
	}
	if was == formCodes {
		return c.flat.gather(0, c.codes[:at], &c.dict, valid)
	}
	return c.flat.append(0, at, 0, valid)
}

func (c *columnReader) vector(n int) *vector.Vector {
	c.out = vector.Vector{Type: c.col.Type, Len: n}
	v := &c.out
	if c.values == 0 {
		v.Dict = c.null
		return v
	}
	if c.nulls && c.col.leaf.maxDef > 0 {
		v.Valid = c.valid // otherwise, what is omitted is not to be seen as NULL
	}
	if c.form == formCodes {
		v.Codes, v.Dict = c.codes[:n], &c.dict
		return v
	}
	c.flat.fill(v)
	return v
}

// skip passes over n rows, which the chunk has. Whole pages among them are
// not decompressed.
func (c *columnReader) skip(n int64) error {
	c.ahead = headerSize
	defer func() { c.ahead = windowSize }()
	for n > 0 {
		if c.left == 0 {
			before := c.seen
			if err := c.nextPage(n); err != nil {
				return err
			}
			n -= c.seen - before - int64(c.left)
			continue
		}
		m := int(min(n, int64(c.left)))
		if err := c.skipInPage(m); err != nil {
			return err
		}
		n -= int64(m)
		c.left -= m
	}
	return nil
}

func (c *columnReader) skipInPage(m int) (err error) {
	if c.flat == nil {
		return nil
	}
	k := m
	if c.col.leaf.maxDef > 0 {
		if k, err = c.levels.Skip(m); err != nil {
			return err
		}
	}
	switch {
	case k == 0:
		return nil
	case c.coded:
		return c.hybrid.Skip(k)
	}
	return c.flat.skip(k)
}

// nextPage loads the next data page that has rows, or steps over it if it has
// no more than unwanted ones.
func (c *columnReader) nextPage(unwanted int64) error {
	for {
		if c.seen == c.promised {
			return errFewer
		}
		h, err := c.header()
		if err != nil {
			return err
		}
		data := h.kind == pageData || h.kind == pageDataV2
		if int64(h.values) > c.promised-c.seen && data {
			return errMore
		}
		if data && h.values > 0 {
			if err := c.indexed(h.values); err != nil {
				return err
			}
		}
		if h.kind != pageDictionary && (!data || h.values == 0 || int64(h.values) <= unwanted || c.flat == nil) {
			if err := c.window.skip(h.packed); err != nil {
				return err
			}
			if !data || h.values == 0 {
				continue
			}
			c.step(&h)
			c.seen += int64(h.values)
			if c.flat == nil && int64(h.values) > unwanted {
				c.left = h.values
			}
			return nil
		}
		page, err := c.window.take(h.packed)
		if err != nil {
			return err
		}
		if h.kind == pageDictionary {
			if err := c.dictionaryPage(&h, page); err != nil {
				return err
			}
			continue
		}
		if err := c.check(&h, page); err != nil {
			return err
		}
		if err := c.loadPage(&h, page); err != nil {
			return err
		}
		c.work.pages++
		c.seen += int64(h.values)
		c.left = h.values
		return nil
	}
}

// check compares the page's checksum.
func (c *columnReader) check(h *pageHeader, page []byte) error {
	if c.verify && h.hasChecksum && crc32.ChecksumIEEE(page) != h.checksum {
		return ErrChecksum
	}
	return nil
}

// dictionaryPage checks and loads a dictionary.
func (c *columnReader) dictionaryPage(h *pageHeader, page []byte) error {
	if err := c.check(h, page); err != nil {
		return err
	}
	return c.loadDictionary(h, page)
}

// step counts a data page that is stepped over.
func (c *columnReader) step(h *pageHeader) {
	c.work.skipped++
	c.work.skippedBytes += int64(h.packed)
}

// header reads a page header that the rows still missing need to be there. A
// page may end behind the chunk, within its slack, but it begins in it: the
// next bytes are the next chunk's.
func (c *columnReader) header() (pageHeader, error) {
	if c.window.at >= c.window.end {
		return pageHeader{}, errFewer
	}
	return c.window.header(c.ahead)
}

func (c *columnReader) loadDictionary(h *pageHeader, page []byte) error {
	if c.loaded {
		return errSecondDict
	}
	if h.encoding != encodingPlain && h.encoding != encodingPlainDictionary {
		return encodingError{h.encoding}
	}
	if c.flat == nil {
		return nil
	}
	body, err := c.unpack(page, h.unpacked)
	if err != nil {
		return err
	}
	c.dict = vector.Vector{Type: c.col.Type, Len: h.values, ID: vector.NextID()}
	if err := c.flat.dictionary(&c.dict, body, h.values); err != nil {
		return fmt.Errorf("dictionary page: %w", err)
	}
	c.loaded = true
	c.work.dictionaries++
	return nil
}

// unpack decompresses a page into the column's buffer.
func (c *columnReader) unpack(page []byte, n int) ([]byte, error) {
	if c.codec == codecNone {
		return c.codecs.unpack(c.mem, c.codec, nil, page, n)
	}
	start := operators.Now()
	body, err := c.codecs.unpack(c.mem, c.codec, c.page, page, n)
	c.work.unpack += operators.Now() - start
	if err == nil {
		c.page = body
	}
	return body, err
}

// loadPage makes a data page the current one.
func (c *columnReader) loadPage(h *pageHeader, page []byte) (err error) {
	if h.kind == pageDataV2 {
		page, err = c.loadV2(h, page)
	} else {
		page, err = c.loadV1(h, page)
	}
	if err != nil {
		return err
	}
	c.coded = h.encoding == encodingPlainDictionary || h.encoding == encodingRLEDictionary
	if c.coded {
		return c.hybrid.ResetCodes(page)
	}
	return c.flat.load(h.encoding, page)
}

func (c *columnReader) loadV1(h *pageHeader, page []byte) ([]byte, error) {
	page, err := c.unpack(page, h.unpacked)
	if err != nil || c.col.leaf.maxDef == 0 {
		return page, err
	}
	switch h.defEncoding {
	case encodingRLE:
		levels, rest, err := encoding.CutPrefixed(page)
		if err != nil {
			return nil, err
		}
		return rest, c.levels.Reset(levels, c.col.leaf.maxDef)
	case encodingBitPacked:
		return c.levels.ResetPacked(page, c.col.leaf.maxDef, h.values)
	}
	return nil, encodingError{h.defEncoding}
}

func (c *columnReader) loadV2(h *pageHeader, page []byte) ([]byte, error) {
	levels, rest := page[h.repBytes:h.repBytes+h.defBytes], page[h.repBytes+h.defBytes:]
	if c.col.leaf.maxDef > 0 {
		if err := c.levels.Reset(levels, c.col.leaf.maxDef); err != nil {
			return nil, err
		}
	}
	n := h.unpacked - h.repBytes - h.defBytes
	if !h.compressed && !c.legacy {
		if len(rest) != n {
			return nil, errSize
		}
		return rest, nil
	}
	return c.unpack(rest, n)
}

// finish checks, after the last row of the chunk, that there is no more. Bytes
// that are no page are fine: some writers repeat the chunk's metadata there.
func (c *columnReader) finish() error {
	if c.left > 0 || c.seen < c.promised {
		return errMore
	}
	for c.window.at < c.window.end {
		h, err := c.window.header(headerSize)
		if errors.Is(err, errPage) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.values > 0 && (h.kind == pageData || h.kind == pageDataV2) {
			return errMore
		}
		if err := c.window.skip(h.packed); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether the reader can read a leaf too, because its values are
// stored and wanted as those of the reader's own.
func (c *columnReader) fits(col *Column) bool {
	if c.col == col {
		return true
	}
	a, b := &c.col.leaf, &col.leaf
	if a.physical != b.physical || a.width != b.width || a.maxDef != b.maxDef || !arrow.TypeEqual(c.col.Type, col.Type) {
		return false
	}
	return true
}
