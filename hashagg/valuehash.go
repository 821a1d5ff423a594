package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/cespare/xxhash/v2"
	"github.com/colagg/colagg/vector"
)

// valueHasher hashes the values of an argument, for sketches: equal values have
// equal hashes whatever the form of the vector, in every run, and all 64 bits are
// as good as random.
type valueHasher struct {
	hashes  []uint64
	id      uint64   // dictionary that entries are about, 0 for none
	entries []uint64 // hashes of its entries
	gather  *vector.Vector
}

// hash returns the hashes of the first n rows of v, valid until the next call.
// Those of NULL rows are unspecified.
func (h *valueHasher) hash(v *vector.Vector, n int) (_ []uint64, err error) {
	h.hashes = vector.Resize(h.hashes, n)
	switch {
	case v.Dict == nil:
		hashValues(h.hashes, v)
		return h.hashes, nil
	case v.Dict.Len == 0:
		return h.hashes, nil
	case v.Codes != nil && v.Dict.Len > n && (h.id == 0 || v.Dict.ID != h.id):
		// More entries than rows: most of them would be hashed for nothing.
		if h.gather, err = vector.Gather(h.gather, v.Dict, v.Codes[:n]); err != nil {
			return nil, err
		}
		hashValues(h.hashes, h.gather)
		return h.hashes, nil
	}
	if v.Dict.ID == 0 || v.Dict.ID != h.id {
		h.entries = vector.Resize(h.entries, v.Dict.Len)
		hashValues(h.entries, v.Dict)
		h.id = v.Dict.ID
	}
	for i := range h.hashes {
		h.hashes[i] = h.entries[v.Code(i)]
	}
	return h.hashes, nil
}

func (h *valueHasher) bytes() int64 { return 8 * int64(cap(h.hashes)+cap(h.entries)) }

// hashValues hashes the rows of a flat vector.
func hashValues(dst []uint64, v *vector.Vector) {
	switch w := vector.Width(v.Type); {
	case v.Type.ID() == arrow.NULL:
	case vector.IsBytes(v.Type):
		for i := range dst {
			dst[i] = xxhash.Sum64(v.Data[v.Offsets[i]:v.Offsets[i+1]])
		}
	case w > 8 || v.Type.ID() == arrow.FIXED_SIZE_BINARY:
		for i := range dst {
			dst[i] = xxhash.Sum64(v.Data[i*w : i*w+w])
		}
	default:
		words(dst, v)
		for i, x := range dst {
			dst[i] = mix64(x)
		}
	}
}

// mix64 is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), after
// a step of its sequence.
func mix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
