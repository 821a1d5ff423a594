package expr

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// typeNames are the types of casts without arguments.
var typeNames = map[string]arrow.DataType{
	"tinyint": arrow.PrimitiveTypes.Int8, "int1": arrow.PrimitiveTypes.Int8, "int8_t": arrow.PrimitiveTypes.Int8,
	"smallint": arrow.PrimitiveTypes.Int16, "int2": arrow.PrimitiveTypes.Int16, "short": arrow.PrimitiveTypes.Int16, "int16": arrow.PrimitiveTypes.Int16,
	"int": arrow.PrimitiveTypes.Int32, "integer": arrow.PrimitiveTypes.Int32, "int4": arrow.PrimitiveTypes.Int32, "signed": arrow.PrimitiveTypes.Int32, "int32": arrow.PrimitiveTypes.Int32,
	"bigint": arrow.PrimitiveTypes.Int64, "int8": arrow.PrimitiveTypes.Int64, "long": arrow.PrimitiveTypes.Int64, "int64": arrow.PrimitiveTypes.Int64,
	"utinyint": arrow.PrimitiveTypes.Uint8, "uint8": arrow.PrimitiveTypes.Uint8, "usmallint": arrow.PrimitiveTypes.Uint16, "uint16": arrow.PrimitiveTypes.Uint16,
	"uinteger": arrow.PrimitiveTypes.Uint32, "uint32": arrow.PrimitiveTypes.Uint32, "ubigint": arrow.PrimitiveTypes.Uint64, "uint64": arrow.PrimitiveTypes.Uint64,
	"real": arrow.PrimitiveTypes.Float32, "float4": arrow.PrimitiveTypes.Float32, "float32": arrow.PrimitiveTypes.Float32,
	"double": arrow.PrimitiveTypes.Float64, "double precision": arrow.PrimitiveTypes.Float64, "float": arrow.PrimitiveTypes.Float64, "float8": arrow.PrimitiveTypes.Float64, "float64": arrow.PrimitiveTypes.Float64,
	"text": arrow.BinaryTypes.String, "varchar": arrow.BinaryTypes.String, "string": arrow.BinaryTypes.String, "character varying": arrow.BinaryTypes.String,
	"boolean": arrow.FixedWidthTypes.Boolean, "bool": arrow.FixedWidthTypes.Boolean, "logical": arrow.FixedWidthTypes.Boolean,
	"date": arrow.FixedWidthTypes.Date32, "time": arrow.FixedWidthTypes.Time64us, "time without time zone": arrow.FixedWidthTypes.Time64us,
	"timestamp": &arrow.TimestampType{Unit: arrow.Microsecond}, "timestamp without time zone": &arrow.TimestampType{Unit: arrow.Microsecond},
	"datetime": &arrow.TimestampType{Unit: arrow.Microsecond}, "timestamp_s": &arrow.TimestampType{Unit: arrow.Second},
	"timestamp_ms": &arrow.TimestampType{Unit: arrow.Millisecond}, "timestamp_us": &arrow.TimestampType{Unit: arrow.Microsecond}, "timestamp_ns": &arrow.TimestampType{Unit: arrow.Nanosecond},
	"timestamptz": arrow.FixedWidthTypes.Timestamp_us, "timestamp with time zone": arrow.FixedWidthTypes.Timestamp_us,
	"interval": arrow.FixedWidthTypes.MonthDayNanoInterval,
}

// castType is the type that is written in a cast.
func castType(e *sql.Expr) (arrow.DataType, error) {
	t := e.Type
	at := &sql.Expr{Span: t.Span}
	switch t.Name {
	case "decimal", "numeric", "dec":
		p, s := 18, 3
		switch len(t.Args) {
		case 0:
		case 1:
			p, s = t.Args[0], 0
		default:
			p, s = t.Args[0], t.Args[1]
		}
		if p < 1 || p > 38 || s > p || len(t.Args) > 2 {
			return nil, bad(at, "as in decimal(18, 2)", "there is no type %s: decimals have 1 to 38 digits", t)
		}
		return &arrow.Decimal128Type{Precision: int32(p), Scale: int32(s)}, nil
	case "hugeint":
		return &arrow.Decimal128Type{Precision: 38}, nil
	}
	out, ok := typeNames[t.Name]
	if !ok {
		return nil, bad(at, "types are integer, bigint, decimal(18, 2), double, text, boolean, date, time, timestamp, timestamptz, interval and others", "there is no type %s", t)
	}
	if stamp, ok := out.(*arrow.TimestampType); ok && len(t.Args) == 1 && t.Args[0]%3 == 0 && t.Args[0] <= 9 {
		return &arrow.TimestampType{Unit: arrow.TimeUnit(t.Args[0] / 3), TimeZone: stamp.TimeZone}, nil
	}
	if len(t.Args) > 0 {
		return nil, bad(at, "leave out the length", "the type %s is not supported", t)
	}
	return out, nil
}

// castTo binds CAST and TRY_CAST.
func (b *binder) castTo(e *sql.Expr) (*value, error) {
	x, err := b.value(e.Args[0])
	if err != nil {
		return nil, err
	}
	t, err := castType(e)
	if err != nil {
		return nil, err
	}
	return b.cast(e, x, t)
}

