package expr

import (
	"reflect"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// frame is the batch, or the dictionary, that tests look at. It keeps each
// column that is coded in flat form while the batch lasts.
type frame struct {
	cols  []*vector.Vector
	n     int
	held  *int64 // bytes of the stream's buffers
	flats []flatColumn
}

type flatColumn struct {
	done  bool
	v     vector.Vector
	dense *vector.Vector // gathered
	valid vector.Bitmap
	codes []uint32 // of a constant
}

// reset makes f show the n rows of cols.
func (f *frame) reset(cols []*vector.Vector, n int) {
	f.cols, f.n = cols, n
	f.flats = vector.Resize(f.flats, len(cols))
	for i := range f.flats {
		f.flats[i].done = false
	}
}

// flat returns column c in flat form, with its type that of the schema.
func (f *frame) flat(c int) (*vector.Vector, error) {
	v := f.cols[c]
	if v.Flat() {
		return v, nil
	}
	flat := &f.flats[c]
	if flat.done {
		return &flat.v, nil
	}
	if v.Dict.Len == 0 {
		flat.v, flat.done = *vector.NewNull(v.Type, f.n), true
		return &flat.v, nil
	}
	codes := v.Codes
	if codes == nil {
		flat.codes = grow(f, flat.codes, f.n)
		clear(flat.codes)
		codes = flat.codes
	}
	before := size(flat.dense)
	var err error
	if flat.dense, err = vector.Gather(flat.dense, v.Dict, codes); err != nil {
		return nil, err
	}
	*f.held += size(flat.dense) - before
	flat.v, flat.done = *flat.dense, true
	switch {
	case v.Valid == nil:
	case flat.v.Valid == nil:
		flat.v.Valid = v.Valid
	default:
		flat.valid = grow(f, flat.valid, (f.n+7)/8)
		for i := range flat.valid {
			flat.valid[i] = v.Valid[i] & flat.v.Valid[i]
		}
		flat.v.Valid = flat.valid
	}
	return &flat.v, nil
}

func size(v *vector.Vector) int64 {
	if v == nil {
		return 0
	}
	return int64(cap(v.Data) + 4*cap(v.Offsets) + cap(v.Valid))
}

// present returns the rows that have a value in column c; buf is for them.
func (f *frame) present(c int, rows []uint32, buf *[]uint32) ([]uint32, error) {
	v := f.cols[c]
	if v.Flat() && v.Valid == nil && v.Type.ID() != arrow.NULL {
		return rows, nil
	}
	flat, err := f.flat(c)
	if err != nil {
		return nil, err
	}
	if flat.Type.ID() == arrow.NULL {
		return nil, nil
	}
	if flat.Valid != nil {
		*buf = grow(f, *buf, len(rows))
		rows = setBits(*buf, flat.Valid, rows)
	}
	return rows, nil
}

// setBits puts the rows whose bit is set into dst, which may be rows itself.
func setBits(dst []uint32, bits vector.Bitmap, rows []uint32) []uint32 {
	n := 0
	for _, i := range rows {
		dst[n] = i
		n += int(bits[i>>3] >> (i & 7) & 1)
	}
	return dst[:n]
}

// clearBits puts the others.
func clearBits(dst []uint32, bits vector.Bitmap, rows []uint32) []uint32 {
	n := 0
	for _, i := range rows {
		dst[n] = i
		n += int(^bits[i>>3] >> (i & 7) & 1)
	}
	return dst[:n]
}

// grow returns a slice of n elements, in the memory of s if that is enough; what
// is new counts as held.
func grow[T any](f *frame, s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	out := vector.Resize(s, n)
	*f.held += int64(cap(out)-cap(s)) * elementSize[T]()
	return out
}

func elementSize[T any]() int64 { return int64(reflect.TypeFor[T]().Size()) }
