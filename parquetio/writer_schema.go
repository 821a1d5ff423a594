package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/colagg/colagg/vector"
)

// stored is what Parquet stores a column as.
type stored struct {
	physical parquet.Type
	length   int // of FIXED_LEN_BYTE_ARRAY, else -1
	logical  schema.LogicalType
}

// storage returns how a column of Arrow type t is stored. Units that Parquet
// lacks (seconds, milliseconds since the epoch as a date) are widened or
// narrowed by the encoder of the same type.
func storage(t arrow.DataType) (stored, error) {
	none := schema.NoLogicalType{}
	switch t := t.(type) {
	case *arrow.BooleanType:
		return stored{parquet.Types.Boolean, -1, none}, nil
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type:
		return stored{parquet.Types.Int32, -1, intLogicalType(t)}, nil
	case *arrow.Int32Type:
		return stored{parquet.Types.Int32, -1, none}, nil
	case *arrow.Uint64Type:
		return stored{parquet.Types.Int64, -1, intLogicalType(t)}, nil
	case *arrow.Int64Type:
		return stored{parquet.Types.Int64, -1, none}, nil
	case *arrow.Float16Type:
		return stored{parquet.Types.FixedLenByteArray, 2, schema.Float16LogicalType{}}, nil
	case *arrow.Float32Type:
		return stored{parquet.Types.Float, -1, none}, nil
	case *arrow.Float64Type:
		return stored{parquet.Types.Double, -1, none}, nil
	case *arrow.StringType:
		return stored{parquet.Types.ByteArray, -1, schema.StringLogicalType{}}, nil
	case *arrow.BinaryType:
		return stored{parquet.Types.ByteArray, -1, none}, nil
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth <= 0 || t.ByteWidth > maxValueBytes {
			return stored{}, fmt.Errorf("%s has a width that Parquet cannot store", t)
		}
		return stored{parquet.Types.FixedLenByteArray, t.ByteWidth, none}, nil
	case arrow.DecimalType:
		return decimalStorage(t)
	case *arrow.NullType:
		return stored{parquet.Types.Int32, -1, schema.NullLogicalType{}}, nil
	}
	return timeStorage(t)
}

// timeStorage is storage for dates and times. Arrow's times of day have no
// zone, so they are not marked as adjusted to UTC; timestamps are if they have
// a zone, whichever it is: Parquet keeps no names of zones.
func timeStorage(t arrow.DataType) (stored, error) {
	switch t := t.(type) {
	case *arrow.Date32Type, *arrow.Date64Type:
		return stored{parquet.Types.Int32, -1, schema.DateLogicalType{}}, nil
	case *arrow.Time32Type:
		return stored{parquet.Types.Int32, -1, schema.NewTimeLogicalType(false, parquetUnit(t.Unit))}, nil
	case *arrow.Time64Type:
		return stored{parquet.Types.Int64, -1, schema.NewTimeLogicalType(false, parquetUnit(t.Unit))}, nil
	case *arrow.TimestampType:
		return stored{parquet.Types.Int64, -1, schema.NewTimestampLogicalType(t.TimeZone != "", parquetUnit(t.Unit))}, nil
	case *arrow.DurationType, *arrow.MonthDayNanoIntervalType:
		return stored{}, fmt.Errorf("there is no Parquet type for %s; convert it to an integer, or write Arrow IPC", t)
	}
	return stored{}, fmt.Errorf("%s cannot be written to Parquet", t)
}

func intLogicalType(t arrow.DataType) schema.LogicalType {
	bits := int8(t.(arrow.FixedWidthDataType).BitWidth())
	return schema.NewIntLogicalType(bits, arrow.IsSignedInteger(t.ID()))
}

func parquetUnit(u arrow.TimeUnit) schema.TimeUnitType {
	switch u {
	case arrow.Microsecond:
		return schema.TimeUnitMicros
	case arrow.Nanosecond:
		return schema.TimeUnitNanos
	}
	return schema.TimeUnitMillis
}

// rootOf returns the schema node of the whole file. Column names must be there
// and differ: readers such as Spark and Polars refuse other files.
func rootOf(s *arrow.Schema) (*schema.GroupNode, error) {
	if s.NumFields() == 0 {
		return nil, fmt.Errorf("a Parquet file needs at least one column")
	}
	seen := make(map[string]bool)
	var fields schema.FieldList
	for _, f := range s.Fields() {
		if seen[f.Name] {
			return nil, fmt.Errorf("two columns are named %q; give one another name", f.Name)
		}
		seen[f.Name] = true
		n, err := columnNode(f)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		fields = append(fields, n)
	}
	// A repeated root, as the library makes it by default, is read wrongly by
	// some engines.
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
}

// columnNode returns the schema node of a column.
func columnNode(f arrow.Field) (schema.Node, error) {
	rep := parquet.Repetitions.Required
	if isOptional(f) {
		rep = parquet.Repetitions.Optional
	}
	if vector.IsList(f.Type) {
		return listNode(f, rep)
	}
	return valueNode(f, rep)
}

// valueNode returns the node of a value that is not a list.
func valueNode(f arrow.Field, rep parquet.Repetition) (schema.Node, error) {
	st, err := storage(f.Type)
	if err != nil {
		return nil, err
	}
	return schema.NewPrimitiveNodeLogical(f.Name, rep, st.logical, st.physical, st.length, -1)
}

func isOptional(f arrow.Field) bool { return f.Nullable || f.Type.ID() == arrow.NULL }
