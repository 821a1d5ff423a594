package chart

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// Page is a document of panels that share their lines.
type Page struct {
	Title       string
	Description string   // one or more sentences, under the title
	Lines       []string // names, in the order of Panel.Values
	Columns     int      // panels in a row, at least 1
	Panels      []Panel
}

// Sizes in the units of the document, which are pixels unless it is scaled.
const (
	panelWidth   = 480
	panelHeight  = 330
	pageMargin   = 20
	titleHeight  = 34
	lineHeight   = 18
	legendHeight = 24
	// charWidth is what a character of 13 px takes, on the wide side: SVG has
	// no way to ask.
	charWidth = 7.4
)

// drawing is a document that is being written.
type drawing struct {
	text strings.Builder
}

func (d *drawing) add(format string, args ...any) {
	fmt.Fprintf(&d.text, format, args...)
	d.text.WriteByte('\n')
}

// label adds text at a place; class says how it looks and is aligned.
func (d *drawing) label(x, y float64, class, text string) {
	d.add(`<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, html.EscapeString(text))
}

// WriteTo writes the document, in UTF-8.
func (p *Page) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, p.draw())
	return int64(n), err
}

func (p *Page) draw() string {
	columns := max(1, min(p.Columns, len(p.Panels)))
	width := float64(2*pageMargin + columns*panelWidth)
	about := wrap(p.Description, int((width-2*pageMargin)/charWidth))
	legend := p.legend(width - 2*pageMargin)
	top := float64(pageMargin + titleHeight + len(about)*lineHeight + 10)
	first := top + float64(len(legend)*legendHeight) + 10
	rows := (len(p.Panels) + columns - 1) / columns
	height := first + float64(rows*panelHeight) + pageMargin

	d := &drawing{}
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-labelledby="title desc">`, width, height, width, height)
	d.add(`<title id="title">%s</title>`, html.EscapeString(p.Title))
	d.add(`<desc id="desc">%s</desc>`, html.EscapeString(p.Description))
	d.add(`<style>%s</style>`, style(len(p.Lines)))
	d.add(`<rect class="paper" width="100%%" height="100%%"/>`)
	d.label(pageMargin, pageMargin+18, "head", p.Title)
	for i, line := range about {
		d.label(pageMargin, float64(pageMargin+titleHeight+10+i*lineHeight), "about", line)
	}
	for row, entries := range legend {
		y := top + float64(row*legendHeight) + 8
		for _, e := range entries {
			x := pageMargin + e.x
			d.add(`<g class="entry"><path class="line c%d" d="M%.1f %.1fh28"/>%s`, e.line, x, y, mark(e.line, x+14, y))
			d.label(x+36, y+4.5, "name", p.Lines[e.line])
			d.add(`</g>`)
		}
	}
	for i := range p.Panels {
		x := float64(pageMargin + i%columns*panelWidth)
		y := first + float64(i/columns*panelHeight)
		p.Panels[i].draw(d, x, y, p.Lines)
	}
	d.add(`</svg>`)
	return d.text.String()
}

// entry is a line's place in a row of the legend.
type entry struct {
	line int
	x    float64
}

// legend distributes the names over rows of a width.
func (p *Page) legend(width float64) [][]entry {
	var rows [][]entry
	x := width // so that the first begins a row
	for i, name := range p.Lines {
		w := 36 + charWidth*float64(len([]rune(name))) + 20
		if x+w > width {
			rows = append(rows, nil)
			x = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], entry{i, x})
		x += w
	}
	return rows
}

// wrap breaks text into lines of at most n characters, where its words are no
// longer than that.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > n {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
