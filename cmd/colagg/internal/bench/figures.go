package bench

import (
	"fmt"
	"strconv"

	"github.com/colagg/colagg/cmd/colagg/internal/chart"
)

// Options says how large the questions are and how often they are asked.
type Options struct {
	Rows       int64    // input rows, at least 1
	Groups     int64    // groups that they are spread over, at most Rows
	Threads    int      // most workers
	Runs       int      // measured runs, of which the median counts
	Strategies []string // at least one
	Seed       uint64   // of the data
}

// Figure is a diagram of speeds.
type Figure struct {
	Name   string // one word
	Title  string
	XTitle string
	Scale  chart.Scale
	Ticks  []chart.Tick // nil: one for each point
	Points []*Point
}

// Point is a place on the horizontal axis: a question and what it took.
type Point struct {
	X          float64
	Label      string
	Shape      Shape
	State      State
	Aggregates int
	Threads    int
	Samples    []Sample // one for each strategy, once it has been measured
}

// shares are the parts of the rows that one group has, in percent.
func shares() []float64 { return []float64{0, 2, 5, 10, 20, 50, 75, 95} }

// Skew returns figures of the speed against the share of one group, and
// against the shape of the distribution for both kinds of state.
func Skew(o Options) []*Figure {
	heavy := &Figure{Name: "heavy-hitter", Title: "One group with many rows", XTitle: "rows in it, %"}
	for _, percent := range shares() {
		heavy.Points = append(heavy.Points, &Point{X: percent, Label: strconv.FormatFloat(percent, 'g', -1, 64),
			Shape: Heavy(percent), Aggregates: 1, Threads: o.Threads})
	}
	for percent := 0.0; percent <= 100; percent += 10 {
		heavy.Ticks = append(heavy.Ticks, chart.Tick{At: percent, Label: strconv.FormatFloat(percent, 'g', -1, 64)})
	}
	return []*Figure{heavy,
		shapes(o, "shape-fixed", "Fixed-width states (sum of an int64)", Fixed),
		shapes(o, "shape-variable", "Variable-width states (min of a string)", Variable)}
}

func shapes(o Options, name, title string, state State) *Figure {
	f := &Figure{Name: name, Title: title, XTitle: "distribution"}
	for i, s := range []Shape{Uniform(), EightyTwenty(), Zipf(0.5), Zipf(1), Zipf(1.5), Heavy(50), Sorted(), Waves()} {
		f.Points = append(f.Points, &Point{X: float64(i), Label: s.Name, Shape: s, State: state, Aggregates: 1, Threads: o.Threads})
	}
	return f
}

// Scale returns figures of the speed against the number of workers: the powers
// of two up to Options.Threads, and that itself.
func Scale(o Options) []*Figure {
	var out []*Figure
	for _, s := range []Shape{Uniform(), EightyTwenty()} {
		f := &Figure{Name: s.Name, Title: "Workers, rows " + s.Name, XTitle: "workers", Scale: chart.Log}
		for n := 1; n < 2*o.Threads; n *= 2 {
			n := min(n, o.Threads)
			f.Points = append(f.Points, &Point{X: float64(n), Label: strconv.Itoa(n), Shape: s, Aggregates: 1, Threads: n})
		}
		out = append(out, f)
	}
	return out
}

// Aggregates returns a figure of the speed against the number of aggregates.
func Aggregates(o Options) []*Figure {
	f := &Figure{Name: "aggregates", Title: "Aggregates, rows uniform", XTitle: "aggregates (sums)", Scale: chart.Log}
	for _, n := range []int{1, 2, 4, 8, 12, 16, 32} {
		f.Points = append(f.Points, &Point{X: float64(n), Label: strconv.Itoa(n), Shape: Uniform(), Aggregates: n, Threads: o.Threads})
	}
	return []*Figure{f}
}

// Bytes returns about how much memory the data of the figures take.
func (o Options) Bytes(figures []*Figure) int64 {
	perRow, perGroup := int64(8+8), int64(16)
	for _, f := range figures {
		for _, p := range f.Points {
			if p.State == Variable {
				perRow = 8 + 8 + 4 + (minText+maxText)/2
			}
		}
	}
	return perRow*o.Rows + perGroup*o.Groups
}

// aggs returns the aggregates of the question.
func (p *Point) aggs() []string {
	function := "sum"
	if p.State == Variable {
		function = "min"
	}
	var out []string
	for k := range p.Aggregates {
		out = append(out, fmt.Sprintf("%s(%s)", function, valueName(k)))
	}
	return out
}
