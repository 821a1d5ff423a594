package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
)

// Annotations that the union LogicalType has no member for.
const (
	legacyInterval = -1
	legacyUnknown  = -2 // a holds the number
)

// legacy gives the logical types that stand for the older ConvertedType
// annotations, by their number. The older timestamps and times were written
// both for instants and for wall clock readings, so that they get no zone, as
// other readers do it.
var legacy = [...]logicalType{
	{id: logicalString},
	{id: logicalMap},
	{id: logicalMap},
	{id: logicalList},
	{id: logicalEnum},
	{id: logicalDecimal},
	{id: logicalDate},
	{id: logicalTime, a: unitMillis},
	{id: logicalTime, a: unitMicros},
	{id: logicalTimestamp, a: unitMillis},
	{id: logicalTimestamp, a: unitMicros},
	{id: logicalInteger, a: 8},
	{id: logicalInteger, a: 16},
	{id: logicalInteger, a: 32},
	{id: logicalInteger, a: 64},
	{id: logicalInteger, a: 8, flag: true},
	{id: logicalInteger, a: 16, flag: true},
	{id: logicalInteger, a: 32, flag: true},
	{id: logicalInteger, a: 64, flag: true},
	{id: logicalJSON},
	{id: logicalBSON},
	{id: legacyInterval},
}

// maxFixed is the longest FIXED_LEN_BYTE_ARRAY, so that a few bytes of schema
// do not make every row cost without bound.
const maxFixed = 16 << 20

// annotation returns an element's logical type, from the older annotation if
// there is no newer one that is known.
func annotation(e *schemaElement) logicalType {
	if e.logical.id == 0 || e.logical.id > logicalGeography && e.converted >= 0 {
		switch {
		case e.converted < 0:
		case int(e.converted) >= len(legacy):
			return logicalType{id: legacyUnknown, a: int32(e.converted)}
		case e.converted == 5:
			return logicalType{id: logicalDecimal, a: e.scale, b: e.precision}
		default:
			return legacy[e.converted]
		}
	}
	return e.logical
}

// assign sets the column's Arrow type and how stored values become it. An
// annotation that is not known leaves the raw values; one that contradicts the
// physical type is an error.
func (c *Column) assign(e *schemaElement) error {
	if err := c.raw(e); err != nil {
		return err
	}
	l := annotation(e)
	switch l.id {
	case logicalString, logicalEnum, logicalJSON:
		return c.set(e, arrow.BinaryTypes.String, physicalByteArray)
	case logicalBSON:
		return c.set(e, arrow.BinaryTypes.Binary, physicalByteArray)
	case logicalDecimal:
		return c.decimal(e, l)
	case logicalDate:
		return c.set(e, arrow.FixedWidthTypes.Date32, physicalInt32)
	case logicalTime:
		return c.time(e, l)
	case logicalTimestamp:
		return c.timestamp(e, l)
	case logicalInteger:
		return c.integer(e, l)
	case logicalUnknown:
		c.Type, c.leaf.convert = arrow.Null, nil
	case logicalUUID:
		return c.fixed(e, c.Type, 16)
	case logicalFloat16:
		return c.fixed(e, arrow.FixedWidthTypes.Float16, 2)
	case legacyInterval:
		return c.fixed(e, c.Type, 12)
	}
	return nil
}

// raw sets the type of values without an annotation.
func (c *Column) raw(e *schemaElement) error {
	switch e.physical {
	case physicalBoolean:
		c.Type = arrow.FixedWidthTypes.Boolean
	case physicalInt32:
		c.Type, c.leaf.width = arrow.PrimitiveTypes.Int32, 4
	case physicalInt64:
		c.Type, c.leaf.width = arrow.PrimitiveTypes.Int64, 8
	case physicalInt96:
		c.Type, c.leaf.width, c.leaf.convert = &arrow.TimestampType{Unit: arrow.Microsecond}, 12, int96ToMicros
	case physicalFloat:
		c.Type, c.leaf.width = arrow.PrimitiveTypes.Float32, 4
	case physicalDouble:
		c.Type, c.leaf.width = arrow.PrimitiveTypes.Float64, 8
	case physicalByteArray:
		c.Type = arrow.BinaryTypes.Binary
	case physicalFixed:
		if e.length <= 0 {
			return fmt.Errorf("%s has no length", c.Physical)
		}
		if e.length > maxFixed {
			return fmt.Errorf("%s is longer than %d bytes", c.Physical, maxFixed)
		}
		c.Type, c.leaf.width = &arrow.FixedSizeBinaryType{ByteWidth: int(e.length)}, int(e.length)
	default:
		return fmt.Errorf("physical %s is not known", c.Physical)
	}
	return nil
}

