package chart

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// element is what a test needs to know of an element.
type element struct {
	name string
	attr map[string]string
	text string
}

// parse reads a document and fails if it is not well formed.
func parse(t *testing.T, document string) []element {
	t.Helper()
	var all []element
	var open []int
	dec := xml.NewDecoder(strings.NewReader(document))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{name: x.Name.Local, attr: map[string]string{}}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(x)
			}
		}
	}
}

// find returns the elements of a name and class.
func find(all []element, name, class string) []element {
	var out []element
	for _, e := range all {
		if e.name == name && (class == "" || slices.Contains(strings.Fields(e.attr["class"]), class)) {
			out = append(out, e)
		}
	}
	return out
}

func texts(all []element) []string {
	var out []string
	for _, e := range all {
		out = append(out, e.text)
	}
	return out
}

func sample() *Page {
	return &Page{
		Title:       `Speed <of> "all" & more`,
		Description: "How it was made.",
		Lines:       []string{"auto", "a<b"},
		Columns:     2,
		Panels: []Panel{
			{Title: "one & only", XTitle: "share", YTitle: "speed", X: []float64{0, 50, 100}, Names: []string{"0", "50", "100"},
				Ticks: []Tick{{0, "0"}, {100, "100"}}, Values: [][]float64{{10, 20, 30}, {30, math.NaN(), 12}}},
			{Title: "workers", X: []float64{1, 2, 4}, Scale: Log, Names: []string{"1", "2", "4"}, Rule: 1,
				Ticks: []Tick{{1, "1"}, {2, "2"}, {4, "4"}}, Values: [][]float64{{1, 1, 1}, {1, 2, 3}}},
		},
	}
}

func TestDocument(t *testing.T) {
	p := sample()
	var b strings.Builder
	n, err := p.WriteTo(&b)
	if err != nil || int(n) != b.Len() {
		t.Errorf("wrote %d of %d bytes, %v", n, b.Len(), err)
	}
	all := parse(t, b.String())
	svg := all[0]
	if svg.name != "svg" || svg.attr["role"] != "img" || svg.attr["aria-labelledby"] != "title desc" || svg.attr["viewBox"] != "0 0 1000 "+svg.attr["height"] {
		t.Errorf("%v", svg.attr)
	}
	// The first title and description of a document are its own.
	if e := find(all, "title", "")[0]; e.text != p.Title || e.attr["id"] != "title" {
		t.Errorf("%+v", e)
	}
	if e := find(all, "desc", "")[0]; e.text != p.Description || e.attr["id"] != "desc" {
		t.Errorf("%+v", e)
	}
	if got := texts(find(all, "text", "name")); !slices.Equal(got, p.Lines) {
		t.Errorf("legend %q", got)
	}
	if got := texts(find(all, "text", "sub")); !slices.Equal(got, []string{"one & only", "workers"}) {
		t.Errorf("panels %q", got)
	}
	var series []string
	for _, e := range find(all, "g", "series") {
		series = append(series, e.attr["data-line"])
	}
	if !slices.Equal(series, []string{"auto", "a<b", "auto", "a<b"}) {
		t.Errorf("series %q", series)
	}
	// A mark in the legend for each line, and one for each value that there is.
	if got := len(find(all, "path", "mark")); got != 2+12-1 {
		t.Errorf("%d marks", got)
	}
	if got := texts(find(all, "title", "")); !slices.Contains(got, "a<b, 100: 12") {
		t.Errorf("titles %q", got)
	}
	if got := len(find(all, "path", "rule")); got != 1 {
		t.Errorf("%d rules", got)
	}
	if style := find(all, "style", "")[0].text; !strings.Contains(style, "@media (prefers-color-scheme:dark)") {
		t.Error(style)
	}
}

// A value that is missing interrupts its line, and places are proportional.
func TestPlaces(t *testing.T) {
	all := parse(t, sample().draw())
	lines := find(all, "path", "line")[2:] // after the legend's
	if d := lines[1].attr["d"]; strings.Count(d, "M") != 2 || strings.Contains(d, "L") {
		t.Errorf("the line with a gap is %s", d)
	}
	for i, scale := range []string{"linear", "log"} {
		d := lines[[]int{0, 3}[i]].attr["d"]
		var x, y [3]float64
		if _, err := fmt.Sscanf(d, "M%f %fL%f %fL%f %f", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]); err != nil {
			t.Fatalf("%s: %s: %v", scale, d, err)
		}
		// Both have the middle point in the middle, and equal steps upwards.
		if math.Abs(x[0]+x[2]-2*x[1]) > 0.3 || math.Abs(y[0]+y[2]-2*y[1]) > 0.3 || x[0] >= x[2] || y[0] <= y[2] {
			t.Errorf("%s: %s", scale, d)
		}
	}
}

