package hashagg

import "math"

// localFloat is the sum of a ticket's values in one chunk, which starts at far,
// what its additions have lost, and the number of the values.
type localFloat struct {
	high, lost float64
	number     uint64
}

const (
	// localBits is the binary logarithm of the most rows that are summed apart.
	localBits   = 12
	localFloats = 1 << localBits
	// floatTickets is the most tickets for which that pays: their sums stay in
	// the first-level cache. h2o's question 4, whose third average is of floats,
	// takes a tenth less time.
	floatTickets = 512
)

// addLocally adds values of few tickets: each chunk is first summed apart, as
// addBlock does it, without a test for each value.
func (s *sumFloats[T]) addLocally(tickets []uint32, vals []T) {
	for len(vals) > 0 {
		n := min(localFloats, len(vals))
		least, most := reach(vals[:n])
		if far, ok := farFrom(least, most, localBits); ok {
			for len(s.local) < s.n {
				s.local = append(s.local, localFloat{})
			}
			for t := range s.local {
				s.local[t] = localFloat{high: far}
			}
			addFar(s.local, tickets[:n], vals[:n])
			s.fold(far)
		} else {
			s.add(tickets[:n], vals[:n])
		}
		tickets, vals = tickets[n:], vals[n:]
	}
}

//go:noinline
func addFar[T float32 | float64](local []localFloat, tickets []uint32, vals []T) {
	vals = vals[:len(tickets)]
	for i, t := range tickets {
		x := float64(vals[i])
		c := &local[t]
		high := c.high + x
		c.lost += x - (high - c.high)
		c.high = high
		c.number++
	}
}

// fold adds the sums of a chunk to the states.
func (s *sumFloats[T]) fold(far float64) {
	words, stride := s.rows()
	for t := range s.local {
		c := &s.local[t]
		if c.number == 0 {
			continue
		}
		s.addPair(uint32(t), c.high-far, c.lost)
		if s.number != 0 {
			words[t*stride+s.number] += c.number
		}
	}
}

// farFrom returns a number so far from 0 that sums of up to 2^bits values, whose
// reach is given, keep its exponent when they start at it; ok is false if there
// is none for which what these sums lose adds up exactly.
func farFrom(least uint64, most int64, bits uint64) (far float64, ok bool) {
	if most < 0 {
		return 1, true // all are 0
	}
	last, first := uint64(most+1)>>52, (least+1)>>52
	// All values together are below half of 2^exponent, biased. The sums of what
	// is lost are multiples of the last place of the least value, and below
	// 2^53 of them.
	exponent := max(last, 1) + 2 + bits
	if exponent >= 0x7fe || exponent+bits > max(first, 1)+54 {
		return 0, false
	}
	return 1.5 * math.Float64frombits(exponent<<52), true
}
