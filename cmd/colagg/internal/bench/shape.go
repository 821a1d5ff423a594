package bench

import (
	"fmt"
	"math"
)

// Shape is a way to spread rows over groups.
type Shape struct {
	// Name is how figures call it.
	Name string
	// groups returns the function that gives the group, 0..groups-1, of each
	// row 0..rows-1 in turn.
	groups func(groups, rows int64, s source) func(row int64) int64
}

// Uniform gives all groups the same chance.
func Uniform() Shape {
	return Shape{"uniform", func(groups, _ int64, s source) func(int64) int64 {
		return func(int64) int64 { return s.below(groups) }
	}}
}

// EightyTwenty gives four fifths of the rows to a fifth of the groups, and both
// parts are uniform.
func EightyTwenty() Shape {
	return Shape{"80-20", func(groups, _ int64, s source) func(int64) int64 {
		hot := max(1, groups/5)
		return func(int64) int64 {
			if hot == groups || s.float() < 0.8 {
				return s.below(hot)
			}
			return hot + s.below(groups-hot)
		}
	}}
}

// Zipf gives the group of rank r a chance proportional to r^-exponent.
func Zipf(exponent float64) Shape {
	return Shape{fmt.Sprintf("zipf %.1f", exponent), func(groups, _ int64, s source) func(int64) int64 {
		weights := make([]float64, groups)
		for i := range weights {
			weights[i] = math.Pow(float64(i+1), -exponent)
		}
		w := newWeighted(weights)
		return func(int64) int64 { return w.draw(s) }
	}}
}

// Heavy gives percent of the rows to one group, but no less than its equal
// share, and the rest to the others uniformly.
func Heavy(percent float64) Shape {
	return Shape{fmt.Sprintf("heavy hitter %g %%", percent), func(groups, _ int64, s source) func(int64) int64 {
		share := max(percent/100, 1/float64(groups))
		return func(int64) int64 {
			if groups == 1 || s.float() < share {
				return 0
			}
			return 1 + s.below(groups-1)
		}
	}}
}

// Sorted has the rows of each group one after the other, as many in each.
func Sorted() Shape {
	return Shape{"sorted", func(groups, rows int64, _ source) func(int64) int64 {
		return func(row int64) int64 { return scaled(row, groups, rows) }
	}}
}

// The form of Waves.
const (
	waves       = 4  // how often all groups are passed through
	wavesWindow = 64 // the part of the groups that is seen at a time
)

// Waves draws from a window of a 64th of the groups, which passes over all of
// them four times: groups are busy for a while, rest, and come back.
func Waves() Shape {
	return Shape{"waves", func(groups, rows int64, s source) func(int64) int64 {
		window := max(1, groups/wavesWindow)
		return func(row int64) int64 {
			from := scaled(row, groups*waves, rows) % groups
			return (from + s.below(window)) % groups
		}
	}}
}

// scaled returns row·n/rows.
func scaled(row, n, rows int64) int64 {
	return int64(float64(row) / float64(rows) * float64(n))
}
