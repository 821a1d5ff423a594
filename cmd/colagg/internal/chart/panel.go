package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Scale says how an axis is divided.
type Scale int

// The scales of an axis.
const (
	Linear Scale = iota
	Log          // equal distances are equal ratios; all values are above 0
)

// Tick is a mark on the horizontal axis with its label.
type Tick struct {
	At    float64
	Label string
}

// Panel is one diagram. The vertical axis begins at 0.
type Panel struct {
	Title  string
	XTitle string
	YTitle string
	Scale  Scale     // of the horizontal axis
	X      []float64 // the points, ascending
	Ticks  []Tick
	Values [][]float64 // for each line, a value for each point; NaN for none
	Names  []string    // what the points are called, for those who ask a mark
	Rule   float64     // a value at which a dashed line is drawn; 0 for none
}

// The plot's margins in a panel; below are labels and a title, and more where
// labels are turned.
const left, right, above, below = 62, 18, 34, 60

// labelAngle is how far labels are turned, in degrees, where they would touch.
const labelAngle = 32

// frame maps values to places.
type frame struct {
	x, y, w, h float64
	lo, hi     float64
	log        bool
	top        float64
}

func (f *frame) across(v float64) float64 {
	lo, hi := f.lo, f.hi
	if f.log {
		v, lo, hi = math.Log2(v), math.Log2(lo), math.Log2(hi)
	}
	if hi == lo {
		return f.x + f.w/2
	}
	const inset = 0.03 // keeps marks off the frame
	return f.x + f.w*(inset+(1-2*inset)*(v-lo)/(hi-lo))
}

func (f *frame) up(v float64) float64 { return f.y + f.h*(1-v/f.top) }

// draw adds the panel with its upper left corner at x, y.
func (p *Panel) draw(d *drawing, x, y float64, lines []string) {
	f := &frame{x: x + left, y: y + above, w: panelWidth - left - right, h: panelHeight - above - below, log: p.Scale == Log}
	f.lo, f.hi = math.Inf(1), math.Inf(-1)
	for _, v := range p.X {
		f.lo, f.hi = min(f.lo, v), max(f.hi, v)
	}
	for _, t := range p.Ticks {
		f.lo, f.hi = min(f.lo, t.At), max(f.hi, t.At)
	}
	most := p.Rule
	for _, line := range p.Values {
		for _, v := range line {
			if !math.IsNaN(v) {
				most = max(most, v)
			}
		}
	}
	steps := ticks(most)
	f.top = steps[len(steps)-1]
	turned := p.crowded(f)
	if turned {
		longest := 0
		for _, t := range p.Ticks {
			longest = max(longest, len([]rune(t.Label)))
		}
		f.h -= charWidth * float64(longest) * math.Sin(labelAngle*math.Pi/180)
	}

	d.add(`<g class="panel">`)
	d.label(f.x, y+18, "sub", p.Title)
	p.axes(d, f, steps, turned)
	d.label(f.x+f.w/2, y+panelHeight-20, "tick mid", p.XTitle)
	for i, line := range p.Values {
		p.line(d, f, i, lines[i], line)
	}
	d.add(`</g>`)
}

// axes adds the grid, the ticks, and the title of the vertical axis.
func (p *Panel) axes(d *drawing, f *frame, steps []float64, turned bool) {
	for _, v := range steps {
		y := f.up(v)
		class := "grid"
		if v == 0 {
			class = "axis"
		}
		d.add(`<path class="%s" d="M%.1f %.1fh%.1f"/>`, class, f.x, y, f.w)
		d.label(f.x-8, y+4, "tick end", strconv.FormatFloat(v, 'g', 6, 64))
	}
	if p.Rule != 0 {
		d.add(`<path class="rule" d="M%.1f %.1fh%.1f"/>`, f.x, f.up(p.Rule), f.w)
	}
	for _, t := range p.Ticks {
		x, y := f.across(t.At), f.y+f.h
		d.add(`<path class="axis" d="M%.1f %.1fv5"/>`, x, y)
		if turned {
			d.add(`<text transform="translate(%.1f %.1f) rotate(%d)" class="tick end">%s</text>`, x+4, y+17, -labelAngle, html.EscapeString(t.Label))
		} else {
			d.label(x, y+20, "tick mid", t.Label)
		}
	}
	d.add(`<text transform="translate(%.1f %.1f) rotate(-90)" class="tick mid">%s</text>`, f.x-left+14, f.y+f.h/2, html.EscapeString(p.YTitle))
}

// crowded reports whether labels beside each other would touch.
func (p *Panel) crowded(f *frame) bool {
	end := math.Inf(-1)
	for _, t := range p.Ticks {
		x, half := f.across(t.At), charWidth*float64(len([]rune(t.Label)))/2
		if x-half < end {
			return true
		}
		end = x + half + charWidth/2
	}
	return false
}

// line adds the line i with a mark at each point. A point without a value
// interrupts it.
func (p *Panel) line(d *drawing, f *frame, i int, name string, values []float64) {
	var path, marks strings.Builder
	pen := "M"
	for k, v := range values {
		if math.IsNaN(v) {
			pen = "M"
			continue
		}
		x, y := f.across(p.X[k]), f.up(v)
		fmt.Fprintf(&path, "%s%.1f %.1f", pen, x, y)
		pen = "L"
		told := fmt.Sprintf("%s, %s: %.3g", name, p.Names[k], v)
		fmt.Fprintf(&marks, "<g><title>%s</title>%s</g>\n", html.EscapeString(told), mark(i, x, y))
	}
	d.add(`<g class="series" data-line="%s">`, html.EscapeString(name))
	if path.Len() > 0 {
		d.add(`<path class="line c%d" d="%s"/>`, i, path.String())
	}
	d.text.WriteString(marks.String())
	d.add(`</g>`)
}

// ticks returns values from 0 in steps of 1, 2 or 5 times a power of ten, up to
// at least most, about five of them.
func ticks(most float64) []float64 {
	if !(most > 0) || math.IsInf(most, 1) {
		most = 1
	}
	power := math.Pow(10, math.Floor(math.Log10(most/5)))
	step := power
	for _, m := range []float64{2, 5, 10} {
		if most/step > 5.5 {
			step = m * power
		}
	}
	var out []float64
	for k := 0.0; ; k++ {
		out = append(out, k*step)
		if k*step >= most {
			return out
		}
	}
}
