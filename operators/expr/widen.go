package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
)

// Common returns the type that holds all values of numbers, dates or timestamps of
// both types, or nil if there is none: int64 of integers, decimals of 38 digits,
// float64 where one is a float.
func Common(a, b arrow.DataType) arrow.DataType {
	if arrow.TypeEqual(a, b) {
		return a
	}
	x, y := columnValue(nil, 0, a), columnValue(nil, 0, b)
	switch {
	case x.class.number() && y.class.number():
		switch scale := max(x.scale, y.scale); {
		case x.class == floatClass || y.class == floatClass:
			return arrow.PrimitiveTypes.Float64
		case x.class == intClass && y.class == intClass:
			return arrow.PrimitiveTypes.Int64
		default:
			return &arrow.Decimal128Type{Precision: 38, Scale: int32(scale)}
		}
	case x.class.temporal() && y.class.temporal() && x.zoned == y.zoned:
		t := &arrow.TimestampType{Unit: arrow.TimeUnit(max(x.scale, y.scale, 0) / 3)}
		if x.zoned {
			t.TimeZone = "UTC"
		}
		return t
	}
	return nil
}

// Widen is column col, of a type from, as the type to, which Common has returned.
// name is what errors call it: a decimal may have too many digits.
func Widen(name string, col int, from, to arrow.DataType) *Value {
	node := &sql.Expr{Op: sql.ColumnOp, Span: sql.Span{End: len(name)}}
	v := columnValue(node, col, from)
	target := columnValue(node, 0, to)
	return &Value{text: name, value: v, typ: to, widened: target}
}

// widen makes the values of a Value that Widen has returned.
func (c *compiler) widen(v *Value) result {
	cols, of, to := []int{v.value.col}, v.value, v.widened
	switch to.class {
	case floatClass:
		return &fixedResult[float64]{typ: v.typ, cols: cols, of: c.floats(of)}
	case decClass:
		return &fixedResult[int128]{typ: v.typ, cols: cols, of: c.decimals(of, to.scale, c.checked)}
	case stampClass:
		return &fixedResult[int64]{typ: v.typ, cols: cols, of: c.ticks(of, to.scale, c.failure(of, false))}
	}
	return &fixedResult[int64]{typ: v.typ, cols: cols, of: c.ints(of)}
}
