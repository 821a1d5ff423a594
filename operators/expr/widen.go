package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
)

// Common returns the type that holds all values of numbers, dates or timestamps of
// both types, or nil if there is none: int64 of integers, decimals with the digits
// of both, float64 where one is a float.
func Common(a, b arrow.DataType) arrow.DataType {
	if arrow.TypeEqual(a, b) {
		return a
	}
	x, y := columnValue(nil, 0, a), columnValue(nil, 0, b)
	if x.class == decClass {
		x.asDecimal(x.precision(), x.scale)
	}
	if !x.class.number() && !x.class.temporal() || x.class.temporal() && x.zoned != y.zoned || !x.widen(y) {
		return nil
	}
	return x.arrowType()
}

// Widen is column col, of a type from, as the type to, which Common has returned.
// name is what errors call it: a decimal may have too many digits.
func Widen(name string, col int, from, to arrow.DataType) *Value {
	node := &sql.Expr{Op: sql.ColumnOp, Span: sql.Span{End: len(name)}}
	v := columnValue(node, -1, to)
	v.args = []*value{columnValue(node, col, from)}
	v.made.build = func(c *compiler) any { return c.as(v, v.args[0]) }
	return &Value{v, name}
}
