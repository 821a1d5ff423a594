package hashagg

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// Float sums are exact: a sum is hi + lo + limbs, without rounding before the
// end, so that it does not depend on the order in which values are added.
//
// hi and lo are two words in the slab. TwoSum adds a value to hi, and what hi
// loses by rounding to lo; nearly always lo can take that exactly. What it
// cannot take goes to limbs, which a ticket has only from then on, and so do
// values by which hi would overflow. Infinities and NaN are only noted.
//
// hi is stored negated: so the zero state is −0.0, which no sum of values is
// when −0.0 has been read as 0.0, and which adding to changes nothing.
const signBit = 1 << 63

// What extra is made of.
const (
	plusInf = 1 << iota
	minusInf
	onePlace
	noNumber = plusInf | minusInf // NaN, or infinities of both signs
)

// floatSums holds sums of floats. Its exchange form is three columns: hi, NULL
// if no value has been added, or infinite or NaN if the sum is; lo, which means
// nothing then; and the limbs, NULL if there are none.
type floatSums struct {
	slot
	number int // the word that counts values, for avg, or 0
	n      int // tickets in use
	// extra has, up to the last ticket that needs it, which infinities and NaN
	// there are, plus onePlace times 1 + the place in limbs, if there are some.
	extra []uint32
	limbs []limbs
}

var floatSumState = []arrow.DataType{
	arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.Binary,
}

// sumFloats sums float16, float32 or float64.
type sumFloats[T float32 | float64] struct {
	floatSums
	operand operand[T]
	local   []localFloat
}

// isFloat reports whether t is a binary floating-point type.
func isFloat(t arrow.DataType) bool {
	return t.ID() == arrow.FLOAT16 || t.ID() == arrow.FLOAT32 || t.ID() == arrow.FLOAT64
}

func bindSumFloat(t arrow.DataType) *Aggregate {
	return &Aggregate{
		Result: arrow.PrimitiveTypes.Float64,
		State:  floatSumState,
		Words:  2,
		Marks:  true,
		New:    func(slab *Slab, at int) Accumulator { return newFloatSum(slot{slab, at}, t, 0) },
	}
}

// floatSum is an accumulator of float sums, whose states avg reads.
type floatSum interface {
	Accumulator
	quotient(t int, n uint64) float64
}

// newFloatSum returns an accumulator of sums; number is the word in which it
// counts values, or 0 if it need not.
func newFloatSum(at slot, t arrow.DataType, number int) floatSum {
	if t.ID() == arrow.FLOAT64 {
		return &sumFloats[float64]{floatSums: floatSums{slot: at, number: number}}
	}
	return &sumFloats[float32]{floatSums: floatSums{slot: at, number: number}}
}

// Grow notes the number of tickets.
func (s *floatSums) Grow(n int) { s.n = max(s.n, n) }

// Update adds the values of the batch.
func (s *sumFloats[T]) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	tickets, vals := s.operand.load(tickets, args[0])
	switch {
	case s.n == 1:
	case s.slab.Clustered:
		s.add(tickets, vals)
		return nil
	case s.n <= floatTickets && s.n*localRows <= len(tickets):
		s.addLocally(tickets, vals)
		return nil
	default:
		s.add(tickets, vals)
		return nil
	}
	for len(vals) > 0 {
		n := min(blockRows, len(vals))
		least, most := reach(vals[:n])
		if hi, lo, ok := addBlock(vals[:n], least, most); ok {
			s.addPair(0, hi, lo)
			if s.number != 0 {
				s.slab.Words[s.at+s.number] += uint64(n)
			}
		} else {
			s.add(tickets[:n], vals[:n])
		}
		tickets, vals = tickets[n:], vals[n:]
	}
	return nil
}

// add adds values one by one, and counts them if number is not 0.
func (s *sumFloats[T]) add(tickets []uint32, vals []T) {
	words, stride := s.rows()
	if s.slab.Clustered && s.number != 0 && len(words) > 0 {
		countClustered(words[s.number:], stride, tickets)
	}
	for len(tickets) > 0 {
		var done int
		switch {
		case s.slab.Clustered:
			done = addFloatsClustered(words, stride, tickets, vals)
		case s.number != 0:
			done = addNumberedFloats(words, stride, tickets, vals, s.number)
		default:
			done = addFloats(words, stride, tickets, vals)
		}
		if done == len(tickets) {
			break
		}
		s.addPair(tickets[done], float64(vals[done])+0, 0)
		tickets, vals = tickets[done+1:], vals[done+1:]
	}
}

// addPair adds hi + lo to the sum of ticket t. lo is 0 if hi is infinite or NaN.
func (s *floatSums) addPair(t uint32, hi, lo float64) {
	words, stride := s.rows()
	row := words[int(t)*stride:][:2]
	sum, lost := twoSum(math.Float64frombits(row[0]^signBit), hi)
	if lost-lost != 0 { // overflow, or not finite
		s.addRest(t, hi)
		sum, lost = math.Float64frombits(row[0]^signBit), 0
	}
	low, rest := twoSum(math.Float64frombits(row[1]), lo)
	low, more := twoSum(low, lost)
	row[0], row[1] = math.Float64bits(sum)^signBit, math.Float64bits(low)
	if rest != 0 {
		s.addRest(t, rest)
	}
	if more != 0 {
		s.addRest(t, more)
	}
}

