package bench

import (
	"math/bits"
	"math/rand/v2"
)

// source gives random numbers that depend on a seed and a stream alone, on
// every machine.
type source struct{ pcg *rand.PCG }

func newSource(seed, stream uint64) source { return source{rand.NewPCG(seed, stream)} }

// below returns a number in [0, n), by multiplication: the bias is below
// n/2^64.
func (s source) below(n int64) int64 {
	hi, _ := bits.Mul64(s.pcg.Uint64(), uint64(n))
	return int64(hi)
}

// float returns a number in [0, 1) with 53 random bits.
func (s source) float() float64 { return float64(s.pcg.Uint64()>>11) * 0x1p-53 }

// weighted draws numbers 0..n-1 with given weights, in constant time: the alias
// method, with tables as in Vose, "A Linear Algorithm for Generating Random
// Numbers with a Given Distribution" (IEEE TSE 17:9, 1991).
type weighted struct {
	keep  []float64 // probability of i where slot i is drawn; else it is other[i]
	other []uint32
}

// newWeighted takes the weights over; they need not add up to anything.
func newWeighted(weights []float64) *weighted {
	var total float64
	for _, w := range weights {
		total += w
	}
	n := len(weights)
	w := &weighted{keep: weights, other: make([]uint32, n)}
	// The slots below the mean from the front, those above it from the back.
	order := make([]uint32, n)
	low, high := 0, n
	for i := range weights {
		weights[i] *= float64(n) / total
		if weights[i] < 1 {
			order[low] = uint32(i)
			low++
		} else {
			high--
			order[high] = uint32(i)
		}
	}
	for low > 0 && high < n {
		low--
		small, large := order[low], order[high]
		w.other[small] = large
		weights[large] -= 1 - weights[small]
		if weights[large] < 1 {
			high++
			order[low] = large
			low++
		}
	}
	// What is left is 1, but for rounding.
	for _, i := range order[:low] {
		weights[i] = 1
	}
	for _, i := range order[high:] {
		weights[i] = 1
	}
	return w
}

// draw uses the high half of a product for the slot and the low half for the
// choice in it.
func (w *weighted) draw(s source) int64 {
	slot, fraction := bits.Mul64(s.pcg.Uint64(), uint64(len(w.keep)))
	if float64(fraction>>11)*0x1p-53 < w.keep[slot] {
		return int64(slot)
	}
	return int64(w.other[slot])
}
