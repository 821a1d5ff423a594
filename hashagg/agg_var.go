package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// spread is one of the functions of a variance.
type spread struct {
	name   string
	spared uint64 // degrees of freedom that the sample's mean takes: 0 or 1
	measure
}

// measure says what of a variance is the result.
type measure int

const (
	variance  measure = iota
	deviation         // its root
	meanError         // that of the mean: the root of the variance by the number of values
)

func (s spread) bind(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	s.name = name
	t := args[0]
	f64, u64 := arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Uint64
	switch {
	case t.ID() == arrow.NULL:
		return bindNull(f64), nil
	case isFloat(t), isDecimal(t) && sumSize(t) > 2:
		return &Aggregate{
			Result: f64,
			State:  []arrow.DataType{u64, f64, f64, f64, f64, f64},
			Words:  6,
			New:    func(slab *Slab, at int) Accumulator { return newFloatSpread(slot{slab, at}, t, s) },
		}, nil
	case t.ID() == arrow.BOOL, t.ID() == arrow.DURATION, sumSize(t) == 0:
		return nil, refuse(name, t, "measured by "+name, name+" takes numbers")
	}
	return &Aggregate{
		Result: f64,
		State:  []arrow.DataType{u64, int128Type, int256Type},
		Words:  6,
		New:    func(slab *Slab, at int) Accumulator { return newExactSpread(slot{slab, at}, t, s) },
	}, nil
}

// finish turns the sum of squared differences from the mean of n values, in
// units of 10^-scale squared, into the result. n is above s.spared; for fewer
// values the result is NULL.
func (s spread) finish(squares float64, n uint64, scale int32) float64 {
	v := squares / float64(n-s.spared)
	unit := math.Pow10(int(scale))
	switch s.measure {
	case deviation:
		return math.Sqrt(v) / unit
	case meanError:
		return math.Sqrt(v/float64(n)) / unit
	}
	return v / unit / unit
}

func scaleOf(t arrow.DataType) int32 {
	if d, ok := t.(arrow.DecimalType); ok {
		return d.GetScale()
	}
	return 0
}

// floatSpread computes variances of floats, and of decimals with more than 18
// digits. A state is
//
//	n                the number of values
//	shift            one of them
//	Σ(x−shift)       a double-double
//	Σ(x−shift)²      a double-double
//
// As the shift is one of the values, the subtraction at the end costs at most
// a factor of n of the 2^-100 or so to which the sums are right: the results
// are good to the last bit or the one before, however large the mean is, and
// in practice do not depend on the order of rows or on how they were split.
// Differences below 1e-146 or so count less than they should, for their squares
// are below the least float64.
//
// NaN or an infinity makes the sum NaN, and the result; a value beyond
// spreadLimit makes the sum of squares infinite, and the result an error.
type floatSpread struct {
	slot
	spread
	scale int32
}

const spreadLimit = 0x1p500

// add adds x + low to a state.
func addSpread(row []uint64, x, low float64) {
	row = row[:6]
	if row[0] == 0 {
		row[1] = math.Float64bits(x)
	}
	row[0]++
	if !(math.Abs(x) < spreadLimit) {
		if x-x != 0 {
			row[2] = canonicalNaN
		} else {
			row[4] = math.Float64bits(math.Inf(1))
		}
		row[1] = 0
		return
	}
	d, dl := twoSum(x, -math.Float64frombits(row[1]))
	dl += low
	sum, lost := twoSum(math.Float64frombits(row[2]), d)
	row[2] = math.Float64bits(sum)
	row[3] = math.Float64bits(math.Float64frombits(row[3]) + (lost + dl))
	p := d * d
	e := math.FMA(d, d, -p) + 2*d*dl
	sum, lost = twoSum(math.Float64frombits(row[4]), p)
	row[4] = math.Float64bits(sum)
	row[5] = math.Float64bits(math.Float64frombits(row[5]) + (lost + e))
}

