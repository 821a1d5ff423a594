package main

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

// datum is a value in a form that both engines' types have in common: exact
// numbers without trailing zeros, floats as float64, dates as their midnight,
// intervals and durations by their length.
type datum struct {
	text  string
	float bool
	value float64 // of numbers
}

// response is a result or an error.
type response struct {
	rows [][]datum
	err  error
}

const null = "NULL"

// exactNumber is v / 10^scale.
func exactNumber(v *big.Int, scale int) datum {
	r := new(big.Rat).SetFrac(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	text := r.FloatString(scale)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		text = "0"
	}
	f, _ := r.Float64()
	return datum{text: text, value: f}
}

func floatCell(f float64) datum {
	return datum{text: strconv.FormatFloat(f+0, 'g', -1, 64), float: true, value: f + 0}
}

func textCell(s string) datum { return datum{text: strconv.Quote(s)} }
func blobCell(b []byte) datum { return datum{text: fmt.Sprintf("x'%x'", b)} }
func momentCell(t time.Time) datum {
	return datum{text: t.UTC().Format("2006-01-02 15:04:05.999999999")}
}
func clockCell(d time.Duration) datum   { return datum{text: "clock " + d.String()} }
func spanCell(microseconds int64) datum { return datum{text: fmt.Sprintf("span %d µs", microseconds)} }

// listCell spells a list.
func listCell(cells []datum) datum {
	var texts []string
	for _, c := range cells {
		texts = append(texts, c.text)
	}
	return datum{text: "[" + strings.Join(texts, ", ") + "]"}
}

// fromDuck converts a value of DuckDB's driver.
func fromDuck(v any, typ string) datum {
	switch v := v.(type) {
	case nil:
		return datum{text: null}
	case bool:
		return datum{text: strconv.FormatBool(v)}
	case float32:
		return floatCell(float64(v))
	case float64:
		return floatCell(v)
	case string:
		return textCell(v)
	case []byte:
		return blobCell(v)
	case *big.Int:
		return exactNumber(v, 0)
	case duckdb.Decimal:
		return exactNumber(v.Value, int(v.Scale))
	case duckdb.Interval:
		return spanCell((int64(v.Months)*30+int64(v.Days))*86400e6 + v.Micros)
	case time.Time:
		if strings.TrimSuffix(typ, "[]") == "TIME" {
			return clockCell(time.Duration(v.Hour())*time.Hour + time.Duration(v.Minute())*time.Minute + time.Duration(v.Second())*time.Second + time.Duration(v.Nanosecond()))
		}
		return momentCell(v)
	case []any:
		var cells []datum
		for _, e := range v {
			cells = append(cells, fromDuck(e, typ))
		}
		return listCell(cells)
	}
	n, _ := new(big.Int).SetString(fmt.Sprint(v), 10) // the integers
	if n == nil {
		return datum{text: fmt.Sprintf("%T %v", v, v)}
	}
	return exactNumber(n, 0)
}

// fromArrow converts value i of a.
func fromArrow(a arrow.Array, i int) datum {
	if a.IsNull(i) {
		return datum{text: null}
	}
	switch a := a.(type) {
	case *array.Boolean:
		return datum{text: strconv.FormatBool(a.Value(i))}
	case *array.Float32:
		return floatCell(float64(a.Value(i)))
	case *array.Float64:
		return floatCell(a.Value(i))
	case *array.String:
		return textCell(a.Value(i))
	case *array.Binary:
		return blobCell(a.Value(i))
	case *array.Decimal128:
		return exactNumber(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal128Type).Scale))
	case *array.Decimal256:
		return exactNumber(a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal256Type).Scale))
	case *array.Date32:
		return momentCell(time.Unix(int64(a.Value(i))*86400, 0))
	case *array.Timestamp:
		return momentCell(a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit))
	case *array.Time64:
		return clockCell(time.Duration(a.Value(i)) * a.DataType().(*arrow.Time64Type).Unit.Multiplier())
	case *array.Time32:
		return clockCell(time.Duration(a.Value(i)) * a.DataType().(*arrow.Time32Type).Unit.Multiplier())
	case *array.Duration:
		return spanCell(int64(big.NewInt(0).Div(big.NewInt(0).Mul(big.NewInt(int64(a.Value(i))), big.NewInt(int64(a.DataType().(*arrow.DurationType).Unit.Multiplier()))), big.NewInt(1000)).Int64()))
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		return spanCell((int64(v.Months)*30+int64(v.Days))*86400e6 + v.Nanoseconds/1000)
	case *array.List:
		lo, hi := a.ValueOffsets(i)
		var cells []datum
		for j := lo; j < hi; j++ {
			cells = append(cells, fromArrow(a.ListValues(), int(j)))
		}
		return listCell(cells)
	}
	return fromDuck(a.GetOneForMarshal(i), "") // the integers
}

// near reports whether two values are the same, or nearly where one is a float
// that may be: engines round and add in different ways.
func near(a, b datum, inexact bool) bool {
	if a.text == b.text {
		return true
	}
	if !a.float && !b.float || !inexact && a.float && b.float {
		return false
	}
	if a.text == null || b.text == null || math.IsNaN(a.value) || math.IsNaN(b.value) || math.IsInf(a.value, 0) || math.IsInf(b.value, 0) {
		return false
	}
	return math.Abs(a.value-b.value) <= 1e-6*max(1, math.Abs(a.value), math.Abs(b.value))
}

// sorted orders rows for a comparison as multisets: by what must be equal first.
func sorted(rows [][]datum, inexact []bool) [][]datum {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b []datum) int {
		for pass := range 2 {
			for i := range a {
				if i < len(inexact) && inexact[i] != (pass == 1) || a[i].text == b[i].text {
					continue
				}
				if pass == 0 {
					return strings.Compare(a[i].text, b[i].text)
				}
				if near(a[i], b[i], true) {
					continue // what tells the rows apart is in another column
				}
				if c := cmp.Compare(a[i].value, b[i].value); c != 0 {
					return c
				}
				return strings.Compare(a[i].text, b[i].text)
			}
		}
		return 0
	})
	return rows
}

// differs says where two answers differ, "" if nowhere. inexact says of columns
// whether they may have floats that are rounded differently.
func differs(want, got response, inexact []bool, ordered bool) string {
	w, g := want.rows, got.rows
	if !ordered {
		w, g = sorted(w, inexact), sorted(g, inexact)
	}
	for n := range min(len(w), len(g)) {
		if len(w[n]) != len(g[n]) {
			return fmt.Sprintf("%d columns, not %d", len(g[n]), len(w[n]))
		}
		for i := range w[n] {
			if !near(w[n][i], g[n][i], inexact[i]) {
				return fmt.Sprintf("row %d, column %d: DuckDB %s, colagg %s", n+1, i+1, w[n][i].text, g[n][i].text)
			}
		}
	}
	if len(w) != len(g) {
		return fmt.Sprintf("DuckDB %d rows, colagg %d", len(w), len(g))
	}
	return ""
}
