package hashagg

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

// referenceNumber is a test value as the references of sums see it.
type referenceNumber struct {
	rat   *big.Rat // nil if it is NaN or infinite
	float float64  // that
	large bool     // too large for the function
}

func numberOfCell(c cell, t arrow.DataType, limit float64) referenceNumber {
	if f, ok := c.(float64); ok {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return referenceNumber{float: f}
		}
		return referenceNumber{rat: new(big.Rat).SetFloat64(f), large: math.Abs(f) >= limit}
	}
	unscaled := new(big.Rat).SetInt(c.(*big.Int))
	f, _ := unscaled.Float64()
	return referenceNumber{rat: unscaled.Quo(unscaled, new(big.Rat).SetInt(power10(int(scaleOf(t))))), large: math.Abs(f) >= limit}
}

// centralSum returns Σ(u−ū)(v−v̄), or what is not finite: NaN if a value is not,
// an infinity if one is too large.
func centralSum(u, v []referenceNumber) (sum *big.Rat, other float64) {
	for i := range u {
		switch {
		case u[i].rat == nil || v[i].rat == nil:
			return nil, math.NaN()
		case u[i].large || v[i].large:
			other = math.Inf(1)
		}
	}
	if other != 0 {
		for i := range u {
			if u[i].rat == nil || v[i].rat == nil {
				return nil, math.NaN()
			}
		}
		return nil, other
	}
	n := new(big.Rat).SetInt64(int64(len(u)))
	sum, su, sv := new(big.Rat), new(big.Rat), new(big.Rat)
	for i := range u {
		sum.Add(sum, new(big.Rat).Mul(u[i].rat, v[i].rat))
		su.Add(su, u[i].rat)
		sv.Add(sv, v[i].rat)
	}
	return sum.Sub(sum, su.Mul(su, sv).Quo(su, n)), 0
}

// averageOf returns the mean, or what is not finite.
func averageOf(u []referenceNumber) (*big.Rat, float64) {
	sum, other := new(big.Rat), 0.0
	for _, x := range u {
		if x.rat == nil {
			other += x.float
			continue
		}
		sum.Add(sum, x.rat)
	}
	return sum.Quo(sum, new(big.Rat).SetInt64(int64(len(u)))), other
}

// referenceNumbers returns the columns of rows.
func referenceNumbers(agg *Aggregate, rows [][]cell) (y, x []referenceNumber) {
	for _, row := range rows {
		y = append(y, numberOfCell(row[0], agg.Args[0], spreadLimit))
		x = append(x, numberOfCell(row[1], agg.Args[1], spreadLimit))
	}
	return y, x
}

// referenceLine computes the functions of a line through points.
func referenceLine(agg *Aggregate, rows [][]cell) string {
	n := len(rows)
	if agg.Name == "regr_count" {
		return fmt.Sprint(n)
	}
	if n == 0 || agg.Name == "covar_samp" && n == 1 {
		return "NULL"
	}
	y, x := referenceNumbers(agg, rows)
	yy, yyOther := centralSum(y, y)
	xx, xxOther := centralSum(x, x)
	yx, yxOther := centralSum(y, x)
	flatX, flatY := xx != nil && xx.Sign() == 0, yy != nil && yy.Sign() == 0
	count := new(big.Rat).SetInt64(int64(n))
	scale := 0.0 // of what cancels, for the tolerance
	if yy != nil && xx != nil {
		a, _ := yy.Float64()
		b, _ := xx.Float64()
		scale = math.Sqrt(a) * math.Sqrt(b)
	}
	result := func(r *big.Rat, tolerance float64, others ...float64) string {
		all := 0.0
		for _, o := range others {
			all += o
		}
		switch {
		case math.IsNaN(all):
			return "NaN"
		case all != 0:
			return overflows
		}
		f, _ := r.Float64()
		return fmt.Sprintf("%g~%g", f, tolerance+0x1p-48*math.Abs(f))
	}
	switch agg.Name {
	case "regr_syy":
		return result(yy, 0, yyOther)
	case "regr_sxx":
		return result(xx, 0, xxOther)
	case "regr_sxy":
		return result(yx, 1e-14*scale, yxOther)
	case "covar_pop":
		return result(quo(yx, count), 1e-14*scale, yxOther)
	case "covar_samp":
		return result(quo(yx, new(big.Rat).SetInt64(int64(n-1))), 1e-14*scale, yxOther)
	case "regr_avgy", "regr_avgx":
		return referenceMean(map[string][]referenceNumber{"regr_avgy": y, "regr_avgx": x}[agg.Name])
	}
	switch {
	case flatX, agg.Name == "corr" && flatY:
		return "NULL"
	case agg.Name == "regr_r2" && flatY:
		return "1"
	case agg.Name == "regr_slope":
		return result(quo(yx, xx), 1e-13*scale, yxOther, xxOther)
	case agg.Name == "regr_intercept":
		return referenceIntercept(y, x, quo(yx, xx), result, yxOther, xxOther)
	case yyOther != 0 || xxOther != 0 || yxOther != 0:
		return result(nil, 0, yyOther, xxOther, yxOther)
	}
	r2 := quo(new(big.Rat).Mul(yx, yx), new(big.Rat).Mul(yy, xx))
	if agg.Name == "regr_r2" {
		return result(r2, 1e-13)
	}
	f, _ := r2.Float64()
	f = math.Sqrt(f) * float64(yx.Sign())
	return fmt.Sprintf("%g~%g", f, 1e-13)
}

