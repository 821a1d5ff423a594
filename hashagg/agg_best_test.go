package hashagg

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// referencePairs computes the functions of two arguments.
func referencePairs(agg *Aggregate, call Modifiers, rows [][]cell) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []cell) bool { return row[0] == nil || row[1] == nil })
	if call.Distinct {
		var once [][]cell
		for _, row := range rows {
			if !slices.ContainsFunc(once, func(o []cell) bool { return compareCells(o[0], row[0]) == 0 && compareCells(o[1], row[1]) == 0 }) {
				once = append(once, row)
			}
		}
		rows = once
	}
	if agg.Name == "count" {
		return fmt.Sprint(len(rows))
	}
	var x, y []cell
	for _, row := range rows {
		x, y = append(x, row[0]), append(y, row[1])
	}
	if agg.Name != "min_by" && agg.Name != "max_by" {
		return referenceLine(agg, rows)
	}
	if len(call.Constants) == 0 {
		call.Constants = []Constant{{NumberConstant, "1"}}
		list := referenceFew(call, x, y, Direction{Desc: agg.Name == "max_by"})
		if list == "NULL" {
			return list
		}
		return list[1 : len(list)-1]
	}
	return referenceFew(call, x, y, Direction{Desc: agg.Name == "max_by"})
}

// referenceFew returns the list of the first values of x by y.
func referenceFew(call Modifiers, x, y []cell, d Direction) string {
	n, _ := call.Constants[0].Int64()
	order := identity(len(x))
	slices.SortStableFunc(order, func(i, j uint32) int { return compareDirected(d, y[i], y[j]) })
	var out []cell
	for _, i := range order[:min(int(n), len(order))] {
		v := x[i]
		if f, ok := v.(float64); ok && f == 0 && &x[0] == &y[0] {
			v = 0.0
		}
		out = append(out, v)
	}
	if out == nil {
		return "NULL"
	}
	return cellText(out)
}

// referenceTally computes the functions of how often values come.
func referenceTally(name string, call Modifiers, vals []cell) string {
	type tallied struct {
		v cell
		n float64
	}
	var all []tallied
	for _, v := range vals {
		if f, ok := v.(float64); ok && f == 0 {
			v = 0.0
		}
		i := slices.IndexFunc(all, func(t tallied) bool { return compareCells(t.v, v) == 0 })
		if i < 0 {
			i = len(all)
			all = append(all, tallied{v, 0})
		}
		all[i].n++
	}
	if name == "entropy" {
		sum := 0.0
		for _, t := range all {
			p := t.n / float64(len(vals))
			sum -= p * math.Log2(p)
		}
		return fmt.Sprintf("%g~1e-12", sum)
	}
	if all == nil {
		return "NULL"
	}
	slices.SortFunc(all, func(a, b tallied) int { return cmp.Or(cmp.Compare(b.n, a.n), compareCells(a.v, b.v)) })
	var out []cell
	n, _ := call.Constants[0].Int64()
	for _, t := range all[:min(int(n), len(all))] {
		out = append(out, t.v)
	}
	return cellText(out)
}

// TestOrderOfRanks compares the order of ranks with that of cells, for each type and
// direction, NULLs among them.
func TestOrderOfRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, typ := range aggregateTypes {
		for _, d := range []Direction{{}, {Desc: true}, {NullsFirst: true}, {Desc: true, NullsFirst: true}} {
			cells := make([]cell, 40)
			for i := range cells {
				if typ.ID() != arrow.NULL && r.IntN(8) > 0 {
					cells[i] = randomCell(r, typ, mood(r.IntN(4)))
				}
			}
			v := makeVector(t, r, typ, cells, form(r.IntN(int(forms))))
			for i := range cells {
				for j := range cells {
					a, b := appendRank(nil, v, i, d, rankFormOf(typ)), appendRank(nil, v, j, d, rankFormOf(typ))
					if got, want := cmp.Compare(string(a), string(b)), compareDirected(d, cells[i], cells[j]); got != want {
						t.Fatalf("%s %+v: %s and %s are ranked %d, not %d", typ, d, cellText(cells[i]), cellText(cells[j]), got, want)
					}
				}
			}
		}
	}
}

// TestThinning holds that the first few are right when rows have been dropped on
// the way, and that they are, where values order themselves and where others do,
// of which there are equal ones.
func TestThinning(t *testing.T) {
	const rows, groups = 3 * firstThinning, 7
	for _, name := range []string{"max", "max_by"} {
		columns := map[string]int{"max": 1, "max_by": 2}[name]
		agg, err := Bind(name, slices.Repeat([]arrow.DataType{int64Type}, columns), Modifiers{Constants: []Constant{{NumberConstant, "2"}}})
		if err != nil {
			t.Fatal(err)
		}
		h := newHarness(t, agg)
		h.grow(groups)
		var best [groups][]int64 // all values by y, then by position
		y := func(v int64) int64 { return v / (2 * groups) }
		for lo := 0; lo < rows; lo += 4096 {
			values, by, tickets := vector.New(int64Type, 4096), vector.New(int64Type, 4096), make([]uint32, 4096)
			for i := range tickets {
				v := int64((lo + i) * 7919 % rows)
				vector.Values[int64](values)[i], vector.Values[int64](by)[i], tickets[i] = v, y(v), uint32(v%groups)
				best[v%groups] = append(best[v%groups], v)
			}
			if err := h.acc.Update(tickets, []*vector.Vector{values, by}[:columns], Ordinals{First: uint64(lo)}); err != nil {
				t.Fatal(err)
			}
		}
		for g, all := range best {
			slices.SortStableFunc(all, func(a, b int64) int {
				if name == "max" {
					return cmp.Compare(b, a)
				}
				return cmp.Compare(y(b), y(a))
			})
			if got, want := h.result(g), fmt.Sprint(all[:2]); got != want {
				t.Errorf("%s of group %d is %s, not %s", name, g, got, want)
			}
		}
		if n := h.acc.(*firstFew).log.n; n > firstThinning+4096 {
			t.Errorf("%s: %d of %d rows are left", name, n, rows)
		}
	}
}

