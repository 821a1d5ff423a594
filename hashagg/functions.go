package hashagg

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// function is a row of the table of functions: its name, what its calls may
// have, and what binds it to types. bind gets the types of the columns, then
// those of ORDER BY columns; of modifiers it gets only such as the row takes.
type function struct {
	name      string
	columns   bounds
	constants bounds
	distinct  use
	order     use
	usage     string // how a call is written; empty: with as many columns as it needs
	bind      func(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error)
}

// mostColumns is the most that count(distinct …) takes.
const mostColumns = 1000

// oneColumn is what most functions take.
var oneColumn, twoColumns = bounds{1, 1}, bounds{2, 2}

// ORDER BY is dropped where no order of rows shows in the result: sums of
// floats too are exact. DISTINCT is dropped where a value that comes again
// changes nothing.
var functions = []function{
	{name: "count", columns: bounds{0, mostColumns}, distinct: taken, order: dropped, usage: "count(*), count(column) or count(distinct column, other)", bind: distinctOf(bindCount)},
	{name: "sum", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(bindSum)},
	{name: "avg", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(bindAvg)},
	{name: "min", columns: oneColumn, constants: bounds{0, 1}, distinct: taken, order: dropped, usage: "min(column) or min(column, 3)", bind: smallest.bind},
	{name: "max", columns: oneColumn, constants: bounds{0, 1}, distinct: taken, order: dropped, usage: "max(column) or max(column, 3)", bind: largest.bind},
	{name: "any_value", columns: oneColumn, distinct: dropped, order: taken, bind: firstValue.bind},
	{name: "first", columns: oneColumn, distinct: dropped, order: taken, bind: firstRow.bind},
	{name: "last", columns: oneColumn, order: taken, bind: lastRow.bind},
	{name: "bool_and", columns: oneColumn, distinct: dropped, order: dropped, bind: bindBoolAnd},
	{name: "bool_or", columns: oneColumn, distinct: dropped, order: dropped, bind: bindBoolOr},
	{name: "stddev_samp", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(spread{spared: 1, measure: deviation}.bind)},
	{name: "stddev_pop", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(spread{measure: deviation}.bind)},
	{name: "var_samp", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(spread{spared: 1}.bind)},
	{name: "var_pop", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(spread{}.bind)},
	{name: "approx_count_distinct", columns: oneColumn, distinct: dropped, order: dropped, bind: bindApproxCount},
	{name: "approx_quantile", columns: oneColumn, constants: bounds{1, 1}, distinct: taken, order: dropped, usage: "approx_quantile(column, 0.5)", bind: distinctOf(bindApproxQuantile)},
	{name: "array_agg", columns: oneColumn, distinct: taken, order: taken, usage: "array_agg(column) or array_agg(column order by other)", bind: bindArrayAgg},
	{name: "string_agg", columns: oneColumn, constants: bounds{0, 1}, distinct: taken, order: taken, usage: "string_agg(column, ', ')", bind: bindStringAgg},
	{name: "median", columns: oneColumn, distinct: taken, order: dropped, bind: bindMedian},
	{name: "quantile_cont", columns: oneColumn, constants: bounds{1, 1}, distinct: taken, order: dropped, usage: "quantile_cont(column, 0.5)", bind: bindQuantileCont},
	{name: "quantile_disc", columns: oneColumn, constants: bounds{1, 1}, distinct: taken, order: dropped, usage: "quantile_disc(column, 0.5)", bind: bindQuantileDisc},
	{name: "mode", columns: oneColumn, distinct: taken, order: dropped, bind: bindMode},
	{name: "min_by", columns: twoColumns, constants: bounds{0, 1}, distinct: taken, usage: "min_by(column, by) or min_by(column, by, 3)", bind: extremeBy{}.bind},
	{name: "max_by", columns: twoColumns, constants: bounds{0, 1}, distinct: taken, usage: "max_by(column, by) or max_by(column, by, 3)", bind: extremeBy{Direction{Desc: true}}.bind},
	{name: "top_k", columns: oneColumn, constants: bounds{1, 1}, order: dropped, usage: "top_k(column, 3)", bind: bindTopK},
	{name: "sem", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(spread{measure: meanError}.bind)},
	{name: "skewness", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(momentsResult(skewness).bind)},
	{name: "kurtosis", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(momentsResult(kurtosis).bind)},
	{name: "kurtosis_pop", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(momentsResult(kurtosisPop).bind)},
	{name: "corr", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(corr).bind)},
	{name: "covar_samp", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(covarSamp).bind)},
	{name: "covar_pop", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(covarPop).bind)},
	{name: "regr_slope", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrSlope).bind)},
	{name: "regr_intercept", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrIntercept).bind)},
	{name: "regr_r2", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrR2).bind)},
	{name: "regr_count", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(bindRegrCount)},
	{name: "regr_avgx", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrAvgX).bind)},
	{name: "regr_avgy", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrAvgY).bind)},
	{name: "regr_sxx", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrSxx).bind)},
	{name: "regr_syy", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrSyy).bind)},
	{name: "regr_sxy", columns: twoColumns, distinct: taken, order: dropped, bind: distinctOf(pairsResult(regrSxy).bind)},
	{name: "count_if", columns: oneColumn, order: dropped, bind: bindCountIf},
	{name: "bit_and", columns: oneColumn, distinct: dropped, order: dropped, bind: bitAnd.bind},
	{name: "bit_or", columns: oneColumn, distinct: dropped, order: dropped, bind: bitOr.bind},
	{name: "bit_xor", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(bitXor.bind)},
	{name: "product", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(plainProduct.bind)},
	{name: "geomean", columns: oneColumn, distinct: taken, order: dropped, bind: distinctOf(geometricMean.bind)},
	{name: "entropy", columns: oneColumn, order: dropped, bind: bindEntropy},
}

