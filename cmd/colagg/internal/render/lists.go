package render

import (
	"bytes"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
)

// listCells returns a column of lists. Their text form is DuckDB's:
// [a, NULL, 'b, c'].
func listCells(a *array.List) cells {
	elems := cellsOf(a.ListValues())
	span := func(i int) (lo, hi int) {
		from, to := a.ValueOffsets(i)
		return int(from), int(to)
	}
	return cells{kind: list, null: a.IsNull, elems: &elems, span: span, append: func(dst []byte, i int) []byte {
		dst = append(dst, '[')
		lo, hi := span(i)
		for k := lo; k < hi; k++ {
			if k > lo {
				dst = append(dst, ", "...)
			}
			if elems.null(k) {
				dst = append(dst, "NULL"...)
				continue
			}
			start := len(dst)
			dst = quoteElement(elems.append(dst, k), start)
		}
		return append(dst, ']')
	}}
}

// quoteElement puts dst[start:], an element of a list, in quotes if it would
// not be told from something else.
func quoteElement(dst []byte, start int) []byte {
	elem := dst[start:]
	need := len(elem) == 0 || strings.EqualFold(string(elem[:min(5, len(elem))]), "NULL") ||
		bytes.ContainsAny(elem, `()[]{},:='"\`) || len(bytes.TrimSpace(elem)) < len(elem)
	if !need {
		return dst
	}
	plain := bytes.Clone(elem)
	dst = append(dst[:start], '\'')
	for _, c := range plain {
		if c == '\'' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}
