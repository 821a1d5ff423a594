package parquetio

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/colagg/colagg/vector"
)

// levelPair says where values stand, as Parquet's definition and repetition levels:
// one entry of def per row, or per element and empty list in a column of lists,
// which is the highest level where there is a value. def is nil in a column
// without NULLs and lists, rep in one without lists.
type levelPair struct{ def, rep []int16 }

// encodeFunc hands values to the writer of a column chunk: those of the flat
// vector at the positions listed.
type encodeFunc func(w file.ColumnChunkWriter, flat *vector.Vector, at []uint32, lv levelPair) error

// encoderFor returns the encodeFunc of Arrow type t, which storage has accepted.
func encoderFor(t arrow.DataType) encodeFunc {
	switch t := t.(type) {
	case *arrow.NullType:
		return func(w file.ColumnChunkWriter, _ *vector.Vector, _ []uint32, lv levelPair) error {
			return put32(w, nil, lv)
		}
	case *arrow.BooleanType:
		return encodeBool()
	case *arrow.StringType, *arrow.BinaryType:
		return encodeBytes
	case *arrow.FixedSizeBinaryType:
		return encodeFixedBytes(t.ByteWidth, func(dst, src []byte) error { copy(dst, src); return nil })
	case *arrow.Float16Type: // both sides are little-endian
		return encodeFixedBytes(2, func(dst, src []byte) error { copy(dst, src); return nil })
	case *arrow.Decimal128Type:
		return encodeDecimal(t)
	case *arrow.Decimal256Type:
		return encodeDecimal(t)
	case *arrow.Int8Type:
		return encodeFixed(put32, castTo[int8, int32])
	case *arrow.Int16Type:
		return encodeFixed(put32, castTo[int16, int32])
	case *arrow.Int32Type, *arrow.Uint32Type, *arrow.Date32Type:
		return encodeFixed(put32, castTo[int32, int32])
	case *arrow.Uint8Type:
		return encodeFixed(put32, castTo[uint8, int32])
	case *arrow.Uint16Type:
		return encodeFixed(put32, castTo[uint16, int32])
	case *arrow.Date64Type:
		return encodeFixed(put32, dateOfMillis)
	case *arrow.Time32Type:
		if t.Unit == arrow.Second {
			return encodeFixed(put32, timeOfSeconds)
		}
		return encodeFixed(put32, castTo[int32, int32])
	case *arrow.Int64Type, *arrow.Uint64Type, *arrow.Time64Type:
		return encodeFixed(put64, castTo[int64, int64])
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			return encodeFixed(put64, timestampOfSeconds)
		}
		return encodeFixed(put64, castTo[int64, int64])
	case *arrow.Float32Type:
		return encodeFixed(putFloat, castTo[float32, float32])
	case *arrow.Float64Type:
		return encodeFixed(putDouble, castTo[float64, float64])
	}
	panic("BUG: no Parquet encoder for " + t.String())
}

func put32(w file.ColumnChunkWriter, vals []int32, lv levelPair) error {
	n, err := w.(*file.Int32ColumnChunkWriter).WriteBatch(vals, lv.def, lv.rep)
	return taken(n, len(vals), err)
}

func put64(w file.ColumnChunkWriter, vals []int64, lv levelPair) error {
	n, err := w.(*file.Int64ColumnChunkWriter).WriteBatch(vals, lv.def, lv.rep)
	return taken(n, len(vals), err)
}

func putFloat(w file.ColumnChunkWriter, vals []float32, lv levelPair) error {
	n, err := w.(*file.Float32ColumnChunkWriter).WriteBatch(vals, lv.def, lv.rep)
	return taken(n, len(vals), err)
}

func putDouble(w file.ColumnChunkWriter, vals []float64, lv levelPair) error {
	n, err := w.(*file.Float64ColumnChunkWriter).WriteBatch(vals, lv.def, lv.rep)
	return taken(n, len(vals), err)
}

// taken checks that the library took all of the n values given to it.
func taken(got int64, n int, err error) error {
	if err == nil && got != int64(n) {
		err = fmt.Errorf("%d of %d values were taken", got, n)
	}
	return err
}