// aliases maps further names of functions to their canonical names.
var aliases = map[string]string{
	"approx_top_k":    "top_k",
	"arg_max":         "max_by",
	"arg_min":         "min_by",
	"argmax":          "max_by",
	"argmin":          "min_by",
	"countif":         "count_if",
	"every":           "bool_and",
	"geometric_mean":  "geomean",
	"group_concat":    "string_agg",
	"list":            "array_agg",
	"listagg":         "string_agg",
	"mean":            "avg",
	"percentile_cont": "quantile_cont",
	"percentile_disc": "quantile_disc",
	"quantile":        "quantile_disc",
	"stddev":          "stddev_samp",
	"variance":        "var_samp",
}

// Names returns the names of all aggregate functions, aliases included, in
// alphabetical order.
func Names() []string {
	names := make([]string, 0, len(functions)+len(aliases))
	for _, f := range functions {
		names = append(names, f.name)
	}
	for a := range aliases {
		names = append(names, a)
	}
	slices.Sort(names)
	return names
}

// LeastColumns returns how many columns a call of the function has at least, the
// first of its arguments whatever they are; 0 if there is no such function.
func LeastColumns(name string) int {
	lower := canonicalName(name)
	if i := slices.IndexFunc(functions, func(f function) bool { return f.name == lower }); i >= 0 {
		return functions[i].columns.min
	}
	return 0
}

// Bind returns the aggregate function of that name, whose case does not
// matter, for a call with modifiers m. args are the types of the column
// arguments, followed by those of the ORDER BY columns, as many as m.Order has;
// count without arguments is count(*). Of these the call needs the first
// len(Aggregate.Args): ORDER BY columns are not among them where no order
// shows in the result. Its error is a *BindError: there is no such function,
// the number of arguments is wrong, or the function does not take their types
// or one of the modifiers.
func Bind(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	lower := canonicalName(name)
	i := slices.IndexFunc(functions, func(f function) bool { return f.name == lower })
	if i < 0 {
		return nil, unknownFunction(name)
	}
	f, columns := functions[i], len(args)-len(m.Order)
	if columns < 0 {
		panic("BUG: fewer types than ORDER BY columns")
	}
	if err := f.counts(columns, len(m.Constants)); err != nil {
		return nil, err
	}
	m, err := f.accept(m)
	if err != nil {
		return nil, err
	}
	args = args[:columns+len(m.Order)]
	if err := refuseIntervals(f.name, args, m); err != nil {
		return nil, err
	}
	agg, err := f.bind(f.name, args, m)
	if err != nil {
		return nil, err
	}
	agg.Name, agg.Args = f.name, args
	return agg, nil
}

// canonicalName returns the name of the function that is called name, in lower
// case.
func canonicalName(name string) string {
	lower := strings.ToLower(name)
	if canonical, ok := aliases[lower]; ok {
		return canonical
	}
	return lower
}

