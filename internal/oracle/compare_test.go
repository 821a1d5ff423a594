package oracle_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg/internal/oracle"
)

// drain reads a result to its end.
func drain(r array.RecordReader) (answer, error) {
	var a answer
	for _, f := range r.Schema().Fields() {
		a.names = append(a.names, f.Name)
		a.types = append(a.types, f.Type.String())
	}
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			row := make([]string, rec.NumCols())
			for c, col := range rec.Columns() {
				row[c] = oracle.Cell(col, i)
			}
			a.rows = append(a.rows, row)
		}
	}
	return a, r.Err()
}

// closeEnough is how far variances may be from the exact ones, which are
// rounded only once.
const closeEnough = 1e-12

// differ says where got is not want, whose first keys columns are the key, or
// returns "". Columns that loose names may be off by closeEnough.
func differ(want, got answer, keys int, loose func(name string) bool) string {
	if !slices.Equal(want.names, got.names) {
		return fmt.Sprintf("columns %q, want %q", got.names, want.names)
	}
	if want.types != nil && !slices.Equal(want.types, got.types) {
		return fmt.Sprintf("types %q, want %q", got.types, want.types)
	}
	if want.digest != "" {
		if h := got.hash(); h != want.digest {
			return fmt.Sprintf("%s, want %s", h, want.digest)
		}
		return ""
	}
	if len(want.rows) != len(got.rows) {
		return fmt.Sprintf("%d rows, want %d:\n%s\nwant:\n%s", len(got.rows), len(want.rows), table(got.rows), table(want.rows))
	}
	w, g := sorted(want, got.types, keys), sorted(got, got.types, keys)
	for i := range w {
		for c := range w[i] {
			if !same(w[i][c], g[i][c], c >= keys && loose(got.names[c])) {
				return fmt.Sprintf("%s is %s, want %s in the row %s", got.names[c], g[i][c], w[i][c], strings.Join(w[i], " "))
			}
		}
	}
	return ""
}

// sorted returns the rows in the order of their keys, with floats in one
// spelling.
func sorted(a answer, types []string, keys int) [][]string {
	rows := make([][]string, len(a.rows))
	for i, r := range a.rows {
		rows[i] = slices.Clone(r)
		for c := range min(len(r), len(types)) {
			if inside, list := strings.CutPrefix(types[c], "list<item: "); list && strings.HasPrefix(inside, "float") {
				elems := strings.Split(strings.Trim(r[c], "[]"), ", ")
				for k, e := range elems {
					elems[k] = oneSpelling(e)
				}
				rows[i][c] = "[" + strings.Join(elems, ", ") + "]"
			} else if strings.HasPrefix(types[c], "float") {
				rows[i][c] = oneSpelling(r[c])
			}
		}
	}
	slices.SortFunc(rows, func(a, b []string) int { return slices.Compare(a[:keys], b[:keys]) })
	return rows
}

func oneSpelling(float string) string {
	f, err := strconv.ParseFloat(float, 64)
	if err != nil {
		return float
	}
	return oracle.Float(f)
}

func same(want, got string, loose bool) bool {
	return want == got || loose && near(want, got, closeEnough, 0)
}

// table shows the first rows.
func table(rows [][]string) string {
	var b strings.Builder
	for i, r := range rows {
		if i == 20 {
			return b.String() + "  …"
		}
		b.WriteString("  " + strings.Join(r, "\t") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// near reports whether two numbers are within a part of the larger one, or
// within slack, of each other; words such as NaN must be the same.
func near(a, b string, part, slack float64) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= max(slack, part*max(math.Abs(x), math.Abs(y)))
}
