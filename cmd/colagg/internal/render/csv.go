package render

import (
	"github.com/apache/arrow/go/v17/arrow"
)

// csv is comma-separated values: RFC 4180 with line feeds.
type csv struct {
	single bool // the result has one column
}

func (f csv) header(dst []byte, fields []arrow.Field) []byte {
	for i, field := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		start := len(dst)
		dst = f.quote(append(dst, field.Name...), start)
	}
	return append(dst, '\n')
}

func (f csv) row(dst []byte, cols []cells, i int) []byte {
	for k, c := range cols {
		if k > 0 {
			dst = append(dst, ',')
		}
		if c.null(i) {
			if f.single {
				dst = append(dst, "NULL"...)
			}
			continue
		}
		start := len(dst)
		dst = c.append(dst, i)
		if c.kind.free() {
			dst = f.quote(dst, start)
		}
	}
	return append(dst, '\n')
}

func (csv) trailer(dst []byte) []byte { return dst }

// quote puts dst[start:] in quotes if it needs them.
func (f csv) quote(dst []byte, start int) []byte {
	field := dst[start:]
	quotes, need := 0, len(field) == 0 || f.single && string(field) == "NULL"
	for _, c := range field {
		switch c {
		case '"':
			quotes++
			need = true
		case ',', '\n', '\r':
			need = true
		}
	}
	if n := len(field); n > 0 {
		// Some readers trim spaces that are not in quotes.
		need = need || field[0] == ' ' || field[0] == '\t' || field[n-1] == ' ' || field[n-1] == '\t'
	}
	if !need {
		return dst
	}
	n := len(field)
	for range quotes + 2 {
		dst = append(dst, '"')
	}
	// From the back, so that nothing is overwritten before it is moved.
	to := len(dst) - 2
	for from := start + n - 1; from >= start; from-- {
		c := dst[from]
		dst[to] = c
		to--
		if c == '"' {
			dst[to] = '"'
			to--
		}
	}
	dst[start] = '"'
	return dst
}
