package hashagg

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// aggregateTypes are the types of test columns: every kind that a Vector can
// hold, decimals on both sides of each change of form.
var aggregateTypes = []arrow.DataType{
	arrow.Null,
	arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	&arrow.Decimal128Type{Precision: 5, Scale: 2},
	&arrow.Decimal128Type{Precision: 18, Scale: 3},
	&arrow.Decimal128Type{Precision: 19},
	&arrow.Decimal128Type{Precision: 34, Scale: 34},
	&arrow.Decimal128Type{Precision: 35, Scale: 1},
	&arrow.Decimal128Type{Precision: 38, Scale: 10},
	&arrow.Decimal256Type{Precision: 40, Scale: 5},
	&arrow.Decimal256Type{Precision: 72, Scale: 1},
	&arrow.Decimal256Type{Precision: 74, Scale: 2},
	&arrow.Decimal256Type{Precision: 76},
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
	arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64us,
	&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Nanosecond},
	arrow.FixedWidthTypes.Duration_ms,
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary,
	&arrow.FixedSizeBinaryType{ByteWidth: 5}, &arrow.FixedSizeBinaryType{ByteWidth: 16},
}

// mood says what kind of values a test column has.
type mood int

const (
	small    mood = iota // small numbers, with repeats
	extreme              // the ends of the type's range too; no infinities
	infinite             // infinities, signed zeroes
	notNumbers
)

// randomCell returns a random value of type t, never NULL.
func randomCell(r *rand.Rand, t arrow.DataType, m mood) cell {
	switch t.ID() {
	case arrow.BOOL:
		return r.IntN(2) == 0
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return randomFloat(r, t, m)
	case arrow.STRING, arrow.BINARY:
		return randomText(r, r.IntN(24))
	case arrow.FIXED_SIZE_BINARY:
		return randomText(r, vector.Width(t))
	case arrow.DECIMAL128, arrow.DECIMAL256:
		limit := power10(int(t.(arrow.DecimalType).GetPrecision()))
		limit.Sub(limit, big.NewInt(1))
		return between(r, new(big.Int).Neg(limit), limit, m)
	}
	bits := uint(8 * vector.Width(t))
	one := big.NewInt(1)
	switch t.ID() {
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return between(r, new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one), m)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return between(r, new(big.Int).Neg(half), new(big.Int).Sub(half, one), m)
}

// between returns an integer from lo to hi.
func between(r *rand.Rand, lo, hi *big.Int, m mood) *big.Int {
	x := big.NewInt(int64(r.IntN(90)) - 40)
	if m != small {
		switch r.IntN(4) {
		case 0:
			x.Set(lo)
		case 1:
			x.Set(hi)
		case 2:
			span := new(big.Int).Sub(hi, lo)
			x.SetUint64(r.Uint64())
			for range 4 {
				x.Lsh(x, 64).Add(x, new(big.Int).SetUint64(r.Uint64()))
			}
			x.Mod(x, span).Add(x, lo)
		}
	}
	if x.Cmp(lo) < 0 {
		x.Set(lo)
	}
	if x.Cmp(hi) > 0 {
		x.Set(hi)
	}
	return x
}

func randomFloat(r *rand.Rand, t arrow.DataType, m mood) float64 {
	if t.ID() == arrow.FLOAT16 {
		h := uint16(r.Uint32())
		for h&0x7c00 == 0x7c00 && (m < infinite || h&0x3ff != 0 && m == infinite) {
			h = uint16(r.Uint32())
		}
		if h&0x3ff != 0 && h&0x7c00 == 0x7c00 {
			return math.NaN()
		}
		return float64(halfToFloat(h))
	}
	x := r.NormFloat64() * math.Pow10(r.IntN(6))
	switch k := r.IntN(8); {
	case m == small:
	case k == 0:
		x = math.Copysign(0, x)
	case k == 1 && m == extreme && t.ID() == arrow.FLOAT64:
		x = math.Copysign(math.MaxFloat64, x)
	case k == 2 && m == extreme && t.ID() == arrow.FLOAT32:
		x = math.Copysign(math.MaxFloat32, x)
	case k == 3 && m == infinite:
		x = math.Inf(1)
	case k == 4 && m == infinite && r.IntN(20) == 0:
		x = math.Inf(-1)
	case k == 5 && m == notNumbers:
		x = math.NaN()
	}
	if t.ID() == arrow.FLOAT32 {
		x = float64(float32(x))
	}
	return x
}

