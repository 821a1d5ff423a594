package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/cespare/xxhash/v2"
	"github.com/colagg/colagg/vector"
)

// keyHasher hashes the keys of a batch. Equal keys have equal hashes, in
// whatever form their vectors are.
type keyHasher struct {
	mask    uint64 // ANDed to hashes; tests clear bits
	columns []columnHasher
	hashes  []uint64
	column  []uint64
}

// columnHasher hashes the values of one key column.
type columnHasher struct {
	id      uint64   // dictionary that entries are about, 0 for none
	entries []uint64 // hashes of its entries
}

// nullHash is the hash of NULL.
const nullHash = 0x9e3779b97f4a7c15

func newKeyHasher(columns int, mask uint64) keyHasher {
	return keyHasher{mask: mask, columns: make([]columnHasher, columns)}
}

// hash returns the hashes of n rows, valid until the next call. Tables use the
// high bits of theirs, so that the low bits are for choosing a table.
func (k *keyHasher) hash(keys []*vector.Vector, n int) []uint64 {
	k.hashes = vector.Resize(k.hashes, n)
	k.columns[0].hash(k.hashes, keys[0])
	for c := 1; c < len(keys); c++ {
		k.column = vector.Resize(k.column, n)
		k.columns[c].hash(k.column, keys[c])
		for i, h := range k.column {
			k.hashes[i] = hashWords(k.hashes[i], h)
		}
	}
	if k.mask != ^uint64(0) {
		for i := range k.hashes {
			k.hashes[i] &= k.mask
		}
	}
	return k.hashes
}

func (c *columnHasher) hash(dst []uint64, v *vector.Vector) {
	if v.Dict == nil {
		hashFlat(dst, v)
		return
	}
	if v.Dict.ID == 0 || v.Dict.ID != c.id {
		c.entries = vector.Resize(c.entries, v.Dict.Len)
		hashFlat(c.entries, v.Dict)
		c.id = v.Dict.ID
	}
	for i := range dst {
		dst[i] = nullHash
		if v.Valid.Get(i) && len(c.entries) > 0 {
			dst[i] = c.entries[v.Code(i)]
		}
	}
}

// hashFlat hashes the rows of a flat vector.
func hashFlat(dst []uint64, v *vector.Vector) {
	switch w := vector.Width(v.Type); {
	case v.Type.ID() == arrow.NULL:
	case vector.IsBytes(v.Type):
		for i := range dst {
			dst[i] = hashText(v.Data, int(v.Offsets[i]), int(v.Offsets[i+1]))
		}
	case w > 8 || v.Type.ID() == arrow.FIXED_SIZE_BINARY:
		for i := range dst {
			dst[i] = hashText(v.Data, i*w, i*w+w)
		}
	default:
		words(dst, v)
		for i, x := range dst {
			dst[i] = hash64(x)
		}
	}
	if !v.MayHaveNulls() {
		return
	}
	for i := range dst {
		if v.IsNull(i) {
			dst[i] = nullHash
		}
	}
}

// hashText hashes data[lo:hi].
func hashText(data []byte, lo, hi int) uint64 {
	w := keyWordOf(data, lo, hi)
	if w.tail == tagLong {
		return xxhash.Sum64(data[lo:hi])
	}
	return hashWords(w.head, w.tail)
}