// encodeFixed encodes fixed-width elements S as Parquet's T.
func encodeFixed[S vector.Fixed, T any](put func(file.ColumnChunkWriter, []T, levelPair) error, conv func(S) (T, error)) encodeFunc {
	var vals []T
	return func(w file.ColumnChunkWriter, flat *vector.Vector, at []uint32, lv levelPair) error {
		vals = vector.Resize(vals, len(at))
		src := vector.Values[S](flat)
		for i, k := range at {
			v, err := conv(src[k])
			if err != nil {
				return err
			}
			vals[i] = v
		}
		return put(w, vals, lv)
	}
}

// castable is what castTo can change into each other.
type castable interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~float32 | ~float64
}

func castTo[S, T castable](v S) (T, error) { return T(v), nil }

const dayMillis = 24 * 60 * 60 * 1000

func dateOfMillis(ms int64) (int32, error) {
	day := ms / dayMillis
	if ms%dayMillis != 0 || day < math.MinInt32 || day > math.MaxInt32 {
		return 0, fmt.Errorf("the date64 value %d ms is not a whole day that Parquet's DATE can hold", ms)
	}
	return int32(day), nil
}

func timeOfSeconds(s int32) (int32, error) {
	if s < math.MinInt32/1000 || s > math.MaxInt32/1000 {
		return 0, fmt.Errorf("the time %d s is out of range in milliseconds, the unit that Parquet offers", s)
	}
	return s * 1000, nil
}

func timestampOfSeconds(s int64) (int64, error) {
	if s < math.MinInt64/1000 || s > math.MaxInt64/1000 {
		return 0, fmt.Errorf("the timestamp %d s is out of range in milliseconds, the unit that Parquet offers", s)
	}
	return s * 1000, nil
}

func encodeBool() encodeFunc {
	var vals []bool
	return func(w file.ColumnChunkWriter, flat *vector.Vector, at []uint32, lv levelPair) error {
		vals = vector.Resize(vals, len(at))
		bits := vector.Bitmap(flat.Data)
		for i, k := range at {
			vals[i] = bits.Get(int(k))
		}
		n, err := w.(*file.BooleanColumnChunkWriter).WriteBatch(vals, lv.def, lv.rep)
		return taken(n, len(vals), err)
	}
}

// encodeBytes encodes byte strings. The library's statistics keep the smallest
// and largest value by reference until the chunk ends, so values go into
// memory of their own.
func encodeBytes(w file.ColumnChunkWriter, flat *vector.Vector, at []uint32, lv levelPair) error {
	size := 0
	for _, k := range at {
		n := int(flat.Offsets[k+1] - flat.Offsets[k])
		if n > maxValueBytes {
			return fmt.Errorf("a value of %d bytes is too long for a page", n)
		}
		size += n
	}
	vals, buf := make([]parquet.ByteArray, len(at)), make([]byte, 0, size)
	for i, k := range at {
		lo := len(buf)
		buf = append(buf, flat.Data[flat.Offsets[k]:flat.Offsets[k+1]]...)
		vals[i] = buf[lo:len(buf):len(buf)]
	}
	n, err := w.(*file.ByteArrayColumnChunkWriter).WriteBatch(vals, lv.def, lv.rep)
	return taken(n, len(vals), err)
}

// encodeFixedBytes encodes values that Parquet stores in width bytes; store
// turns a vector's value into them. Like encodeBytes, it gives the library
// memory of its own.
func encodeFixedBytes(width int, store func(dst, src []byte) error) encodeFunc {
	return func(w file.ColumnChunkWriter, flat *vector.Vector, at []uint32, lv levelPair) error {
		vals, buf := make([]parquet.FixedLenByteArray, len(at)), make([]byte, len(at)*width)
		from := vector.Width(flat.Type)
		for i, k := range at {
			vals[i] = buf[i*width : (i+1)*width : (i+1)*width]
			if err := store(vals[i], flat.Data[int(k)*from:][:from]); err != nil {
				return err
			}
		}
		n, err := w.(*file.FixedLenByteArrayColumnChunkWriter).WriteBatch(vals, lv.def, lv.rep)
		return taken(n, len(vals), err)
	}
}
