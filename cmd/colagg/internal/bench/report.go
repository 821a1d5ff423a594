package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/colagg/colagg/cmd/colagg/internal/chart"
)

// serial is the strategy that others are compared with.
const serial = "serial"

// speed returns million rows per second, or NaN before the point is measured.
func (p *Point) speed(strategy int, rows int64) float64 {
	if strategy >= len(p.Samples) {
		return math.NaN()
	}
	d := p.Samples[strategy].Median()
	if d <= 0 {
		return math.NaN()
	}
	return float64(rows) / 1e6 / d.Seconds()
}

// gain returns the speed relative to serial, or NaN if that was not measured.
func (p *Point) gain(strategy int) float64 {
	for i, s := range p.Samples {
		if s.Strategy == serial {
			return p.speed(strategy, 1) / p.speed(i, 1)
		}
	}
	return math.NaN()
}

// WriteCSV writes a row for each figure, point and strategy, below a heading.
// Times are in seconds; times_serial is empty where serial was not measured.
func WriteCSV(w io.Writer, o Options, figures []*Figure) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"figure", "x", "strategy", "distribution", "state", "aggregates", "threads", "used", "workers", "rows", "groups",
		"runs", "seconds", "fastest", "slowest", "million_rows_per_second", "times_serial"}}
	for _, f := range figures {
		for _, p := range f.Points {
			for i, s := range p.Samples {
				rows = append(rows, []string{f.Name, p.Label, s.Strategy, p.Shape.Name, p.State.String(), strconv.Itoa(p.Aggregates),
					strconv.Itoa(p.Threads), s.Used, strconv.Itoa(s.Workers), strconv.FormatInt(o.Rows, 10), strconv.FormatInt(s.Groups, 10),
					strconv.Itoa(len(s.Times)), seconds(s.Median()), seconds(s.Times[0]), seconds(s.Times[len(s.Times)-1]),
					number(p.speed(i, o.Rows)), number(p.gain(i))})
			}
		}
	}
	return out.WriteAll(rows)
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }

func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// Speeds returns the figure as text cells: a heading, and a row for each point
// with the million rows per second of each strategy.
func (f *Figure) Speeds(o Options) (header []string, rows [][]string) {
	header = append([]string{f.XTitle}, o.Strategies...)
	for _, p := range f.Points {
		row := []string{p.Label}
		for i := range p.Samples {
			row = append(row, fmt.Sprintf("%.1f", p.speed(i, o.Rows)))
		}
		rows = append(rows, row)
	}
	return header, rows
}

// Page draws the figures, each with its speeds and, if serial was measured,
// the speeds relative to that beside them.
func Page(title, description string, o Options, figures []*Figure) *chart.Page {
	page := &chart.Page{Title: title, Description: description, Lines: o.Strategies, Columns: 1}
	for _, f := range figures {
		speeds := f.panel(o, "million rows per second", func(p *Point, i int) float64 { return p.speed(i, o.Rows) })
		page.Panels = append(page.Panels, speeds)
		gains := f.panel(o, "times the speed of serial", func(p *Point, i int) float64 { return p.gain(i) })
		if gains.Rule = 1; !math.IsNaN(gains.Values[0][0]) {
			page.Columns = 2
			page.Panels = append(page.Panels, gains)
		}
	}
	return page
}

func (f *Figure) panel(o Options, yTitle string, value func(p *Point, strategy int) float64) chart.Panel {
	c := chart.Panel{Title: f.Title, XTitle: f.XTitle, YTitle: yTitle, Scale: f.Scale, Ticks: f.Ticks, Values: make([][]float64, len(o.Strategies))}
	for _, p := range f.Points {
		c.X = append(c.X, p.X)
		c.Names = append(c.Names, p.Label)
		if f.Ticks == nil {
			c.Ticks = append(c.Ticks, chart.Tick{At: p.X, Label: p.Label})
		}
		for i := range o.Strategies {
			c.Values[i] = append(c.Values[i], value(p, i))
		}
	}
	return c
}
