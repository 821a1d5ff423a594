package expr

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// valueColumns are the columns of testdata/values.py.
var valueColumns = []testColumn{
	{"i", arrow.PrimitiveTypes.Int32, append(ints(1, -7, 0, 123456), nil, ints(2147483647)[0])},
	{"d", &arrow.Decimal128Type{Precision: 9, Scale: 2}, append(fractions(100, 1234, -5, 9999999, 50), nil, fractions(100, -1250)[0])},
	{"f", arrow.PrimitiveTypes.Float64, []any{0.5, -2.5, 1e20, 3.0, nil, -0.00001}},
	{"s", arrow.BinaryTypes.String, []any{"Hello World", "größe", "", "a,b,,c", nil, "  pad  "}},
	{"p", arrow.BinaryTypes.String, []any{"o", "ß", "", ",", "x", " "}},
	{"b", arrow.FixedWidthTypes.Boolean, []any{true, false, true, nil, false, true}},
	{"n", arrow.PrimitiveTypes.Int32, append(ints(3, -2, 0, 2), nil, ints(5)[0])},
	{"y", arrow.BinaryTypes.Binary, []any{"a", "", nil, "\xff", "b", "c"}},
}

// valueBatches are the rows in flat form and dictionary-coded, where NULL is a row
// without a value and where it is an entry without one.
func valueBatches() []*vector.Batch {
	var out []*vector.Batch
	for form := range 3 {
		b := &vector.Batch{Len: 6}
		for _, c := range valueColumns {
			v := flatVector(c.typ, c.pool)
			if form > 0 {
				v.ID = vector.NextID()
				coded := &vector.Vector{Type: c.typ, Len: 6, Dict: v, Codes: []uint32{0, 1, 2, 3, 4, 5}}
				if form == 2 && v.Valid != nil {
					coded.Valid = v.Valid
					v.Valid = nil
					for i := range coded.Codes {
						if !coded.Valid.Get(i) {
							coded.Codes[i] = 0
						}
					}
				}
				v = coded
			}
			b.Cols = append(b.Cols, v)
		}
		out = append(out, b)
	}
	return out
}

// TestValues compares each expression of testdata/values.txt with each answer.
func TestValues(t *testing.T) {
	file, err := os.Open("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		cells := strings.Split(lines.Text(), "\t")
		src := cells[1]
		e, err := sql.ParseExpr(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		v, err := BindValue(src, e, scopeOf(valueColumns))
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		for form, b := range valueBatches() {
			for row, got := range spelledRows(t, src, v, b) {
				if want := cells[2+row]; !sameAnswer(got, want, v.Type()) {
					t.Errorf("%s, form %d, row %d: %s, want %s from %s", src, form, row, got, want, cells[0])
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("%d expressions", n)
	}
}

// spelledRows computes v and casts it to text.
func spelledRows(t *testing.T, src string, v *Value, b *vector.Batch) []string {
	t.Helper()
	in := &oneBatch{schema: schemaOf(valueColumns), batch: b}
	project := NewProject(in, []Output{{Name: "x", Value: v}}, memory.NewBudget(0))
	typ := project.Schema().Field(0).Type
	node := &sql.Expr{Op: sql.ColumnOp, Column: &sql.Column{}}
	text, err := BindValue("", &sql.Expr{Op: sql.CastOp, Args: []*sql.Expr{node}, Type: &sql.TypeName{Name: "text"}}, func(sql.Column) (int, arrow.DataType, error) { return 0, typ, nil })
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	s, err := NewProject(project, []Output{{Name: "x", Value: text}}, memory.NewBudget(0)).Stream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Next(t.Context())
	if err != nil {
		t.Errorf("%s: %v", src, err)
		return nil
	}
	var out []string
	for i := range got.Len {
		if got.Cols[0].IsNull(i) {
			out = append(out, "NULL")
		} else {
			out = append(out, "="+string(got.Cols[0].Bytes(i)))
		}
	}
	return out
}

// sameAnswer takes floats as numbers, of which the last digits may differ, and
// decimals without the zeros at their end.
func sameAnswer(got, want string, t arrow.DataType) bool {
	switch t.ID() {
	case arrow.FLOAT64, arrow.FLOAT32, arrow.DECIMAL128, arrow.INT64:
		x, err1 := strconv.ParseFloat(strings.TrimPrefix(got, "="), 64)
		y, err2 := strconv.ParseFloat(strings.TrimPrefix(want, "="), 64)
		if err1 == nil && err2 == nil {
			return x == y || math.Abs(x-y) <= 1e-14*math.Abs(y) || t.ID() == arrow.FLOAT32 && float32(x) == float32(y)
		}
	}
	return got == want
}

func schemaOf(cols []testColumn) *arrow.Schema {
	var fields []arrow.Field
	for _, c := range cols {
		fields = append(fields, arrow.Field{Name: c.name, Type: c.typ, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// TestValueErrors has expressions that cannot be bound, and such that fail for a row.
func TestValueErrors(t *testing.T) {
	for src, want := range map[string]string{
		"nosuch(i)":                              "there is no function nosuch",
		"uper(s)":                                "there is no function uper",
		"length(i)":                              "length takes a string, and i is a int32",
		"substring(s)":                           "substring takes 2 to 3 arguments, not 1",
		"s ~ '('":                                "the pattern is wrong: missing closing )",
		"s ~ p":                                  "the pattern p must be a constant string",
		"cast(s as intt)":                        "there is no type intt",
		"cast(i as date)":                        "i is a int32, which cannot be cast to date32",
		"case when i > 0 then s else i end":      "CASE: s is a utf8 and i a int32",
		"coalesce(d, s)":                         "COALESCE: d is a decimal(9, 2) and s a utf8",
		"case when i then 1 end":                 "i is a int32 and no condition",
		"upper(y)":                               "upper takes a string, and y is a binary",
		"coalesce(y, s)":                         "COALESCE: y is a binary and s a utf8",
		"y || s":                                 "y is a binary, which cannot be cast to utf8",
		"i || n":                                 "|| is of strings",
		"round(d, n)":                            "must be a constant integer",
		"cast(s as int)":                         "cast(s as int): 'Hello World' is no int32",
		"cast(i as smallint)":                    "cast(i as smallint): a value does not fit int16",
		"sqrt(f)":                                "sqrt(f): a value does not fit float64",
		"ln(n)":                                  "ln(n): a value does not fit float64",
		"10 / i":                                 "10 / i: division by zero",
		"d % n":                                  "d % n: division by zero",
		"substring(s, 1, n)":                     "a length below 0 is no length",
		"repeat(p, i)":                           "longer than 2 GiB",
		"case when n > 0 then 10 / (n - 3) end":  "10 / (n - 3): division by zero",
		"cast('x' as int) = i":                   "'x' is no int32",
		"lpad('x', 2000000000) || repeat(s, 10)": "longer than 2 GiB",
	} {
		e, err := sql.ParseExpr(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		v, err := BindValue(src, e, scopeOf(valueColumns))
		if err == nil {
			s, _ := NewProject(&oneBatch{schema: schemaOf(valueColumns), batch: valueBatches()[0]}, []Output{{Name: "x", Value: v}}, memory.NewBudget(0)).Stream()
			_, err = s.Next(t.Context())
		}
		if err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
}
