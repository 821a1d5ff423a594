package expr

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// settled computes a value of constants.
func (b *binder) settled(v *value) (*value, error) {
	for _, a := range v.args {
		if !a.settled() {
			return v, nil
		}
	}
	if v.settled() || v.logic != nil || len(v.columns(nil)) > 0 {
		return v, nil
	}
	out, err := b.constant(v)
	if err != nil {
		return nil, bad(v.node, "", "%v", err)
	}
	out.zoned, out.typ, out.name = v.zoned, v.typ, v.name
	if out.class == nullClass && out.typ == nil {
		out.typ = v.arrowType()
	}
	return out, nil
}

// constant computes v, in which there is no column.
func (b *binder) constant(v *value) (*value, error) {
	c := &compiler{text: b.text}
	switch v.class {
	case textClass:
		x, ok, err := first(c, c.texts(v))
		if !ok {
			return nullValue(v.node), err
		}
		return textValue(v.node, string(x.at(0))), nil
	case floatClass:
		x, ok, err := first(c, c.floats(v))
		if !ok {
			return nullValue(v.node), err
		}
		return floatValue(v.node, x[0]), nil
	case boolClass:
		x, ok, err := first(c, c.truths(v))
		if !ok {
			return nullValue(v.node), err
		}
		return truthValue(v.node, truthOf(x[0])), nil
	case intervalClass:
		x, ok, err := first[[]calendar.Interval](c, c.spans(v))
		if !ok {
			return nullValue(v.node), err
		}
		return intervalValue(v.node, x[0]), nil
	}
	x, ok, err := first[[]int128](c, c.unscaled(v))
	if !ok {
		return nullValue(v.node), err
	}
	return exactValue(v.node, v.class, x[0].big(), v.scale), nil
}

// first computes one row; ok is false where it is NULL or err is not nil.
func first[S any](c *compiler, s source[S]) (x S, ok bool, err error) {
	x, rows, err := s.values(&frame{n: 1, held: &c.held}, []uint32{0})
	return x, err == nil && len(rows) > 0, err
}

// arrowType is the type of v's values in vectors.
func (v *value) arrowType() arrow.DataType {
	if v.typ != nil {
		return v.typ
	}
	switch v.class {
	case boolClass:
		return arrow.FixedWidthTypes.Boolean
	case intClass:
		return arrow.PrimitiveTypes.Int64
	case decClass:
		return &arrow.Decimal128Type{Precision: int32(min(v.precision(), maxDigits)), Scale: int32(v.scale)}
	case floatClass:
		return arrow.PrimitiveTypes.Float64
	case textClass:
		return arrow.BinaryTypes.String
	case dateClass:
		return arrow.FixedWidthTypes.Date32
	case timeClass:
		if v.scale < 6 {
			return &arrow.Time32Type{Unit: arrow.TimeUnit(v.scale / 3)}
		}
		return &arrow.Time64Type{Unit: arrow.TimeUnit(v.scale / 3)}
	case stampClass:
		t := &arrow.TimestampType{Unit: arrow.TimeUnit(v.scale / 3)}
		if v.zoned {
			t.TimeZone = "UTC"
		}
		return t
	case durationClass:
		return &arrow.DurationType{Unit: arrow.TimeUnit(v.scale / 3)}
	case intervalClass:
		return arrow.FixedWidthTypes.MonthDayNanoInterval
	}
	return arrow.Null
}
