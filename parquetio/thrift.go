package parquetio

import (
	"encoding/binary"
	"errors"
	"math"
)

// Types of the Thrift compact protocol, which the footer and the page headers
// are written in
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// maxThriftDepth bounds the nesting of values that are skipped; the format's
// own structures nest seven deep.
const maxThriftDepth = 32

var (
	errThriftShort = errors.New("metadata ends too early")
	errThriftType  = errors.New("metadata field has the wrong type")
	errThriftDeep  = errors.New("metadata is nested too deeply")
)

// thriftReader takes values off a byte slice. The first error sticks: every
// later value is zero and every struct ends at once.
type thriftReader struct {
	b    []byte
	at   int
	err  error
	kept []byte // where keep has put bytes
}

func (r *thriftReader) fail(err error) {
	if r.err == nil {
		r.err = err
		r.at = len(r.b)
	}
}

func (r *thriftReader) byte() byte {
	if r.at >= len(r.b) {
		r.fail(errThriftShort)
		return 0
	}
	x := r.b[r.at]
	r.at++
	return x
}

func (r *thriftReader) uvarint() uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 {
		r.at++
		return uint64(r.b[r.at-1])
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.fail(errThriftShort)
		return 0
	}
	r.at += n
	return v
}

func (r *thriftReader) zigzag() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// field reads the header of a struct's next field, whose id becomes *id (0
// before the first). It returns the field's type, or thriftStop after the
// last.
func (r *thriftReader) field(id *int16) byte {
	x := r.byte()
	if x == thriftStop || r.err != nil {
		return thriftStop
	}
	if d := x >> 4; d != 0 {
		*id += int16(d)
	} else {
		*id = int16(r.zigzag())
	}
	t := x & 15
	if t == thriftStop {
		r.fail(errThriftType)
	}
	if r.err != nil {
		return thriftStop
	}
	return t
}

// int64 reads a field that is declared as i64.
func (r *thriftReader) int64(t byte) int64 {
	if t != thriftI64 {
		r.fail(errThriftType)
		return 0
	}
	return r.zigzag()
}

// int32 reads a field that is declared as i32.
func (r *thriftReader) int32(t byte) int32 {
	if t != thriftI32 {
		r.fail(errThriftType)
		return 0
	}
	v := r.zigzag()
	if v != int64(int32(v)) {
		r.fail(errThriftType)
	}
	return int32(v)
}

// enum reads an enumeration's value, an i32; ones that int8 cannot hold become
// -1, which no enumeration has.
func (r *thriftReader) enum(t byte) int8 {
	v := r.int32(t)
	if v < 0 || v > math.MaxInt8 {
		return -1
	}
	return int8(v)
}

// optionalEnum reads an enumeration's value like enum. One of another type
// counts as not there, as it does for other readers, and is -1.
func (r *thriftReader) optionalEnum(t byte) int8 {
	if t != thriftI32 {
		r.skip(t)
		return -1
	}
	return r.enum(t)
}

// optionalInt64 reads an i64 that a file can be read without; of another type,
// as drafts of the format had some, it counts as not there and is 0.
func (r *thriftReader) optionalInt64(t byte) int64 {
	if t != thriftI64 {
		r.skip(t)
		return 0
	}
	return r.int64(t)
}

// optionalInt32 reads an i32 like optionalInt64.
func (r *thriftReader) optionalInt32(t byte) int32 {
	if t != thriftI32 {
		r.skip(t)
		return 0
	}
	return r.int32(t)
}

// optionalBool reports whether a boolean field is there and true.
func (r *thriftReader) optionalBool(t byte) bool {
	r.skip(t)
	return t == thriftTrue
}

// repetition reads a FieldRepetitionType. fastparquet writes it as a boolean
// where it finds out itself whether there are NULLs: false is REQUIRED, which
// is 0, and true OPTIONAL. The column's pages have levels in that case, so to
// pass over the field would make values of them.
func (r *thriftReader) repetition(t byte) int8 {
	switch t {
	case thriftTrue:
		return repetitionOptional
	case thriftFalse:
		return repetitionRequired
	}
	return r.enum(t)
}

// bool reads a boolean field, whose value is in its type.
func (r *thriftReader) bool(t byte) bool {
	if t != thriftTrue && t != thriftFalse {
		r.fail(errThriftType)
	}
	return t == thriftTrue
}

// binary reads a binary or string field. It shares the reader's memory.
func (r *thriftReader) binary(t byte) []byte {
	if t != thriftBinary {
		r.fail(errThriftType)
		return nil
	}
	n := r.uvarint()
	if n > uint64(len(r.b)-r.at) {
		r.fail(errThriftShort)
		return nil
	}
	p := r.b[r.at : r.at+int(n)]
	r.at += int(n)
	return p
}

// list reads the header of a list field and returns its length, which is not
// above the bytes that are left, as each element takes one at least.
func (r *thriftReader) list(t, elem byte) int {
	if t != thriftList && t != thriftSet {
		r.fail(errThriftType)
		return 0
	}
	got, n := r.listHeader()
	if n > 0 && got != elem && (got != thriftFalse || elem != thriftTrue) {
		r.fail(errThriftType)
		return 0
	}
	return n
}

func (r *thriftReader) listHeader() (elem byte, n int) {
	x := r.byte()
	size := uint64(x >> 4)
	if size == 15 {
		size = r.uvarint()
	}
	if size > uint64(len(r.b)-r.at) {
		r.fail(errThriftShort)
		return 0, 0
	}
	return x & 15, int(size)
}

// structure checks that a field of type t is a struct, whose fields follow.
func (r *thriftReader) structure(t byte) {
	if t != thriftStruct {
		r.fail(errThriftType)
	}
}

// skip steps over a field's value of type t.
func (r *thriftReader) skip(t byte) { r.skipValue(t, 0) }

func (r *thriftReader) skipValue(t byte, depth int) {
	if depth > maxThriftDepth {
		r.fail(errThriftDeep)
		return
	}
	switch t {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		r.advance(8)
	case thriftUUID:
		r.advance(16)
	case thriftBinary:
		r.binary(t)
	case thriftList, thriftSet:
		elem, n := r.listHeader()
		r.skipElements(elem, n, depth)
	case thriftMap:
		r.skipMap(depth)
	case thriftStruct:
		var id int16
		for ft := r.field(&id); ft != thriftStop; ft = r.field(&id) {
			r.skipValue(ft, depth+1)
		}
	default:
		r.fail(errThriftType)
	}
}

func (r *thriftReader) skipElements(elem byte, n, depth int) {
	for ; n > 0 && r.err == nil; n-- {
		if elem == thriftTrue || elem == thriftFalse {
			r.byte()
		} else {
			r.skipValue(elem, depth+1)
		}
	}
}

func (r *thriftReader) skipMap(depth int) {
	n := r.uvarint()
	if n == 0 {
		return
	}
	kv := r.byte()
	for ; n > 0 && r.err == nil; n-- {
		r.skipElements(kv>>4, 1, depth)
		r.skipElements(kv&15, 1, depth)
	}
}

func (r *thriftReader) advance(n int) {
	if n > len(r.b)-r.at {
		r.fail(errThriftShort)
		return
	}
	r.at += n
}
