package parquetio

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/cespare/xxhash/v2"
	"github.com/colagg/colagg/vector"
)

// A bloom filter of the format is a header and blocks of eight 32-bit words; a hash
// has a block and a bit in each of its words
// (https://github.com/apache/parquet-format/blob/master/BloomFilter.md).
const (
	bloomBlock  = 32
	bloomHeader = 64        // a header has about 20 bytes
	maxBloom    = 128 << 20 // bytes
)

var bloomSalt = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}

var errBloom = errors.New("a bloom filter's header is damaged or of another kind")

// parseBloomHeader returns the size of the header at the start of b and of the
// blocks that follow it.
func parseBloomHeader(b []byte) (header, size int, err error) {
	r := &thriftReader{b: b}
	kinds := 0
	var id int16
	for t := r.field(&id); t != thriftStop; t = r.field(&id) {
		switch id {
		case 1:
			size = int(r.int32(t))
		case 2, 3, 4:
			// Unions, of which the first members are what there is: split blocks,
			// xxHash, no compression.
			r.structure(t)
			var member int16
			for mt := r.field(&member); mt != thriftStop; mt = r.field(&member) {
				if member == 1 {
					kinds |= 1 << id
				}
				r.skip(mt)
			}
		default:
			r.skip(t)
		}
	}
	if r.err != nil {
		return 0, 0, r.err
	}
	if kinds != 1<<2|1<<3|1<<4 || size < bloomBlock || size > maxBloom || size%bloomBlock != 0 {
		return 0, 0, errBloom
	}
	return r.at, size, nil
}

// bloomPlace is where in a filter of so many bytes the block of a hash is.
func bloomPlace(hash uint64, size int) int {
	return int((hash>>32)*uint64(size/bloomBlock)>>32) * bloomBlock
}

// bloomHas reports whether what has the hash may be in the filter that block is of.
func bloomHas(block []byte, hash uint64) bool {
	for i, salt := range bloomSalt {
		bit := uint32(hash) * salt >> 27
		if binary.LittleEndian.Uint32(block[4*i:])>>bit&1 == 0 {
			return false
		}
	}
	return true
}

// mostPoints is up to how many values are looked up in a bloom filter.
const mostPoints = 1 << 10

// hashes returns the hashes of all values of d, which has no NULL; ok is false if
// they are too many or not stored in one way only.
func (c *Column) hashes(d vector.Domain) (list []uint64, ok bool) {
	if len(d.Spans) > mostPoints || c.leaf.physical == physicalBoolean {
		return nil, false
	}
	for _, s := range d.Spans {
		if !s.IsPoint() {
			return nil, false
		}
		stored, ok := c.stored(s.Lo)
		if !ok {
			return nil, false
		}
		for _, b := range stored {
			list = append(list, xxhash.Sum64(b))
		}
	}
	return list, true
}

// stored returns how the value with key k is stored: nothing if the column cannot
// have it; ok is false where that is not known.
func (c *Column) stored(k []byte) (values [][]byte, ok bool) {
	if c.leaf.physical == physicalByteArray && vector.IsBytes(c.Type) {
		return [][]byte{k}, true
	}
	if len(k) == 16 {
		return c.storedDecimal(k)
	}
	if len(k) != 8 {
		return nil, false
	}
	u := binary.BigEndian.Uint64(k)
	x := int64(u ^ 1<<63)
	switch p := c.leaf.physical; {
	case p == physicalInt32:
		if !c.leaf.unsigned && x != int64(int32(x)) || c.leaf.unsigned && x != int64(uint32(x)) {
			return nil, true
		}
		return [][]byte{binary.LittleEndian.AppendUint32(nil, uint32(x))}, true
	case p == physicalInt64 && c.leaf.unsigned:
		return [][]byte{binary.LittleEndian.AppendUint64(nil, u)}, true
	case p == physicalInt64:
		return [][]byte{binary.LittleEndian.AppendUint64(nil, uint64(x))}, true
	case p == physicalFloat || p == physicalDouble:
		return c.storedFloat(math.Float64frombits(uint64(x ^ int64(uint64(x>>63)>>1))))
	}
	return nil, false
}

func (c *Column) storedFloat(f float64) (values [][]byte, ok bool) {
	switch {
	case f != f:
		return nil, false // there are many
	case c.leaf.physical == physicalDouble:
		values = append(values, binary.LittleEndian.AppendUint64(nil, math.Float64bits(f)))
		if f == 0 {
			values = append(values, binary.LittleEndian.AppendUint64(nil, 1<<63))
		}
	case float64(float32(f)) == f:
		values = append(values, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f))))
		if f == 0 {
			values = append(values, binary.LittleEndian.AppendUint32(nil, 1<<31))
		}
	}
	return values, true
}

// storedDecimal is of a key of 16 bytes, big-endian with its sign turned.
func (c *Column) storedDecimal(k []byte) (values [][]byte, ok bool) {
	wide := append([]byte{k[0] ^ 0x80}, k[1:]...)
	width := c.leaf.width
	if c.leaf.physical == physicalByteArray || width == 0 {
		return nil, false
	}
	fill := byte(int8(wide[0]) >> 7)
	for len(wide) < width {
		wide = append([]byte{fill}, wide...)
	}
	cut := wide[:len(wide)-width]
	rest := wide[len(wide)-width:]
	for _, b := range cut {
		if b != fill {
			return nil, true
		}
	}
	if byte(int8(rest[0])>>7) != fill {
		return nil, true
	}
	switch c.leaf.physical {
	case physicalInt32:
		return [][]byte{binary.LittleEndian.AppendUint32(nil, binary.BigEndian.Uint32(rest))}, true
	case physicalInt64:
		return [][]byte{binary.LittleEndian.AppendUint64(nil, binary.BigEndian.Uint64(rest))}, true
	}
	return [][]byte{rest}, true
}
