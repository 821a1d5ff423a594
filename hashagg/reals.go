package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// reals reads numbers of one type as double-doubles, of decimals the unscaled
// values.
type reals interface {
	// load returns the first n rows of v, NULL ones included, and which are
	// valid; low is nil where it would be zeroes. All are valid until the next
	// load. Without any value some is false.
	load(v *vector.Vector, n int) (high, low []float64, valid vector.Bitmap, some bool)
	bytes() int64
}

// isReal reports whether there are reals of type t.
func isReal(t arrow.DataType) bool {
	return isFloat(t) || sumSize(t) > 0 && t.ID() != arrow.BOOL && t.ID() != arrow.DURATION
}

func newReals(t arrow.DataType) reals {
	switch t.ID() {
	case arrow.FLOAT64:
		return &realFloats{}
	case arrow.FLOAT16, arrow.FLOAT32:
		return &realNumbers[float32]{}
	case arrow.INT8:
		return &realNumbers[int8]{}
	case arrow.INT16:
		return &realNumbers[int16]{}
	case arrow.INT32:
		return &realNumbers[int32]{}
	case arrow.INT64:
		return &realIntegers[int64]{}
	case arrow.UINT8:
		return &realNumbers[uint8]{}
	case arrow.UINT16:
		return &realNumbers[uint16]{}
	case arrow.UINT32:
		return &realNumbers[uint32]{}
	case arrow.UINT64:
		return &realIntegers[uint64]{}
	case arrow.DECIMAL128:
		return &realDecimals[[2]uint64]{}
	case arrow.DECIMAL256:
		return &realDecimals[[4]uint64]{}
	}
	panic("BUG: no numbers of type " + t.String())
}

// realFloats are float64 as they are.
type realFloats struct{ operand operand[float64] }

func (r *realFloats) load(v *vector.Vector, n int) (high, low []float64, valid vector.Bitmap, some bool) {
	high, valid, some = r.operand.all(n, v)
	return high, nil, valid, some
}

func (r *realFloats) bytes() int64 { return r.operand.bytes() }

// realNumbers are numbers that a float64 holds.
type realNumbers[T int8 | int16 | int32 | uint8 | uint16 | uint32 | float32] struct {
	operand operand[T]
	high    []float64
}

func (r *realNumbers[T]) load(v *vector.Vector, n int) (high, low []float64, valid vector.Bitmap, some bool) {
	vals, valid, some := r.operand.all(n, v)
	r.high = vector.Resize(r.high, len(vals))
	for i, x := range vals {
		r.high[i] = float64(x)
	}
	return r.high, nil, valid, some
}

func (r *realNumbers[T]) bytes() int64 { return r.operand.bytes() + 8*int64(cap(r.high)) }

// realIntegers are integers of 64 bits.
type realIntegers[T int64 | uint64] struct {
	operand   operand[T]
	high, low []float64
}

func (r *realIntegers[T]) load(v *vector.Vector, n int) (high, low []float64, valid vector.Bitmap, some bool) {
	vals, valid, some := r.operand.all(n, v)
	r.high, r.low = vector.Resize(r.high, len(vals)), vector.Resize(r.low, len(vals))
	for i, x := range vals {
		r.high[i], r.low[i] = twoSum(float64(x>>32)*(1<<32), float64(uint32(x)))
	}
	return r.high, r.low, valid, some
}

func (r *realIntegers[T]) bytes() int64 {
	return r.operand.bytes() + 8*int64(cap(r.high)+cap(r.low))
}

// realDecimals are decimals, most of which fit 64 bits.
type realDecimals[T [2]uint64 | [4]uint64] struct {
	operand   operand[T]
	high, low []float64
}

