package colagg

import (
	"html"
	"io"
	"strconv"
	"strings"
)

// WriteHTML writes the plan as one page of HTML that needs nothing else: a tree
// whose parts fold, with bars for shares of time. It follows the reader's
// preference of light or dark. It does not close w.
func (p *Plan) WriteHTML(w io.Writer) error {
	var page strings.Builder
	page.WriteString(pageHead)
	p.view().html(&page)
	page.WriteString(pageFoot)
	_, err := io.WriteString(w, page.String())
	return err
}

// No template package writes the page: linking one keeps every exported method
// of the program, which makes the command a quarter larger.
const (
	pageHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>colagg: plan of a query</title>
<style>
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5c6675; --line: #d5dae1; --page: #fbfcfd; --bar: #3d7dca; --rail: #e6eaf0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dfe5ee; --soft: #98a3b3; --line: #38414e; --page: #161b22; --bar: #5b9be6; --rail: #2a323d; }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
details { border-left: 2px solid var(--line); margin: .5rem 0; padding-left: 1rem; }
summary { cursor: pointer; }
summary b { margin-right: .4em; }
summary span, dt, th { color: var(--soft); }
.bar { display: inline-block; width: 10rem; height: .6rem; margin-left: .8em; background: var(--rail); border-radius: .3rem; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--bar); }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1.2rem; margin: .4rem 0; }
dd { margin: 0; overflow-wrap: anywhere; }
div { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .8rem .15rem 0; text-align: left; border-bottom: 1px solid var(--line); font-weight: normal; white-space: nowrap; }
.n { text-align: right; }
</style>
</head>
<body>
`
	pageFoot = "</body>\n</html>\n"
)

func (v view) html(w *strings.Builder) {
	w.WriteString("<details open>\n<summary><b>" + html.EscapeString(v.title) + "</b><span>" + html.EscapeString(printable(v.note)) + "</span>")
	if v.share >= 0 {
		percent := strconv.FormatFloat(100*v.share, 'f', 1, 64)
		w.WriteString(`<span class="bar" title="` + percent + ` % of the time"><i style="width: ` + percent + `%"></i></span>`)
	}
	w.WriteString("</summary>\n")
	if len(v.facts) > 0 {
		w.WriteString("<dl>\n")
		for _, f := range v.facts {
			w.WriteString("<dt>" + html.EscapeString(f[0]) + "</dt><dd>" + html.EscapeString(printable(f[1])) + "</dd>\n")
		}
		w.WriteString("</dl>\n")
	}
	if len(v.table) > 0 {
		htmlTable(w, v.table)
	}
	for _, inner := range v.inner {
		inner.html(w)
	}
	w.WriteString("</details>\n")
}

func htmlTable(w *strings.Builder, rows [][]string) {
	w.WriteString("<div><table>\n")
	cell := "th"
	for _, row := range rows {
		w.WriteString("<tr>")
		for i, text := range row {
			w.WriteString("<" + cell)
			if numeric(rows, i) {
				w.WriteString(` class="n"`)
			}
			w.WriteString(">" + html.EscapeString(printable(text)) + "</" + cell + ">")
		}
		w.WriteString("</tr>\n")
		cell = "td"
	}
	w.WriteString("</table></div>\n")
}
