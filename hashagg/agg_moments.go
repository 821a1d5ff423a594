package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// moments are skewness and kurtosis, from the powers of values less the first
// one. A state is
//
//	n              the number of values
//	shift          the first, a double-double
//	Σd Σd² Σd³ Σd⁴ of d = x − shift, double-doubles
//
// NaN or an infinity makes the sums NaN, and the result; a value beyond
// momentLimit makes them infinite, and the result an error. Differences below
// 1e-77 or so count less than they should.
type moments struct {
	slot
	of     reals
	name   string
	finish momentsResult
}

// momentsResult makes a result of the number of values and their central moments
// times that; ok is false for NULL.
type momentsResult func(n, m2, m3, m4 float64) (v float64, ok bool)

const (
	momentLimit = 0x1p250
	momentShift = 1
	momentSums  = 3
	momentWords = momentSums + 8
)

func (f momentsResult) bind(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	t, f64 := args[0], arrow.PrimitiveTypes.Float64
	switch {
	case t.ID() == arrow.NULL:
		return bindNull(f64), nil
	case !isReal(t):
		return nil, refuse(name, t, "measured by "+name, name+" takes numbers")
	}
	state := []arrow.DataType{arrow.PrimitiveTypes.Uint64}
	for range momentWords - 1 {
		state = append(state, f64)
	}
	return &Aggregate{
		Result: f64,
		State:  state,
		Words:  momentWords,
		New: func(slab *Slab, at int) Accumulator {
			return &moments{slot: slot{slab, at}, of: newReals(t), name: name, finish: f}
		},
	}, nil
}

// skewness is that of a sample, adjusted for its size.
func skewness(n, m2, m3, _ float64) (float64, bool) {
	return math.Sqrt(n*(n-1)) / (n - 2) * (m3 / n) / math.Pow(m2/n, 1.5), n > 2 && m2 != 0
}

// kurtosis is the excess over that of a normal distribution, of a sample.
func kurtosis(n, m2, _, m4 float64) (float64, bool) {
	return (n - 1) / ((n - 2) * (n - 3)) * ((n+1)*(n*m4/m2/m2) - 3*(n-1)), n > 3 && m2 != 0
}

// kurtosisPop is that of all values.
func kurtosisPop(n, m2, _, m4 float64) (float64, bool) { return n*m4/m2/m2 - 3, m2 != 0 }

// Update adds the values of the batch.
func (m *moments) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	high, low, valid, some := m.of.load(args[0], len(tickets))
	if !some {
		return nil
	}
	words, stride := m.rows()
	for i, t := range tickets {
		if !valid.Get(i) {
			continue
		}
		x := doubleDouble{high: high[i]}
		if low != nil {
			x.low = low[i]
		}
		addMoments(words[int(t)*stride:], x)
	}
	return nil
}

func addMoments(row []uint64, x doubleDouble) {
	row = row[:momentWords]
	if row[0] == 0 && math.Abs(x.high) < momentLimit {
		setShift(row[momentShift:], x)
	}
	row[0]++
	if !(math.Abs(x.high) < momentLimit) {
		power := math.Inf(1)
		if !x.finite() {
			power = math.NaN()
		}
		for k := momentSums; k < momentWords; k += 2 {
			addReal(row[k:], power, 0)
		}
		return
	}
	d := shifted(row[momentShift:], x)
	square := d.product(d)
	accumulate(row[momentSums:], d)
	accumulate(row[momentSums+2:], square)
	accumulate(row[momentSums+4:], square.product(d))
	accumulate(row[momentSums+6:], square.product(square))
}

// Merge adds states, moved to the shift of those that they are added to.
func (m *moments) Merge(tickets []uint32, states []*vector.Vector) error {
	words, stride := m.rows()
	var from [momentWords]uint64
	for i, t := range tickets {
		for k, s := range states {
			from[k] = vector.Values[uint64](s)[i]
		}
		row := words[int(t)*stride:][:momentWords]
		switch {
		case from[0] == 0:
		case row[0] == 0:
			copy(row, from[:])
		default:
			mergeMoments(row, from[:])
		}
	}
	return nil
}

// mergeMoments adds a state: Σ(d+a)^k from the sums of lower powers, with a the
// distance of the shifts.
func mergeMoments(row, from []uint64) {
	var s [5]doubleDouble
	s[0] = doubleDouble{high: float64(from[0])}
	row[0] += from[0]
	a := realOf(from[momentShift:]).minus(realOf(row[momentShift:]))
	binomial := [5][5]float64{1: {1, 1}, 2: {1, 2, 1}, 3: {1, 3, 3, 1}, 4: {1, 4, 6, 4, 1}}
	for k := 1; k <= 4; k++ {
		at := momentSums + 2*(k-1)
		s[k] = realOf(from[at:]).normal()
		sum := s[k]
		if sum.finite() {
			power := a
			for j := k - 1; j >= 0; j-- {
				sum = sum.plus(s[j].times(power).scaled(binomial[k][j]))
				power = power.times(a)
			}
		}
		addReal(row[at:], sum.high, sum.low)
	}
}

// State returns the states, a column for each word.
func (m *moments) State(lo, hi int) ([]*vector.Vector, error) {
	return m.wordColumns(lo, hi, momentWords), nil
}

// Final returns the results, or an *OverflowError if a value was too large.
func (m *moments) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := m.rows()
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	for i := range out {
		row := words[(lo+i)*stride:][:momentWords]
		n := float64(row[0])
		if n == 0 {
			setNull(v, i)
			continue
		}
		var s [5]doubleDouble
		for k := 1; k <= 4; k++ {
			s[k] = realOf(row[momentSums+2*(k-1):]).normal()
		}
		m2, m3, m4 := s[1].high, s[1].high, s[1].high
		if s[1].finite() {
			m2, m3, m4 = central(n, s)
		}
		result, ok := m.finish(n, m2, m3, m4)
		switch {
		case !ok:
			setNull(v, i)
		case math.IsInf(m2, 0):
			return nil, &OverflowError{Function: m.name, Type: v.Type}
		default:
			out[i] = result
		}
	}
	return v, nil
}

// central returns the sums of powers of the differences from the mean.
func central(n float64, s [5]doubleDouble) (m2, m3, m4 float64) {
	mean := s[1].over(n)
	square := mean.times(mean)
	// Σ(d−m)² = Σd² − n·m², and so on, with Σd = n·m.
	two := s[2].minus(square.scaled(n))
	three := s[3].minus(s[2].times(mean).scaled(3)).plus(square.times(mean).scaled(2 * n))
	four := s[4].minus(s[3].times(mean).scaled(4)).plus(s[2].times(square).scaled(6)).minus(square.times(square).scaled(3 * n))
	return max(two.float(), 0), three.float(), max(four.float(), 0)
}

// Bytes returns the memory kept between batches.
func (m *moments) Bytes() int64 { return m.of.bytes() }
