package parquetio

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/parquetio/internal/encoding"
	"github.com/colagg/colagg/vector"
)

// converter turns fixed-width values as stored into values of the column's
// Arrow type. Both slices hold the same number of them; an error means that a
// value does not fit the type.
type converter func(dst, src []byte) error

// narrow returns the converter from INT32 to the 8- and 16-bit integers, nil
// for the other types.
func narrow(t arrow.DataType) converter {
	switch t.ID() {
	case arrow.INT8:
		return narrowTo[int8]
	case arrow.INT16:
		return narrowTo[int16]
	case arrow.UINT8:
		return narrowTo[uint8]
	case arrow.UINT16:
		return narrowTo[uint16]
	}
	return nil
}

func narrowTo[T int8 | int16 | uint8 | uint16](dst, src []byte) error {
	return encoding.Narrow(vector.View[T](dst), vector.View[int32](src))
}

func intToDecimal[T int32 | int64](dst, src []byte) error {
	encoding.IntDecimals(vector.View[[2]uint64](dst), vector.View[T](src))
	return nil
}

// fixedToDecimal returns the converter from big-endian numbers of width bytes.
func fixedToDecimal[T encoding.Words](width int) converter {
	return func(dst, src []byte) error {
		return encoding.FixedDecimals(vector.View[T](dst), src, width)
	}
}

func int96ToMicros(dst, src []byte) error {
	return encoding.Int96Micros(vector.View[int64](dst), src)
}

// stringsToDecimal converts numbers that are stored as BYTE_ARRAY. Some writers
// leave all bytes of a zero out.
func stringsToDecimal(t arrow.DataType, dst []byte, src *encoding.Strings) error {
	src = zeros(src)
	if t.ID() == arrow.DECIMAL256 {
		return encoding.StringDecimals(vector.View[[4]uint64](dst), src)
	}
	return encoding.StringDecimals(vector.View[[2]uint64](dst), src)
}

// zeros returns src with one zero byte for each empty string.
func zeros(src *encoding.Strings) *encoding.Strings {
	empty := 0
	for i, end := range src.Offsets[1:] {
		if end == src.Offsets[i] {
			empty++
		}
	}
	if empty == 0 {
		return src
	}
	out := &encoding.Strings{Offsets: make([]int32, 1, len(src.Offsets)), Data: make([]byte, 0, len(src.Data)+empty)}
	for i, end := range src.Offsets[1:] {
		if end == src.Offsets[i] {
			out.Data = append(out.Data, 0)
		}
		out.Data = append(out.Data, src.Data[src.Offsets[i]:end]...)
		out.Offsets = append(out.Offsets, int32(len(out.Data)))
	}
	return out
}
