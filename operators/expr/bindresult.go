package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/vector"
)

// Value is an expression whose names and types are bound, to be computed for each
// row: see Project. It is immutable.
type Value struct {
	text    string
	value   *value
	logic   logic  // of a boolean, else nil
	widened *value // of the type that a column is made, else nil
	typ     arrow.DataType
}

// conditions are the operations that give a boolean.
var conditions = map[sql.Op]bool{
	sql.TrueOp: true, sql.FalseOp: true, sql.AndOp: true, sql.OrOp: true, sql.NotOp: true, sql.IsNullOp: true, sql.IsTrueOp: true, sql.IsFalseOp: true,
	sql.DistinctOp: true, sql.InOp: true, sql.BetweenOp: true, sql.LikeOp: true, sql.ILikeOp: true, sql.EqualOp: true, sql.NotEqualOp: true,
	sql.LessOp: true, sql.LessEqualOp: true, sql.GreaterOp: true, sql.GreaterEqualOp: true,
}

// BindValue finds the columns and checks the types of e, which was parsed of text.
// Errors are *BindError, or what scope returned.
func BindValue(text string, e *sql.Expr, scope Scope) (*Value, error) {
	b := &binder{text: text, scope: scope}
	if conditions[e.Op] {
		c, err := Bind(text, e, scope)
		if err != nil {
			return nil, err
		}
		return &Value{text: text, logic: c.logic, typ: arrow.FixedWidthTypes.Boolean}, nil
	}
	v, err := b.value(e)
	if err != nil {
		return nil, err
	}
	out := &Value{text: text, value: v, typ: v.arrowType()}
	if out.typ == nil {
		return nil, bad(e, "", "%s is a %s, which cannot be a column of a result yet", b.spell(e), v.name)
	}
	return out, nil
}

// Type returns the type of the value: whole numbers are int64, decimals have 38
// digits, dates are date32.
func (v *Value) Type() arrow.DataType { return v.typ }

// arrowType is the type that v has as a column, or nil.
func (v *value) arrowType() arrow.DataType {
	if v.col >= 0 {
		return v.typ
	}
	unit := arrow.TimeUnit(v.scale / 3)
	switch v.class {
	case nullClass:
		return arrow.Null
	case intClass:
		return arrow.PrimitiveTypes.Int64
	case decClass:
		return &arrow.Decimal128Type{Precision: 38, Scale: int32(v.scale)}
	case floatClass:
		return arrow.PrimitiveTypes.Float64
	case textClass:
		return arrow.BinaryTypes.String
	case dateClass:
		return arrow.FixedWidthTypes.Date32
	case stampClass:
		if v.zoned {
			return &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
		}
		return &arrow.TimestampType{Unit: unit}
	case timeClass:
		if v.scale < 6 {
			return &arrow.Time32Type{Unit: unit}
		}
		return &arrow.Time64Type{Unit: unit}
	case durationClass:
		return &arrow.DurationType{Unit: unit}
	case intervalClass:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	}
	return nil
}

// result computes a Value for one stream.
type result interface {
	// vector returns a vector as long as the frame's batch with the values of rows,
	// valid until its next call.
	vector(f *frame, rows []uint32) (*vector.Vector, error)
}

// result makes what computes v.
func (c *compiler) result(v *Value) result {
	if v.logic != nil {
		return &boolResult{yes: compile(c, v.logic), no: compile(c, v.logic.negate())}
	}
	if v.widened != nil {
		return c.widen(v)
	}
	cols := v.value.columns(nil)
	switch {
	case v.value.col >= 0:
		return columnResult(v.value.col)
	case v.value.class == nullClass:
		return nullResult{}
	case v.value.class == textClass && v.value.constant():
		one := vector.New(arrow.BinaryTypes.String, 1)
		one.Data = []byte(v.value.lit.text)
		one.Offsets = []int32{0, int32(len(one.Data))}
		return constantResult{one}
	case v.value.class == floatClass:
		return &fixedResult[float64]{typ: v.typ, cols: cols, of: c.floats(v.value)}
	case v.value.class == decClass:
		return &fixedResult[int128]{typ: v.typ, cols: cols, of: c.decimals(v.value, v.value.scale, c.checked)}
	case v.value.class == intervalClass:
		return &fixedResult[[2]uint64]{typ: v.typ, cols: cols, of: &mapped[span, [2]uint64]{of: c.spans(v.value), loop: layOut}}
	case vector.Width(v.typ) == 4:
		return &fixedResult[int32]{typ: v.typ, cols: cols, of: &mapped[int64, int32]{of: c.ints(v.value), loop: narrow(c.failure(v.value, false))}}
	}
	return &fixedResult[int64]{typ: v.typ, cols: cols, of: c.ints(v.value)}
}