// addRest adds to the sum of ticket t what its double-double cannot take.
func (s *floatSums) addRest(t uint32, x float64) {
	words, stride := s.rows()
	if row := words[int(t)*stride:]; row[0] == 0 {
		row[0] = signBit // 0.0: no longer the sum of nothing
	}
	if need := int(t) + 1 - len(s.extra); need > 0 {
		s.extra = append(s.extra, make([]uint32, need)...)
	}
	switch {
	case x-x == 0:
		if l := s.limbsOf(t); l != nil {
			l.add(x)
		}
	case x > 0:
		s.extra[t] |= plusInf
	case x < 0:
		s.extra[t] |= minusInf
	default:
		s.extra[t] |= noNumber
	}
}

// limbsOf returns the limbs of ticket t, which extra reaches, and makes them if
// there are none; nil if the sum is infinite or NaN, whatever else is added.
func (s *floatSums) limbsOf(t uint32) *limbs {
	e := s.extra[t]
	if e&noNumber != 0 {
		return nil
	}
	if e == 0 {
		s.limbs = append(s.limbs, limbs{})
		e = uint32(len(s.limbs)) * onePlace
		s.extra[t] = e
	}
	return &s.limbs[e/onePlace-1]
}

// more returns what extra has for ticket t.
func (s *floatSums) more(t int) uint32 {
	if t < len(s.extra) {
		return s.extra[t]
	}
	return 0
}

// quotient returns the sum of ticket t divided by n, rounded to the nearest
// float64, ties to even; it is infinite where float64 ends.
func (s *floatSums) quotient(t int, n uint64) float64 {
	words, stride := s.rows()
	hi, lo := math.Float64frombits(words[t*stride]^signBit), math.Float64frombits(words[t*stride+1])
	e := s.more(t)
	switch {
	case e&noNumber != 0:
		return notFinite(e)
	case e == 0 && n == 1:
		return hi + lo + 0
	case e == 0:
		if q, ok := divRound(hi, lo, n); ok {
			return q
		}
	}
	var sum limbs
	if e != 0 {
		sum = s.limbs[e/onePlace-1]
	}
	sum.add(hi)
	sum.add(lo)
	return sum.quotient(n)
}

// notFinite returns the sum of the infinities and NaN in e.
func notFinite(e uint32) float64 {
	switch e & noNumber {
	case plusInf:
		return math.Inf(1)
	case minusInf:
		return math.Inf(-1)
	}
	return math.NaN()
}

// Merge adds sums.
func (s *floatSums) Merge(tickets []uint32, states []*vector.Vector) error {
	hi, lo := vector.Values[float64](states[0]), vector.Values[float64](states[1])
	for i, t := range tickets {
		switch {
		case !states[0].Valid.Get(i):
		case hi[i]-hi[i] == 0:
			s.addPair(t, hi[i], lo[i])
		default:
			s.addRest(t, hi[i])
		}
	}
	if states[2].Valid != nil && states[2].Valid.Count(len(tickets)) == 0 {
		return nil
	}
	for i, t := range tickets {
		if states[2].IsNull(i) {
			continue
		}
		s.addRest(t, 0) // makes limbs
		if l := s.limbsOf(t); l != nil {
			l.merge(states[2].Bytes(i))
		}
	}
	return nil
}

// State returns the sums, or vector.ErrTooLong.
func (s *floatSums) State(lo, hi int) ([]*vector.Vector, error) {
	words, stride := s.rows()
	n := hi - lo
	f64 := arrow.PrimitiveTypes.Float64
	out := []*vector.Vector{vector.New(f64, n), vector.New(f64, n), vector.NewNull(arrow.BinaryTypes.Binary, n)}
	h, l := vector.Values[uint64](out[0]), vector.Values[uint64](out[1])
	some := false
	for i := range n {
		b := (lo + i) * stride
		h[i], l[i] = words[b]^signBit, words[b+1]
		if words[b] == 0 {
			setNull(out[0], i)
		}
		e := s.more(lo + i)
		if e&noNumber != 0 {
			h[i] = math.Float64bits(notFinite(e))
		}
		some = some || e >= onePlace
	}
	if !some {
		return out, nil
	}
	b := vector.NewBuilder(arrow.BinaryTypes.Binary)
	var p []byte
	for t := lo; t < hi; t++ {
		e := s.more(t)
		if e < onePlace || e&noNumber != 0 {
			b.AppendNull()
			continue
		}
		p = s.limbs[e/onePlace-1].appendTo(p[:0])
		if err := b.AppendBytes(p); err != nil {
			return nil, err
		}
	}
	out[2] = b.Vector()
	return out, nil
}

// Final returns the sums.
func (s *floatSums) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := s.rows()
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out := vector.Values[float64](v)
	for i := range out {
		if words[(lo+i)*stride] == 0 {
			setNull(v, i)
			continue
		}
		out[i] = s.quotient(lo+i, 1)
	}
	return v, nil
}

// Reset empties what is kept outside of the slab.
func (s *floatSums) Reset() {
	s.extra, s.limbs = s.extra[:0], s.limbs[:0]
	s.n = 0
}

// Bytes returns the size of what is outside of the slab, and the operand.
func (s *sumFloats[T]) Bytes() int64 {
	return 4*int64(cap(s.extra)) + int64(limbsBytes)*int64(cap(s.limbs)) + s.operand.bytes() + 24*int64(cap(s.local))
}
