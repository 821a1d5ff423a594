package hashagg

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// middle returns the value, as the result's vector stores it, that is rest
// parts of so many on the way from low to high, which are as the argument's
// vector stores them and not in the wrong order. The result is valid until the
// next call.
type middle func(low, high []byte, rest, of uint64) ([]byte, error)

// middleOf returns what makes a middle for values of type t, for one goroutine,
// and the type of the results: those of DuckDB. It is nil for types that have no
// middle.
func middleOf(t arrow.DataType) (func() middle, arrow.DataType) {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64, arrow.FLOAT64:
		return func() middle { return middleFloat(t, arrow.PrimitiveTypes.Float64) }, arrow.PrimitiveTypes.Float64
	case arrow.FLOAT16, arrow.FLOAT32:
		return func() middle { return middleFloat(t, arrow.PrimitiveTypes.Float32) }, arrow.PrimitiveTypes.Float32
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return func() middle { return middleDecimal }, t
	case arrow.DATE32:
		return func() middle { return middleTime(t, dayMicros) }, &arrow.TimestampType{Unit: arrow.Microsecond}
	case arrow.DATE64:
		return func() middle { return middleTime(t, 1000) }, &arrow.TimestampType{Unit: arrow.Microsecond}
	case arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return func() middle { return middleTime(t, 1) }, t
	}
	return nil, nil
}

const dayMicros = 24 * 60 * 60 * 1_000_000

// middleFloat goes by way of float64.
func middleFloat(t, result arrow.DataType) middle {
	var out [8]byte
	v := vector.Vector{Type: t, Len: 1}
	var w [1]uint64
	number := func(p []byte) float64 {
		v.Data = p
		words(w[:], &v)
		switch {
		case t.ID() == arrow.FLOAT64:
			return math.Float64frombits(w[0])
		case t.ID() == arrow.FLOAT32:
			return float64(math.Float32frombits(uint32(w[0])))
		case t.ID() == arrow.FLOAT16:
			return float64(halfToFloat(uint16(w[0])))
		case signed(t):
			return float64(int64(w[0]))
		}
		return float64(w[0])
	}
	return func(low, high []byte, rest, of uint64) ([]byte, error) {
		x := number(low)
		if rest > 0 {
			x = mix(x, number(high), float64(rest)/float64(of))
		}
		if result.ID() == arrow.FLOAT32 {
			binary.LittleEndian.PutUint32(out[:], math.Float32bits(float32(x)))
			return out[:4], nil
		}
		binary.LittleEndian.PutUint64(out[:], math.Float64bits(x))
		return out[:], nil
	}
}

// mix returns what is part d of the way from x to y.
func mix(x, y, d float64) float64 {
	switch delta := y - x; {
	case x == y:
		return x
	case math.IsInf(delta, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0):
		return x*(1-d) + y*d
	default:
		return x + delta*d
	}
}

// middleDecimal rounds half away from zero.
func middleDecimal(low, high []byte, rest, of uint64) ([]byte, error) {
	if rest == 0 {
		return low, nil
	}
	var x, delta, q, r big.Int
	setSigned(&x, low)
	setSigned(&delta, high)
	delta.Sub(&delta, &x)
	r.SetUint64(of)
	x.Mul(&x, &r)
	delta.Mul(&delta, q.SetUint64(rest))
	x.Add(&x, &delta) // of times the result
	negative := x.Sign() < 0
	x.Abs(&x)
	q.Rsh(&r, 1) // half of it: of is even or 1, and rest is 0 then
	x.Add(&x, &q).Quo(&x, &r)
	if negative {
		x.Neg(&x)
	}
	return putSigned(make([]byte, len(low)), &x), nil
}

// setSigned sets x to a two's complement number, lowest byte first.
func setSigned(x *big.Int, p []byte) {
	be := make([]byte, len(p))
	for i, b := range p {
		be[len(p)-1-i] = b
	}
	x.SetBytes(be)
	if p[len(p)-1]&0x80 != 0 {
		var whole big.Int
		x.Sub(x, whole.Lsh(big.NewInt(1), uint(8*len(p))))
	}
}

// putSigned is the inverse of setSigned.
func putSigned(p []byte, x *big.Int) []byte {
	if x.Sign() < 0 {
		var whole big.Int
		x.Add(x, whole.Lsh(big.NewInt(1), uint(8*len(p))))
	}
	x.FillBytes(p)
	for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// middleTime rounds half up, in the unit of the result, of which a unit of
// the argument has so many.
func middleTime(t arrow.DataType, units int64) middle {
	var out [8]byte
	v := vector.Vector{Type: t, Len: 1}
	var w [1]uint64
	number := func(p []byte) (int64, error) {
		v.Data = p
		words(w[:], &v)
		n := int64(w[0])
		if r := n * units; r/units == n {
			return r, nil
		}
		return 0, &OverflowError{Value: fmt.Sprintf("%d (%s)", n, typeName(t)), Type: arrow.FixedWidthTypes.Timestamp_us}
	}
	return func(low, high []byte, rest, of uint64) ([]byte, error) {
		x, err := number(low)
		if err == nil && rest > 0 {
			var y int64
			if y, err = number(high); err == nil {
				h, l := bits.Mul64(uint64(y-x), rest)
				q, r := bits.Div64(h, l, of)
				if 2*r >= of {
					q++
				}
				x += int64(q)
			}
		}
		if vector.Width(t) == 4 && units == 1 {
			binary.LittleEndian.PutUint32(out[:], uint32(x))
			return out[:4], err
		}
		binary.LittleEndian.PutUint64(out[:], uint64(x))
		return out[:], err
	}
}
