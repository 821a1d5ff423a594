package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/dustin/go-humanize"
	gotable "github.com/jedib0t/go-pretty/v6/table"
	gotext "github.com/jedib0t/go-pretty/v6/text"
)

// ellipsis stands for what is left out.
const ellipsis = "…"

// minCut is the narrowest that a column is cut to.
const minCut = 8

// The most that a table without a limit on its rows has of them, and of their
// text: it has to be in memory, several times over.
const (
	maxTableRows  = 100_000
	maxTableBytes = 16 << 20
)

// table holds rows back until Close. With a limit on the rows it keeps the
// first half and, in a ring, the last; it does not look at those that it will
// not keep.
type table struct {
	w      io.Writer
	schema *arrow.Schema
	screen Screen
	cols   []cells
	head   [][]string
	tail   [][]string // a ring once it is full
	oldest int        // of tail
	total  int64
	bytes  int // of all cells, where there is no limit on the rows
}

func newTable(w io.Writer, schema *arrow.Schema, screen Screen) *table {
	return &table{w: w, schema: schema, screen: screen}
}

func (t *table) Write(rec arrow.Record) error {
	t.cols = bind(t.cols, rec)
	front, back := (t.screen.Rows+1)/2, t.screen.Rows/2
	var scratch []byte
	rows := int(rec.NumRows())
	for i := range rows {
		if t.screen.Rows > 0 && len(t.head) == front && i < rows-back {
			t.total++
			continue
		}
		row := make([]string, len(t.cols))
		for k, c := range t.cols {
			if c.null(i) {
				row[k] = t.screen.Faint + "NULL" + t.screen.Reset
				continue
			}
			scratch = c.append(scratch[:0], i)
			row[k] = Visible(string(scratch))
			t.bytes += len(row[k])
		}
		t.total++
		if t.screen.Rows == 0 && (t.total > maxTableRows || t.bytes > maxTableBytes) {
			return errLongTable
		}
		switch {
		case t.screen.Rows == 0 || len(t.head) < front:
			t.head = append(t.head, row)
		case len(t.tail) < back:
			t.tail = append(t.tail, row)
		case back > 0:
			t.tail[t.oldest] = row
			t.oldest = (t.oldest + 1) % back
		}
	}
	return nil
}

var errLongTable = fmt.Errorf("the result is too long for a table (%s rows, %s of text); choose csv or markdown with --format, or fewer rows with --limit",
	humanize.Comma(maxTableRows), humanize.IBytes(maxTableBytes))

func (t *table) Close() error {
	rows := t.head
	elided := t.total > int64(len(t.head)+len(t.tail))
	if elided {
		gap := make([]string, t.schema.NumFields())
		for k := range gap {
			gap[k] = ellipsis
		}
		rows = append(rows, gap)
	}
	rows = append(append(rows, t.tail[t.oldest:]...), t.tail[:t.oldest]...)
	header := make([]string, t.schema.NumFields())
	right := make([]bool, len(header))
	cut := make([]bool, len(header))
	for k, f := range t.schema.Fields() {
		header[k] = Visible(f.Name)
		right[k] = rightAligned(f.Type)
		cut[k] = kindOf(f.Type).free()
	}
	grid := Grid{Header: header, Rows: rows, Right: right, Cut: cut, Columns: t.screen.Columns}
	out := grid.String()
	if elided {
		out += fmt.Sprintf("%s rows (%d shown)\n", humanize.Comma(t.total), len(t.head)+len(t.tail))
	}
	_, err := io.WriteString(t.w, out)
	return err
}

// Grid is a table drawn with lines. Its strings must be Visible ones.
type Grid struct {
	Header  []string
	Rows    [][]string
	Right   []bool // columns that are aligned to the right
	Cut     []bool // columns whose strings may be shortened
	Columns int    // most character cells in a line; 0 for no limit
}

// String draws the table. With a limit on the columns it shortens strings in
// Header and Rows.
func (g Grid) String() string {
	if g.Columns > 0 {
		g.fit()
	}
	w := gotable.NewWriter()
	style := gotable.StyleLight
	style.Format.Header = gotext.FormatDefault
	w.SetStyle(style)
	configs := make([]gotable.ColumnConfig, len(g.Header))
	for k := range g.Header {
		configs[k].Number = k + 1
		if g.Right[k] {
			configs[k].Align, configs[k].AlignHeader = gotext.AlignRight, gotext.AlignRight
		}
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(anyRow(g.Header))
	for _, row := range g.Rows {
		w.AppendRow(anyRow(row))
	}
	return w.Render() + "\n"
}

func anyRow(row []string) gotable.Row {
	r := make(gotable.Row, len(row))
	for k, s := range row {
		r[k] = s
	}
	return r
}

// fit shortens the widest of the columns that may be cut, until lines have at
// most Columns cells or each is as narrow as it may be.
func (g Grid) fit() {
	lines := append([][]string{g.Header}, g.Rows...)
	widths := make([]int, len(g.Header))
	for _, row := range lines {
		for k, s := range row {
			widths[k] = max(widths[k], gotext.StringWidthWithoutEscSequences(s))
		}
	}
	excess := 1 - g.Columns
	for _, w := range widths {
		excess += w + 3 // a line and two spaces
	}
	most := slices.Clone(widths)
	for ; excess > 0; excess-- {
		widest := -1
		for k, w := range most {
			if g.Cut[k] && w > minCut && (widest < 0 || w > most[widest]) {
				widest = k
			}
		}
		if widest < 0 {
			break
		}
		most[widest]--
	}
	for _, row := range lines {
		for k, s := range row {
			if most[k] < widths[k] {
				row[k] = gotext.Snip(s, most[k], ellipsis)
			}
		}
	}
}

// Visible returns s with everything that would move a terminal's cursor,
// change its state or the direction of writing, or be lost, as escapes: \n,
// \x1b, \u202e; bytes that are no UTF-8 are \xff.
func Visible(s string) string {
	clean := true
	for i, r := range s {
		if hidden(r) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd") {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case hidden(r) && r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}