func randomText(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = "a\x00\xff"[r.IntN(3)]
		if i < 7 && r.IntN(3) > 0 {
			p[i] = 'a'
		}
	}
	return p
}

// appendCell appends a cell to a vector's builder.
func appendCell(tb testing.TB, b *vector.Builder, t arrow.DataType, c cell) {
	tb.Helper()
	if c == nil {
		b.AppendNull()
		return
	}
	var p []byte
	switch c := c.(type) {
	case bool:
		p = []byte{0}
		if c {
			p[0] = 1
		}
	case []byte:
		p = c
	case float64:
		switch t.ID() {
		case arrow.FLOAT16:
			p = binary.LittleEndian.AppendUint16(nil, floatToHalf(float32(c)))
		case arrow.FLOAT32:
			p = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(c)))
		default:
			p = binary.LittleEndian.AppendUint64(nil, math.Float64bits(c))
		}
	case *big.Int:
		w := vector.Width(t)
		x := new(big.Int).Set(c)
		if x.Sign() < 0 {
			x.Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*w)))
		}
		p = x.FillBytes(make([]byte, w))
		for i, j := 0, w-1; i < j; i, j = i+1, j-1 {
			p[i], p[j] = p[j], p[i]
		}
	}
	if err := b.AppendBytes(p); err != nil {
		tb.Fatal(err)
	}
}

// readCell returns row i of a vector.
func readCell(v *vector.Vector, i int) cell {
	if v.IsNull(i) {
		return nil
	}
	if v.Child != nil {
		list := []cell{}
		for k := v.Offsets[i]; k < v.Offsets[i+1]; k++ {
			list = append(list, readCell(v.Child, int(k)))
		}
		return list
	}
	p := v.Bytes(i)
	switch v.Type.ID() {
	case arrow.BOOL:
		return p[0] != 0
	case arrow.STRING, arrow.BINARY, arrow.FIXED_SIZE_BINARY:
		return append([]byte{}, p...)
	case arrow.FLOAT16:
		return float64(halfToFloat(binary.LittleEndian.Uint16(p)))
	case arrow.FLOAT32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	case arrow.FLOAT64:
		return math.Float64frombits(binary.LittleEndian.Uint64(p))
	}
	x := new(big.Int)
	for j := len(p) - 1; j >= 0; j-- {
		x.Lsh(x, 8).Or(x, big.NewInt(int64(p[j])))
	}
	switch v.Type.ID() {
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return x
	}
	if p[len(p)-1]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
	}
	return x
}

// form is how a test vector holds its rows.
type form int

const (
	flat form = iota
	coded
	codedWithNull // NULL is an entry of the dictionary
	constant
	forms
)

// column returns cells as a vector of type t; a constant one holds the first
// cell in every row, and the cells are made so.
func makeVector(tb testing.TB, r *rand.Rand, t arrow.DataType, cells []cell, f form) *vector.Vector {
	tb.Helper()
	b := vector.NewBuilder(t)
	if f == flat || t.ID() == arrow.NULL || len(cells) == 0 {
		for _, c := range cells {
			appendCell(tb, b, t, c)
		}
		return b.Vector()
	}
	v := &vector.Vector{Type: t, Len: len(cells)}
	if f == constant {
		for i := range cells {
			cells[i] = cells[0]
		}
		appendCell(tb, b, t, cells[0])
		v.Dict = b.Vector()
		return v
	}
	// Entries in random order, each cell an entry of its own or shared.
	index := map[string]uint32{}
	v.Codes = make([]uint32, len(cells))
	for _, i := range r.Perm(len(cells)) {
		c := cells[i]
		if c == nil && f != codedWithNull {
			continue
		}
		k, ok := index[cellText(c)]
		if !ok || r.IntN(4) == 0 {
			k = uint32(b.Len())
			index[cellText(c)] = k
			appendCell(tb, b, t, c)
		}
		v.Codes[i] = k
	}
	for i, c := range cells {
		if c == nil && f != codedWithNull {
			if v.Valid == nil {
				v.Valid = vector.NewBitmap(len(cells))
				v.Valid.SetRange(0, len(cells))
			}
			v.Valid.Clear(i)
		}
	}
	v.Dict = b.Vector()
	v.Dict.ID = vector.NextID()
	return v
}
