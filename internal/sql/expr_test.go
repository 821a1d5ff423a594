package sql

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

var opNames = map[Op]string{AndOp: "and", OrOp: "or", NotOp: "not", EqualOp: "=", NotEqualOp: "<>", LessOp: "<", LessEqualOp: "<=", GreaterOp: ">",
	GreaterEqualOp: ">=", IsNullOp: "is-null", IsTrueOp: "is-true", IsFalseOp: "is-false", DistinctOp: "distinct", InOp: "in", BetweenOp: "between",
	LikeOp: "like", ILikeOp: "ilike", AddOp: "+", SubOp: "-", MulOp: "*", DivOp: "/", ModOp: "%", NegOp: "neg",
	PowerOp: "^", ConcatOp: "||", BitAndOp: "&", BitOrOp: "|", BitXorOp: "#", ShiftLeftOp: "<<", ShiftRightOp: ">>", BitNotOp: "bitnot", MatchOp: "~",
	MatchFoldOp: "~*", CaseOp: "case", SwitchOp: "switch", CastOp: "cast", TryCastOp: "try_cast", ExtractOp: "extract", AtZoneOp: "at-zone"}

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
	case TimeOp:
		return "time'" + e.Text + "'"
	case InstantOp:
		return "timestamptz'" + e.Text + "'"
	case IntervalOp:
		return "interval'" + e.Text + "'"
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
	if e.Op == CastOp || e.Op == TryCastOp || e.Op == ExtractOp {
		parts = append(parts, e.Text)
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
		`a = 1 or b = 2 and not c = 3`:                 `(or (= a 1) (and (= b 2) (not (= c 3))))`,
		`a or b or c and d and e`:                      `(or a b (and c d e))`,
		`a + b * c - d`:                                `(- (+ a (* b c)) d)`,
		`a - b - c / d % e`:                            `(- (- a b) (% (/ c d) e))`,
		`(a - (b - c)) * -d`:                           `(* (- a (- b c)) (neg d))`,
		`a=-1`:                                         `(= a (neg 1))`,
		`a<-1 and b>-.5e3 and c>=-2`:                   `(and (< a (neg 1)) (> b (neg .5e3)) (>= c (neg 2)))`,
		`a*-b/-c--d`:                                   ``,
		`a - -b`:                                       `(- a (neg b))`,
		`+a != - + b`:                                  `(<> a (neg b))`,
		`not not a`:                                    `(not (not a))`,
		`not a is null`:                                `(not (is-null a))`,
		`a = b is null`:                                `(is-null (= a b))`,
		`a is not null is true`:                        `(is-true (not-is-null a))`,
		`a IS NOT FALSE and b IS UNKNOWN`:              `(and (not-is-false a) (is-null b))`,
		`a isnull or b notnull`:                        `(or (is-null a) (not-is-null b))`,
		`a is distinct from b + 1`:                     `(distinct a (+ b 1))`,
		`a is not distinct from null and x`:            `(and (not-distinct a NULL) x)`,
		`a in (1, -2, b) and x`:                        `(and (in a 1 (neg 2) b) x)`,
		`a + 1 not in ('x', null)`:                     `(not-in (+ a 1) 'x' NULL)`,
		`a between 1 and 2 and b`:                      `(and (between a 1 2) b)`,
		`a not between b + 1 and c * 2 or d`:           `(or (not-between a (+ b 1) (* c 2)) d)`,
		`a like 'x%' and b not ilike 'it''s'`:          `(and (like a 'x%') (not-ilike b 'it's'))`,
		`a between 1 and 2 = true`:                     `(= (between a 1 2) TRUE)`,
		`date = date '2024-01-01'`:                     `(= date date'2024-01-01')`,
		`timestamp > timestamp '2024-01-01 00:00'`:     `(> timestamp timestamp'2024-01-01 00:00')`,
		`"and" = s."or".x and true.x`:                  `(and (= "and" s."or".x) true.x)`,
		`TRUE and False or nuLL`:                       `(or (and TRUE FALSE) NULL)`,
		`((((a))))`:                                    `a`,
		`date and order_by`:                            `(and date order_by)`,
		`a || b = 'x' || c`:                            `(= (|| a b) (|| 'x' c))`,
		`a + 1 || b * 2 like 'x'`:                      `(like (|| (+ a 1) (* b 2)) 'x')`,
		`a::int::varchar(3) = -b::double precision`:    `(= (cast (cast a int) varchar(3)) (neg (cast b double precision)))`,
		`-2 ^ 2 ^ 3 * 4`:                               `(* (^ (^ (neg 2) 2) 3) 4)`,
		`2^-1<-a`:                                      `(< (^ 2 (neg 1)) (neg a))`,
		`a & b | c # d << 1 >> ~2`:                     `(>> (<< (# (| (& a b) c) d) 1) (bitnot 2))`,
		`~ a + b || c`:                                 `(|| (bitnot (+ a b)) c)`,
		`a ~ 'x' and b !~ 'y' or c ~* 'z' and d!~*'w'`: `(or (and (~ a 'x') (not-~ b 'y')) (and (~* c 'z') (not-~* d 'w')))`,
		`case when a then 1 when b or c then 2 else 3 end + 1`:                                                                      `(+ (case a 1 (or b c) 2 3) 1)`,
		`case a when 1 then case when b then 2 end end`:                                                                             `(switch a 1 (case b 2))`,
		`cast(a + 1 as decimal(10, 2)) > try_cast(b as timestamp (3) with time zone)`:                                               `(> (cast (+ a 1) decimal(10,2)) (try_cast b timestamp with time zone(3)))`,
		`extract(Year from a) = extract('month' from b)`:                                                                            `(= (extract a year) (extract b month))`,
		`a at time zone 'UTC' > b at time zone c`:                                                                                   `(> (at-zone a 'UTC') (at-zone b c))`,
		`a > interval '1 day' + interval '2' hour - interval 3 month`:                                                               `(> a (- (+ interval'1 day' interval'2 hour') interval'3 month'))`,
		`time '10:00' < timestamptz '2024-01-01' and timestamp with time zone 'x' > interval -2 days`:                               `(and (< time'10:00' timestamptz'2024-01-01') (> timestamptz'x' interval'-2 days'))`,
		`position('a' in b) + substring(a from 2 for 3) + substring(a for 3) + substr(a, 1, 2)`:                                     `(+ (+ (+ (strpos b 'a') (substring a 2 3)) (substring a 1 3)) (substr a 1 2))`,
		`trim(a) = trim(both 'x' from b) or trim(leading from c) = trim(trailing 'y' from d) or trim(e, 'z') = trim('q' from both)`: `(or (= (trim a) (trim b 'x')) (= (ltrim c) (rtrim d 'y')) (= (trim e 'z') (trim both 'q')))`,
		`interval and time = extract or position.x`:                                                                                 `(or (and interval (= time extract)) position.x)`,
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
	for _, c := range []exprError{
		{``, `^`, `expected a column or a value, found the end`, ``},
		{`a >`, `   ^`, `expected a column or a value, found the end`, ``},
		{`a b`, `  ^`, `expected an operator or the end, found "b"`, `double quotes`},
		{`a = 1 = 2`, `      ^`, `comparisons cannot be chained`, `a < b AND b < c`},
		{`1 < a < 2`, `      ^`, `comparisons cannot be chained`, `a < b AND b < c`},
		{`a == 1`, `  ^`, `there is no operator ==`, `= compares`},
		{`a = 1 -- x`, `      ^`, `comments are not supported`, ``},
		{`a --1`, `  ^`, `comments are not supported`, ``},
		{`--a`, `^`, `comments are not supported`, `a space between`},
		{`a /* x */ = 1`, `  ^`, `comments are not supported`, ``},
		{`exists (select 1)`, `^`, `EXISTS is not supported`, ``},
		{`a in (select b from c)`, `      ^`, `sub-selects are not supported yet`, ``},
		{`(select 1) = 1`, ` ^`, `sub-selects are not supported yet`, ``},
		{`a like 'x' escape '!'`, `           ^`, `ESCAPE is not supported`, `backslash`},
		{`a similar to 'x'`, `  ^`, `SIMILAR is not supported`, `regular`},
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
		c.check(t)
	}
	if _, err := ParseExpr("a in (" + strings.Repeat("1, ", 50_000) + "1)"); err != nil {
		t.Errorf("a long list: %v", err)
	}
}

