package colagg

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// String returns the plan as an indented tree for people; it ends with a line
// feed. Its form may change from version to version: programs read the JSON.
func (p *Plan) String() string {
	var w strings.Builder
	p.view().text(&w, "", "")
	return w.String()
}

// text writes v with first before its title and rest before its other lines.
func (v view) text(w *strings.Builder, first, rest string) {
	line := v.title
	if v.note != "" {
		line += " " + v.note
	}
	w.WriteString(first + printable(line) + "\n")
	below := rest + "  "
	if len(v.inner) > 0 {
		below = rest + "│ "
	}
	width := 0
	for _, f := range v.facts {
		width = max(width, utf8.RuneCountInString(printable(f[0])))
	}
	for _, f := range v.facts {
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(printable(f[0])))
		w.WriteString(below + printable(f[0]) + pad + "  " + printable(f[1]) + "\n")
	}
	writeGrid(w, below, v.table)
	for i, inner := range v.inner {
		if i < len(v.inner)-1 {
			inner.text(w, rest+"├─ ", rest+"│  ")
		} else {
			inner.text(w, rest+"└─ ", rest+"   ")
		}
	}
}

// writeGrid aligns the cells of a table.
func writeGrid(w *strings.Builder, indent string, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(printable(cell)))
		}
	}
	for _, row := range rows {
		line := indent
		for i, cell := range row {
			cell = printable(cell)
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			switch {
			case !numeric(rows, i):
				line += cell + pad + "  "
			default:
				line += pad + cell + "  "
			}
		}
		w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// numeric reports whether column i, behind the first, has numbers below its
// head, or nothing, and is then aligned to the right.
func numeric(rows [][]string, i int) bool {
	if i == 0 {
		return false
	}
	some := false
	for _, row := range rows[1:] {
		switch {
		case row[i] == "":
		case row[i][0] < '0' || row[i][0] > '9':
			return false
		default:
			some = true
		}
	}
	return some
}

// printable puts a question mark for what would move a cursor: names of files
// and columns may have anything in them.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}
