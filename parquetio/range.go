package parquetio

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
)

// Range returns the least and greatest value of column k, which must be an
// integer, date, time or timestamp, as the statistics of all chunks have it.
// It is a hint only: statistics can be wrong. ok is false if some chunk has
// none that are usable, or if no row has a value.
func (s *Scan) Range(k int) (lo, hi int64, ok bool) {
	for f, file := range s.files {
		leaf := s.cols[f][k]
		col := &file.columns[leaf]
		if !integerLike(col.Type) {
			return 0, 0, false
		}
		for g := range file.meta.groups {
			m := &file.meta.groups[g].chunks[leaf]
			if m.values == 0 || m.nulls == m.values {
				continue
			}
			cl, ch, usable := m.bounds(col)
			if !usable {
				return 0, 0, false
			}
			if !ok {
				lo, hi, ok = cl, ch, true
			}
			lo, hi = min(lo, cl), max(hi, ch)
		}
	}
	return lo, hi, ok
}

func integerLike(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.DATE32, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP:
		return true
	}
	return false
}

// bounds returns a chunk's range if it can be meant: the lower bound not above
// the upper one, and, for unsigned columns, not from the old fields, which
// compare as signed.
func (m *chunkMeta) bounds(col *Column) (lo, hi int64, ok bool) {
	lo, hi = m.lo, m.hi
	if !m.hasRange || m.nulls < -1 {
		return 0, 0, false
	}
	if col.leaf.unsigned {
		if m.oldRange {
			return 0, 0, false
		}
		if col.leaf.physical == physicalInt32 {
			lo, hi = lo&math.MaxUint32, hi&math.MaxUint32
		}
		if lo < 0 || hi < 0 {
			return 0, 0, false
		}
	}
	return lo, hi, lo <= hi
}