func TestTicks(t *testing.T) {
	for most, want := range map[float64]string{
		0: "0 0.2 0.4 0.6 0.8 1", 1: "0 0.2 0.4 0.6 0.8 1", 2.1: "0 0.5 1 1.5 2 2.5", 55: "0 10 20 30 40 50 60", 99: "0 20 40 60 80 100",
		149: "0 50 100 150", 1234: "0 500 1000 1500", 0.07: "0 0.02 0.04 0.06 0.08", math.NaN(): "0 0.2 0.4 0.6 0.8 1",
	} {
		var got []string
		for _, v := range ticks(most) {
			got = append(got, strconv.FormatFloat(v, 'g', 6, 64))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%g: %s, want %s", most, strings.Join(got, " "), want)
		}
	}
}

// Labels that would touch are turned, and only those.
func TestLabels(t *testing.T) {
	p := Panel{X: []float64{0, 1, 2, 3, 4, 5, 6, 7}, Values: [][]float64{{1, 1, 1, 1, 1, 1, 1, 1}}, Names: make([]string, 8)}
	for _, label := range []string{"80", "heavy hitter"} {
		p.Ticks = nil
		for _, x := range p.X {
			p.Ticks = append(p.Ticks, Tick{x, label})
		}
		text := (&Page{Lines: []string{"one"}, Columns: 1, Panels: []Panel{p}}).draw()
		if turned := strings.Contains(text, "rotate(-32)"); turned != (label != "80") {
			t.Errorf("%s: turned %v", label, turned)
		}
	}
}

// Every line looks different from all others.
func TestLinesDiffer(t *testing.T) {
	p := &Page{Title: "many", Columns: 1, Panels: []Panel{{X: []float64{1}, Names: []string{"1"}}}}
	for i := range 20 {
		p.Lines = append(p.Lines, fmt.Sprintf("a strategy with the number %d", i))
		p.Panels[0].Values = append(p.Panels[0].Values, []float64{float64(i)})
	}
	all := parse(t, p.draw())
	sheet := find(all, "style", "")[0].text
	seen := map[string]bool{}
	for i := range p.Lines {
		var look strings.Builder
		for rule := range strings.SplitSeq(sheet, "}") {
			if selector, body, ok := strings.Cut(strings.TrimSpace(rule), "{"); ok && (selector == fmt.Sprintf(".c%d", i) || selector == fmt.Sprintf(".line.c%d", i)) {
				look.WriteString(body)
			}
		}
		look.WriteString(marks[i%len(marks)])
		if seen[look.String()] || !strings.Contains(look.String(), "color:#") {
			t.Errorf("line %d looks like another: %s", i, look.String())
		}
		seen[look.String()] = true
	}
	width, _ := strconv.ParseFloat(all[0].attr["width"], 64)
	for _, e := range find(all, "text", "name") {
		x, _ := strconv.ParseFloat(e.attr["x"], 64)
		if x+charWidth*float64(len(e.text)) > width {
			t.Errorf("%s leaves the page", e.text)
		}
	}
}

// contrast is that of the Web Content Accessibility Guidelines 2.2.
func contrast(a, b string) float64 {
	light := func(color string) float64 {
		var sum float64
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, _ := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum + 0.05
	}
	return max(light(a)/light(b), light(b)/light(a))
}

func TestColorsAreReadable(t *testing.T) {
	for _, c := range colors {
		if got := contrast(c.light, "#ffffff"); got < 3 {
			t.Errorf("%s on white: %.1f", c.light, got)
		}
		if got := contrast(c.dark, "#15191d"); got < 3 {
			t.Errorf("%s on black: %.1f", c.dark, got)
		}
	}
	if !strings.Contains(style(1), ".paper{fill:#15191d}") {
		t.Error("the dark background is another one")
	}
}
