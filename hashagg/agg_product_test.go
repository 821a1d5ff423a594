package hashagg

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

// referenceBits computes bit_and, bit_or and bit_xor.
func referenceBits(name string, vals []cell) string {
	x := new(big.Int).Set(vals[0].(*big.Int))
	for _, v := range vals[1:] {
		switch y := v.(*big.Int); name {
		case "bit_and":
			x.And(x, y)
		case "bit_or":
			x.Or(x, y)
		default:
			x.Xor(x, y)
		}
	}
	return x.String()
}

// referenceProduct computes product and geomean.
func referenceProduct(name string, t arrow.DataType, vals []cell) string {
	p := new(big.Float).SetPrec(300).SetInt64(1)
	plain := 1.0 // what zeroes, infinities and NaN make of it
	special := false
	for _, v := range vals {
		x := numberOfCell(v, t, math.Inf(1))
		switch {
		case x.rat == nil:
			plain, special = plain*x.float, true
			if name == "geomean" && x.float < 0 {
				plain = math.NaN()
			}
		case x.rat.Sign() == 0:
			plain, special = plain*0, true
		default:
			if x.rat.Sign() < 0 {
				if plain = -plain; name == "geomean" {
					plain, special = math.NaN(), true
				}
			}
			p.Mul(p, new(big.Float).SetPrec(300).SetRat(x.rat))
		}
	}
	if special {
		return cellText(plain + 0)
	}
	if name == "geomean" {
		m := new(big.Float)
		e := p.MantExp(m)
		f, _ := m.Float64()
		n := float64(len(vals))
		f = math.Exp2(float64(e)/n) * math.Exp2(math.Log2(f)/n)
		return fmt.Sprintf("%g~%g", f, 1e-13*f)
	}
	f, _ := p.Float64()
	return cellText(f)
}

// TestProductCases has what DuckDB 2.0.1 answers, and PostgreSQL 15 of bits, but
// for products that overflow there on the way.
func TestProductCases(t *testing.T) {
	f1, i1, d1 := []arrow.DataType{float64Type}, []arrow.DataType{int32Type}, []arrow.DataType{decimalType(5, 2)}
	testGolden(t, []goldenCase{
		{"product", Modifiers{}, f1, "1,2,NULL,3,4.5,10", "270"},
		{"product", Modifiers{}, f1, "-1,2", "-2"},
		{"product", Modifiers{}, f1, "0,3,3", "0"},
		{"product", Modifiers{}, f1, "NULL", "NULL"},
		{"product", Modifiers{}, f1, "1e300,1e300,1e-300,1e-300", "1"},
		{"product", Modifiers{}, f1, "5e-324,0.75,4", "1.5e-323"},
		{"product", Modifiers{}, f1, "1e300,1e300", "+Inf"},
		{"product", Modifiers{}, f1, "0,Inf", "NaN"},
		{"product", Modifiers{Distinct: true}, i1, "2,2,7", "14"},
		{"product", Modifiers{}, d1, "150,200", "3"},
		{"geometric_mean", Modifiers{}, f1, "1,2,3,4.5,10", "3.0638870628004056"},
		{"geomean", Modifiers{}, f1, "-2,-3", "NaN"},
		{"geomean", Modifiers{}, f1, "0,3,3,3", "0"},
		{"geomean", Modifiers{}, f1, "1e300,1e300,1e300", "1e+300"},
		{"bit_and", Modifiers{}, i1, "12,10,NULL", "8"},
		{"bit_or", Modifiers{}, i1, "12,10,NULL", "14"},
		{"bit_xor", Modifiers{}, i1, "12,10,NULL", "6"},
		{"bit_xor", Modifiers{Distinct: true}, i1, "12,12,NULL", "12"},
		{"bit_and", Modifiers{}, i1, "NULL", "NULL"},
		{"bit_and", Modifiers{}, i1, "-1,-2147483648", "-2147483648"},
		{"countif", Modifiers{}, []arrow.DataType{arrow.FixedWidthTypes.Boolean}, "true,false,NULL,true", "2"},
		{"count_if", Modifiers{}, []arrow.DataType{arrow.FixedWidthTypes.Boolean}, "NULL", "0"},
	})
}