// quo returns a / b, or nil if one is.
func quo(a, b *big.Rat) *big.Rat {
	if a == nil || b == nil || b.Sign() == 0 {
		return nil
	}
	return new(big.Rat).Quo(a, b)
}

func referenceMean(u []referenceNumber) string {
	mean, other := averageOf(u)
	most := 0.0
	if _, squares := centralSum(u, u); math.IsInf(squares, 0) {
		return overflows
	}
	for _, v := range u {
		if v.rat != nil {
			f, _ := v.rat.Float64()
			most = max(most, math.Abs(f))
		}
	}
	if other != 0 {
		return cellText(other)
	}
	f, _ := mean.Float64()
	return fmt.Sprintf("%g~%g", f, most*1e-15)
}

func referenceIntercept(y, x []referenceNumber, slope *big.Rat, result func(*big.Rat, float64, ...float64) string, others ...float64) string {
	if slope == nil {
		return result(nil, 0, others...)
	}
	my, _ := averageOf(y)
	mx, _ := averageOf(x)
	part := new(big.Rat).Mul(slope, mx)
	a, _ := my.Float64()
	b, _ := part.Float64()
	return result(my.Sub(my, part), 1e-13*(math.Abs(a)+math.Abs(b)))
}

// referenceMoments computes skewness and kurtosis.
func referenceMoments(agg *Aggregate, vals []cell) string {
	n := len(vals)
	if n == 0 {
		return "NULL"
	}
	var x []referenceNumber
	large, none := false, false
	for _, v := range vals {
		x = append(x, numberOfCell(v, agg.Args[0], momentLimit))
		large, none = large || x[len(x)-1].large, none || x[len(x)-1].rat == nil
	}
	few := n <= map[string]int{"skewness": 2, "kurtosis": 3}[agg.Name]
	switch {
	case few:
		return "NULL"
	case none:
		return "NaN"
	case large:
		return overflows
	}
	mean, _ := averageOf(x)
	var m [5]big.Float
	for _, v := range x {
		d := new(big.Float).SetPrec(600).SetRat(new(big.Rat).Sub(v.rat, mean))
		p := new(big.Float).SetPrec(600).SetInt64(1)
		for k := range m {
			m[k].SetPrec(600).Add(&m[k], p)
			p.Mul(p, d)
		}
	}
	if m[2].Sign() == 0 {
		return "NULL"
	}
	count := float64(n)
	square := new(big.Float).SetPrec(600).Mul(&m[2], &m[2])
	if agg.Name == "skewness" {
		root := new(big.Float).SetPrec(600).Sqrt(square.Mul(square, &m[2]))
		f, _ := new(big.Float).Quo(&m[3], root).Float64()
		f *= math.Sqrt(count)
		f *= math.Sqrt(count*(count-1)) / (count - 2)
		return fmt.Sprintf("%g~%g", f, 1e-12*count)
	}
	f, _ := new(big.Float).Quo(&m[4], square).Float64()
	f *= count
	if agg.Name == "kurtosis" {
		f = (count - 1) / ((count - 2) * (count - 3)) * ((count+1)*f - 3*(count-1))
	} else {
		f -= 3
	}
	return fmt.Sprintf("%g~%g", f, 1e-12*count)
}

