package render

import (
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
)

// jsonKeys returns the columns' names as JSON strings with a colon.
func jsonKeys(schema *arrow.Schema) ([][]byte, error) {
	keys := make([][]byte, schema.NumFields())
	seen := make(map[string]bool)
	for i, f := range schema.Fields() {
		key := appendJSONString(nil, []byte(f.Name))
		if seen[string(key)] {
			return nil, fmt.Errorf("two columns are named %q, and an object of JSON can have one only", f.Name)
		}
		seen[string(key)] = true
		keys[i] = append(key, ':')
	}
	return keys, nil
}

// jsonLines is a JSON object a line.
type jsonLines struct {
	keys [][]byte
}

func (jsonLines) header(dst []byte, _ []arrow.Field) []byte { return dst }

func (f jsonLines) row(dst []byte, cols []cells, i int) []byte {
	return append(appendObject(dst, f.keys, cols, i), '\n')
}

func (jsonLines) trailer(dst []byte) []byte { return dst }

// jsonArray is a JSON array of objects, each on a line.
type jsonArray struct {
	keys [][]byte
	any  bool // a row has been written
}

func (*jsonArray) header(dst []byte, _ []arrow.Field) []byte { return append(dst, '[') }

func (f *jsonArray) row(dst []byte, cols []cells, i int) []byte {
	if f.any {
		dst = append(dst, ',')
	}
	f.any = true
	return appendObject(append(dst, '\n'), f.keys, cols, i)
}

func (f *jsonArray) trailer(dst []byte) []byte {
	if f.any {
		dst = append(dst, '\n')
	}
	return append(dst, "]\n"...)
}

func appendObject(dst []byte, keys [][]byte, cols []cells, i int) []byte {
	dst = append(dst, '{')
	for k, c := range cols {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, keys[k]...)
		dst = appendJSONValue(dst, c, i)
	}
	return append(dst, '}')
}

func appendJSONValue(dst []byte, c cells, i int) []byte {
	if c.null(i) {
		return append(dst, "null"...)
	}
	start := len(dst)
	switch c.kind {
	case number, boolean:
		return c.append(dst, i)
	case float:
		dst = c.append(dst, i)
		switch dst[len(dst)-1] {
		case 'N', 'f': // NaN, inf, -inf: JSON has no way to write them
			dst = append(dst[:start], "null"...)
		}
		return dst
	case plain:
		dst = c.append(append(dst, '"'), i)
		return append(dst, '"')
	case list:
		return appendJSONList(dst, c, i)
	}
	var scratch [128]byte
	return appendJSONString(dst, c.append(scratch[:0], i))
}

func appendJSONList(dst []byte, c cells, i int) []byte {
	dst = append(dst, '[')
	lo, hi := c.span(i)
	for k := lo; k < hi; k++ {
		if k > lo {
			dst = append(dst, ',')
		}
		dst = appendJSONValue(dst, *c.elems, k)
	}
	return append(dst, ']')
}

// appendJSONString appends s as a JSON string. Bytes that are no UTF-8
// become U+FFFD each.
func appendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRune(s[i:]); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		} else if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		i++
		from = i
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, `\ufffd`...)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
