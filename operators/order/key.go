package order

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// Key is a column of the batches to order by.
type Key struct {
	Column     int
	Desc       bool
	NullsFirst bool
}

// form is how values of a type become words.
type form uint8

const (
	formNull form = iota
	formBool
	formSigned
	formUnsigned
	formFloat16
	formFloat32
	formFloat64
	formDecimal
	formBytes
	formFixed
)

// column is a key with what its type needs.
type column struct {
	at    int
	form  form
	width int    // bytes of a value, 0 if they differ
	flip  uint64 // what words are changed by: all bits when descending
	sign  int    // -1 when descending
	null  uint64 // the head of NULL
	rank  int    // of NULL among values: -1 before, 1 behind
}

// newColumn returns how k is compared in batches with the columns of in.
func newColumn(in *arrow.Schema, k Key) (column, error) {
	t := in.Field(k.Column).Type
	c := column{at: k.Column, width: vector.Width(t), sign: 1, null: math.MaxUint64, rank: 1}
	switch t.ID() {
	case arrow.NULL:
		c.form = formNull
	case arrow.BOOL:
		c.form = formBool
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		c.form = formSigned
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		c.form = formUnsigned
	case arrow.FLOAT16:
		c.form = formFloat16
	case arrow.FLOAT32:
		c.form = formFloat32
	case arrow.FLOAT64:
		c.form = formFloat64
	case arrow.DECIMAL128, arrow.DECIMAL256:
		c.form = formDecimal
	case arrow.STRING, arrow.BINARY:
		c.form = formBytes
	case arrow.FIXED_SIZE_BINARY:
		c.form = formFixed
	default:
		return c, fmt.Errorf("order: a column of type %s has no order", t)
	}
	if k.Desc {
		c.flip, c.sign = math.MaxUint64, -1
	}
	if k.NullsFirst {
		c.null, c.rank = 0, -1
	}
	return c, nil
}

// head returns the first word of row i of a flat vector.
func (c *column) head(v *vector.Vector, i int) uint64 {
	if c.form == formNull || !v.Valid.Get(i) {
		return c.null
	}
	return c.word(v, 0, i)
}

// second returns the word that decides between rows with head w: the next one of
// the first key, or the first one of the second. Of rows whose head is that of
// NULL it tells NULL from values. It is 0 where nothing more is known.
func second(keys []column, w uint64, cols []*vector.Vector, row int) uint64 {
	c := &keys[0]
	v := cols[c.at]
	switch {
	case w == c.null && (c.rank > 0) == v.IsNull(row):
		return 1
	case w == c.null:
		return 0
	case c.more(w, 0):
		return c.word(v, 1, row)
	case len(keys) > 1:
		return keys[1].head(cols[keys[1].at], row)
	}
	return 0
}

// decided returns how many keys two rows are equal in that have the same head w
// and the same second word x, as far as these tell.
func decided(keys []column, w, x uint64) int {
	c := &keys[0]
	switch {
	case w == c.null:
		return 0
	case c.more(w, 0):
		if c.more(x, 1) {
			return 0
		}
		return 1
	case len(keys) > 1 && x != keys[1].null && !keys[1].more(x, 0):
		return 2
	}
	return 1
}

// heads sets dst to the first words of all rows of a flat vector.
func (c *column) heads(dst []uint64, v *vector.Vector) {
	if v.Valid == nil && c.form == formSigned && c.width == 8 {
		for i, x := range vector.Values[uint64](v) {
			dst[i] = x ^ 1<<63 ^ c.flip
		}
		return
	}
	for i := range dst {
		dst[i] = c.head(v, i)
	}
}

