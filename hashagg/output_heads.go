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
		toHeads(t, h.words)
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

// toHeads makes heads of values of type t in the form of words.
func toHeads(t arrow.DataType, words []uint64) {
	switch {
	case t.ID() == arrow.FLOAT64:
		for i, w := range words {
			words[i] = floatHead(math.Float64frombits(w))
		}
	case t.ID() == arrow.FLOAT32:
		for i, w := range words {
			words[i] = floatHead(float64(math.Float32frombits(uint32(w))))
		}
	case t.ID() == arrow.FLOAT16:
		for i, w := range words {
			words[i] = uint64(int64(orderedHalf(w))) ^ 1<<63
		}
	case signed(t):
		for i, w := range words {
			words[i] = w ^ 1<<63
		}
	}
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

// isWord reports whether values of type t have the form of words, so that
// their heads are whole.
func isWord(t arrow.DataType) bool {
	return t.ID() == arrow.BOOL || vector.Width(t) > 0 && t.ID() != arrow.FIXED_SIZE_BINARY && !isDecimal(t)
}

// headWord is the inverse of toHeads, for values that are not NULL.
func headWord(t arrow.DataType, head uint64) uint64 {
	switch {
	case t.ID() == arrow.FLOAT64:
		return math.Float64bits(headFloat(head))
	case t.ID() == arrow.FLOAT32:
		return uint64(math.Float32bits(float32(headFloat(head))))
	case t.ID() == arrow.FLOAT16:
		if n := int64(head ^ 1<<63); n < 0 {
			return 0x8000 | uint64(-n)
		}
		return head ^ 1<<63
	case signed(t):
		return head ^ 1<<63
	}
	return head
}

// headFloat is the inverse of floatHead.
func headFloat(head uint64) float64 {
	switch {
	case head == nullHead-1:
		return math.NaN()
	case int64(head) < 0:
		return math.Float64frombits(head &^ (1 << 63))
	}
	return math.Float64frombits(^head)
}
