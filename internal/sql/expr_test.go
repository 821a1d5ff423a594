package sql

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

var opNames = map[Op]string{AndOp: "and", OrOp: "or", NotOp: "not", EqualOp: "=", NotEqualOp: "<>", LessOp: "<", LessEqualOp: "<=", GreaterOp: ">",
	GreaterEqualOp: ">=", IsNullOp: "is-null", IsTrueOp: "is-true", IsFalseOp: "is-false", DistinctOp: "distinct", InOp: "in", BetweenOp: "between",
	LikeOp: "like", ILikeOp: "ilike", AddOp: "+", SubOp: "-", MulOp: "*", DivOp: "/", ModOp: "%", NegOp: "neg"}

// showExpr spells a tree with all parentheses.
func showExpr(e *Expr) string {
	switch e.Op {
	case ColumnOp:
		return e.Column.String()
	case NumberOp:
		return e.Text
	case StringOp:
		return "'" + e.Text + "'"
	case DateOp:
		return "date'" + e.Text + "'"
	case TimestampOp:
		return "timestamp'" + e.Text + "'"
	case TrueOp, FalseOp, NullOp:
		return map[Op]string{TrueOp: "TRUE", FalseOp: "FALSE", NullOp: "NULL"}[e.Op]
	}
	parts := []string{opNames[e.Op]}
	if e.Op == ParamOp {
		return "$" + e.Text
	}
	if e.Op == CallOp {
		return showCall(e)
	}
	if e.Not {
		parts[0] = "not-" + parts[0]
	}
	for _, a := range e.Args {
		parts = append(parts, showExpr(a))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func showCall(e *Expr) string {
	parts := []string{e.Call.Func.Text}
	if e.Call.Star {
		parts = append(parts, "*")
	}
	if e.Call.Distinct != nil {
		parts = append(parts, "distinct:")
	}
	for _, a := range e.Args {
		parts = append(parts, showExpr(a))
	}
	for _, k := range e.Call.Order {
		parts = append(parts, "order: "+showKey(k))
	}
	if e.Call.Filter != nil {
		parts = append(parts, "filter: "+showExpr(e.Call.Filter))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func TestParseExpr(t *testing.T) {
	for src, want := range map[string]string{
		`a = 1 or b = 2 and not c = 3`:             `(or (= a 1) (and (= b 2) (not (= c 3))))`,
		`a or b or c and d and e`:                  `(or a b (and c d e))`,
		`a + b * c - d`:                            `(- (+ a (* b c)) d)`,
		`a - b - c / d % e`:                        `(- (- a b) (% (/ c d) e))`,
		`(a - (b - c)) * -d`:                       `(* (- a (- b c)) (neg d))`,
		`a=-1`:                                     `(= a (neg 1))`,
		`a<-1 and b>-.5e3 and c>=-2`:               `(and (< a (neg 1)) (> b (neg .5e3)) (>= c (neg 2)))`,
		`a*-b/-c--d`:                               ``,
		`a - -b`:                                   `(- a (neg b))`,
		`+a != - + b`:                              `(<> a (neg b))`,
		`not not a`:                                `(not (not a))`,
		`not a is null`:                            `(not (is-null a))`,
		`a = b is null`:                            `(is-null (= a b))`,
		`a is not null is true`:                    `(is-true (not-is-null a))`,
		`a IS NOT FALSE and b IS UNKNOWN`:          `(and (not-is-false a) (is-null b))`,
		`a isnull or b notnull`:                    `(or (is-null a) (not-is-null b))`,
		`a is distinct from b + 1`:                 `(distinct a (+ b 1))`,
		`a is not distinct from null and x`:        `(and (not-distinct a NULL) x)`,
		`a in (1, -2, b) and x`:                    `(and (in a 1 (neg 2) b) x)`,
		`a + 1 not in ('x', null)`:                 `(not-in (+ a 1) 'x' NULL)`,
		`a between 1 and 2 and b`:                  `(and (between a 1 2) b)`,
		`a not between b + 1 and c * 2 or d`:       `(or (not-between a (+ b 1) (* c 2)) d)`,
		`a like 'x%' and b not ilike 'it''s'`:      `(and (like a 'x%') (not-ilike b 'it's'))`,
		`a between 1 and 2 = true`:                 `(= (between a 1 2) TRUE)`,
		`date = date '2024-01-01'`:                 `(= date date'2024-01-01')`,
		`timestamp > timestamp '2024-01-01 00:00'`: `(> timestamp timestamp'2024-01-01 00:00')`,
		`"and" = s."or".x and true.x`:              `(and (= "and" s."or".x) true.x)`,
		`TRUE and False or nuLL`:                   `(or (and TRUE FALSE) NULL)`,
		`((((a))))`:                                `a`,
		`date and order_by`:                        `(and date order_by)`,
	} {
		e, err := ParseExpr(src)
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", src)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := showExpr(e); got != want {
			t.Errorf("%s:\n got %s\nwant %s", src, got, want)
		}
	}
}

func TestExprSpans(t *testing.T) {
	src := `  a + (b * 2) > c  and x in (1, 2)`
	e, err := ParseExpr(src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(*Expr)
	walk = func(e *Expr) {
		got = append(got, src[e.Start:e.End]+"@"+src[e.At:e.At+1])
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	want := "a + (b * 2) > c  and x in (1, 2)@a|a + (b * 2) > c@>|a + (b * 2)@+|a@a|(b * 2)@*|b@b|2@2|c@c|x in (1, 2)@i|x@x|1@1|2@2"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

// The caret of each case stands under the position of the error.
func TestExprErrors(t *testing.T) {
	for _, c := range []struct{ src, caret, message, hint string }{
		{``, `^`, `expected a column or a value, found the end`, ``},
		{`a >`, `   ^`, `expected a column or a value, found the end`, ``},
		{`a b`, `  ^`, `expected an operator or the end, found "b"`, `double quotes`},
		{`a = 1 = 2`, `      ^`, `comparisons cannot be chained`, `a < b AND b < c`},
		{`1 < a < 2`, `      ^`, `comparisons cannot be chained`, `a < b AND b < c`},
		{`a == 1`, `  ^`, `there is no operator ==`, `= compares`},
		{`a || b = 'x'`, `  ^`, `the operator || is not supported yet`, ``},
		{`a::int = 1`, ` ^`, `the operator :: is not supported yet`, ``},
		{`a ~ 'x'`, `  ^`, `the operator ~ is not supported yet`, ``},
		{`a !~ 'x'`, `  ^`, `the operator !~ is not supported yet`, ``},
		{`a = 1 -- x`, `      ^`, `comments are not supported`, ``},
		{`a --1`, `  ^`, `comments are not supported`, ``},
		{`--a`, `^`, `comments are not supported`, `a space between`},
		{`a /* x */ = 1`, `  ^`, `comments are not supported`, ``},
		{`case when a then 1 end = 1`, `^`, `CASE is not supported yet`, ``},
		{`cast(a as int) = 1`, `^`, `CAST is not supported yet`, ``},
		{`exists (select 1)`, `^`, `EXISTS is not supported yet`, ``},
		{`a in (select b from c)`, `      ^`, `sub-selects are not supported yet`, ``},
		{`(select 1) = 1`, ` ^`, `sub-selects are not supported yet`, ``},
		{`a > interval 3`, `              ^`, `expected a unit of time, as in INTERVAL 3 DAY`, ``},
		{`a like 'x' escape '!'`, `           ^`, `ESCAPE is not supported`, `backslash`},
		{`a similar to 'x'`, `  ^`, `SIMILAR is not supported`, ``},
		{`a at time 'UTC' > b`, `          ^`, `expected ZONE after AT TIME`, ``},
		{`a is 5`, `     ^`, `expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS, found "5"`, ``},
		{`a in 5`, `     ^`, `expected a list in parentheses after IN, found "5"`, ``},
		{`a in ()`, `      ^`, `expected a column or a value, found ")"`, ``},
		{`a in (1`, `       ^`, `expected a comma or a closing parenthesis, found the end`, ``},
		{`a between 1 or 2`, `            ^`, `expected AND between the bounds of BETWEEN, found "or"`, ``},
		{`a between symmetric 1 and 2`, `          ^`, `BETWEEN SYMMETRIC is not supported`, ``},
		{`(a = 1`, `      ^`, `expected an operator or a closing parenthesis, found the end`, ``},
		{`a = 1)`, `     ^`, `expected an operator or the end, found ")"`, ``},
		{`and = 1`, `^`, `expected a column or a value, found "and"`, `"and"`},
		{`a = or`, `    ^`, `expected a column or a value, found "or"`, `"or"`},
		{`a = 1x`, `    ^`, `"1x" is no number`, `double quotes`},
		{`a = 'x`, `    ^`, `the quote ' is not closed`, ``},
		{"a = `b`", "    ^", "expected a column or a value, found \"`\"", `double quotes`},
		{`a = 1; drop`, `     ^`, `expected an operator or the end, found ";"`, ``},
		{`a, b`, ` ^`, `expected an operator or the end, found ","`, ``},
		{`a = 'x' 'y'`, `        ^`, `expected an operator or the end, found a string`, `a value`},
		{strings.Repeat("(", 200) + "a", strings.Repeat(" ", 101) + "^", `nested more than 100 deep`, ``},
		{strings.Repeat("not ", 200) + "a", strings.Repeat(" ", 400) + "^", `nested more than 100 deep`, ``},
		{"a" + strings.Repeat(" + a", 3000), strings.Repeat(" ", 8002) + "^", `more than 2000 operators`, `IN`},
		{"a" + strings.Repeat(" or a", 3000), strings.Repeat(" ", 10000) + "^", `more than 2000 operators`, `IN`},
	} {
		_, err := ParseExpr(c.src)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.40s: no *Error: %v", c.src, err)
			continue
		}
		if want := strings.Index(c.caret, "^"); e.Offset != want {
			t.Errorf("%.40s: offset %d, want %d (%s)", c.src, e.Offset, want, e.Message)
		}
		if !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%.40s: %q, hint %q", c.src, e.Message, e.Hint)
		}
	}
	if _, err := ParseExpr("a in (" + strings.Repeat("1, ", 50_000) + "1)"); err != nil {
		t.Errorf("a long list: %v", err)
	}
}

// FuzzParseExpr checks what holds for every text: no panic, errors inside the
// text, nodes inside their parents, and a tree that spelled out parses to itself.
func FuzzParseExpr(f *testing.F) {
	for _, seed := range []string{`a = 1 or b <> -2.5e3 and not c`, `x is not distinct from (y + 1) * 2 % 3`, `"q""q".s in ('it''s', null, true)`,
		`d between date '2024-01-01' and timestamp '2024-01-01 00:00:00.5Z'`, `s not ilike '%x_' isnull`, `((a)--1`, `a<-b=c`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, err := ParseExpr(src)
		checkError(t, src, err)
		if err != nil {
			return
		}
		checkExpr(t, src, e)
		text := spellExpr(e)
		again, err := ParseExpr(text)
		if err != nil {
			var deep *Error
			if errors.As(err, &deep) && strings.Contains(deep.Message, "deep") {
				return
			}
			t.Fatalf("%q: spelled %q: %v", src, text, err)
		}
		if showExpr(again) != showExpr(e) {
			t.Fatalf("%q: %s, spelled %q: %s", src, showExpr(e), text, showExpr(again))
		}
	})
}

func checkExpr(t *testing.T, src string, e *Expr) {
	checkSpan(t, src, e.Span, 0)
	if e.At < e.Start || e.At >= e.End {
		t.Fatalf("%q: operator at %d of %v", src, e.At, e.Span)
	}
	for _, a := range e.Args {
		if a.Start < e.Start || a.End > e.End {
			t.Fatalf("%q: %v in %v", src, a.Span, e.Span)
		}
		checkExpr(t, src, a)
	}
}

// spellExpr writes SQL with a parenthesis around each operator.
func spellExpr(e *Expr) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	not := map[bool]string{true: "NOT "}[e.Not]
	var args []string
	for _, a := range e.Args {
		args = append(args, spellExpr(a))
	}
	switch e.Op {
	case ColumnOp:
		return e.Column.String()
	case StringOp:
		return quote(e.Text)
	case DateOp:
		return "DATE " + quote(e.Text)
	case TimestampOp:
		return "TIMESTAMP " + quote(e.Text)
	case AndOp, OrOp:
		return "(" + strings.Join(args, map[Op]string{AndOp: " AND ", OrOp: " OR "}[e.Op]) + ")"
	case NotOp:
		return "(NOT " + args[0] + ")"
	case NegOp:
		return "(- " + args[0] + ")"
	case IsNullOp, IsTrueOp, IsFalseOp:
		return fmt.Sprintf("(%s IS %s%s)", args[0], not, map[Op]string{IsNullOp: "NULL", IsTrueOp: "TRUE", IsFalseOp: "FALSE"}[e.Op])
	case DistinctOp:
		return fmt.Sprintf("(%s IS %sDISTINCT FROM %s)", args[0], not, args[1])
	case InOp:
		return fmt.Sprintf("(%s %sIN (%s))", args[0], not, strings.Join(args[1:], ", "))
	case BetweenOp:
		return fmt.Sprintf("(%s %sBETWEEN %s AND %s)", args[0], not, args[1], args[2])
	case LikeOp, ILikeOp:
		return fmt.Sprintf("(%s %s%s %s)", args[0], not, strings.ToUpper(opNames[e.Op]), args[1])
	}
	if len(args) == 2 {
		return fmt.Sprintf("(%s %s %s)", args[0], opNames[e.Op], args[1])
	}
	return showExpr(e)
}