func TestFormErrors(t *testing.T) {
	for _, c := range []exprError{
		{`a <=> b`, `  ^`, `there is no operator <=>`, ``},
		{`a ~~ 'x'`, `  ^`, `there is no operator ~~`, `LIKE`},
		{`a -> 'x'`, `  ^`, `there is no operator ->`, ``},
		{`a[1]`, ` ^`, `the operator [ is not supported`, ``},
		{`a::int[]`, `      ^`, `types of lists are not supported`, ``},
		{`a::`, `   ^`, `expected a type, found the end`, ``},
		{`a::decimal(x)`, `           ^`, `expected a number, found "x"`, ``},
		{`cast(a)`, `      ^`, `expected an operator or AS and a type, found ")"`, ``},
		{`case a end`, `       ^`, `expected an operator or WHEN, found "end"`, ``},
		{`case when a end`, `            ^`, `expected an operator or THEN, found "end"`, ``},
		{`case when a then 1`, `                  ^`, `expected an operator, WHEN, ELSE or END, found the end`, ``},
		{strings.Repeat("case ", 200) + "a", strings.Repeat(" ", 500) + "^", `nested more than 100 deep`, ``},
		{`position(a, b)`, `          ^`, `expected IN, found ","`, `strpos(x, 'b')`},
		{`overlay(a placing b from 1)`, `^`, `OVERLAY is not supported`, ``},
		{`interval 3`, `          ^`, `expected a unit such as day`, ``},
		{`interval (a) day`, `         ^`, `INTERVAL of an expression is not supported`, `n * INTERVAL '1 day'`},
		{`interval '1-2' year to month`, `                    ^`, `TO in an INTERVAL is not supported`, `all units`},
	} {
		c.check(t)
	}
}

