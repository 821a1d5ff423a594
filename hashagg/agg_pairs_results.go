package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// pairSums is a state of pairs that has a row at least.
type pairSums struct {
	n      float64
	scales [2]int32 // of y and x
	row    []uint64
	none   bool // a sum that has been asked for is of what is not finite
	over   bool // one is too large
}

// central returns Σ(u−ū)(v−v̄) of the sum of products at a word, of columns 0 for
// y and 2 for x; of a square it is not below 0.
func (s *pairSums) central(at, u, v int) doubleDouble {
	p := realOf(s.row[at:]).normal()
	if !p.finite() {
		s.none, s.over = s.none || p.high != p.high, s.over || math.IsInf(p.high, 0)
		return p
	}
	c := p.minus(realOf(s.row[pairSum+u:]).normal().times(realOf(s.row[pairSum+v:]).normal()).over(s.n))
	if u == v && c.high < 0 {
		return doubleDouble{}
	}
	return c
}

func (s *pairSums) yy() doubleDouble { return s.central(pairYY, 0, 0) }
func (s *pairSums) xx() doubleDouble { return s.central(pairXX, 2, 2) }
func (s *pairSums) yx() doubleDouble { return s.central(pairYX, 0, 2) }

// mean returns the average of column 0 or 2, unscaled.
func (s *pairSums) mean(k int) doubleDouble {
	sum := realOf(s.row[pairSum+k:]).normal()
	s.over = s.over || math.IsInf(math.Float64frombits(s.row[pairYY+k]), 0)
	if !sum.finite() {
		return sum
	}
	return sum.over(s.n).plus(realOf(s.row[pairShift+k:]))
}

// unscale returns a result that is in units of y^a·x^b.
func (s *pairSums) unscale(v float64, a, b int32) float64 {
	for _, digits := range []int32{a * s.scales[0], b * s.scales[1]} {
		if digits > 0 {
			v /= math.Pow10(int(digits))
		} else {
			v *= math.Pow10(int(-digits))
		}
	}
	return v
}

func covarPop(s *pairSums) (float64, bool) { return s.unscale(s.yx().float()/s.n, 1, 1), true }

func covarSamp(s *pairSums) (float64, bool) {
	return s.unscale(s.yx().float()/(s.n-1), 1, 1), s.n > 1
}

func corr(s *pairSums) (float64, bool) {
	yy, xx := s.yy().float(), s.xx().float()
	if yy == 0 || xx == 0 {
		return 0, false
	}
	r := s.yx().float() / math.Sqrt(yy) / math.Sqrt(xx)
	return max(-1, min(1, r)), true
}

func regrSlope(s *pairSums) (float64, bool) {
	xx := s.xx()
	if xx.high == 0 {
		return 0, false
	}
	return s.unscale(s.yx().float()/xx.float(), 1, -1), true
}

func regrIntercept(s *pairSums) (float64, bool) {
	xx, yx := s.xx(), s.yx()
	switch {
	case xx.high == 0:
		return 0, false
	case !xx.finite() || !yx.finite():
		return 0, true
	}
	return s.unscale(s.mean(0).minus(yx.by(xx).times(s.mean(2))).float(), 1, 0), true
}

// regrR2 is 1 for points on a horizontal line, as the standard has it.
func regrR2(s *pairSums) (float64, bool) {
	xx, yy := s.xx().float(), s.yy().float()
	switch {
	case xx == 0:
		return 0, false
	case yy == 0:
		s.none, s.over = false, false
		return 1, true
	}
	yx := s.yx().float()
	return min(1, yx/xx*(yx/yy)), true
}

func regrAvgY(s *pairSums) (float64, bool) { return s.unscale(s.mean(0).float(), 1, 0), true }
func regrAvgX(s *pairSums) (float64, bool) { return s.unscale(s.mean(2).float(), 0, 1), true }
func regrSyy(s *pairSums) (float64, bool)  { return s.unscale(s.yy().float(), 2, 0), true }
func regrSxx(s *pairSums) (float64, bool)  { return s.unscale(s.xx().float(), 0, 2), true }
func regrSxy(s *pairSums) (float64, bool)  { return s.unscale(s.yx().float(), 1, 1), true }

// pairCount is regr_count: the rows where neither column is NULL.
type pairCount struct {
	count
	kept []uint32
}

func bindRegrCount(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	for _, t := range args {
		if t.ID() != arrow.NULL && !isReal(t) {
			return nil, refuse(name, t, "measured by "+name, name+" takes numbers")
		}
	}
	agg, err := bindCount(name, nil, Modifiers{})
	agg.Marks, agg.Atomic = false, nil
	agg.New = func(slab *Slab, at int) Accumulator { return &pairCount{count: count{slot: slot{slab, at}}} }
	return agg, err
}

// Update counts the rows of the batch.
func (c *pairCount) Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error {
	c.kept = c.kept[:0]
	for i, t := range tickets {
		if !args[0].IsNull(i) && !args[1].IsNull(i) {
			c.kept = append(c.kept, t)
		}
	}
	return c.count.Update(c.kept, nil, rows)
}

// Bytes returns the memory kept between batches.
func (c *pairCount) Bytes() int64 { return c.count.Bytes() + 4*int64(cap(c.kept)) }
