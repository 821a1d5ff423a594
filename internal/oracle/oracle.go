package oracle

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// Call is one aggregate: the name of the function and the column that it takes,
// or -1 for count(*). With Distinct each value counts once; functions whose
// result depends on the order of values do not take it.
type Call struct {
	Func     string
	Arg      int
	Distinct bool
}

// place is a row of a record.
type place struct {
	rec arrow.Record
	row int
}

// Aggregate groups the rows of recs by their columns keys. It returns a line of
// cells for each group, those of its key first, in the order of their text; a
// sum that does not fit its type has the cell "overflow".
func Aggregate(recs []arrow.Record, keys []int, calls []Call) [][]string {
	groups := map[string][]place{}
	if len(keys) == 0 {
		groups[""] = nil
	}
	for _, rec := range recs {
		for row := range int(rec.NumRows()) {
			k := strings.Join(keyCells(place{rec, row}, keys), "\t")
			groups[k] = append(groups[k], place{rec, row})
		}
	}
	var out [][]string
	for _, members := range groups {
		var line []string
		if len(keys) > 0 {
			line = keyCells(members[0], keys)
		}
		for _, c := range calls {
			line = append(line, c.over(members))
		}
		out = append(out, line)
	}
	slices.SortFunc(out, slices.Compare[[]string])
	return out
}

func keyCells(p place, keys []int) []string {
	line := make([]string, len(keys))
	for i, k := range keys {
		line[i] = Cell(p.rec.Column(k), p.row)
	}
	return line
}

// over computes the aggregate of a group.
func (c Call) over(members []place) string {
	if c.Arg < 0 {
		return fmt.Sprint(len(members))
	}
	all := members
	members = slices.Clone(members)
	members = slices.DeleteFunc(members, func(p place) bool { return isNull(p.rec.Column(c.Arg), p.row) })
	if c.Distinct {
		seen := map[string]bool{}
		members = slices.DeleteFunc(members, func(p place) bool {
			again := seen[c.cell(p)]
			seen[c.cell(p)] = true
			return again
		})
	}
	switch {
	case c.Func == "count":
		return fmt.Sprint(len(members))
	case c.Func == "array_agg" && len(all) > 0 && !c.Distinct:
		var elems []string
		for _, p := range all {
			elems = append(elems, c.cell(p))
		}
		return "[" + strings.Join(elems, ", ") + "]"
	case c.Func == "first" && len(all) > 0:
		return c.cell(all[0])
	case c.Func == "last" && len(all) > 0:
		return c.cell(all[len(all)-1])
	case len(members) == 0:
		return "NULL"
	}
	byValue := func(a, b place) int { return compare(c.scalar(a), c.scalar(b)) }
	switch c.Func {
	case "min", "bool_and":
		return c.cell(slices.MinFunc(members, byValue))
	case "max", "bool_or":
		return c.cell(slices.MaxFunc(members, byValue))
	case "any_value":
		return c.cell(members[0])
	case "mode":
		return c.mode(members)
	}
	plain, _ := entry(members[0].rec.Column(c.Arg), members[0].row)
	t := plain.DataType()
	if t.ID() == arrow.FLOAT16 || t.ID() == arrow.FLOAT32 || t.ID() == arrow.FLOAT64 {
		return c.floats(members)
	}
	sum, squares := new(big.Int), new(big.Int)
	for _, m := range members {
		v := c.scalar(m).(*big.Int)
		sum.Add(sum, v)
		squares.Add(squares, new(big.Int).Mul(v, v))
	}
	switch n := big.NewInt(int64(len(members))); {
	case c.Func == "sum" && !fits(sum, t):
		return "overflow"
	case c.Func == "sum":
		return unscaled(sum, scale(t))
	case c.Func == "avg" && (t.ID() == arrow.DECIMAL128 || t.ID() == arrow.DECIMAL256):
		more := min(4, 76-int(t.(arrow.DecimalType).GetPrecision()))
		return unscaled(halfAway(sum.Mul(sum, power(more)), n), scale(t)+more)
	case c.Func == "avg":
		f, _ := new(big.Rat).SetFrac(sum, n).Float64()
		return Float(f)
	}
	unit := power(scale(t))
	return c.moment(new(big.Rat).SetFrac(sum, unit), new(big.Rat).SetFrac(squares, unit.Mul(unit, unit)), len(members))
}

