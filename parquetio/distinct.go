package parquetio

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
)

// Distinct tells how many different values column k has in one of its chunks,
// that with the most, and how many values that chunk has, NULLs included: by the
// statistics, or about, by the size of a dictionary. ok is false if some chunk
// says nothing of it. It is a hint only: statistics can be wrong, and of a
// dictionary the footer has neither the entries nor the size before compression.
func (s *Scan) Distinct(k int) (values, of int64, ok bool) {
	for f, file := range s.files {
		leaf := s.cols[f][k]
		for g := range file.meta.groups {
			m := &file.meta.groups[g].chunks[leaf]
			if m.values <= 0 || m.nulls == m.values {
				continue
			}
			n := m.distinct
			if n <= 0 {
				n = m.dictionaryEntries(fixedLength(file.columns[leaf].Type))
			}
			if n <= 0 || n > m.values {
				return 0, 0, false
			}
			ok = true
			if n > values {
				values, of = n, m.values
			}
		}
	}
	return values, of, ok
}

// fixedLength is the length of values that are stored as they are; 0 of others.
func fixedLength(t arrow.DataType) int {
	if f, ok := t.(*arrow.FixedSizeBinaryType); ok {
		return f.ByteWidth
	}
	return 0
}

const (
	pageHeaderBytes = 20 // about
	// wholeDictionary bounds the bytes of data pages beyond those of codes, as a
	// share of the values: a byte for two is levels and headers, more are values
	// that did not go into the dictionary.
	wholeDictionary = 2
)

// dictionaryEntries is about the number of entries of a dictionary that has all
// values of the chunk, which are of so many bytes if they are of fixed length;
// 0 if there is none, or no telling. Pages are taken to be compressed all alike.
func (m *chunkMeta) dictionaryEntries(length int) int64 {
	if m.dictAt <= 0 || m.dataAt <= m.dictAt || m.packed <= 0 || m.dataAt-m.dictAt >= m.packed {
		return 0
	}
	packed := max(0, m.dataAt-m.dictAt-pageHeaderBytes)
	bytes := int64(float64(packed) * max(1, float64(m.unpacked)/float64(m.packed)))
	var width int64
	switch m.physical {
	case physicalInt32, physicalFloat:
		width = 4
	case physicalInt64, physicalDouble:
		width = 8
	case physicalInt96:
		width = 12
	case physicalFixed:
		width = int64(length)
	case physicalByteArray:
		if m.textBytes > 0 {
			width = 4 + m.textBytes/2
		}
	}
	if width <= 0 {
		return 0
	}
	entries := max(1, bytes/width)
	codes := m.values * int64(bits.Len64(uint64(entries-1))) / 8
	if m.unpacked-bytes > codes+m.values/wholeDictionary+1<<12 {
		return 0
	}
	return entries
}