// Merge adds states, moved to the shift of those that they are added to.
func (f *floatSpread) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := f.rows()
	n := vector.Values[uint64](states[0])
	var col [6][]uint64
	for k := range col {
		col[k] = vector.Values[uint64](states[k])
	}
	for i, t := range tickets {
		row := words[int(t)*stride:][:6]
		if n[i] == 0 {
			continue
		}
		if row[0] == 0 {
			for k := range col {
				row[k] = col[k][i]
			}
			continue
		}
		at := func(k int) float64 { return math.Float64frombits(col[k][i]) }
		m := float64(n[i])
		// With d the distance of the shifts: Σ(y+d) = Σy + n·d, and
		// Σ(y+d)² = Σy² + d·(2·Σy + n·d).
		d, dl := twoSum(at(1), -math.Float64frombits(row[1]))
		nd, ndl := mulDouble(d, dl, m, 0)
		sh, sl := twoSum(at(2), at(3))
		qh, ql := addDouble(2*sh, 2*sl, nd, ndl)
		qh, ql = mulDouble(qh, ql, d, dl)
		qh, ql = addDouble(qh, ql, at(4), at(5))
		sh, sl = addDouble(sh, sl, nd, ndl)
		addPair(row[2:4], sh, sl)
		addPair(row[4:6], qh, ql)
		row[0] += n[i]
	}
	return nil
}

// addPair adds a double-double to one in two words.
func addPair(row []uint64, hi, lo float64) {
	hi, lo = addDouble(math.Float64frombits(row[0]), math.Float64frombits(row[1]), hi, lo)
	row[0], row[1] = math.Float64bits(hi), math.Float64bits(lo)
}

// State returns the states, a column for each word.
func (f *floatSpread) State(lo, hi int) ([]*vector.Vector, error) {
	return f.wordColumns(lo, hi, 6), nil
}

// Final returns the results, or an *OverflowError if a value was too large to
// be squared.
func (f *floatSpread) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := f.rows()
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	for i := range out {
		row := words[(lo+i)*stride:][:6]
		var at [6]float64
		for k := range at {
			at[k] = math.Float64frombits(row[k])
		}
		n := row[0]
		if n <= f.spared {
			setNull(v, i)
			continue
		}
		var m2 float64
		switch {
		case at[2] != at[2]:
			m2 = math.NaN()
		case at[4]-at[4] != 0:
			return nil, &OverflowError{Function: f.name, Type: arrow.PrimitiveTypes.Float64}
		default:
			sh, sl := twoSum(at[2], at[3])
			sh, sl = mulDouble(sh, sl, sh, sl)
			sh, sl = divDouble(sh, sl, float64(n))
			h, l := addDouble(at[4], at[5], -sh, -sl)
			m2 = max(h+l, 0)
		}
		out[i] = f.finish(m2, n, f.scale)
	}
	return v, nil
}

// spreadFloats reads floats.
type spreadFloats[T float32 | float64] struct {
	floatSpread
	operand operand[T]
}

func newFloatSpread(at slot, t arrow.DataType, s spread) Accumulator {
	f := floatSpread{at, s, scaleOf(t)}
	switch t.ID() {
	case arrow.FLOAT64:
		return &spreadFloats[float64]{floatSpread: f}
	case arrow.FLOAT16, arrow.FLOAT32:
		return &spreadFloats[float32]{floatSpread: f}
	case arrow.DECIMAL128:
		return &spreadDecimals[[2]uint64]{floatSpread: f}
	case arrow.DECIMAL256:
		return &spreadDecimals[[4]uint64]{floatSpread: f}
	}
	panic("BUG: no variance of type " + t.String())
}

// Update adds the values of the batch.
func (f *spreadFloats[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := f.operand.load(tickets, args[0])
	words, stride := f.rows()
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		addSpread(words[int(t)*stride:], float64(vals[i]), 0)
	}
	return nil
}

// Bytes returns the size of the operand.
func (f *spreadFloats[T]) Bytes() int64 { return f.operand.bytes() }

// spreadDecimals reads decimals as double-doubles of their unscaled values.
type spreadDecimals[T [2]uint64 | [4]uint64] struct {
	floatSpread
	operand operand[T]
}

// Update adds the values of the batch.
func (f *spreadDecimals[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := f.operand.load(tickets, args[0])
	words, stride := f.rows()
	for i, t := range tickets {
		w := wideOf(vector.View[uint64](vector.AsBytes(vals[i : i+1])))
		hi, lo := w.double()
		addSpread(words[int(t)*stride:], hi, lo)
	}
	return nil
}

// Bytes returns the size of the operand.
func (f *spreadDecimals[T]) Bytes() int64 { return f.operand.bytes() }
