package encoding

import (
	"encoding/binary"
	"fmt"
)

// CutPrefixed splits data after a block that is preceded by its length in four
// bytes: the levels of a version 1 data page, or the values of a BOOLEAN page
// in encoding RLE. Both results share data's memory.
func CutPrefixed(data []byte) (block, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, fmt.Errorf("encoding: %d bytes where the four of a length should be", len(data))
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	if n > uint64(len(data)-4) {
		return nil, nil, fmt.Errorf("encoding: length %d at byte 0 with %d bytes after it", n, len(data)-4)
	}
	return data[4 : 4+n], data[4+n:], nil
}

// uvarint reads an ULEB128 number at position pos and returns it and the
// position after it.
func uvarint(data []byte, pos int) (v uint64, next int, err error) {
	v, k := binary.Uvarint(data[pos:])
	if k <= 0 {
		return 0, pos, fmt.Errorf("encoding: no whole variable-length number at byte %d of %d", pos, len(data))
	}
	return v, pos + k, nil
}

// zigzag reads a signed variable-length number, as uvarint.
func zigzag(data []byte, pos int) (v int64, next int, err error) {
	u, next, err := uvarint(data, pos)
	return int64(u>>1) ^ -int64(u&1), next, err
}