// mode returns the value that comes most often, of several the least.
func (c Call) mode(members []place) string {
	times := map[string]int{}
	for _, m := range members {
		times[c.cell(m)]++
	}
	slices.SortFunc(members, func(a, b place) int { return compare(c.scalar(a), c.scalar(b)) })
	best := members[0]
	for _, m := range members {
		if times[c.cell(m)] > times[c.cell(best)] {
			best = m
		}
	}
	return c.cell(best)
}

// floats computes sum, avg and the variances of floats: exactly, or as IEEE 754
// has it where some are infinite or NaN.
func (c Call) floats(members []place) string {
	sum, squares, rest := new(big.Rat), new(big.Rat), 0.0
	for _, m := range members {
		f := c.scalar(m).(float64)
		v := new(big.Rat).SetFloat64(f)
		if v == nil {
			rest += f
			continue
		}
		sum.Add(sum, v)
		squares.Add(squares, v.Mul(v, v))
	}
	moment := strings.HasPrefix(c.Func, "var") || strings.HasPrefix(c.Func, "stddev")
	switch {
	case rest != 0 && moment && !(len(members) == 1 && strings.HasSuffix(c.Func, "_samp")):
		return "NaN"
	case rest != 0 && !moment:
		return Float(rest)
	case moment:
		return c.moment(sum, squares, len(members))
	case c.Func == "avg":
		sum.Quo(sum, new(big.Rat).SetInt64(int64(len(members))))
	}
	f, _ := sum.Float64()
	return Float(f)
}

// moment returns a variance or its root from the sums of values and squares.
func (c Call) moment(sum, squares *big.Rat, n int) string {
	count := new(big.Rat).SetInt64(int64(n))
	squares.Sub(squares, sum.Quo(sum.Mul(sum, sum), count))
	if strings.HasSuffix(c.Func, "_samp") {
		if n == 1 {
			return "NULL"
		}
		count.SetInt64(int64(n - 1))
	}
	f, _ := squares.Quo(squares, count).Float64()
	if strings.HasPrefix(c.Func, "stddev") {
		f = math.Sqrt(f)
	}
	return Float(f)
}

func (c Call) scalar(p place) any { return scalar(p.rec.Column(c.Arg), p.row) }

func (c Call) cell(p place) string { return Cell(p.rec.Column(c.Arg), p.row) }

// compare orders values as min and max do: NaN last, bytes as they are.
func compare(a, b any) int {
	switch a := a.(type) {
	case *big.Int:
		return a.Cmp(b.(*big.Int))
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	case float64:
		switch b := b.(float64); {
		case math.IsNaN(a) && math.IsNaN(b):
			return 0
		case math.IsNaN(a) || a > b:
			return 1
		case math.IsNaN(b) || a < b:
			return -1
		}
		return 0
	}
	panic("BUG: values of a type that has no order")
}

// fits reports whether a sum fits the type that sums of type t have.
func fits(sum *big.Int, t arrow.DataType) bool {
	switch t.ID() {
	case arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return sum.IsUint64()
	case arrow.DECIMAL128:
		return len(new(big.Int).Abs(sum).String()) <= 38
	case arrow.DECIMAL256:
		return len(new(big.Int).Abs(sum).String()) <= 76
	}
	return sum.IsInt64()
}

// power returns 10^n.
func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// halfAway divides a by b > 0 and rounds, halves away from zero.
func halfAway(a, b *big.Int) *big.Int {
	q := new(big.Int).Abs(a)
	q.Add(q.Lsh(q, 1), b)
	q.Quo(q, new(big.Int).Lsh(b, 1))
	if a.Sign() < 0 {
		q.Neg(q)
	}
	return q
}
