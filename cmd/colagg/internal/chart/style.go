package chart

import (
	"fmt"
	"strings"
)

// colors are for a light and for a dark background; each has a contrast of at
// least 3:1 against its own.
var colors = [...]struct{ light, dark string }{
	{"#0060a8", "#5ab4f0"},
	{"#5b6670", "#b4bfc9"},
	{"#c74a00", "#ff9150"},
	{"#00785a", "#35cfa0"},
	{"#9a3d93", "#e390dc"},
	{"#856800", "#e3c32c"},
	{"#b01e3c", "#ff8095"},
	{"#00788a", "#4fd2e2"},
}

// dashes tell lines of the same colour apart.
var dashes = [...]string{"none", "7 4", "2 3"}

// style returns the style sheet for a number of lines.
func style(lines int) string {
	var light, dark strings.Builder
	for i := range lines {
		c := colors[i%len(colors)]
		fmt.Fprintf(&light, ".c%d{color:%s}.line.c%d{stroke-dasharray:%s}", i, c.light, i, dashes[i/len(colors)%len(dashes)])
		fmt.Fprintf(&dark, ".c%d{color:%s}", i, c.dark)
	}
	return `
text{font:13px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#1c2126}
.head{font-size:20px;font-weight:600}.sub{font-size:14px;font-weight:600}
.mid{text-anchor:middle}.end{text-anchor:end}
.tick,.about{font-size:12px;fill:#4a535c}
.paper{fill:#fff}.grid{stroke:#dde2e7;fill:none}.axis{stroke:#6c757e;fill:none}.rule{stroke:#6c757e;stroke-dasharray:4 3;fill:none}
.line{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round}.mark{fill:currentColor;stroke:currentColor;stroke-width:1.5}
` + light.String() + `
@media (prefers-color-scheme:dark){text{fill:#e8ecf0}.tick,.about{fill:#aeb7c0}.paper{fill:#15191d}.grid{stroke:#30373e}.axis,.rule{stroke:#8a949e}
` + dark.String() + "}\n"
}

// marks are outlines of about equal weight around 0, 0.
var marks = [...]string{
	"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",                // disc
	"m-3.5-3.5h7v7h-7z",                                 // square
	"m0-4.6l4.4 7.8h-8.8z",                              // triangle
	"m0-5l4.4 5l-4.4 5l-4.4-5z",                         // diamond
	"m0 4.6l4.4-7.8h-8.8z",                              // triangle, upside down
	"m-1-4.5h2v3.5h3.5v2h-3.5v3.5h-2v-3.5h-3.5v-2h3.5z", // plus
	"m-4.5-2.5h9v5h-9z",                                 // bar
	"m-2.5-4.5h5v9h-5z",                                 // column
}

// mark returns the mark of line i at a place.
func mark(i int, x, y float64) string {
	return fmt.Sprintf(`<path class="mark c%d" d="M%.1f %.1f%s"/>`, i, x, y, marks[i%len(marks)])
}
