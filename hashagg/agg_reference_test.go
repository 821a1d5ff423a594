package hashagg

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// A cell is one value of a test column: nil for NULL, *big.Int for integers,
// the unscaled values of decimals, and all that is stored as integers; float64,
// bool, or []byte.
type cell any

// overflows is what reference returns for a result that must be an error.
const overflows = "overflow"

// reference computes an aggregate function over the rows of one group, with the
// arbitrary precision of math/big and nothing in common with the accumulators.
// The result is as cellText writes it.
func reference(name string, t arrow.DataType, m Modifiers, rows []cell) string {
	var vals []cell
	seen := map[string]bool{}
	for _, c := range rows {
		if f, ok := c.(float64); ok && f == 0 && (m.Distinct || strings.HasPrefix(name, "approx")) {
			c = 0.0 // not −0.0
		}
		if c != nil && !(m.Distinct && seen[cellText(c)]) {
			vals = append(vals, c)
			seen[cellText(c)] = true
		}
	}
	switch name {
	case "count":
		return fmt.Sprint(len(vals))
	case "approx_count_distinct":
		return fmt.Sprint(len(seen)) // so few are counted exactly
	case "count_if":
		n := 0
		for _, v := range vals {
			if v == true {
				n++
			}
		}
		return fmt.Sprint(n)
	case "first", "last":
		if len(rows) == 0 {
			return "NULL"
		}
		if name == "first" {
			return cellText(rows[0])
		}
		return cellText(rows[len(rows)-1])
	}
	if len(vals) == 0 {
		return "NULL"
	}
	switch name {
	case "any_value":
		return cellText(vals[0])
	case "min", "max":
		return referenceExtreme(name, vals)
	case "approx_quantile":
		share, _ := m.Constants[0].Float64()
		slices.SortFunc(vals, compareCells)
		return cellText(vals[max(0, int(math.Ceil(share*float64(len(vals))))-1)])
	case "bool_and", "bool_or":
		r := name == "bool_and"
		for _, v := range vals {
			if v.(bool) != r {
				return fmt.Sprint(!r)
			}
		}
		return fmt.Sprint(r)
	case "bit_and", "bit_or", "bit_xor":
		return referenceBits(name, vals)
	case "product", "geomean":
		return referenceProduct(name, t, vals)
	case "sum", "avg":
		if isFloat(t) {
			return referenceFloatSum(name, vals)
		}
		return referenceExactSum(name, t, vals)
	}
	return referenceSpread(name, t, vals)
}

func referenceExtreme(name string, vals []cell) string {
	best := vals[0]
	for _, v := range vals[1:] {
		c := compareCells(v, best)
		if name == "min" && c < 0 || name == "max" && c > 0 {
			best = v
		}
	}
	if f, ok := best.(float64); ok && f == 0 {
		best = 0.0
	}
	return cellText(best)
}

func compareCells(a, b cell) int {
	switch a := a.(type) {
	case *big.Int:
		return a.Cmp(b.(*big.Int))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case bool:
		switch {
		case a == b.(bool):
			return 0
		case a:
			return 1
		}
		return -1
	case float64:
		b := b.(float64)
		switch aNaN, bNaN := math.IsNaN(a), math.IsNaN(b); {
		case aNaN && bNaN:
			return 0
		case aNaN:
			return 1
		case bNaN || a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	panic("no order")
}

func asInt(c cell) *big.Int {
	if b, ok := c.(bool); ok {
		if b {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	return c.(*big.Int)
}

func power10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func referenceExactSum(name string, t arrow.DataType, vals []cell) string {
	sum := new(big.Int)
	for _, v := range vals {
		sum.Add(sum, asInt(v))
	}
	d, decimal := t.(arrow.DecimalType)
	switch {
	case name == "sum" && decimal:
		limit := power10(38)
		if t.ID() == arrow.DECIMAL256 {
			limit = power10(76)
		}
		if new(big.Int).Abs(sum).Cmp(limit) >= 0 {
			return overflows
		}
	case name == "sum" && strings.HasPrefix(t.String(), "uint"):
		if !sum.IsUint64() {
			return overflows
		}
	case name == "sum":
		if !sum.IsInt64() {
			return overflows
		}
	case decimal:
		more := min(4, 76-int(d.GetPrecision()))
		n := big.NewInt(int64(len(vals)))
		num := new(big.Int).Mul(new(big.Int).Abs(sum), power10(more))
		num.Mul(num, big.NewInt(2)).Add(num, n)
		q := num.Div(num, n.Mul(n, big.NewInt(2)))
		if sum.Sign() < 0 {
			q.Neg(q)
		}
		return q.String()
	case t.ID() == arrow.DURATION:
		n := big.NewInt(2 * int64(len(vals)))
		num := new(big.Int).Abs(sum)
		num.Mul(num, big.NewInt(2)).Add(num, big.NewInt(int64(len(vals)))).Div(num, n)
		if sum.Sign() < 0 {
			num.Neg(num)
		}
		return num.String()
	default:
		f, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(len(vals)))).Float64()
		return cellText(f)
	}
	return sum.String()
}

func referenceFloatSum(name string, vals []cell) string {
	sum := new(big.Rat)
	plain := 0.0 // what infinities and NaN make of it
	for _, v := range vals {
		f := v.(float64)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			plain += f
			continue
		}
		sum.Add(sum, new(big.Rat).SetFloat64(f))
	}
	if plain != 0 {
		return cellText(plain)
	}
	if name == "avg" {
		sum.Quo(sum, new(big.Rat).SetInt64(int64(len(vals))))
	}
	f, _ := sum.Float64()
	return cellText(f)
}

// referenceSpread computes the variances and standard deviations.
func referenceSpread(name string, t arrow.DataType, vals []cell) string {
	n := len(vals)
	if strings.HasSuffix(name, "samp") && n < 2 {
		return "NULL"
	}
	rats := make([]*big.Rat, n)
	mean := new(big.Rat)
	tooLarge := false
	for i, v := range vals {
		switch v := v.(type) {
		case *big.Int:
			rats[i] = new(big.Rat).SetFrac(v, power10(int(scaleOf(t))))
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return "NaN"
			}
			tooLarge = tooLarge || math.Abs(v) >= spreadLimit
			rats[i] = new(big.Rat).SetFloat64(v)
		}
		mean.Add(mean, rats[i])
	}
	if tooLarge {
		return overflows
	}
	mean.Quo(mean, new(big.Rat).SetInt64(int64(n)))
	m2 := new(big.Rat)
	for _, r := range rats {
		d := new(big.Rat).Sub(r, mean)
		m2.Add(m2, d.Mul(d, d))
	}
	if strings.HasSuffix(name, "samp") {
		n--
	}
	m2.Quo(m2, new(big.Rat).SetInt64(int64(n)))
	if name == "sem" {
		m2.Quo(m2, new(big.Rat).SetInt64(int64(n)))
	}
	v := new(big.Float).SetPrec(300).SetRat(m2)
	if strings.HasPrefix(name, "stddev") || name == "sem" {
		v.Sqrt(v)
	}
	f, _ := v.Float64()
	return cellText(f)
}

// cellText writes a cell so that equal results have equal texts.
func cellText(c cell) string {
	switch c := c.(type) {
	case nil:
		return "NULL"
	case []byte:
		return fmt.Sprintf("%q", c)
	case []cell:
		text := make([]string, len(c))
		for i, e := range c {
			text[i] = cellText(e)
		}
		return fmt.Sprint(text)
	case float64:
		if math.IsNaN(c) {
			return "NaN"
		}
		return fmt.Sprintf("%g", c)
	}
	return fmt.Sprint(c)
}