func (c *Column) contradiction() error {
	return fmt.Errorf("annotation %s does not go with physical type %s", c.Logical, c.Physical)
}

func (c *Column) set(e *schemaElement, t arrow.DataType, physical int8) error {
	if e.physical != physical {
		return c.contradiction()
	}
	c.Type = t
	return nil
}

func (c *Column) fixed(e *schemaElement, t arrow.DataType, length int32) error {
	if e.physical != physicalFixed || e.length != length {
		return c.contradiction()
	}
	c.Type = t
	return nil
}

func (c *Column) decimal(e *schemaElement, l logicalType) error {
	scale, precision := l.a, l.b
	if precision < 1 || precision > 76 || scale < 0 || scale > precision {
		return fmt.Errorf("%s is not a decimal type", c.Logical)
	}
	wide := precision > 38
	c.Type = &arrow.Decimal128Type{Precision: precision, Scale: scale}
	if wide {
		c.Type = &arrow.Decimal256Type{Precision: precision, Scale: scale}
	}
	switch {
	case e.physical == physicalByteArray:
	case e.physical == physicalFixed && wide:
		c.leaf.convert = fixedToDecimal[[4]uint64](int(e.length))
	case e.physical == physicalFixed:
		c.leaf.convert = fixedToDecimal[[2]uint64](int(e.length))
	case e.physical == physicalInt32 && !wide:
		c.leaf.convert = intToDecimal[int32]
	case e.physical == physicalInt64 && !wide:
		c.leaf.convert = intToDecimal[int64]
	default:
		return c.contradiction()
	}
	return nil
}

func (c *Column) time(e *schemaElement, l logicalType) error {
	switch l.a {
	case unitMillis:
		return c.set(e, arrow.FixedWidthTypes.Time32ms, physicalInt32)
	case unitMicros:
		return c.set(e, arrow.FixedWidthTypes.Time64us, physicalInt64)
	case unitNanos:
		return c.set(e, arrow.FixedWidthTypes.Time64ns, physicalInt64)
	}
	return nil
}

func (c *Column) timestamp(e *schemaElement, l logicalType) error {
	t := &arrow.TimestampType{}
	if l.flag {
		t.TimeZone = "UTC"
	}
	switch l.a {
	case unitMillis:
		t.Unit = arrow.Millisecond
	case unitMicros:
		t.Unit = arrow.Microsecond
	case unitNanos:
		t.Unit = arrow.Nanosecond
	default:
		return nil
	}
	return c.set(e, t, physicalInt64)
}

func (c *Column) integer(e *schemaElement, l logicalType) error {
	c.leaf.unsigned = !l.flag
	p := arrow.PrimitiveTypes
	type kind struct {
		bits   int32
		signed bool
	}
	types := map[kind]arrow.DataType{
		{8, true}: p.Int8, {16, true}: p.Int16, {32, true}: p.Int32, {64, true}: p.Int64,
		{8, false}: p.Uint8, {16, false}: p.Uint16, {32, false}: p.Uint32, {64, false}: p.Uint64,
	}
	t, ok := types[kind{l.a, l.flag}]
	if !ok {
		return fmt.Errorf("%s is not an integer type", c.Logical)
	}
	physical := int8(physicalInt32)
	if l.a == 64 {
		physical = physicalInt64
	}
	c.leaf.convert = narrow(t)
	return c.set(e, t, physical)
}
