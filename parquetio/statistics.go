package parquetio

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// bounds are keys (see vector.Domain) that no value of a chunk or a page is below
// or above; NaN may be there beside them.
type bounds struct {
	lo, hi []byte
	nan    bool
}

// meets reports whether a value within b may be in d.
func (b bounds) meets(d vector.Domain) bool {
	return d.Meets(b.lo, b.hi) || b.nan && d.Has(vector.KeyFloat(math.NaN()))
}

// key returns the key of a value as statistics store it; ok is false for types
// that are not compared by the order of the statistics, and for what is no value.
func (c *Column) key(b []byte) (k []byte, ok bool) {
	switch p := c.leaf.physical; {
	case c.Type.ID() == arrow.DECIMAL128:
		return c.decimalKey(b)
	case p == physicalBoolean && c.Type.ID() == arrow.BOOL && len(b) == 1:
		return vector.KeyBool(b[0] != 0), true
	case p == physicalInt32 && len(b) == 4 && c.leaf.unsigned:
		return vector.KeyInt(int64(leUint32(b))), true
	case p == physicalInt32 && len(b) == 4:
		return vector.KeyInt(int64(int32(leUint32(b)))), true
	case p == physicalInt64 && len(b) == 8 && c.leaf.unsigned:
		return vector.KeyUint(leUint64(b)), true
	case p == physicalInt64 && len(b) == 8:
		return vector.KeyInt(int64(leUint64(b))), true
	case p == physicalFloat && len(b) == 4:
		f := math.Float32frombits(leUint32(b))
		return vector.KeyFloat(float64(f)), f == f
	case p == physicalDouble && len(b) == 8:
		f := math.Float64frombits(leUint64(b))
		return vector.KeyFloat(f), f == f
	case p == physicalByteArray && vector.IsBytes(c.Type):
		return b, true
	}
	return nil, false
}

// decimalKey is of integers, or of big-endian numbers of any length.
func (c *Column) decimalKey(b []byte) ([]byte, bool) {
	var x int64
	switch p := c.leaf.physical; {
	case p == physicalInt32 && len(b) == 4:
		x = int64(int32(leUint32(b)))
	case p == physicalInt64 && len(b) == 8:
		x = int64(leUint64(b))
	case (p == physicalFixed || p == physicalByteArray) && len(b) > 0 && len(b) <= 16:
		var wide [16]byte
		if int8(b[0]) < 0 {
			copy(wide[:], bytes.Repeat([]byte{0xff}, 16))
		}
		copy(wide[16-len(b):], b)
		return vector.KeyWide([2]uint64{binary.BigEndian.Uint64(wide[8:]), binary.BigEndian.Uint64(wide[:8])}), true
	default:
		return nil, false
	}
	return vector.KeyWide([2]uint64{uint64(x), uint64(x >> 63)}), true
}

// trusted says whether the statistics of a leaf can be believed. They cannot
//   - where they are in no order that is told, or in the order of old writers, who
//     compared as signed numbers, unless that is the type's too;
//   - of floats and unsigned integers from arrow-go, which got them wrong up to
//     version 18 (finite bounds of infinities; the greatest number as the least of
//     columns with NULLs).
func (f *File) trusted(leaf int, old bool) bool {
	c := &f.columns[leaf]
	p := c.leaf.physical
	float := p == physicalFloat || p == physicalDouble
	if (float || c.leaf.unsigned) && (strings.HasPrefix(f.meta.createdBy, "parquet-go") || strings.Contains(f.meta.createdBy, "arrow-go")) {
		return false
	}
	if (p == physicalInt32 || p == physicalInt64) && !c.leaf.unsigned {
		return true
	}
	return !old && leaf < len(f.meta.ordered) && f.meta.ordered[leaf]
}

// boundsOf makes bounds of what statistics say of a leaf; ok is false if they do
// not make sense. Bounds of floats say nothing of NaN.
func (c *Column) boundsOf(lo, hi []byte) (b bounds, ok bool) {
	if lo == nil || hi == nil {
		return b, false
	}
	var okLo, okHi bool
	b.lo, okLo = c.key(lo)
	b.hi, okHi = c.key(hi)
	b.nan = c.leaf.physical == physicalFloat || c.leaf.physical == physicalDouble
	return b, okLo && okHi && bytes.Compare(b.lo, b.hi) <= 0
}

// knownNulls returns how many of the chunk's rows are NULL; -1 is not known.
func (m *chunkMeta) knownNulls(c *Column) int64 {
	switch {
	case !c.Nullable:
		return 0
	case m.nulls < 0 || m.nulls > m.values:
		return -1
	}
	return m.nulls
}

// mayHave reports whether, by the statistics, a row of a chunk may be in d.
func (f *File) mayHave(group, leaf int, d vector.Domain) bool {
	c, m := &f.columns[leaf], &f.meta.groups[group].chunks[leaf]
	nulls := m.knownNulls(c)
	if d.Null && nulls != 0 {
		return true
	}
	if nulls == m.values || len(d.Spans) == 0 {
		return false
	}
	b, ok := c.boundsOf(m.least, m.greatest)
	return !ok || !f.trusted(leaf, m.oldRange) || b.meets(d)
}