// goldenCase is a call, rows of its arguments and of what it orders by, and what
// another engine makes of them.
type goldenCase struct {
	name  string
	m     Modifiers
	types []arrow.DataType
	rows  string // columns by a space, rows by a comma
	want  string
}

// testGolden computes cases in batches of several sizes, in one accumulator and
// in several.
func testGolden(t *testing.T, cases []goldenCase) {
	t.Helper()
	for _, c := range cases {
		agg, err := Bind(c.name, c.types, c.m)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, parts := range []int{1, 3} {
			hs := make([]*harness, parts)
			for i := range hs {
				hs[i] = newHarness(t, agg)
				hs[i].grow(1)
			}
			for at, row := range strings.FieldsFunc(c.rows, func(r rune) bool { return r == ',' }) {
				var args []*vector.Vector
				for k, text := range strings.Fields(row)[:len(agg.Args)] {
					args = append(args, makeVector(t, nil, c.types[k], []cell{parseCell(t, c.types[k], text)}, flat))
				}
				if err := hs[at%parts].acc.Update([]uint32{0}, args, Ordinals{First: uint64(at)}); err != nil {
					t.Fatal(err)
				}
			}
			for _, h := range hs[1:] {
				hs[0].merge(rand.New(rand.NewPCG(1, 1)), h)
			}
			if got := hs[0].result(0); !sameResult(agg.Name, got, c.want) {
				t.Errorf("%s(%s) %v of %s, %d parts: %s, not %s", c.name, c.types, c.m, c.rows, parts, got, c.want)
			}
		}
	}
}

// parseCell reads a cell; of a decimal the unscaled value.
func parseCell(t *testing.T, typ arrow.DataType, text string) cell {
	t.Helper()
	switch {
	case text == "NULL":
		return nil
	case typ.ID() == arrow.STRING:
		return []byte(text)
	case typ.ID() == arrow.BOOL:
		return text == "true"
	case isFloat(typ):
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	return integerCells(text)[0]
}

// TestBestCases has what DuckDB 2.0.1 answers, and PostgreSQL 15 where there is
// an ORDER BY.
func TestBestCases(t *testing.T) {
	two := []arrow.DataType{int64Type, int64Type}
	n := func(text string) Modifiers { return Modifiers{Constants: []Constant{{NumberConstant, text}}} }
	const pairs = "1 2,NULL 1,5 NULL,7 2,9 4,8 4"
	testGolden(t, []goldenCase{
		{"arg_min", Modifiers{}, two, pairs, "1"},
		{"max_by", Modifiers{}, two, pairs, "9"},
		{"arg_min", n("3"), two, pairs, "[1 7 9]"},
		{"arg_max", n("2"), two, "1 2,NULL 1,5 NULL,7 2,9 3,8 4", "[8 9]"},
		{"arg_max", n("10"), two, "1 3,NULL 1,5 NULL,7 2,9 4,8 5", "[8 9 1 7]"},
		{"arg_max", Modifiers{}, []arrow.DataType{int64Type, float64Type}, "1 NaN,2 3", "1"},
		{"arg_max", Modifiers{}, []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.String}, "x ab,y abc,z abb", `"y"`},
		{"min", n("3"), two[:1], "1,NULL,5,7,9,8", "[1 5 7]"},
		{"max", n("2"), two[:1], "1,NULL,5,7,9,8", "[9 8]"},
		{"max", n("20"), two[:1], "1,NULL,5,7,9,8", "[9 8 7 5 1]"},
		{"max", n("2"), []arrow.DataType{float64Type}, "NaN,1,2", "[NaN 2]"},
		{"min", n("2"), two[:1], "NULL", "NULL"},
		{"max", Modifiers{Distinct: true, Constants: n("2").Constants}, two[:1], "3,3,1,2", "[3 2]"},
		{"approx_top_k", n("2"), two[:1], "1,NULL,5,5,9,9,9", "[9 5]"},
		{"top_k", n("2"), two[:1], "NULL", "NULL"},
		{"entropy", Modifiers{}, two[:1], "0,3,3,3", "0.8112781244591329~1e-15"},
		{"entropy", Modifiers{}, two[:1], "NULL", "0"},
		{"mode", Modifiers{Distinct: true}, two[:1], "7,7,3", "3"},
		// (array_agg(x order by …))[1], and without NULLs for any_value
		{"first", Modifiers{Order: []Direction{{}}}, two, pairs, "NULL"},
		{"first", Modifiers{Order: []Direction{{Desc: true, NullsFirst: true}}}, two, pairs, "5"},
		{"first", Modifiers{Order: []Direction{{Desc: true}}}, two, pairs, "9"},
		{"last", Modifiers{Order: []Direction{{}}}, two, pairs, "5"},
		{"last", Modifiers{Order: []Direction{{NullsFirst: true}}}, two, pairs, "8"},
		{"last", Modifiers{Order: []Direction{{Desc: true, NullsFirst: true}}}, two, pairs, "NULL"},
		{"any_value", Modifiers{Order: []Direction{{}}}, two, pairs, "1"},
	})
}
