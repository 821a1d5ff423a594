package expr

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// oneBatch is a source of one batch.
type oneBatch struct {
	schema *arrow.Schema
	batch  *vector.Batch
}

func (s *oneBatch) Schema() *arrow.Schema             { return s.schema }
func (s *oneBatch) Stream() (operators.Stream, error) { return s, nil }
func (s *oneBatch) Close() error                      { return nil }

func (s *oneBatch) Next(context.Context) (*vector.Batch, error) {
	b := s.batch
	if s.batch = nil; b == nil {
		return nil, io.EOF
	}
	return b, nil
}

// projectInput has a (int32) 1, NULL, 3, 4 and f (float64) 0.5, 1.5, NULL, 2.
func projectInput(sel []uint32) *oneBatch {
	a, f := vector.New(arrow.PrimitiveTypes.Int32, 4), vector.New(arrow.PrimitiveTypes.Float64, 4)
	copy(vector.Values[int32](a), []int32{1, 0, 3, 4})
	copy(vector.Values[float64](f), []float64{0.5, 1.5, 0, 2})
	a.Valid, f.Valid = vector.Bitmap{0b1101}, vector.Bitmap{0b1011}
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.Type, Nullable: true}, {Name: "f", Type: f.Type, Nullable: true}}, nil)
	return &oneBatch{schema, &vector.Batch{Cols: []*vector.Vector{a, f}, Len: 4, Sel: sel, Row: 7}}
}

func bindOutput(t *testing.T, text string, schema *arrow.Schema) Output {
	t.Helper()
	e, err := sql.ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := BindValue(text, e, func(c sql.Column) (int, arrow.DataType, error) {
		i := schema.FieldIndices(c.String())[0]
		return i, schema.Field(i).Type, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return Output{Name: text, Value: v}
}

func TestProject(t *testing.T) {
	for text, want := range map[string]string{
		"a + 1":               "int64: 2 NULL 4 5",
		"a * f":               "float64: 0.5 NULL NULL 8",
		"a > 2":               "bool: false NULL true true",
		"a > 2 or f > 1":      "bool: false true true true",
		"a is null":           "bool: false true false false",
		"f":                   "float64: 0.5 1.5 NULL 2",
		"-a * 1.5":            "decimal(21, 1): -1.5 NULL -4.5 -6",
		"7":                   "int64: 7 7 7 7",
		"'x'":                 "utf8: x x x x",
		"null":                "null: NULL NULL NULL NULL",
		"date '1970-01-03'":   "date32: 1970-01-03 1970-01-03 1970-01-03 1970-01-03",
		"a = 1 and not f > 1": "bool: true false false false",
	} {
		for _, sel := range [][]uint32{nil, {0, 3}, {2}, {1, 2, 3}} {
			src := projectInput(sel)
			p := NewProject(src, []Output{{Name: "f", Column: 1}, bindOutput(t, text, src.schema)}, memory.NewBudget(0))
			s, err := p.Stream()
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			flat, err := vector.Flatten(b.Cols[1])
			if err != nil {
				t.Fatal(err)
			}
			a, err := vector.ToArrow(flat)
			if err != nil {
				t.Fatal(err)
			}
			typ, all, _ := strings.Cut(want, ": ")
			cells := strings.Fields(all)
			rows := sel
			if sel == nil {
				rows = []uint32{0, 1, 2, 3}
			}
			for _, i := range rows {
				got := strings.Replace(a.ValueStr(int(i)), "(null)", "NULL", 1)
				if got != cells[i] || a.DataType().String() != typ || p.Schema().Field(1).Type.String() != typ {
					t.Errorf("%s, row %d of %v: %s of %s, want %s", text, i, sel, got, a.DataType(), want)
				}
			}
			if !slices.Equal(b.Sel, sel) || b.Row != 7 || b.Len != 4 || p.Report().Out != int64(len(rows)) {
				t.Errorf("%s: %+v, %+v", text, b, p.Report())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestProjectErrors(t *testing.T) {
	for text, want := range map[string]string{"a / (a - 3)": "a / (a - 3): division by zero", "a * 9223372036854775807": "a value does not fit int64"} {
		src := projectInput(nil)
		s, _ := NewProject(src, []Output{bindOutput(t, text, src.schema)}, memory.NewBudget(0)).Stream()
		_, err := s.Next(t.Context())
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	src := projectInput([]uint32{0, 3}) // not the row that would fail
	s, _ := NewProject(src, []Output{bindOutput(t, "a / (a - 3)", src.schema)}, memory.NewBudget(0)).Stream()
	if _, err := s.Next(t.Context()); err != nil {
		t.Error(err)
	}
	budget := memory.NewBudget(1)
	src = projectInput(nil)
	s, _ = NewProject(src, []Output{bindOutput(t, "a + 1", src.schema)}, budget).Stream()
	if _, err := s.Next(t.Context()); err != nil || budget.Used() == 0 {
		t.Errorf("%v, %d bytes are held", err, budget.Used())
	}
}

func TestCommon(t *testing.T) {
	p, dec := arrow.PrimitiveTypes, func(precision, scale int32) arrow.DataType {
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}
	}
	for _, c := range [][3]arrow.DataType{
		{p.Int8, p.Int8, p.Int8}, {p.Int8, p.Uint32, p.Int64}, {p.Int64, p.Uint64, dec(20, 0)}, {p.Float32, p.Int64, p.Float64},
		{dec(9, 2), p.Int32, dec(12, 2)}, {dec(9, 2), dec(12, 4), dec(12, 4)}, {dec(38, 2), dec(38, 20), dec(38, 20)}, {dec(9, 2), p.Float64, p.Float64},
		{p.Date32, arrow.FixedWidthTypes.Timestamp_us, &arrow.TimestampType{Unit: arrow.Microsecond}},
		{arrow.BinaryTypes.String, p.Int64, nil}, {p.Int64, arrow.FixedWidthTypes.Boolean, nil},
	} {
		if c[1].ID() == arrow.TIMESTAMP {
			c[1] = &arrow.TimestampType{Unit: arrow.Microsecond}
		}
		for _, got := range []arrow.DataType{Common(c[0], c[1]), Common(c[1], c[0])} {
			if fmt.Sprint(got) != fmt.Sprint(c[2]) {
				t.Errorf("%s and %s: %v, want %v", c[0], c[1], got, c[2])
			}
		}
	}
}
