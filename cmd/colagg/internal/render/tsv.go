package render

import (
	"github.com/apache/arrow/go/v17/arrow"
)

// tsv is tab-separated values with backslash escapes.
type tsv struct{}

func (tsv) header(dst []byte, fields []arrow.Field) []byte {
	for i, field := range fields {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = appendEscaped(dst, []byte(field.Name), tsvEscape)
	}
	return append(dst, '\n')
}

func (tsv) row(dst []byte, cols []cells, i int) []byte {
	var scratch [128]byte
	for k, c := range cols {
		if k > 0 {
			dst = append(dst, '\t')
		}
		switch {
		case c.null(i):
			dst = append(dst, `\N`...)
		case c.kind.free():
			dst = appendEscaped(dst, c.append(scratch[:0], i), tsvEscape)
		default:
			dst = c.append(dst, i)
		}
	}
	return append(dst, '\n')
}

func (tsv) trailer(dst []byte) []byte { return dst }

func tsvEscape(c byte) string {
	switch c {
	case '\t':
		return `\t`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\\':
		return `\\`
	}
	return ""
}

// appendEscaped appends s with the bytes for which escape gives something
// replaced by that.
func appendEscaped(dst, s []byte, escape func(c byte) string) []byte {
	from := 0
	for i, c := range s {
		if e := escape(c); e != "" {
			dst = append(dst, s[from:i]...)
			dst = append(dst, e...)
			from = i + 1
		}
	}
	return append(dst, s[from:]...)
}