// synonyms maps what functions are called elsewhere, beside the aliases, to
// their canonical names: for hints only.
var synonyms = map[string]string{
	"any": "any_value", "approx_distinct": "approx_count_distinct", "approx_percentile": "approx_quantile", "arbitrary": "any_value", "average": "avg",
	"count_distinct": "count(distinct column)", "countdistinct": "count(distinct column)", "ndv": "approx_count_distinct",
	"nunique": "count(distinct column)", "sum_distinct": "sum(distinct column)", "uniq": "approx_count_distinct", "uniqexact": "count(distinct column)",
	"booland_agg": "bool_and", "boolor_agg": "bool_or", "cnt": "count", "collect_list": "array_agg", "collect_set": "array_agg(distinct column)",
	"first_value": "first", "last_value": "last", "logical_and": "bool_and", "logical_or": "bool_or", "maximum": "max", "minimum": "min",
	"percentile": "quantile_cont", "std": "stddev_samp", "stdev": "stddev_samp", "stdevp": "stddev_pop", "total": "sum", "var": "var_samp", "varp": "var_pop",
}

// missing lists aggregate functions of other engines that there are not here
// yet; those that end in * are beginnings of names.
var missing = []string{
	"grouping", "histogram", "json_*", "jsonb_*", "mad", "nth_value", "percentile_approx", "xmlagg",
}

// unknownFunction is the error for a name that no function has: one that is
// known to be missing, or one like others.
func unknownFunction(name string) error {
	lower := strings.ToLower(name)
	for _, m := range missing {
		start, open := strings.CutSuffix(m, "*")
		if lower == m || open && strings.HasPrefix(lower, start) {
			return &BindError{Problem: lower + " is not supported yet", Hint: "colagg has " + canonicalNames()}
		}
	}
	e := &BindError{Problem: fmt.Sprintf("unknown aggregate function %q", name), Hint: "colagg has " + canonicalNames()}
	if near := nearest(lower); len(near) > 0 {
		e.Hint = "did you mean " + strings.Join(near, " or ") + "? " + e.Hint
	}
	return e
}

// canonicalNames lists the functions, each by one name.
func canonicalNames() string {
	var names []string
	for _, f := range functions {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// nearest returns the names of functions that take the fewest edits to reach
// from name, at most three of them, and none that takes more than a third of
// its letters. What is as near to one that is missing is near to none.
func nearest(name string) []string {
	best := max(1, len(name)/3)
	var near []string
	consider := func(have, mean string) {
		d := edits(name, have)
		if d < best {
			best, near = d, nil
		}
		if d == best && !slices.Contains(near, mean) {
			near = append(near, mean)
		}
	}
	for _, n := range Names() {
		consider(n, n)
	}
	for _, s := range slices.Sorted(maps.Keys(synonyms)) {
		consider(s, synonyms[s])
	}
	for _, m := range missing {
		if edits(name, strings.TrimSuffix(m, "*")) <= best {
			return nil
		}
	}
	return near[:min(3, len(near))]
}

// edits is the Levenshtein distance of a and b in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// typeName is how messages call a type.
func typeName(t arrow.DataType) string {
	switch t.ID() {
	case arrow.STRING:
		return "text"
	case arrow.BOOL:
		return "bool"
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return map[arrow.Type]string{arrow.FLOAT16: "float16", arrow.FLOAT32: "float32", arrow.FLOAT64: "float64"}[t.ID()]
	case arrow.DECIMAL128, arrow.DECIMAL256:
		d := t.(arrow.DecimalType)
		return fmt.Sprintf("decimal(%d,%d)", d.GetPrecision(), d.GetScale())
	}
	return t.String()
}

// refuseIntervals is the error for intervals, which have no one order: a month is
// as long as 30 days or it is not. They can be counted and summed.
func refuseIntervals(name string, args []arrow.DataType, m Modifiers) error {
	for _, t := range args {
		sums := name == "count" || name == "sum" || name == "avg"
		if t.ID() == arrow.INTERVAL_MONTH_DAY_NANO && (!sums || m.Distinct) {
			return refuse(name, t, "aggregated", "months have no fixed length: aggregate its seconds, extract(epoch from …)")
		}
	}
	return nil
}

// refuse is the error for a type that a function cannot take: "sum: text
// cannot be summed".
func refuse(function string, t arrow.DataType, done, hint string) error {
	return &BindError{Function: function, Problem: typeName(t) + " cannot be " + done, Hint: hint}
}
