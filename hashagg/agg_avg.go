package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

func bindAvg(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	t := args[0]
	n := arrow.PrimitiveTypes.Uint64
	switch {
	case t.ID() == arrow.NULL:
		return bindNull(arrow.PrimitiveTypes.Float64), nil
	case isFloat(t):
		return &Aggregate{
			Result: arrow.PrimitiveTypes.Float64,
			State:  append(floatSumState[:3:3], n),
			Words:  3,
			Marks:  true,
			New: func(slab *Slab, at int) Accumulator {
				sum := newFloatSum(slot{slab, at}, t, 2)
				return &avgFloats{average{sum, count{slot: slot{slab, at + 2}}}, sum}
			},
		}, nil
	case t.ID() == arrow.INTERVAL_MONTH_DAY_NANO:
		return bindSpans(name, meanOfSpans), nil
	case sumSize(t) == 0:
		return nil, refuse(name, t, "averaged", "avg takes numbers, bool and durations; min, max, first, last, any_value and count take every type")
	}
	size := sumSize(t)
	result := arrow.DataType(arrow.PrimitiveTypes.Float64)
	switch {
	case isDecimal(t):
		result = averageType(t)
	case t.ID() == arrow.DURATION:
		result = t
	}
	return &Aggregate{
		Result: result,
		State:  []arrow.DataType{exactState(size), n},
		Words:  size + 1,
		Marks:  true,
		New: func(slab *Slab, at int) Accumulator {
			sum := newExactSum(slot{slab, at}, t, size)
			a := avgExact{average{sum, count{slot: slot{slab, at + size}}}, sum}
			switch {
			case isDecimal(t):
				return &avgDecimals{a, t, result}
			case t.ID() == arrow.DURATION:
				return &avgDurations{a, t}
			}
			return &avgIntegers{a}
		},
	}, nil
}

// average keeps a sum and, in the next word, the number of its values.
type average struct {
	sum Accumulator
	n   count
}

// Grow grows the sum.
func (a *average) Grow(n int) { a.sum.Grow(n) }

// Update adds the values of the batch; the sum counts them too.
func (a *average) Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error {
	return a.sum.Update(tickets, args, rows)
}

// Merge adds sums and numbers, the numbers in the last column.
func (a *average) Merge(tickets []uint32, states []*vector.Vector) error {
	last := len(states) - 1
	if err := a.sum.Merge(tickets, states[:last]); err != nil {
		return err
	}
	return a.n.Merge(tickets, states[last:])
}

// State returns the sums and the numbers.
func (a *average) State(lo, hi int) ([]*vector.Vector, error) {
	sums, err := a.sum.State(lo, hi)
	if err != nil {
		return nil, err
	}
	n, err := a.n.State(lo, hi)
	return append(sums, n...), err
}

// Bytes returns the memory of the sum.
func (a *average) Bytes() int64 { return a.sum.Bytes() }

// Reset empties the sum.
func (a *average) Reset() { a.sum.Reset() }

// Free frees the sum.
func (a *average) Free() { a.sum.Free() }

// number returns how many values ticket t has.
func (a *average) number(t int) uint64 {
	words, stride := a.n.rows()
	return words[t*stride]
}

// avgExact has an exact sum.
type avgExact struct {
	average
	exact exactSum
}

// exactly returns the exact sum of ticket t, and the number of its values.
func (a *avgExact) exactly(t int) (wide, uint64) {
	n := a.number(t)
	if n == 0 {
		return wide{}, 0
	}
	sum, _ := a.exact.value(t)
	return sum, n
}

// avgIntegers averages integers: the float64 nearest to the exact quotient.
type avgIntegers struct{ avgExact }

// Final returns the averages.
func (a *avgIntegers) Final(lo, hi int) (*vector.Vector, error) {
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	for i := range out {
		sum, n := a.exactly(lo + i)
		if n == 0 {
			setNull(v, i)
			continue
		}
		out[i] = quotient(sum, n)
	}
	return v, nil
}

// quotient returns sum / n rounded to the nearest float64, ties to even, for a
// sum that fits 128 bits.
func quotient(sum wide, n uint64) float64 {
	m, negative := sum.abs()
	var q float64
	if m[1] == 0 && m[0] < 1<<53 && n < 1<<53 {
		q = float64(m[0]) / float64(n)
	} else {
		// 128 bits after the point: at least 64 bits of quotient, and whatever is
		// left in the remainder only matters for being there.
		shifted, r := wide{2: m[0], 3: m[1]}.div(n)
		if r != 0 {
			shifted[0] |= 1
		}
		q = shifted.float64() * 0x1p-128
	}
	if negative {
		return -q
	}
	return q
}

// avgDecimals averages decimals exactly, rounding half away from zero after
// four more digits than the argument has.
type avgDecimals struct {
	avgExact
	arg    arrow.DataType
	result arrow.DataType
}

// Final returns the averages. Only values that break the promise of their type
// can make one overflow.
func (a *avgDecimals) Final(lo, hi int) (*vector.Vector, error) {
	v := vector.New(a.result, hi-lo)
	w := vector.Width(a.result) / 8
	out := vector.View[uint64](v.Data)
	more := a.result.(arrow.DecimalType).GetScale() - a.arg.(arrow.DecimalType).GetScale()
	digits := int(a.result.(arrow.DecimalType).GetPrecision())
	for i := range hi - lo {
		sum, n := a.exactly(lo + i)
		if n == 0 {
			setNull(v, i)
			continue
		}
		m, negative := sum.abs()
		q := m.mul(pow10[more][0])
		if negative {
			q = q.neg()
		}
		q = q.divRound(n)
		if !q.fitsDigits(digits) {
			return nil, &OverflowError{Function: "avg", Value: unscaled(q, a.result), Type: a.result}
		}
		copy(out[i*w:i*w+w], q[:])
	}
	return v, nil
}

// avgDurations averages durations exactly, rounding half away from zero.
type avgDurations struct {
	avgExact
	arg arrow.DataType
}

// Final returns the averages.
func (a *avgDurations) Final(lo, hi int) (*vector.Vector, error) {
	v := vector.New(a.arg, hi-lo)
	out := vector.Values[uint64](v)
	for i := range out {
		sum, n := a.exactly(lo + i)
		if n == 0 {
			setNull(v, i)
			continue
		}
		out[i] = sum.divRound(n)[0]
	}
	return v, nil
}

// avgFloats averages floats: the float64 nearest to the exact quotient.
type avgFloats struct {
	average
	floats floatSum
}

// Final returns the averages.
func (a *avgFloats) Final(lo, hi int) (*vector.Vector, error) {
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	for i := range out {
		n := a.number(lo + i)
		if n == 0 {
			setNull(v, i)
			continue
		}
		out[i] = a.floats.quotient(lo+i, n)
	}
	return v, nil
}
