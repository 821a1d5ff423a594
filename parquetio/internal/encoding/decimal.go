package encoding

import (
	"encoding/binary"
	"fmt"
)

// Words is the little-endian two's complement form of decimals: [2]uint64 for
// Decimal128 and [4]uint64 for Decimal256, lowest word first.
type Words interface{ [2]uint64 | [4]uint64 }

// FixedDecimals converts decimals stored as FIXED_LEN_BYTE_ARRAY, big-endian
// two's complement of width bytes each. dst has one element for each value of
// src. A value that does not fit is an error; more bytes than dst's elements
// have are fine as long as they only repeat the sign.
func FixedDecimals[T Words](dst []T, src []byte, width int) error {
	if width < 1 {
		return fmt.Errorf("encoding: decimals of %d bytes", width)
	}
	if d, ok := any(dst).([][2]uint64); ok && width <= 16 {
		fixed128(d, src, width)
		return nil
	}
	for i := range dst {
		if !words(dst[i:i+1], src[i*width:i*width+width]) {
			return fmt.Errorf("encoding: decimal %d of %d bytes has more than %d bits", i, width, len(dst[i])*64)
		}
	}
	return nil
}

// fixed128 is FixedDecimals for widths of 1 to 16, in which all values fit.
func fixed128(dst [][2]uint64, src []byte, width int) {
	if width >= 8 {
		for i := range dst {
			b := src[:width]
			src = src[width:]
			high := int64(binary.BigEndian.Uint64(b)) >> (128 - 8*width)
			dst[i] = [2]uint64{binary.BigEndian.Uint64(b[width-8:]), uint64(high)}
		}
		return
	}
	var pad [8]byte
	for i := range dst {
		b := src[i*width:]
		if len(b) < 8 {
			copy(pad[:], b[:width])
			b = pad[:]
		}
		v := int64(binary.BigEndian.Uint64(b)) >> (64 - 8*width)
		dst[i] = [2]uint64{uint64(v), uint64(v >> 63)}
	}
}

// StringDecimals is FixedDecimals for decimals stored as BYTE_ARRAY. dst has
// one element for each of src's strings. An empty string is an error.
func StringDecimals[T Words](dst []T, src *Strings) error {
	for i := range dst {
		b := src.Data[src.Offsets[i]:src.Offsets[i+1]]
		if len(b) == 0 {
			return fmt.Errorf("encoding: decimal %d has no bytes", i)
		}
		if !words(dst[i:i+1], b) {
			return fmt.Errorf("encoding: decimal %d of %d bytes has more than %d bits", i, len(b), len(dst[i])*64)
		}
	}
	return nil
}

// words sets the one element of dst to the big-endian number b, which is not
// empty, and reports whether it fits.
func words[T Words](dst []T, b []byte) bool {
	sign := uint64(int64(int8(b[0])) >> 63)
	w := &dst[0]
	for k := range len(*w) {
		var v uint64
		switch {
		case len(b) >= 8:
			v = binary.BigEndian.Uint64(b[len(b)-8:])
			b = b[:len(b)-8]
		default:
			v = sign
			for _, x := range b {
				v = v<<8 | uint64(x)
			}
			b = nil
		}
		(*w)[k] = v
	}
	for _, x := range b {
		if x != byte(sign) {
			return false
		}
	}
	return (*w)[len(*w)-1]>>63 == sign&1
}

// IntDecimals converts decimals stored as INT32 or INT64. dst has one element
// for each of src's.
func IntDecimals[T int32 | int64](dst [][2]uint64, src []T) {
	for i, v := range src {
		x := int64(v)
		dst[i] = [2]uint64{uint64(x), uint64(x >> 63)}
	}
}
