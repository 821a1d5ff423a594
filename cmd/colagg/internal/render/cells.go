package render

import (
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// kind says how a column's text forms may be framed.
type kind uint8

const (
	plain   kind = iota // letters, digits and harmless signs
	number              // a JSON number
	float               // a JSON number, or NaN or an infinity
	boolean             // true or false
	text                // any bytes
	list                // any bytes, or a JSON array
)

// free reports whether text forms of the kind may have any bytes.
func (k kind) free() bool { return k == text || k == list }

// cells is one column of a record, ready to be printed.
type cells struct {
	kind   kind
	null   func(i int) bool
	append func(dst []byte, i int) []byte // appends the text form of row i, which is not NULL
	// Of lists, the elements of all rows and where those of row i are.
	elems *cells
	span  func(i int) (lo, hi int)
}

// printable reports whether values of type t have a text form.
func printable(t arrow.DataType) bool {
	if l, ok := t.(*arrow.ListType); ok {
		return printable(l.Elem())
	}
	switch t.ID() {
	case arrow.NULL, arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION, arrow.INTERVAL_MONTH_DAY_NANO,
		arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY, arrow.FIXED_SIZE_BINARY:
		return true
	}
	return false
}

// kindOf returns the kind of columns of type t.
func kindOf(t arrow.DataType) kind {
	switch t.ID() {
	case arrow.BOOL:
		return boolean
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return float
	case arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY:
		return text
	case arrow.LIST:
		return list
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32,
		arrow.UINT64, arrow.DECIMAL128, arrow.DECIMAL256:
		return number
	}
	return plain
}

// bind makes the columns of rec printable, reusing cols.
func bind(cols []cells, rec arrow.Record) []cells {
	cols = cols[:0]
	for _, a := range rec.Columns() {
		cols = append(cols, cellsOf(a))
	}
	return cols
}

func cellsOf(a arrow.Array) cells {
	if l, ok := a.(*array.List); ok {
		return listCells(l)
	}
	c := cells{kind: kindOf(a.DataType()), null: a.IsNull, append: printer(a)}
	if a.DataType().ID() == arrow.NULL {
		c.null = func(int) bool { return true } // array.Null has no bitmap to ask
	}
	return c
}

// printer returns the function that appends the text form of a's values.
func printer(a arrow.Array) func(dst []byte, i int) []byte {
	switch a := a.(type) {
	case *array.Boolean:
		return func(dst []byte, i int) []byte { return strconv.AppendBool(dst, a.Value(i)) }
	case *array.String:
		return func(dst []byte, i int) []byte { return append(dst, a.Value(i)...) }
	case *array.LargeString:
		return func(dst []byte, i int) []byte { return append(dst, a.Value(i)...) }
	case *array.Binary:
		return func(dst []byte, i int) []byte { return appendBinary(dst, a.Value(i)) }
	case *array.LargeBinary:
		return func(dst []byte, i int) []byte { return appendBinary(dst, a.Value(i)) }
	case *array.FixedSizeBinary:
		return func(dst []byte, i int) []byte { return appendHex(dst, a.Value(i)) }
	case *array.Null:
		return func(dst []byte, _ int) []byte { return dst }
	}
	if p := numberPrinter(a); p != nil {
		return p
	}
	if p := timePrinter(a); p != nil {
		return p
	}
	panic("BUG: printing a column of type " + a.DataType().String())
}

const hexDigits = "0123456789abcdef"

func appendHex(dst, b []byte) []byte {
	for _, c := range b {
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

func appendBinary(dst, b []byte) []byte {
	const upper = "0123456789ABCDEF"
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '\'' || c == '"' {
			dst = append(dst, '\\', 'x', upper[c>>4], upper[c&15])
			continue
		}
		dst = append(dst, c)
	}
	return dst
}
