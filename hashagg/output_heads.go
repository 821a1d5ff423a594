package hashagg

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// heads are the rows of a key column as numbers that do not contradict the
// order of compareRows: sorting 10,000 groups by two text columns takes 1 ms by
// them, instead of 5.
type heads struct {
	v     *vector.Vector
	words []uint64
}

// nullHead is the head of NULL, and may be that of the greatest values.
const nullHead = math.MaxUint64

func headsOf(v *vector.Vector) heads {
	h := heads{v, make([]uint64, v.Len)}
	switch t := v.Type; {
	case t.ID() == arrow.NULL:
	case vector.IsBytes(t) || t.ID() == arrow.FIXED_SIZE_BINARY:
		for i := range h.words {
			h.words[i] = textHead(v.Bytes(i))
		}
	case t.ID() == arrow.DECIMAL128 || t.ID() == arrow.DECIMAL256:
		for i := range h.words {
			h.words[i] = decimalHead(vector.View[uint64](v.Bytes(i)))
		}
	default:
		words(h.words, v)
		for i, w := range h.words {
			h.words[i] = wordHead(t, w)
		}
	}
	for i := range h.words {
		if v.IsNull(i) {
			h.words[i] = nullHead
		}
	}
	return h
}

// compare orders rows i and j.
func (h heads) compare(i, j uint32) int {
	a, b := h.words[i], h.words[j]
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a != nullHead && h.whole(a):
		return 0
	}
	return compareRows(h.v, int(i), int(j))
}

// whole reports whether only one value has the head a.
func (h heads) whole(a uint64) bool {
	switch t := h.v.Type; {
	case vector.IsBytes(t) || t.ID() == arrow.FIXED_SIZE_BINARY:
		return byte(a) < 8
	case t.ID() == arrow.DECIMAL128 || t.ID() == arrow.DECIMAL256:
		return false
	}
	return true
}

// textHead is 7 bytes of p, and its length or 8.
func textHead(p []byte) uint64 {
	var b [8]byte
	copy(b[:7], p)
	b[7] = byte(min(len(p), 8))
	return binary.BigEndian.Uint64(b[:])
}

// decimalHead is the number, or the nearest of 64 bits.
func decimalHead(n []uint64) uint64 {
	sign := uint64(int64(n[len(n)-1]) >> 63)
	low := n[0]
	if sign != uint64(int64(low)>>63) {
		low = ^sign ^ 1<<63
	}
	for _, w := range n[1:] {
		if w != sign {
			low = ^sign ^ 1<<63
		}
	}
	return low ^ 1<<63
}

// wordHead maps a value of type t in the form of words.
func wordHead(t arrow.DataType, w uint64) uint64 {
	switch {
	case t.ID() == arrow.FLOAT64:
		return floatHead(math.Float64frombits(w))
	case t.ID() == arrow.FLOAT32:
		return floatHead(float64(math.Float32frombits(uint32(w))))
	case t.ID() == arrow.FLOAT16:
		return uint64(int64(orderedHalf(w))) ^ 1<<63
	case signed(t):
		return w ^ 1<<63
	}
	return w
}

// floatHead orders floats by their bits, NaN last.
func floatHead(f float64) uint64 {
	b := math.Float64bits(f)
	switch {
	case f != f:
		return nullHead - 1
	case int64(b) < 0:
		return ^b
	}
	return b | 1<<63
}
