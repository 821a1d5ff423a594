package colagg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
)

// columnMark begins the name of a column that is known by its number.
const columnMark = "\x00"

// numbered returns a node for column n that stands where e does.
func numbered(e *sql.Expr, n int) *sql.Expr {
	name := sql.Name{Text: columnMark + strconv.Itoa(n), Quoted: true, Span: e.Span}
	return &sql.Expr{Op: sql.ColumnOp, Column: &sql.Column{Parts: []sql.Name{name}, Span: e.Span}, At: e.At, Span: e.Span}
}

// numberOf returns the number of a column that numbered has made.
func numberOf(c sql.Column) int {
	n, err := strconv.Atoi(strings.TrimPrefix(c.Parts[0].Text, columnMark))
	if err != nil {
		panic("BUG: a column without a number: " + c.String())
	}
	return n
}

// column returns the number of the column that e is, or -1.
func columnOf(e *sql.Expr) int {
	if e.Op != sql.ColumnOp {
		return -1
	}
	return numberOf(*e.Column)
}

// mapped returns a copy of e whose operands are those that f returns.
func mapped(e *sql.Expr, f func(*sql.Expr) (*sql.Expr, error)) (_ *sql.Expr, err error) {
	out := *e
	out.Args = slices.Clone(e.Args)
	for i, a := range out.Args {
		if out.Args[i], err = f(a); err != nil {
			return nil, err
		}
	}
	if e.Call == nil {
		return &out, nil
	}
	call := *e.Call
	out.Call = &call
	call.Order = slices.Clone(call.Order)
	for i, k := range call.Order {
		if call.Order[i].Expr, err = f(k.Expr); err != nil {
			return nil, err
		}
	}
	if call.Filter != nil {
		call.Filter, err = f(call.Filter)
	}
	return &out, err
}

// moved returns a copy of e that stands at s as a whole: what an alias means,
// where it is used.
func moved(e *sql.Expr, s sql.Span) *sql.Expr {
	out, _ := mapped(e, func(a *sql.Expr) (*sql.Expr, error) { return moved(a, s), nil })
	out.Span, out.At = s, s.Start
	return out
}

// any reports whether some node of e is so.
func anyNode(e *sql.Expr, is func(*sql.Expr) bool) bool {
	found := is(e)
	_, _ = mapped(e, func(a *sql.Expr) (*sql.Expr, error) {
		found = found || anyNode(a, is)
		return a, nil
	})
	return found
}

// aggregate reports whether e is the call of an aggregate function.
func aggregate(e *sql.Expr) bool {
	return e.Op == sql.CallOp && slices.Contains(hashagg.Names(), strings.ToLower(e.Call.Func.Text))
}

// identity spells the structure of e: what has the same has the same value.
func identity(e *sql.Expr) string {
	var b strings.Builder
	identify(&b, e)
	return b.String()
}

func identify(b *strings.Builder, e *sql.Expr) {
	fmt.Fprintf(b, "(%d %v %q", e.Op, e.Not, e.Text)
	if e.Op == sql.ColumnOp {
		fmt.Fprintf(b, " %d", numberOf(*e.Column))
	}
	for _, a := range e.Args {
		identify(b, a)
	}
	if c := e.Call; c != nil {
		fmt.Fprintf(b, " %q %v %v", strings.ToLower(c.Func.Text), c.Star, c.Distinct != nil)
		for _, k := range c.Order {
			fmt.Fprintf(b, " by %v", k.Direction)
			identify(b, k.Expr)
		}
		if c.Filter != nil {
			b.WriteString(" if")
			identify(b, c.Filter)
		}
	}
	b.WriteByte(')')
}

// spell is the text of e, with single spaces.
func spell(x expression) string {
	return strings.Join(strings.Fields(x.in.text[x.node.Start:x.node.End]), " ")
}

// ordinal returns the number that e is, if it is written as one; ok is false
// otherwise.
func ordinal(e *sql.Expr) (n int, ok bool) {
	if e.Op != sql.NumberOp || strings.Trim(e.Text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(e.Text)
	if err != nil {
		n = -1
	}
	return n, true
}
