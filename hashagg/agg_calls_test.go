package hashagg

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
)

// orderTypes are the types of the columns of ORDER BY in tests.
var orderTypes = []arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64}

// callsOf returns the kinds of calls of a function that its row of the table
// allows.
func callsOf(f function) []Modifiers {
	var calls []Modifiers
	if f.constants.min == 0 {
		calls = append(calls, Modifiers{})
	}
	if f.constants.max > 0 {
		for _, c := range []Constant{{NumberConstant, "0.5"}, {NumberConstant, "0.9"}, {NumberConstant, "1"}, {NumberConstant, "3"}, {TextConstant, ", "}} {
			calls = append(calls, Modifiers{Constants: []Constant{c}})
		}
	}
	for _, c := range slices.Clone(calls) {
		if f.order == taken {
			for _, order := range [][]Direction{{{}}, {{Desc: true, NullsFirst: true}}, {{NullsFirst: true}, {Desc: true}}, {{Desc: true}, {}, {Desc: true, NullsFirst: true}}} {
				calls = append(calls, Modifiers{Constants: c.Constants, Order: order})
			}
		}
	}
	for _, c := range slices.Clone(calls) {
		if f.distinct == taken {
			c.Distinct = true
			calls = append(calls, c)
		}
	}
	return calls
}

// fewCells returns one of few values of type t.
func fewCells(r *rand.Rand, t arrow.DataType) cell {
	switch t.ID() {
	case arrow.BOOL:
		return r.IntN(3) > 0
	case arrow.STRING:
		return []byte([]string{"", "a", "a long text, longer than a head", "a long text, longer than a heap"}[r.IntN(4)])
	case arrow.FLOAT64:
		return []float64{math.NaN(), -1, 0, math.Copysign(0, -1), math.Inf(1)}[r.IntN(5)]
	}
	return big.NewInt(int64(r.IntN(5) - 2))
}

// referenceCall is reference of a call with modifiers; a row has the arguments and
// then what ORDER BY names.
func referenceCall(agg *Aggregate, call Modifiers, rows [][]cell) string {
	n := len(agg.Args) - len(call.Order)
	if n == 0 {
		return fmt.Sprint(len(rows))
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y []cell) int {
		for k, d := range call.Order {
			if c := compareDirected(d, x[n+k], y[n+k]); c != 0 {
				return c
			}
		}
		return 0
	})
	if n == 2 {
		return referencePairs(agg, call, rows)
	}
	var args, vals []cell
	for _, row := range rows {
		again := slices.ContainsFunc(args, func(c cell) bool { return compareDirected(Direction{}, c, row[0]) == 0 })
		if call.Distinct && again {
			continue
		}
		args = append(args, row[0])
		if row[0] != nil {
			vals = append(vals, row[0])
		}
	}
	switch agg.Name {
	case "array_agg":
		if len(args) == 0 {
			return "NULL"
		}
		return cellText(args)
	case "string_agg":
		return referenceJoin(call, vals)
	case "min", "max":
		if len(call.Constants) > 0 {
			return referenceFew(call, vals, vals, Direction{Desc: agg.Name == "max"})
		}
	case "skewness", "kurtosis", "kurtosis_pop":
		return referenceMoments(agg, vals)
	case "top_k", "entropy":
		return referenceTally(agg.Name, call, vals)
	case "median", "quantile_cont", "quantile_disc", "mode":
		if len(vals) == 0 {
			return "NULL"
		}
		return referenceRank(agg, call, vals)
	}
	return reference(agg.Name, agg.Args[0], call, args)
}

func compareDirected(d Direction, x, y cell) int {
	c := 0
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil || y == nil:
		if (x == nil) == d.NullsFirst {
			return -1
		}
		return 1
	default:
		c = compareCells(x, y)
	}
	if d.Desc {
		return -c
	}
	return c
}

func referenceJoin(call Modifiers, vals []cell) string {
	if len(vals) == 0 {
		return "NULL"
	}
	separator := ","
	if len(call.Constants) > 0 {
		separator = call.Constants[0].Text
	}
	var texts [][]byte
	for _, v := range vals {
		texts = append(texts, v.([]byte))
	}
	return cellText(bytes.Join(texts, []byte(separator)))
}

