package vector

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
)

// Vector is one column of a batch; see the package comment for its forms.
type Vector struct {
	Type    arrow.DataType
	Len     int
	Valid   Bitmap
	Data    []byte
	Offsets []int32  // byte strings: Len+1 positions in Data; lists: in Child
	Codes   []uint32 // dictionary-coded: Len indexes into Dict
	Dict    *Vector  // dictionary-coded or constant
	Child   *Vector  // lists: the elements of all rows, flat
	// ID names the contents of a vector that serves as a dictionary: two
	// vectors with the same ID other than 0 hold the same entries, so work
	// done per entry can be kept across batches.
	ID uint64
}

var lastID atomic.Uint64

// NextID returns a dictionary identity that no other vector has.
func NextID() uint64 { return lastID.Add(1) }

// Fixed is the set of element types that a fixed-width vector can be viewed
// as.
type Fixed interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 |
		~[2]uint64 | ~[4]uint64
}

// View returns b as elements of type T, sharing its memory.
func View[T Fixed](b []byte) []T {
	var z T
	n := len(b) / int(unsafe.Sizeof(z))
	if n == 0 {
		return nil // a *T must not point at less than a T
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// AsBytes returns s as bytes, sharing its memory.
func AsBytes[T Fixed](s []T) []byte {
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(z)))
}

// Values returns the elements of a flat fixed-width vector, sharing its
// memory. Decimal128 is viewed as [2]uint64 and Decimal256 as [4]uint64,
// lowest word first.
func Values[T Fixed](v *Vector) []T { return View[T](v.Data)[:v.Len] }

// Width returns the bytes per row of a fixed-width type, or 0 for booleans,
// byte strings, lists, Null, and types that a Vector cannot hold.
func Width(t arrow.DataType) int {
	switch t.ID() {
	case arrow.INT8, arrow.UINT8:
		return 1
	case arrow.INT16, arrow.UINT16, arrow.FLOAT16:
		return 2
	case arrow.INT32, arrow.UINT32, arrow.FLOAT32, arrow.DATE32, arrow.TIME32:
		return 4
	case arrow.INT64, arrow.UINT64, arrow.FLOAT64, arrow.DATE64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return 8
	case arrow.DECIMAL128, arrow.INTERVAL_MONTH_DAY_NANO:
		return 16
	case arrow.DECIMAL256:
		return 32
	case arrow.FIXED_SIZE_BINARY:
		return t.(*arrow.FixedSizeBinaryType).ByteWidth
	}
	return 0
}

// IsBytes reports whether vectors of type t hold byte strings with offsets.
func IsBytes(t arrow.DataType) bool { return t.ID() == arrow.STRING || t.ID() == arrow.BINARY }

// Supported reports whether a Vector can hold type t.
func Supported(t arrow.DataType) bool {
	if IsList(t) {
		e := Elem(t)
		return !IsList(e) && Supported(e)
	}
	return t.ID() == arrow.BOOL || t.ID() == arrow.NULL || t.ID() == arrow.FIXED_SIZE_BINARY || IsBytes(t) || Width(t) > 0
}

// New returns a flat vector of n rows, all valid, with zeroed values.
func New(t arrow.DataType, n int) *Vector {
	v := &Vector{Type: t, Len: n}
	switch {
	case t.ID() == arrow.BOOL:
		v.Data = NewBitmap(n)
	case IsBytes(t):
		v.Offsets = make([]int32, n+1)
	case IsList(t):
		v.Offsets, v.Child = make([]int32, n+1), New(Elem(t), 0)
	case t.ID() == arrow.NULL:
		v.Valid = NewBitmap(n)
	default:
		v.Data = make([]byte, n*Width(t))
	}
	return v
}

// NewNull returns a flat vector of n NULL rows.
func NewNull(t arrow.DataType, n int) *Vector {
	v := New(t, n)
	v.Valid = NewBitmap(n)
	return v
}

// Flat reports whether v's values are in Data itself.
func (v *Vector) Flat() bool { return v.Dict == nil }

// Code returns the dictionary index of row i of a coded or constant vector.
func (v *Vector) Code(i int) int {
	if v.Codes == nil {
		return 0
	}
	return int(v.Codes[i])
}

// IsNull reports whether row i has no value.
func (v *Vector) IsNull(i int) bool {
	if !v.Valid.Get(i) || v.Type.ID() == arrow.NULL {
		return true
	}
	return v.Dict != nil && v.Dict.IsNull(v.Code(i))
}

// MayHaveNulls reports whether some row may be NULL; false is certain.
func (v *Vector) MayHaveNulls() bool {
	return v.Valid != nil || v.Type.ID() == arrow.NULL || v.Dict != nil && v.Dict.MayHaveNulls()
}

// Bytes returns the value of row i as stored: the bytes of a byte string or of
// a fixed-width value. It shares v's memory. Booleans give one byte, 0 or 1.
// Lists have no such form.
func (v *Vector) Bytes(i int) []byte {
	for v.Dict != nil {
		i, v = v.Code(i), v.Dict
	}
	if v.Child != nil {
		panic("BUG: the bytes of a list")
	}
	if v.Offsets != nil {
		return v.Data[v.Offsets[i]:v.Offsets[i+1]]
	}
	if v.Type.ID() == arrow.BOOL {
		if Bitmap(v.Data).Get(i) {
			return []byte{1}
		}
		return []byte{0}
	}
	w := Width(v.Type)
	return v.Data[i*w : i*w+w]
}

// String describes the vector's form, for messages and debugging.
func (v *Vector) String() string {
	switch {
	case v.Flat():
		return fmt.Sprintf("%s[%d]", v.Type, v.Len)
	case v.Codes == nil:
		return fmt.Sprintf("%s[%d] constant", v.Type, v.Len)
	}
	return fmt.Sprintf("%s[%d] of %d", v.Type, v.Len, v.Dict.Len)
}

// Batch is a set of columns of one length. Sel, when not nil, lists in rising
// order the rows that count; consumers ignore the others.
type Batch struct {
	Cols []*Vector
	Sel  []uint32
	Len  int
	// Row is the position of the first row in the whole input, counted over
	// all files in their order; rows of a batch are consecutive. It makes
	// first and last independent of how the input was split.
	Row uint64
}

// Rows returns the number of rows that count.
func (b *Batch) Rows() int {
	if b.Sel != nil {
		return len(b.Sel)
	}
	return b.Len
}
