package parquetio

import (
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
)

// ScanReport says what a Scan has to read, known from the footers, and what
// those of its streams have read that are closed.
type ScanReport struct {
	Files     int
	RowGroups int // that have rows
	Morsels   int

	RowGroupsRead int // of which some column was read
	MorselsRead   int // begun
	// Skipped says what need not be read because of Where.
	Skipped Skipped
	Columns []ColumnReport
}

// Skipped counts row groups by what told that no row in them can be chosen, and
// pages of the others; what Prepare finds is in it after that.
type Skipped struct {
	ByStatistics, ByBloomFilter, ByDictionary, ByPageIndex int
	// GroupBytes is the compressed size of these row groups' columns.
	GroupBytes int64
	// Pages and PageBytes are those of the row groups that are read in part.
	Pages, PageBytes int64
	// Unusable is how many indexes, bloom filters and dictionaries were damaged,
	// and BytesRead what was read to find all that out.
	Unusable  int
	BytesRead int64
}

// ColumnReport is the part of one column in a ScanReport. The times are
// wall-clock times of the streams, added up.
type ColumnReport struct {
	Name string
	Type arrow.DataType
	// ChunkBytes is the compressed size of the column's chunks, page headers
	// included, and ValueBytes the size without compression.
	ChunkBytes, ValueBytes int64
	// Encodings and Codecs are those of all chunks, as the format names them.
	Encodings, Codecs []string

	// BytesRead is what was fetched of the files. It is above ChunkBytes by
	// what is read ahead behind a chunk and, where row groups are split, by
	// what several streams read of one chunk; it is below by what is skipped.
	BytesRead int64
	// Pages is the number of data pages that were decoded, Dictionaries that
	// of dictionary pages, and PagesSkipped that of data pages that were
	// stepped over, as none of their rows were wanted (those of a chunk's
	// other morsels) or the column's type has no values.
	Pages, Dictionaries, PagesSkipped int64
	// BytesSkipped is the compressed size of the pages stepped over. What is
	// read ahead may have fetched them nevertheless.
	BytesSkipped int64
	// Rows is the number of rows that came out.
	Rows int64
	// Read is the time of fetching bytes, Decompress of decompressing pages,
	// and Decode of all else: headers, checksums, levels, values.
	Read, Decompress, Decode time.Duration
}

// columnWork is what a stream counts for one column.
type columnWork struct {
	bytes, pages, dictionaries, skipped, skippedBytes, rows int64
	read, unpack, all                                       time.Duration
}

// lap adds the time since start to column k and returns the time now.
func (s *stream) lap(k int, start time.Duration) time.Duration {
	now := operators.Now()
	s.work.columns[k].all += now - start
	return now
}

// Report returns what is to be read and what was read; see ScanReport. It may
// be called at any time.
func (s *Scan) Report() ScanReport {
	r := ScanReport{Files: len(s.files), Morsels: len(s.morsels), Columns: make([]ColumnReport, len(s.fields))}
	for _, file := range s.files {
		for g := range file.meta.groups {
			if file.meta.groups[g].rows > 0 {
				r.RowGroups++
			}
		}
	}
	k := &s.skips
	r.Skipped = Skipped{k.statistics, k.bloom, k.dictionary, k.pageIndex, k.groupBytes, k.pages, k.bytes, k.unusable, k.read}
	for k := range r.Columns {
		r.Columns[k].Name, r.Columns[k].Type = s.fields[k].Name, s.fields[k].Type
		s.describe(k, &r.Columns[k])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.RowGroupsRead, r.MorselsRead = s.done.groups, s.done.morsels
	for k, w := range s.done.columns {
		c := &r.Columns[k]
		c.BytesRead, c.Pages, c.Dictionaries, c.PagesSkipped = w.bytes, w.pages, w.dictionaries, w.skipped
		c.BytesSkipped, c.Rows, c.Read, c.Decompress = w.skippedBytes, w.rows, w.read, w.unpack
		c.Decode = w.all - w.read - w.unpack
	}
	return r
}

// describe fills in what the footers say of column k.
func (s *Scan) describe(k int, c *ColumnReport) {
	var encodings, codecs uint32
	for f, file := range s.files {
		for g := range file.meta.groups {
			m := &file.meta.groups[g].chunks[s.cols[f][k]]
			c.ChunkBytes += m.packed
			c.ValueBytes += m.unpacked
			encodings |= m.encodings
			codecs |= 1 << m.codec
		}
	}
	c.Encodings = encodingList(encodings)
	for i, name := range codecNames {
		if codecs>>i&1 != 0 {
			c.Codecs = append(c.Codecs, name)
		}
	}
}

// scanWork is what streams have counted.
type scanWork struct {
	groups, morsels int
	columns         []columnWork
}

// add takes over what a stream has counted.
func (w *scanWork) add(o *scanWork) {
	w.groups += o.groups
	w.morsels += o.morsels
	for k, c := range o.columns {
		t := &w.columns[k]
		t.bytes += c.bytes
		t.pages += c.pages
		t.dictionaries += c.dictionaries
		t.skipped += c.skipped
		t.skippedBytes += c.skippedBytes
		t.rows += c.rows
		t.read += c.read
		t.unpack += c.unpack
		t.all += c.all
	}
	*o = scanWork{columns: o.columns[:0]}
}