func (r *realDecimals[T]) load(v *vector.Vector, n int) (high, low []float64, valid vector.Bitmap, some bool) {
	vals, valid, some := r.operand.all(n, v)
	r.high, r.low = vector.Resize(r.high, len(vals)), vector.Resize(r.low, len(vals))
	for i := range vals {
		if valid.Get(i) {
			r.high[i], r.low[i] = doubleOf(vector.View[uint64](vector.AsBytes(vals[i : i+1])))
		}
	}
	return r.high, r.low, valid, some
}

func (r *realDecimals[T]) bytes() int64 {
	return r.operand.bytes() + 8*int64(cap(r.high)+cap(r.low))
}

// doubleOf returns a two's complement integer as a double-double, rounded.
func doubleOf(words []uint64) (high, low float64) {
	x := int64(words[0])
	for _, w := range words[1:] {
		if w != uint64(x>>63) {
			return wideOf(words).double()
		}
	}
	return twoSum(float64(x>>32)*(1<<32), float64(uint32(x)))
}

// shiftedLimit is the least magnitude whose square a sum has no room for.
const shiftedLimit = spreadLimit

// A sum of reals is a double-double in two words. One that is not finite has its
// value in the first.

// accumulate adds a double-double to a sum, whose second word may become large
// beside its first, as in addSpread. The second word of a sum that is not finite
// means nothing.
func accumulate(row []uint64, x doubleDouble) {
	row = row[:2]
	s, lost := twoSum(math.Float64frombits(row[0]), x.high)
	row[0] = math.Float64bits(s)
	row[1] = math.Float64bits(math.Float64frombits(row[1]) + (lost + x.low))
}

// addReal adds a double-double to a sum, whatever it is.
func addReal(row []uint64, high, low float64) {
	row = row[:2]
	h := math.Float64frombits(row[0])
	if s := h + high; s-s != 0 {
		row[0], row[1] = math.Float64bits(s), 0
		return
	}
	h, low = addDouble(h, math.Float64frombits(row[1]), high, low)
	row[0], row[1] = math.Float64bits(h), math.Float64bits(low)
}

// doubleDouble is a double-double.
type doubleDouble struct{ high, low float64 }

func realOf(row []uint64) doubleDouble {
	return doubleDouble{math.Float64frombits(row[0]), math.Float64frombits(row[1])}
}

func (a doubleDouble) finite() bool { return a.high-a.high == 0 }

func (a doubleDouble) plus(b doubleDouble) doubleDouble {
	h, l := addDouble(a.high, a.low, b.high, b.low)
	return doubleDouble{h, l}
}

func (a doubleDouble) minus(b doubleDouble) doubleDouble {
	return a.plus(doubleDouble{-b.high, -b.low})
}

func (a doubleDouble) times(b doubleDouble) doubleDouble {
	h, l := mulDouble(a.high, a.low, b.high, b.low)
	return doubleDouble{h, l}
}

// product is times without normalising what comes of it.
func (a doubleDouble) product(b doubleDouble) doubleDouble {
	p := a.high * b.high
	return doubleDouble{p, math.FMA(a.high, b.high, -p) + (a.high*b.low + a.low*b.high)}
}

// scaled returns a times a number that float64 holds.
func (a doubleDouble) scaled(f float64) doubleDouble { return a.times(doubleDouble{f, 0}) }

// over returns a / n for a positive number.
func (a doubleDouble) over(n float64) doubleDouble {
	h, l := divDouble(a.high, a.low, n)
	return doubleDouble{h, l}
}

// by returns a / b for b other than 0.
func (a doubleDouble) by(b doubleDouble) doubleDouble {
	q := a.high / b.high
	r := a.minus(b.scaled(q))
	h, l := twoSum(q, r.high/b.high)
	return doubleDouble{h, l}
}

// normal returns the sum with its first word next to its value.
func (a doubleDouble) normal() doubleDouble {
	if !a.finite() {
		return a
	}
	h, l := twoSum(a.high, a.low)
	return doubleDouble{h, l}
}

// float returns the value rounded.
func (a doubleDouble) float() float64 {
	if !a.finite() {
		return a.high
	}
	return a.high + a.low
}
