package expr

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/vector"
)

// sentence makes random conditions that have types and divide by no zero.
type sentence struct{ rng *rand.Rand }

func (s sentence) of(list ...string) string { return list[s.rng.IntN(len(list))] }

func (s sentence) condition(depth int) string {
	if depth == 0 {
		return s.of("b", "c", "TRUE", "FALSE", "NULL", "b", "c")
	}
	sub := func() string { return "(" + s.condition(depth-1) + ")" }
	not := s.of("", "NOT ")
	relation := s.of("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
	switch s.rng.IntN(11) {
	case 0:
		return sub() + " AND " + sub() + s.of("", " AND "+sub())
	case 1:
		return sub() + " OR " + sub() + s.of("", " OR "+sub())
	case 2:
		return "NOT " + sub()
	case 3:
		return sub() + " IS " + not + s.of("NULL", "TRUE", "FALSE", "UNKNOWN")
	case 4:
		return sub() + " " + relation + " " + sub()
	case 5:
		return s.of("s", "t") + " " + not + s.of("LIKE", "ILIKE") + " " + s.of("'a%'", "'%b'", "'_'", "'%'", "''", "'a'", "'%a%'", "'gr_ße'", "'_b%'", "NULL")
	}
	value := s.number
	switch s.rng.IntN(5) {
	case 0:
		value = func(int) string { return s.of("s", "t", "y", "'a'", "'ab'", "''", "NULL") }
	case 1:
		value = func(int) string {
			return s.of("day", "day", "sec", "us", "day64", "DATE '1970-01-02'", "TIMESTAMP '2024-02-29 00:00:00.000001'", "TIMESTAMP '1970-01-01 00:00:01'", "NULL")
		}
	}
	v := func() string { return value(depth - 1) }
	switch s.rng.IntN(4) {
	case 0:
		return v() + " IS " + not + "NULL"
	case 1:
		list := []string{v()}
		for range s.rng.IntN(12) {
			list = append(list, v())
		}
		return v() + " " + not + "IN (" + strings.Join(list, ", ") + ")"
	case 2:
		return v() + " " + not + "BETWEEN " + v() + " AND " + v()
	}
	return v() + " " + relation + " " + v()
}

func (s sentence) number(depth int) string {
	if depth <= 0 || s.rng.IntN(3) > 0 {
		return s.of("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "d2", "d6", "n",
			"0", "1", "2", "1.5", "0.1", "300", "0.1e0", "NULL", "99999999999")
	}
	whole := func() string { return s.of("i8", "i16", "i32", "u8", "u16", "3", "(i8 + 1)", "(i16 * i8)") }
	switch s.rng.IntN(5) {
	case 0:
		return "(" + whole() + s.of(" / ", " % ") + s.of("2", "-3", "7") + ")"
	case 1:
		return "(f64 " + s.of("+", "-", "*", "/", "%") + " 3)"
	case 2:
		return "(-" + s.number(0) + ")"
	}
	return "(" + s.number(0) + s.of(" + ", " - ", " * ") + s.number(0) + ")"
}

// TestRandomConditions compares random conditions over batches of every form of
// vector with the reference, one row after the other.
func TestRandomConditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	conditions, nonempty := 3000, 0
	if testing.Short() {
		conditions = 300
	}
	for range conditions {
		text := sentence{rng}.condition(1 + rng.IntN(4))
		e, err := sql.ParseExpr(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		c, err := Bind(text, e, scopeOf(testColumns))
		if err != nil && strings.Contains(err.Error(), "the value does not fit int64") {
			continue // a product of two large constants
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		ev := c.evaluator()
		for range 4 {
			nonempty += checkBatch(t, rng, text, e, ev)
		}
	}
	if nonempty < conditions/2 {
		t.Errorf("only %d batches had rows", nonempty)
	}
}

func checkBatch(t *testing.T, rng *rand.Rand, text string, e *sql.Expr, ev *evaluator) (nonempty int) {
	t.Helper()
	n := []int{1, 3, 40, 100}[rng.IntN(4)]
	b := &vector.Batch{Len: n}
	columns := make([][]any, len(testColumns))
	for i, c := range testColumns {
		var v *vector.Vector
		v, columns[i] = randomVector(rng, c, n)
		b.Cols = append(b.Cols, v)
	}
	if rng.IntN(2) == 0 {
		b.Sel = []uint32{}
		for i := range n {
			if rng.IntN(2) == 0 {
				b.Sel = append(b.Sel, uint32(i))
			}
		}
	}
	got, err := ev.rows(b)
	var over *Error
	if errors.As(err, &over) && !over.Zero && strings.Contains(over.Expr, " * ") {
		return 0 // of two large numbers
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	want := []uint32{}
	for i := range uint32(n) {
		row := map[string]any{}
		for k, c := range testColumns {
			row[c.name] = columns[k][i]
		}
		if (b.Sel == nil || slices.Contains(b.Sel, i)) && (reference{row}).eval(e) == true {
			want = append(want, i)
		}
	}
	if !slices.Equal(got, want) {
		var forms []string
		for k, v := range b.Cols {
			if strings.Contains(text, testColumns[k].name) {
				forms = append(forms, fmt.Sprintf("%s %s %v", testColumns[k].name, v, columns[k]))
			}
		}
		t.Fatalf("%s: rows %v, want %v of %v\n%s", text, got, want, b.Sel, strings.Join(forms, "\n"))
	}
	return min(1, len(got))
}
