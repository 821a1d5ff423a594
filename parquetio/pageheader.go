package parquetio

import (
	"errors"
	"fmt"
)

// pageHeader is what precedes a page.
type pageHeader struct {
	kind             int32
	packed, unpacked int // bytes
	checksum         uint32
	hasChecksum      bool

	values      int // NULLs count
	encoding    int
	defEncoding int // version 1

	// version 2, where levels come first and are not compressed
	nulls, rows        int
	defBytes, repBytes int
	compressed         bool
}

// What page headers must have. An encoding that is not there must not pass for
// 0, which is PLAIN.
var (
	pageFields   = []requirement{{1, "PageHeader.type"}, {2, "PageHeader.uncompressed_page_size"}, {3, "PageHeader.compressed_page_size"}}
	dataFields   = []requirement{{1, "DataPageHeader.num_values"}, {2, "DataPageHeader.encoding"}}
	dataV2Fields = []requirement{
		{1, "DataPageHeaderV2.num_values"}, {2, "DataPageHeaderV2.num_nulls"}, {4, "DataPageHeaderV2.encoding"},
		{5, "DataPageHeaderV2.definition_levels_byte_length"}, {6, "DataPageHeaderV2.repetition_levels_byte_length"},
	}
)

var errPage = errors.New("a page's header is damaged")

// parsePageHeader reads the header at the start of b and returns its length.
// errThriftShort means that b may be too short.
func parsePageHeader(b []byte) (h pageHeader, n int, err error) {
	r := &thriftReader{b: b}
	h = pageHeader{kind: -1, compressed: true}
	var described int32 = -1
	var has fields
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		has.add(id)
		switch id {
		case 1:
			h.kind = r.int32(t)
		case 2:
			h.unpacked = int(r.int32(t))
		case 3:
			h.packed = int(r.int32(t))
		case 4:
			// Parquet.jl puts 0 there and means none.
			h.checksum = uint32(r.int32(t))
			h.hasChecksum = h.checksum != 0
		case 5:
			described = pageData
			r.structure(t)
			r.dataPage(&h)
		case 7:
			described = pageDictionary
			r.structure(t)
			r.dataPage(&h)
		case 8:
			described = pageDataV2
			r.structure(t)
			r.dataPageV2(&h)
		default:
			r.skip(t)
		}
	}
	r.require(has, pageFields)
	if r.err != nil {
		return h, 0, r.err
	}
	return h, r.at, h.check(described)
}

// dataPage reads the fields of DataPageHeader; those of DictionaryPageHeader
// are its first two and a boolean.
func (r *thriftReader) dataPage(h *pageHeader) {
	var has fields
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		has.add(id)
		switch {
		case id == 1:
			h.values = int(r.int32(t))
		case id == 2:
			h.encoding = int(r.int32(t))
		case id == 3 && t == thriftI32:
			h.defEncoding = int(r.int32(t))
		default:
			r.skip(t)
		}
	}
	r.require(has, dataFields)
}

func (r *thriftReader) dataPageV2(h *pageHeader) {
	var has fields
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		has.add(id)
		switch id {
		case 1:
			h.values = int(r.int32(t))
		case 2:
			h.nulls = int(r.int32(t))
		case 3:
			h.rows = int(r.int32(t))
		case 4:
			h.encoding = int(r.int32(t))
		case 5:
			h.defBytes = int(r.int32(t))
		case 6:
			h.repBytes = int(r.int32(t))
		case 7:
			h.compressed = r.bool(t)
		default:
			r.skip(t)
		}
	}
	r.require(has, dataV2Fields)
}

// check finds headers that cannot be: pages that lack the part that describes
// them, sizes below zero.
func (h *pageHeader) check(described int32) error {
	known := h.kind == pageData || h.kind == pageDataV2 || h.kind == pageDictionary
	switch {
	case known && described != h.kind, h.kind < 0:
		return errPage
	case h.packed < 0, h.unpacked < 0, h.values < 0, h.encoding < 0:
		return errPage
	case h.kind == pageDataV2 && (h.nulls < 0 || h.nulls > h.values || h.defBytes < 0 || h.repBytes < 0 ||
		h.defBytes > h.packed || h.repBytes > h.packed-h.defBytes || h.defBytes+h.repBytes > h.unpacked):
		return fmt.Errorf("%w: the levels of a version 2 page are longer than the page", errPage)
	}
	return nil
}