// word returns a word of row i of a flat vector, which is not NULL.
func (c *column) word(v *vector.Vector, level, i int) uint64 {
	switch c.form {
	case formSigned:
		return signedWord(v.Data[i*c.width:], c.width) ^ c.flip
	case formUnsigned:
		return unsignedWord(v.Data[i*c.width:], c.width) ^ c.flip
	case formFloat64:
		return floatWord(vector.View[float64](v.Data)[i]) ^ c.flip
	case formFloat32:
		return floatWord(float64(vector.View[float32](v.Data)[i])) ^ c.flip
	case formFloat16:
		return halfWord(vector.View[uint16](v.Data)[i]) ^ c.flip
	case formBytes:
		p := v.Data[v.Offsets[i]:v.Offsets[i+1]]
		return textWord(p[min(len(p), level*textBytes):]) ^ c.flip
	case formDecimal:
		n := c.width / 8
		w := vector.View[uint64](v.Data)[i*n+n-1-level]
		if level == 0 {
			w ^= 1 << 63
		}
		return w ^ c.flip
	case formFixed:
		var b [8]byte
		copy(b[:], v.Data[i*c.width+8*level:(i+1)*c.width])
		return binary.BigEndian.Uint64(b[:]) ^ c.flip
	case formBool:
		if vector.Bitmap(v.Data).Get(i) {
			return 1 ^ c.flip
		}
	}
	return c.flip
}

// more reports whether values that have word w at level may differ in the next.
func (c *column) more(w uint64, level int) bool {
	switch c.form {
	case formBytes:
		return byte(w^c.flip) == textMore
	case formDecimal, formFixed:
		return 8*(level+1) < c.width
	}
	return false
}

// compare orders row i of v and row j of u, which are flat.
func (c *column) compare(v *vector.Vector, i int, u *vector.Vector, j int) int {
	if c.form == formNull {
		return 0
	}
	if a, b := v.Valid.Get(i), u.Valid.Get(j); !a || !b {
		switch {
		case a:
			return -c.rank
		case b:
			return c.rank
		}
		return 0
	}
	if c.form == formBytes {
		return c.sign * bytes.Compare(v.Data[v.Offsets[i]:v.Offsets[i+1]], u.Data[u.Offsets[j]:u.Offsets[j+1]])
	}
	for level := 0; ; level++ {
		a := c.word(v, level, i)
		if r := cmp.Compare(a, c.word(u, level, j)); r != 0 || !c.more(a, level) {
			return r
		}
	}
}

func signedWord(p []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(int64(int8(p[0]))) ^ 1<<63
	case 2:
		return uint64(int64(int16(binary.NativeEndian.Uint16(p)))) ^ 1<<63
	case 4:
		return uint64(int64(int32(binary.NativeEndian.Uint32(p)))) ^ 1<<63
	}
	return binary.NativeEndian.Uint64(p) ^ 1<<63
}

func unsignedWord(p []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(p))
	case 4:
		return uint64(binary.NativeEndian.Uint32(p))
	}
	return binary.NativeEndian.Uint64(p)
}

// floatWord puts NaN last and makes one of both zeros.
func floatWord(f float64) uint64 {
	switch {
	case f != f:
		return math.MaxUint64
	case f == 0:
		return 1 << 63
	case f < 0:
		return ^math.Float64bits(f)
	}
	return math.Float64bits(f) | 1<<63
}

// halfWord is floatWord of a float16's bits.
func halfWord(b uint16) uint64 {
	n := int64(b &^ 0x8000)
	switch {
	case n > 0x7c00:
		return math.MaxUint64
	case b&0x8000 != 0:
		n = -n
	}
	return uint64(n) ^ 1<<63
}

const (
	textBytes = 7 // of a byte string in a word
	textMore  = 8 // in a word's last byte: the string goes on; else how many bytes it has
)

// textWord is the first bytes of p and, behind them, how many there are.
func textWord(p []byte) uint64 {
	if len(p) >= textMore {
		return binary.BigEndian.Uint64(p)&^0xff | textMore
	}
	var b [8]byte
	copy(b[:textBytes], p)
	b[textBytes] = byte(min(len(p), textMore))
	return binary.BigEndian.Uint64(b[:])
}