// cast binds x as a value of type t. Of TRY_CAST what cannot be converted is NULL.
func (b *binder) cast(e *sql.Expr, x *value, t arrow.DataType) (*value, error) {
	v := columnValue(e, -1, t)
	v.args = []*value{x}
	switch {
	case x.class == nullClass:
		out := nullValue(e)
		out.typ = t
		return out, nil
	case x.class == v.class && x.logic != nil:
		return x, nil
	}
	build := casts(x, v)
	if build == nil {
		return nil, bad(e, "", "%s is a %s, which cannot be cast to %s", b.spell(x.node), x.name, v.name)
	}
	v.made.build = func(c *compiler) any { return build(c, v) }
	return b.settled(v)
}

// asText is x as a text, as CAST gives it.
func (b *binder) asText(x *value) (*value, error) {
	if textual.takes(x) || x.class == nullClass {
		return x, nil
	}
	return b.cast(x.node, x, arrow.BinaryTypes.String)
}

// converted converts values; good is memory for the rows that could be.
type converted[A, B any] struct {
	of   source[A]
	loop func(dst B, src A, rows, good []uint32) []uint32
	over *Error // nil where what cannot be converted is NULL
	buf  B
	good []uint32
}

func (t *converted[A, B]) values(f *frame, rows []uint32) (B, []uint32, error) {
	src, rows, err := t.of.values(f, rows)
	if err != nil {
		return t.buf, nil, err
	}
	fit(f, &t.buf)
	t.good = grow(f, t.good, len(rows))
	good := t.loop(t.buf, src, rows, t.good)
	if len(good) < len(rows) && t.over != nil {
		at := 0
		for at < len(good) && good[at] == rows[at] {
			at++
		}
		over := *t.over
		if s, ok := any(src).(*texts); ok {
			over.Text = fmt.Sprintf("'%.60s'", s.at(rows[at]))
		}
		return t.buf, nil, &over
	}
	return t.buf, good, finished(t.buf, nil)
}

// each makes a conversion of a function of one value.
func each[A, B any](convert func(A) (B, bool)) func(dst []B, src []A, rows, good []uint32) []uint32 {
	return func(dst []B, src []A, rows, good []uint32) []uint32 {
		n := 0
		for _, i := range rows {
			x, ok := convert(src[i])
			dst[i], good[n] = x, i
			if ok {
				n++
			}
		}
		return good[:n]
	}
}

// read makes a conversion of texts.
func read[B any](parse func([]byte) (B, bool)) func(dst []B, src *texts, rows, good []uint32) []uint32 {
	return func(dst []B, src *texts, rows, good []uint32) []uint32 {
		n := 0
		for _, i := range rows {
			x, ok := parse(src.at(i))
			dst[i], good[n] = x, i
			if ok {
				n++
			}
		}
		return good[:n]
	}
}

// written makes a conversion to texts.
func written[A any](spell func(dst []byte, x A) []byte) func(dst *texts, src []A, rows, good []uint32) []uint32 {
	return func(dst *texts, src []A, rows, _ []uint32) []uint32 {
		for _, i := range rows {
			dst.end(i, spell(dst.start(i, 24), src[i]))
		}
		return rows
	}
}

// convertedBy makes the source of a cast by a loop.
func convertedBy[A, B any](loop func(dst B, src A, rows, good []uint32) []uint32) func(c *compiler, v *value) any {
	return func(c *compiler, v *value) any {
		out := &converted[A, B]{of: sourceOf[A](c, v.args[0]), loop: loop}
		if v.node.Op != sql.TryCastOp {
			out.over = c.failure(v, false)
		}
		return out
	}
}

// casts returns how x becomes a value of v's type, or nil.
func casts(x, v *value) func(c *compiler, v *value) any {
	switch {
	case x.class == textClass && x.arrowType().ID() != arrow.STRING:
		return nil
	case x.class == textClass:
		return castsOfText(v)
	case v.class == textClass:
		return castsToText(x)
	case x.class.number() || x.class == boolClass:
		return castsOfNumber(x, v)
	}
	return castsOfTime(x, v)
}

func castsToText(x *value) func(c *compiler, v *value) any {
	r := x.resolution()
	switch x.class {
	case boolClass:
		return convertedBy(written(appendBool))
	case intClass:
		return convertedBy(written(appendInt))
	case decClass:
		return convertedBy(written(func(dst []byte, d int128) []byte { return appendDecimal(dst, d, x.scale) }))
	case floatClass:
		if x.arrowType().ID() != arrow.FLOAT64 {
			return convertedBy(written(appendFloat32))
		}
		return convertedBy(written(appendFloat))
	case dateClass:
		return convertedBy(written(calendar.AppendDate))
	case stampClass:
		return convertedBy(written(func(dst []byte, t int64) []byte {
			if dst = calendar.AppendTimestamp(dst, t, r); x.zoned {
				dst = append(dst, "+00"...)
			}
			return dst
		}))
	case timeClass:
		by := pow10(9 - x.scale).Int64()
		return convertedBy(written(func(dst []byte, t int64) []byte { return calendar.AppendClock(dst, t*by) }))
	case intervalClass, durationClass:
		return convertedBy(written(calendar.AppendInterval))
	}
	return nil
}
