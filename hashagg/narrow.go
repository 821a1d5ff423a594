package hashagg

import (
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// narrow holds exact sums of integers, or of unscaled decimals, of up to 64
// bits. A state is one word: twice the sum, plus 1 when a value has been added,
// so that the zero state is the sum of nothing. What does not fit 63 bits goes
// to rest, which a ticket has only from then on. One word, not two, makes the
// slab half as large: h2o's question 5 takes a fifth less time.
//
// The exchange form is one column of raw 128-bit integers, NULL for the sum of
// nothing.
type narrow struct {
	slot
	number int    // the word that counts values, for avg, or 0
	n      int    // tickets in use
	most   uint64 // no word has a sum of greater magnitude, up to wordLimit
	// places has, up to the last ticket that needs it, 1 + the place in rest.
	places []uint32
	rest   []sum128
}

// sum128 is a two's complement integer, lowest word first.
type sum128 [2]uint64

func (s *sum128) add(lo, hi uint64) {
	var c uint64
	s[0], c = bits.Add64(s[0], lo, 0)
	s[1] += hi + c
}

// Grow notes the number of tickets.
func (s *narrow) Grow(n int) { s.n = max(s.n, n) }

// Reset forgets the number of tickets and what is outside of the slab.
func (s *narrow) Reset() { s.n, s.most, s.places, s.rest = 0, 0, s.places[:0], s.rest[:0] }

// Bytes returns the memory outside of the slab.
func (s *narrow) Bytes() int64 { return 4*int64(cap(s.places)) + 16*int64(cap(s.rest)) }

// sum returns the sum of ticket t in 128 bits; ok is false if no value has been
// added.
func (s *narrow) sum(t int) (sum sum128, ok bool) {
	words, stride := s.rows()
	w := int64(words[t*stride])
	if w == 0 {
		return sum, false
	}
	sum = sum128{uint64(w >> 1), uint64(w >> 63)}
	if t < len(s.places) && s.places[t] != 0 {
		r := &s.rest[s.places[t]-1]
		sum.add(r[0], r[1])
	}
	return sum, true
}

// value returns the sum of ticket t; ok is false if no value has been added.
func (s *narrow) value(t int) (wide, bool) {
	sum, ok := s.sum(t)
	return wideOf(sum[:]), ok
}

// add adds a number of 128 bits to the sum of ticket t, to its word if that can
// take it. The caller has set most.
func (s *narrow) add(t int, lo, hi uint64) {
	words, stride := s.rows()
	row := &words[t*stride]
	if hi == uint64(int64(lo)>>63) {
		if d, wide := doubled(int64(lo)); wide >= 0 {
			if w := int64(*row); (w^(w+d))&(d^(w+d)) >= 0 {
				*row = uint64(w+d) | 1
				return
			}
		}
	}
	s.addRest(t, lo, hi)
	*row |= 1
}

// addRest adds a number of 128 bits to the rest of ticket t.
func (s *narrow) addRest(t int, lo, hi uint64) {
	if need := t + 1 - len(s.places); need > 0 {
		s.places = append(s.places, make([]uint32, need)...)
	}
	if s.places[t] == 0 {
		s.rest = append(s.rest, sum128{})
		s.places[t] = uint32(len(s.rest))
	}
	s.rest[s.places[t]-1].add(lo, hi)
}

// wordLimit is the magnitude that sums in words stay below.
const wordLimit = 1 << 62

// fit notes that so many values of at most the given magnitude will be added,
// and reports false if a word might not take them.
func (s *narrow) fit(values int, magnitude uint64) bool {
	hi, more := bits.Mul64(uint64(values), magnitude)
	if hi != 0 || more >= wordLimit-s.most {
		s.most = wordLimit
		return false
	}
	s.most += more
	return true
}

// doubled returns twice v; wide is negative if that does not fit.
func doubled[T integer](v T) (twice, wide int64) {
	twice = int64(v) << 1
	if ^T(0) > 0 {
		return twice, twice | int64(v)
	}
	return twice, twice ^ int64(v)
}

// Merge adds sums.
func (s *narrow) Merge(tickets []uint32, states []*vector.Vector) error {
	s.most = wordLimit
	v := states[0]
	words, stride := s.rows()
	for i, x := range vector.Values[[2]uint64](v)[:len(tickets)] {
		if !v.Valid.Get(i) {
			continue
		}
		row := &words[int(tickets[i])*stride]
		d, wide := doubled(int64(x[0]))
		w := int64(*row)
		r := w + d
		if wide|(w^r)&(d^r) < 0 || x[1] != uint64(int64(x[0])>>63) {
			s.add(int(tickets[i]), x[0], x[1])
			continue
		}
		*row = uint64(r) | 1
	}
	return nil
}

// State returns the sums.
func (s *narrow) State(lo, hi int) ([]*vector.Vector, error) {
	v := vector.New(int128Type, hi-lo)
	out := vector.Values[[2]uint64](v)
	words, stride := s.rows()
	for i := range out {
		w := int64(words[(lo+i)*stride])
		out[i] = [2]uint64{uint64(w >> 1), uint64(w >> 63)}
		if w == 0 {
			setNull(v, i)
		}
	}
	for i := lo; i < min(hi, len(s.places)); i++ {
		out[i-lo], _ = s.sum(i)
	}
	return []*vector.Vector{v}, nil
}

// integers returns the sums as a vector of type t, int64, uint64 or one stored
// like it.
func (s *narrow) integers(lo, hi int, t arrow.DataType) (*vector.Vector, error) {
	v := vector.New(t, hi-lo)
	out := vector.Values[uint64](v)
	unsigned := t.ID() == arrow.UINT64
	for i := range out {
		sum, ok := s.sum(lo + i)
		sign := uint64(int64(sum[0]) >> 63)
		if unsigned {
			sign = 0
		}
		if !ok {
			setNull(v, i)
		} else if sum[1] != sign {
			return nil, &OverflowError{Function: "sum", Value: wideOf(sum[:]).String(), Type: t}
		}
		out[i] = sum[0]
	}
	return v, nil
}

// decimals returns the sums as a vector of decimal128 type t.
func (s *narrow) decimals(lo, hi int, t arrow.DataType) (*vector.Vector, error) {
	v := vector.New(t, hi-lo)
	digits := int(t.(arrow.DecimalType).GetPrecision())
	for i, out := 0, vector.Values[[2]uint64](v); i < len(out); i++ {
		sum, ok := s.sum(lo + i)
		if !ok {
			setNull(v, i)
		} else if sum[1] != uint64(int64(sum[0])>>63) {
			if w := wideOf(sum[:]); !w.fitsDigits(digits) {
				return nil, &OverflowError{Function: "sum", Value: unscaled(w, t), Type: t}
			}
		}
		out[i] = sum
	}
	return v, nil
}
