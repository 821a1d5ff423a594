package hashagg

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

func TestNames(t *testing.T) {
	want := "any_value approx_count_distinct approx_quantile approx_top_k arg_max arg_min argmax argmin array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count count_if countif covar_pop covar_samp entropy every" +
		" first geomean geometric_mean group_concat kurtosis kurtosis_pop last list listagg max max_by mean median min min_by mode percentile_cont percentile_disc product quantile quantile_cont quantile_disc" +
		" regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy sem skewness" +
		" stddev stddev_pop stddev_samp string_agg sum top_k var_pop var_samp variance"
	if got := strings.Join(Names(), " "); got != want {
		t.Errorf("names are %s", got)
	}
	for _, name := range Names() {
		canonical := canonicalName(name)
		f := functions[slices.IndexFunc(functions, func(f function) bool { return f.name == canonical })]
		typ := arrow.DataType(arrow.PrimitiveTypes.Int64)
		switch {
		case strings.HasPrefix(canonical, "bool"), canonical == "count_if":
			typ = arrow.FixedWidthTypes.Boolean
		case canonical == "string_agg":
			typ = arrow.BinaryTypes.String
		}
		m := Modifiers{Constants: slices.Repeat([]Constant{{NumberConstant, "1"}}, f.constants.min)}
		args := slices.Repeat([]arrow.DataType{typ}, max(1, f.columns.min))
		agg, err := Bind(strings.ToUpper(name), args, m)
		if err != nil {
			t.Error(err)
		} else if !slices.Contains(Names(), agg.Name) || len(agg.Args) != len(args) {
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
		{"nth_value", []arrow.DataType{i64}, "nth_value is not supported yet", "^colagg has count, sum, avg,"},
		{"bit_or", []arrow.DataType{boolean}, "bit_or: bool cannot be taken bit by bit", "takes integers"},
		{"count_if", []arrow.DataType{i64}, "count_if: int64 cannot be taken for true or false", "takes bool"},
		{"JSON_agg", []arrow.DataType{i64}, "json_agg is not supported yet", "^colagg has count, sum, avg,"},
		{"corr", []arrow.DataType{i64, text}, "corr: text cannot be measured by corr", "corr takes numbers"},
		{"collect_list", []arrow.DataType{i64}, `unknown aggregate function "collect_list"`, "did you mean array_agg? colagg has"},
		{"percentile", []arrow.DataType{i64}, `unknown aggregate function "percentile"`, "did you mean quantile_cont? colagg has"},
		{"histogram", nil, "histogram is not supported yet", "^colagg has"},
		{"min_by", []arrow.DataType{i64}, "min_by: takes 2 columns, not 1", "write min_by(column, by) or min_by(column, by, 3)"},
		{"count_distinct", []arrow.DataType{i64}, `unknown aggregate function "count_distinct"`, "did you mean count(distinct column)? colagg has"},
		{"ndv", []arrow.DataType{i64}, `unknown aggregate function "ndv"`, "did you mean approx_count_distinct? colagg has"},
		{"approx_quantile", []arrow.DataType{i64}, "approx_quantile: takes one constant, not 0", "write approx_quantile(column, 0.5)"},
		{"meidan", []arrow.DataType{i64}, `unknown aggregate function "meidan"`, "did you mean mean or median? colagg has count,"},
		{"avrage", []arrow.DataType{i64}, `unknown aggregate function "avrage"`, "did you mean avg? colagg has count, sum, avg,"},
		{"average", []arrow.DataType{i64}, `unknown aggregate function "average"`, "did you mean avg? colagg has"},
		{"STD", []arrow.DataType{i64}, `unknown aggregate function "STD"`, "did you mean stddev_samp? colagg has"},
		{"mn", []arrow.DataType{i64}, `unknown aggregate function "mn"`, "did you mean min? colagg has"},
		{"xyzzyplugh", []arrow.DataType{i64}, `unknown aggregate function "xyzzyplugh"`, "^colagg has count, sum, avg, min, max, any_value, first, last, bool_and, bool_or, stddev_samp, stddev_pop, var_samp, var_pop, approx_count_distinct, approx_quantile"},
		{"sum", nil, "sum: takes one argument, not 0", "write sum(column)"},
		{"count", []arrow.DataType{i64, i64}, "count: takes 0 or 1 arguments, not 2", "write count(*), count(column) or count(distinct column, other)"},
		{"sum", []arrow.DataType{text}, "sum: text cannot be summed", "take every type"},
		{"sum", []arrow.DataType{day}, "sum: date32 cannot be summed", "take every type"},
		{"mean", []arrow.DataType{text}, "avg: text cannot be averaged", "take every type"},
		{"bool_or", []arrow.DataType{i64}, "bool_or: int64 cannot be taken for true or false", "takes bool"},
		{"stddev", []arrow.DataType{boolean}, "stddev_samp: bool cannot be measured by stddev_samp", "takes numbers"},
		{"string_agg", []arrow.DataType{i64}, "string_agg: int64 cannot be joined", "array_agg takes every type"},
		{"quantile", []arrow.DataType{i64}, "quantile_disc: takes one constant, not 0", "write quantile_disc(column, 0.5)"},
		{"array_agg", []arrow.DataType{arrow.ListOf(i64)}, "array_agg: list<item: int64, nullable> cannot be taken", "one value a row"},
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
		{"avg", arrow.FixedWidthTypes.Duration_ms, arrow.FixedWidthTypes.Duration_ms},
		{"avg", arrow.FixedWidthTypes.MonthDayNanoInterval, arrow.FixedWidthTypes.MonthDayNanoInterval},
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

func TestConstantsThatMakeNoSense(t *testing.T) {
	i64, text := arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	for _, c := range []struct {
		name     string
		arg      arrow.DataType
		constant Constant
		want     string
	}{
		{"quantile_cont", i64, Constant{NumberConstant, "1.5"}, "quantile_cont: the fraction must be a number from 0 to 1, not 1.5"},
		{"quantile_disc", text, Constant{NumberConstant, "-0.1"}, "quantile_disc: the fraction must be a number from 0 to 1, not -0.1"},
		{"quantile_disc", text, Constant{}, "quantile_disc: the fraction must be a number from 0 to 1, not null"},
		{"quantile_cont", i64, Constant{TextConstant, "0.5"}, "quantile_cont: the fraction must be a number from 0 to 1, not '0.5'"},
		{"quantile_cont", text, Constant{NumberConstant, "0.5"}, "quantile_cont: text cannot be put between two others"},
		{"string_agg", text, Constant{NumberConstant, "1"}, "string_agg: the separator must be a text"},
		{"string_agg", text, Constant{}, "string_agg: the separator must be a text"},
		{"max", i64, Constant{NumberConstant, "0"}, "max: the number of values must be a whole number from 1 to 1000000, not 0"},
		{"min", text, Constant{NumberConstant, "1.5"}, "min: the number of values must be a whole number from 1 to 1000000, not 1.5"},
		{"top_k", text, Constant{TextConstant, "3"}, "top_k: the number of values must be a whole number from 1 to 1000000, not '3'"},
	} {
		_, err := Bind(c.name, []arrow.DataType{c.arg}, Modifiers{Constants: []Constant{c.constant}})
		var b *BindError
		if !errors.As(err, &b) || b.Error() != c.want || b.Hint == "" {
			t.Errorf("%s(%s, %s): error %v, not %s", c.name, c.arg, c.constant, err, c.want)
		}
	}
}