// TestLineCases has what PostgreSQL 15 answers, and DuckDB 2.0.1 where the
// function is its own.
func TestLineCases(t *testing.T) {
	f2 := []arrow.DataType{float64Type, float64Type}
	i2 := []arrow.DataType{int64Type, uint32Type}
	d2 := []arrow.DataType{decimalType(30, 2), decimalType(5, 1)}
	const points = "1 2,2 3,3 7,4.5 1,NULL 5,3 NULL"
	var cases []goldenCase
	for name, want := range map[string][6]string{ // points, one, level, upright, none, far
		"corr":           {"-0.05305655766256433", "NULL", "NULL", "NULL", "NULL", "1"},
		"covar_samp":     {"-0.20833333333333334", "NULL", "0", "0", "NULL", "1"},
		"covar_pop":      {"-0.15625", "0", "0", "0", "NULL", "0.6666666666666666"},
		"regr_slope":     {"-0.030120481927710843", "NULL", "0", "NULL", "NULL", "1"},
		"regr_intercept": {"2.7228915662650603", "NULL", "1", "NULL", "NULL", "-1000000000"},
		"regr_r2":        {"0.0028149983110010135", "NULL", "1", "NULL", "NULL", "1"},
		"regr_count":     {"4", "1", "2", "2", "0", "3"},
		"regr_avgx":      {"3.25", "2", "3.5", "2", "NULL", "2000000001"},
		"regr_avgy":      {"2.625", "1", "1", "2.5", "NULL", "1000000001"},
		"regr_sxx":       {"20.75", "0", "4.5", "0", "NULL", "2"},
		"regr_syy":       {"6.6875", "0", "0", "4.5", "NULL", "2"},
		"regr_sxy":       {"-0.625", "0", "0", "0", "NULL", "2"},
	} {
		for i, rows := range []string{points, "1 2", "1 2,1 5", "1 2,4 2", "NULL 1", "1000000000 2000000000,1000000001 2000000001,1000000002 2000000002"} {
			cases = append(cases, goldenCase{name, Modifiers{}, f2, rows, want[i]})
			if !strings.Contains(rows, ".") {
				cases = append(cases, goldenCase{name, Modifiers{}, i2, rows, want[i]})
			}
		}
	}
	cases = append(cases,
		goldenCase{"regr_slope", Modifiers{}, d2, "100 10,250 20,450 30", "1.75"},
		goldenCase{"regr_intercept", Modifiers{}, d2, "100 10,250 20,450 30", "-0.8333333333333334"},
		goldenCase{"regr_sxy", Modifiers{}, d2, "100 10,250 20,450 30", "3.5"},
		goldenCase{"regr_avgy", Modifiers{}, d2, "100 10,250 20,450 30", "2.6666666666666665"},
		goldenCase{"corr", Modifiers{}, d2, "100 10,250 20,450 30", "0.996615895540124"},
		goldenCase{"corr", Modifiers{}, f2, "1 1,2 Inf,3 5", "NaN"},
		goldenCase{"regr_slope", Modifiers{}, f2, "1 1,2 Inf,3 5", "NaN"},
		goldenCase{"regr_intercept", Modifiers{}, f2, "1 1,2 Inf,3 5", "NaN"},
		goldenCase{"regr_syy", Modifiers{}, f2, "1 1,2 Inf,3 5", "2"},
		goldenCase{"corr", Modifiers{}, f2, "1 1,2 1e200", overflows},
		goldenCase{"regr_avgx", Modifiers{}, f2, "1 1,2 Inf,3 5", "+Inf"},
		goldenCase{"regr_sxx", Modifiers{}, f2, "NaN 1,1e300 3", "2"},
	)
	testGolden(t, cases)
	const few, rest = "1,2,3,4.5,10", "NULL,1,2,7"
	f1 := f2[:1]
	testGolden(t, []goldenCase{
		{"skewness", Modifiers{}, f1, few, "1.5469098695372896"},
		{"skewness", Modifiers{}, f1, rest, "1.5453925256950207"},
		{"skewness", Modifiers{}, f1, "1,2", "NULL"},
		{"skewness", Modifiers{}, f1, "3,3,3,3", "NULL"},
		{"kurtosis", Modifiers{}, f1, few, "2.515912445834193"},
		{"kurtosis", Modifiers{}, f1, rest, "NULL"},
		{"kurtosis_pop", Modifiers{}, f1, few, "-0.3710218885414518"},
		{"kurtosis_pop", Modifiers{}, f1, rest, "-1.5"},
		{"kurtosis_pop", Modifiers{}, f1, "1", "NULL"},
		{"sem", Modifiers{}, f1, few, "1.417039166713468"},
		{"sem", Modifiers{}, f1, "1", "0"},
		{"skewness", Modifiers{}, []arrow.DataType{decimalType(40-5, 1)}, "10,20,30,45,100", "1.5469098695372896"},
		{"skewness", Modifiers{Distinct: true}, f1, "1,2,2,3,4.5,10,10", "1.5469098695372896"},
		{"kurtosis", Modifiers{}, f1, "1,2,3,1e80", overflows},
		{"kurtosis", Modifiers{}, f1, "1,2,3,Inf", "NaN"},
	})
}
