package render

import (
	"github.com/apache/arrow/go/v17/arrow"
)

// markdown is a pipe table. Rows are not padded, so that they can be written
// as they come.
type markdown struct{}

func (markdown) header(dst []byte, fields []arrow.Field) []byte {
	dst = append(dst, '|')
	for _, field := range fields {
		dst = append(dst, ' ')
		dst = appendEscaped(dst, []byte(field.Name), markdownEscape)
		dst = append(dst, " |"...)
	}
	dst = append(dst, "\n|"...)
	for _, field := range fields {
		if rightAligned(field.Type) {
			dst = append(dst, " ---: |"...)
		} else {
			dst = append(dst, " --- |"...)
		}
	}
	return append(dst, '\n')
}

func (markdown) row(dst []byte, cols []cells, i int) []byte {
	var scratch [128]byte
	dst = append(dst, '|')
	for _, c := range cols {
		dst = append(dst, ' ')
		switch {
		case c.null(i):
			dst = append(dst, "NULL"...)
		case c.kind.free():
			dst = appendEscaped(dst, c.append(scratch[:0], i), markdownEscape)
		default:
			dst = c.append(dst, i)
		}
		dst = append(dst, " |"...)
	}
	return append(dst, '\n')
}

func (markdown) trailer(dst []byte) []byte { return dst }

// markdownEscape keeps a value in its cell and HTML out of the page.
func markdownEscape(c byte) string {
	switch c {
	case '|':
		return `\|`
	case '\\':
		return `\\`
	case '<':
		return `\<`
	case '\n':
		return "<br>"
	case '\r':
		return " "
	}
	return ""
}

// rightAligned reports whether columns of type t are aligned to the right.
func rightAligned(t arrow.DataType) bool {
	k := kindOf(t)
	return k == number || k == float
}