type exprError struct{ src, caret, message, hint string }

func (c exprError) check(t *testing.T) {
	t.Helper()
	_, err := ParseExpr(c.src)
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%.40s: no *Error: %v", c.src, err)
		return
	}
	if want := strings.Index(c.caret, "^"); e.Offset != want {
		t.Errorf("%.40s: offset %d, want %d (%s)", c.src, e.Offset, want, e.Message)
	}
	if !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
		t.Errorf("%.40s: %q, hint %q", c.src, e.Message, e.Hint)
	}
}

// FuzzParseExpr checks what holds for every text: no panic, errors inside the
// text, nodes inside their parents, and a tree that spelled out parses to itself.
func FuzzParseExpr(f *testing.F) {
	for _, seed := range []string{`a = 1 or b <> -2.5e3 and not c`, `x is not distinct from (y + 1) * 2 % 3`, `"q""q".s in ('it''s', null, true)`,
		`case a when 1 then b::int else cast(c as decimal(3, 1)) end ^ 2 || try_cast(d as time (3) with time zone)`, `trim(both 'x' from a) !~* substring(b for 2)`,
		`extract(year from a at time zone 'UTC') & ~1 | f(distinct a, b order by c desc) filter (where d)`, `a - interval '1' day > interval -3 months`,
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
	case TimeOp, InstantOp, IntervalOp:
		return map[Op]string{TimeOp: "TIME ", InstantOp: "TIMESTAMPTZ ", IntervalOp: "INTERVAL "}[e.Op] + quote(e.Text)
	case CastOp, TryCastOp, ExtractOp, CaseOp, SwitchOp, CallOp:
		return spellForm(e, args)
	case AndOp, OrOp:
		return "(" + strings.Join(args, map[Op]string{AndOp: " AND ", OrOp: " OR "}[e.Op]) + ")"
	case NotOp:
		return "(NOT " + args[0] + ")"
	case NegOp:
		return "(- " + args[0] + ")"
	case BitNotOp:
		return "(~ " + args[0] + ")"
	case AtZoneOp:
		return "(" + args[0] + " AT TIME ZONE " + args[1] + ")"
	case MatchOp, MatchFoldOp:
		return fmt.Sprintf("(%s %s%s %s)", args[0], map[bool]string{true: "!"}[e.Not], opNames[e.Op], args[1])
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

func spellForm(e *Expr, args []string) string {
	switch e.Op {
	case CastOp, TryCastOp:
		name := e.Type.Name
		if strings.ContainsAny(name, "\"(.") || !strings.Contains(name, " ") && Spell(name) != name {
			name = Quote(name)
		}
		if rest, zoned := strings.CutSuffix(e.Text, ")"); zoned && strings.Contains(name, " time zone") {
			_, digits, _ := strings.Cut(rest, "(")
			name = strings.Replace(name, " ", "("+digits+") ", 1)
		} else if n := strings.TrimPrefix(e.Text, e.Type.Name); n != "" {
			name += n
		}
		return strings.ToUpper(opNames[e.Op]) + "(" + args[0] + " AS " + name + ")"
	case ExtractOp:
		return "EXTRACT('" + strings.ReplaceAll(e.Text, "'", "''") + "' FROM " + args[0] + ")"
	case CallOp:
		return spellCall(e, args)
	}
	out := "CASE"
	if e.Op == SwitchOp {
		out, args = out+" "+args[0], args[1:]
	}
	for ; len(args) > 1; args = args[2:] {
		out += " WHEN " + args[0] + " THEN " + args[1]
	}
	if len(args) > 0 {
		out += " ELSE " + args[0]
	}
	return out + " END"
}

func spellCall(e *Expr, args []string) string {
	c := e.Call
	out := Quote(c.Func.Text) + "("
	if c.Star {
		out += "*"
	}
	if c.Distinct != nil {
		out += "DISTINCT "
	}
	out += strings.Join(args, ", ")
	for i, k := range c.Order {
		out += map[bool]string{true: " ORDER BY ", false: ", "}[i == 0] + spellExpr(k.Expr) +
			map[bool]string{true: " DESC"}[k.Desc] + map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
	}
	out += ")"
	if c.Filter != nil {
		out += " FILTER (WHERE " + spellExpr(c.Filter) + ")"
	}
	return out
}
