package hashagg

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

func TestNames(t *testing.T) {
	want := "any_value approx_count_distinct approx_quantile avg bool_and bool_or count every first last max mean min" +
		" stddev stddev_pop stddev_samp sum var_pop var_samp variance"
	if got := strings.Join(Names(), " "); got != want {
		t.Errorf("names are %s", got)
	}
	for _, name := range Names() {
		typ := arrow.DataType(arrow.PrimitiveTypes.Int64)
		if name == "every" || strings.HasPrefix(name, "bool") {
			typ = arrow.FixedWidthTypes.Boolean
		}
		agg, err := Bind(strings.ToUpper(name), []arrow.DataType{typ}, Modifiers{Constants: testConstants[name]})
		if err != nil {
			t.Error(err)
		} else if !slices.Contains(Names(), agg.Name) || len(agg.Args) != 1 {
			t.Errorf("%s is bound to %+v", name, agg)
		}
	}
}

func TestBindErrors(t *testing.T) {
	i64, text, boolean := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean
	day := arrow.FixedWidthTypes.Date32
	cases := []struct {
		name string
		args []arrow.DataType
		want string
		hint string // a part of it; ^ is the beginning
	}{
		{"summ", []arrow.DataType{i64}, `unknown aggregate function "summ"`, "did you mean sum? colagg has count, sum, avg,"},
		{"Stdev", []arrow.DataType{i64}, `unknown aggregate function "Stdev"`, "did you mean stddev_samp?"},
		{"median", []arrow.DataType{i64}, "median is not supported yet", "^colagg has count, sum, avg,"},
		{"QUANTILE_cont", []arrow.DataType{i64}, "quantile_cont is not supported yet", "^colagg has count, sum, avg,"},
		{"mode", []arrow.DataType{i64}, "mode is not supported yet", "^colagg has"},
		{"approx_top_k", nil, "approx_top_k is not supported yet", "^colagg has"},
		{"count_distinct", []arrow.DataType{i64}, `unknown aggregate function "count_distinct"`, "did you mean count(distinct column)? colagg has"},
		{"ndv", []arrow.DataType{i64}, `unknown aggregate function "ndv"`, "did you mean approx_count_distinct? colagg has"},
		{"approx_quantile", []arrow.DataType{i64}, "approx_quantile: takes one constant, not 0", "write approx_quantile(column, 0.5)"},
		{"meidan", []arrow.DataType{i64}, `unknown aggregate function "meidan"`, "^colagg has count,"},
		{"avrage", []arrow.DataType{i64}, `unknown aggregate function "avrage"`, "did you mean avg? colagg has count, sum, avg,"},
		{"average", []arrow.DataType{i64}, `unknown aggregate function "average"`, "did you mean avg? colagg has"},
		{"STD", []arrow.DataType{i64}, `unknown aggregate function "STD"`, "did you mean stddev_samp? colagg has"},
		{"mn", []arrow.DataType{i64}, `unknown aggregate function "mn"`, "did you mean min? colagg has"},
		{"xyzzyplugh", []arrow.DataType{i64}, `unknown aggregate function "xyzzyplugh"`, "^colagg has count, sum, avg, min, max, any_value, first, last, bool_and, bool_or, stddev_samp, stddev_pop, var_samp, var_pop, approx_count_distinct, approx_quantile"},
		{"sum", nil, "sum: takes one argument, not 0", "write sum(column)"},
		{"count", []arrow.DataType{i64, i64}, "count: takes 0 or 1 arguments, not 2", "count(*) or count(column)"},
		{"sum", []arrow.DataType{text}, "sum: text cannot be summed", "take every type"},
		{"sum", []arrow.DataType{day}, "sum: date32 cannot be summed", "take every type"},
		{"mean", []arrow.DataType{text}, "avg: text cannot be averaged", "take every type"},
		{"bool_or", []arrow.DataType{i64}, "bool_or: int64 cannot be taken for true or false", "takes bool"},
		{"stddev", []arrow.DataType{boolean}, "stddev_samp: bool cannot be measured by stddev_samp", "takes numbers"},
	}
	for _, c := range cases {
		_, err := Bind(c.name, c.args, Modifiers{})
		var b *BindError
		if !errors.As(err, &b) {
			t.Errorf("%s: error is %v", c.name, err)
			continue
		}
		if b.Error() != c.want || !strings.Contains("^"+b.Hint, c.hint) {
			t.Errorf("%s: %s (%s)", c.name, b, b.Hint)
		}
	}
}

// TestResultTypes holds the types that users see.
func TestResultTypes(t *testing.T) {
	zoned := &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}
	cases := []struct {
		name string
		arg  arrow.DataType
		want arrow.DataType
	}{
		{"count", arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64},
		{"sum", arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int64},
		{"sum", arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint64},
		{"sum", arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int64},
		{"sum", arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float64},
		{"sum", arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_s},
		{"sum", &arrow.Decimal128Type{Precision: 5, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 2}},
		{"sum", &arrow.Decimal256Type{Precision: 50, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 2}},
		{"avg", arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64},
		{"avg", &arrow.Decimal128Type{Precision: 5, Scale: 2}, &arrow.Decimal128Type{Precision: 9, Scale: 6}},
		{"avg", &arrow.Decimal128Type{Precision: 34, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 6}},
		{"avg", &arrow.Decimal128Type{Precision: 35, Scale: 2}, &arrow.Decimal256Type{Precision: 39, Scale: 6}},
		{"avg", &arrow.Decimal256Type{Precision: 74, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 4}},
		{"min", zoned, zoned},
		{"last", arrow.FixedWidthTypes.Float16, arrow.FixedWidthTypes.Float16},
		{"sum", arrow.Null, arrow.PrimitiveTypes.Int64},
		{"max", arrow.Null, arrow.Null},
	}
	for _, c := range cases {
		agg, err := Bind(c.name, []arrow.DataType{c.arg}, Modifiers{})
		if err != nil {
			t.Error(err)
		} else if !arrow.TypeEqual(agg.Result, c.want) {
			t.Errorf("%s of %s is %s, not %s", c.name, c.arg, agg.Result, c.want)
		}
	}
}
