package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// pairs are the functions of two columns of numbers, y and x: covariance,
// correlation and what a line through the points is made of, all from one state:
//
//	n                the number of rows where neither is NULL
//	shifts           the first y and x, each a double-double
//	Σy Σx            of y and x less their shifts; double-doubles like the rest
//	Σy² Σx² Σyx
//
// As a shift is one of the values, results are as good as those of floatSpread.
// Sums are 0 where all values are the same, exactly.
//
// NaN or an infinity makes the sums that it is in NaN, but Σy or Σx what it makes
// of a sum; a value beyond spreadLimit makes those of products infinite, and
// results of its column an error.
type pairs struct {
	slot
	of     [2]reals // y, x
	scales [2]int32
	name   string
	finish pairsResult
}

// pairsResult makes a result of sums; ok is false for NULL.
type pairsResult func(s *pairSums) (v float64, ok bool)

const (
	pairShift = 1
	pairSum   = 5
	pairYY    = 9
	pairXX    = 11
	pairYX    = 13
	pairWords = 15
)

func (f pairsResult) bind(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	f64 := arrow.PrimitiveTypes.Float64
	for _, t := range args {
		switch {
		case t.ID() == arrow.NULL:
			return bindNull(f64), nil
		case !isReal(t):
			return nil, refuse(name, t, "measured by "+name, name+" takes numbers")
		}
	}
	state := []arrow.DataType{arrow.PrimitiveTypes.Uint64}
	for range pairWords - 1 {
		state = append(state, f64)
	}
	return &Aggregate{
		Result: f64,
		State:  state,
		Words:  pairWords,
		New: func(slab *Slab, at int) Accumulator {
			return &pairs{
				slot: slot{slab, at}, of: [2]reals{newReals(args[0]), newReals(args[1])},
				scales: [2]int32{scaleOf(args[0]), scaleOf(args[1])}, name: name, finish: f,
			}
		},
	}, nil
}

// Update adds the rows of the batch.
func (p *pairs) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	n := len(tickets)
	yh, yl, yValid, some := p.of[0].load(args[0], n)
	if !some {
		return nil
	}
	xh, xl, xValid, some := p.of[1].load(args[1], n)
	if !some {
		return nil
	}
	words, stride := p.rows()
	for i, t := range tickets {
		if !yValid.Get(i) || !xValid.Get(i) {
			continue
		}
		y, x := doubleDouble{high: yh[i]}, doubleDouble{high: xh[i]}
		if yl != nil {
			y.low = yl[i]
		}
		if xl != nil {
			x.low = xl[i]
		}
		addPairOf(words[int(t)*stride:], y, x)
	}
	return nil
}

func addPairOf(row []uint64, y, x doubleDouble) {
	row = row[:pairWords]
	if row[0] == 0 {
		setShift(row[pairShift:], y)
		setShift(row[pairShift+2:], x)
	}
	row[0]++
	if !(math.Abs(y.high) < shiftedLimit) || !(math.Abs(x.high) < shiftedLimit) {
		addFarPair(row, y, x)
		return
	}
	y, x = shifted(row[pairShift:], y), shifted(row[pairShift+2:], x)
	accumulate(row[pairSum:], y)
	accumulate(row[pairSum+2:], x)
	accumulate(row[pairYY:], y.product(y))
	accumulate(row[pairXX:], x.product(x))
	accumulate(row[pairYX:], y.product(x))
}

// addFarPair is addPairOf where a value is not finite, or too large.
func addFarPair(row []uint64, y, x doubleDouble) {
	var far [2]float64 // what products with it are
	for k, v := range [2]doubleDouble{y, x} {
		switch at := pairSum + 2*k; {
		case !v.finite():
			far[k] = math.NaN()
			addReal(row[at:], v.high, 0)
		case math.Abs(v.high) < shiftedLimit:
			d := shifted(row[pairShift+2*k:], v)
			addReal(row[at:], d.high, d.low)
			d = d.product(d).normal()
			addReal(row[pairYY+2*k:], d.high, d.low)
			continue
		default:
			far[k] = math.Inf(1)
		}
		addReal(row[pairYY+2*k:], far[k], 0)
	}
	addReal(row[pairYX:], far[0]+far[1], 0)
}

// setShift makes the first value the shift, unless it is not one to subtract.
func setShift(row []uint64, v doubleDouble) {
	if math.Abs(v.high) < shiftedLimit {
		row[0], row[1] = math.Float64bits(v.high), math.Float64bits(v.low)
	}
}

// shifted returns v less the shift.
func shifted(row []uint64, v doubleDouble) (d doubleDouble) {
	d.high, d.low = twoSum(v.high, -math.Float64frombits(row[0]))
	d.low += v.low - math.Float64frombits(row[1])
	return d
}

// Merge adds states, moved to the shifts of those that they are added to.
func (p *pairs) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := p.rows()
	var from [pairWords]uint64
	for i, t := range tickets {
		for k, s := range states {
			from[k] = vector.Values[uint64](s)[i]
		}
		row := words[int(t)*stride:][:pairWords]
		switch {
		case from[0] == 0:
		case row[0] == 0:
			copy(row, from[:])
		default:
			mergePairs(row, from[:])
		}
	}
	return nil
}

// mergePairs adds a state. With a and b the distances of the shifts, Σ(u+a) =
// Σu + n·a, and Σ(u+a)(v+b) = Σuv + b·Σu + a·(Σv + n·b).
func mergePairs(row, from []uint64) {
	n := float64(from[0])
	row[0] += from[0]
	distance := func(k int) doubleDouble {
		return realOf(from[pairShift+k:]).minus(realOf(row[pairShift+k:]))
	}
	sum := func(k int) doubleDouble { return realOf(from[pairSum+k:]).normal() }
	product := func(at, u, v int) {
		p := realOf(from[at:])
		if p.finite() {
			a, b := distance(u), distance(v)
			p = p.normal().plus(b.times(sum(u))).plus(a.times(sum(v).plus(b.scaled(n))))
		}
		addReal(row[at:], p.high, p.low)
	}
	product(pairYY, 0, 0)
	product(pairXX, 2, 2)
	product(pairYX, 0, 2)
	for k := 0; k <= 2; k += 2 {
		s := sum(k)
		if s.finite() {
			s = s.plus(distance(k).scaled(n))
		}
		addReal(row[pairSum+k:], s.high, s.low)
	}
}

// State returns the states, a column for each word.
func (p *pairs) State(lo, hi int) ([]*vector.Vector, error) {
	return p.wordColumns(lo, hi, pairWords), nil
}

// Final returns the results, or an *OverflowError if one needs a square that is
// too large.
func (p *pairs) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := p.rows()
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	s := pairSums{scales: p.scales}
	for i := range out {
		row := words[(lo+i)*stride:][:pairWords]
		if s.n = float64(row[0]); s.n == 0 {
			setNull(v, i)
			continue
		}
		s.row, s.none, s.over = row, false, false
		result, ok := p.finish(&s)
		switch {
		case !ok:
			setNull(v, i)
		case s.none:
			out[i] = math.NaN()
		case s.over:
			return nil, &OverflowError{Function: p.name, Type: v.Type}
		default:
			out[i] = result
		}
	}
	return v, nil
}

// Bytes returns the memory kept between batches.
func (p *pairs) Bytes() int64 { return p.of[0].bytes() + p.of[1].bytes() }
