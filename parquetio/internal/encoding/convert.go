package encoding

import (
	"encoding/binary"
	"fmt"
)

// Narrow converts integers that the schema declares as 8 or 16 bits wide and
// that are stored as INT32. dst has one element for each of src's and may be
// in the memory where src begins. A value out of range is an error.
func Narrow[T int8 | int16 | uint8 | uint16](dst []T, src []int32) error {
	for i, v := range src {
		if dst[i] = T(v); int32(dst[i]) != v {
			return fmt.Errorf("encoding: value %d is %d, which %T cannot hold", i, v, dst[i])
		}
	}
	return nil
}

// The timestamps of INT96: nanoseconds of the day in eight bytes, then the
// Julian day in four.
const (
	int96Width = 12
	epochDay   = 2440588 // Julian day of 1970-01-01
	dayMicros  = 86_400_000_000
	maxDays    = 106_751_990 // within it, days of microseconds fit 64 bits
)

// Int96Micros converts INT96 timestamps to microseconds since 1970-01-01,
// rounded down. dst has one element for each 12 bytes of src. A timestamp more
// than 292,000 years away is an error.
func Int96Micros(dst []int64, src []byte) error {
	for i := range dst {
		b := src[i*int96Width : i*int96Width+int96Width]
		nanos := int64(binary.LittleEndian.Uint64(b))
		days := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - epochDay
		micros := nanos / 1000
		if nanos%1000 < 0 {
			micros--
		}
		whole := micros / dayMicros
		if days += whole; days > maxDays || days < -maxDays {
			return fmt.Errorf("encoding: INT96 timestamp %d is %d days from 1970", i, days)
		}
		dst[i] = days*dayMicros + micros%dayMicros
	}
	return nil
}