// referenceRank computes the functions that look at sorted values.
func referenceRank(agg *Aggregate, call Modifiers, vals []cell) string {
	slices.SortFunc(vals, compareCells)
	for i, v := range vals {
		if f, ok := v.(float64); ok && f == 0 {
			vals[i] = 0.0
		}
	}
	if agg.Name == "mode" {
		best, most := vals[0], 0
		for _, v := range vals {
			n := 0
			for _, w := range vals {
				if compareCells(v, w) == 0 {
					n++
				}
			}
			if n > most {
				best, most = v, n
			}
		}
		return cellText(best)
	}
	p := big.NewRat(1, 2)
	if len(call.Constants) > 0 {
		p, _ = new(big.Rat).SetString(call.Constants[0].Text)
	}
	one := big.NewInt(1)
	if agg.Name == "quantile_disc" || agg.Name == "median" && arrow.TypeEqual(agg.Result, agg.Args[0]) && !discreteHasMiddle(agg.Result) {
		n := new(big.Rat).Mul(p, new(big.Rat).SetInt64(int64(len(vals))))
		k := new(big.Int).Sub(new(big.Int).Add(n.Num(), n.Denom()), one)
		k.Div(k, n.Denom()) // rounded up
		return cellText(vals[max(1, k.Int64())-1])
	}
	at := new(big.Rat).Mul(p, new(big.Rat).SetInt64(int64(len(vals)-1)))
	k := new(big.Int).Div(at.Num(), at.Denom())
	rest := new(big.Rat).Sub(at, new(big.Rat).SetInt(k))
	low := vals[k.Int64()]
	high := low
	if rest.Sign() > 0 {
		high = vals[k.Int64()+1]
	}
	return referenceMiddle(agg, low, high, rest)
}

func discreteHasMiddle(t arrow.DataType) bool {
	return t.ID() != arrow.BOOL && t.ID() != arrow.STRING && t.ID() != arrow.BINARY && t.ID() != arrow.FIXED_SIZE_BINARY
}

// referenceMiddle returns what is rest of the way from low to high.
func referenceMiddle(agg *Aggregate, low, high cell, rest *big.Rat) string {
	x, floats := low.(float64)
	if floats {
		y := high.(float64)
		if d, _ := rest.Float64(); math.IsNaN(x+y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
			if x == y || d == 0 {
				return cellText(x)
			}
			return cellText(x + (y-x)*d)
		}
		v := new(big.Rat).SetFloat64(y)
		v.Sub(v, new(big.Rat).SetFloat64(x)).Mul(v, rest).Add(v, new(big.Rat).SetFloat64(x))
		f, _ := v.Float64()
		epsilon := 0x1p-50
		if agg.Result.ID() == arrow.FLOAT32 {
			epsilon = 0x1p-23
		}
		return fmt.Sprintf("%g~%g", f, epsilon*max(math.Abs(x), math.Abs(y), 0x1p-126))
	}
	a, b := asInt(low), asInt(high)
	v := new(big.Rat).SetInt(new(big.Int).Sub(b, a))
	v.Mul(v, rest).Add(v, new(big.Rat).SetInt(a))
	if agg.Result.ID() == arrow.FLOAT64 {
		f, _ := v.Float64()
		x, _ := new(big.Rat).SetInt(a).Float64()
		y, _ := new(big.Rat).SetInt(b).Float64()
		return fmt.Sprintf("%g~%g", f, 0x1p-50*max(math.Abs(x), math.Abs(y)))
	}
	units := int64(1)
	switch agg.Args[0].ID() {
	case arrow.DATE32:
		units = 86400e6
	case arrow.DATE64:
		units = 1000
	}
	for _, end := range []*big.Int{a, b} {
		if !new(big.Int).Mul(end, big.NewInt(units)).IsInt64() && !isDecimal(agg.Result) {
			return overflows
		}
	}
	v.Mul(v, new(big.Rat).SetInt64(units))
	half := big.NewRat(1, 2)
	if isDecimal(agg.Result) && v.Sign() < 0 { // half away from zero
		v.Neg(v).Add(v, half)
		return new(big.Int).Neg(new(big.Int).Div(v.Num(), v.Denom())).String()
	}
	v.Add(v, half)
	return new(big.Int).Div(v.Num(), v.Denom()).String()
}
