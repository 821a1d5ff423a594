package sql

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func showColumn(src string, c Column) string {
	var parts []string
	for _, p := range c.Parts {
		kind := "bare"
		if p.Quoted {
			kind = "quoted"
		}
		parts = append(parts, fmt.Sprintf("%s %s", kind, p.Text))
	}
	return fmt.Sprintf("[%s] %s", strings.Join(parts, ", "), src[c.Start:c.End])
}

func TestParseColumns(t *testing.T) {
	for src, want := range map[string][]string{
		`a`:                         {`[bare a] a`},
		` city ,Vendor_2`:           {`[bare city] city`, `[bare Vendor_2] Vendor_2`},
		`"Trip Distance", x`:        {`[quoted Trip Distance] "Trip Distance"`, `[bare x] x`},
		`s.field`:                   {`[bare s, bare field] s.field`},
		`s . "f.g" .h`:              {`[bare s, quoted f.g, bare h] s . "f.g" .h`},
		`"a.b"`:                     {`[quoted a.b] "a.b"`},
		`"say ""hi"""`:              {`[quoted say "hi"] "say ""hi"""`},
		`""`:                        {`[quoted ] ""`},
		`straße,größe,名前,_x$1`:      {`[bare straße] straße`, `[bare größe] größe`, `[bare 名前] 名前`, `[bare _x$1] _x$1`},
		"\ta\n,\u00a0b":             {`[bare a] a`, `[bare b] b`},
		`as, distinct, over, count`: {`[bare as] as`, `[bare distinct] distinct`, `[bare over] over`, `[bare count] count`},
	} {
		cols, err := ParseColumns(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		var got []string
		for _, c := range cols {
			got = append(got, showColumn(src, c))
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

func showAggregate(src string, a Aggregate) string {
	var args []string
	for _, c := range a.Args {
		args = append(args, c.String())
	}
	if a.Star {
		args = append(args, "*")
	}
	for _, c := range a.Constants {
		args = append(args, fmt.Sprintf("%d<%s>@%s", c.Kind, c.Text, src[c.Start:c.End]))
	}
	if a.Distinct != nil {
		args = append([]string{"distinct@" + src[a.Distinct.Start:a.Distinct.End]}, args...)
	}
	for _, k := range a.Order {
		args = append(args, fmt.Sprintf("by %s %v@%s", k.Column, k.Direction, src[k.Start:k.End]))
	}
	out := fmt.Sprintf("%s(%s)", a.Func.Text, strings.Join(args, ";"))
	if a.Alias != nil {
		out += " as " + Quote(a.Alias.Text)
	}
	return out + " @ " + src[a.Start:a.End]
}

func TestParseAggregates(t *testing.T) {
	for src, want := range map[string][]string{
		`count(*)`:                     {`count(*) @ count(*)`},
		`COUNT ( * ) , Sum(fare)`:      {`COUNT(*) @ COUNT ( * )`, `Sum(fare) @ Sum(fare)`},
		`sum(fare) as total, avg(x) m`: {`sum(fare) as "total" @ sum(fare) as total`, `avg(x) as "m" @ avg(x) m`},
		`sum("a b") AS "to""tal"`:      {`sum("a b") as "to""tal" @ sum("a b") AS "to""tal"`},
		`min(s.f) "low"`:               {`min(s.f) as "low" @ min(s.f) "low"`},
		`count()`:                      {`count() @ count()`},
		`corr(x, "y".z)`:               {`corr(x;"y".z) @ corr(x, "y".z)`},
		`max(distinct), max(all.x)`:    {`max(distinct) @ max(distinct)`, `max(all.x) @ max(all.x)`},
		`sum(x) filter, sum(x) over`:   {`sum(x) as "filter" @ sum(x) filter`, `sum(x) as "over" @ sum(x) over`},
		`"sum"(x)`:                     {`sum(x) @ "sum"(x)`},
		`sum(as) as as`:                {`sum(as) as "as" @ sum(as) as as`},
		`count(distinct x), f(ALL x)`:  {`count(distinct@distinct;x) @ count(distinct x)`, `f(x) @ f(ALL x)`},
		`f(DISTINCT "x y".z, b)`:       {`f(distinct@DISTINCT;"x y".z;b) @ f(DISTINCT "x y".z, b)`},
		`f(x, 0.5) a, g(x,-1.e-3)`:     {`f(x;1<0.5>@0.5) as "a" @ f(x, 0.5) a`, `g(x;1<-1.e-3>@-1.e-3) @ g(x,-1.e-3)`},
		`f(x, .5, + 12, 3E+4)`:         {`f(x;1<.5>@.5;1<12>@+ 12;1<3E+4>@3E+4) @ f(x, .5, + 12, 3E+4)`},
		`f(x, ', ', 'it''s', '')`:      {`f(x;2<, >@', ';2<it's>@'it''s';2<>@'') @ f(x, ', ', 'it''s', '')`},
		`f(x, null), f(null)`:          {`f(x;0<>@null) @ f(x, null)`, `f(null) @ f(null)`},
		`f(x, null.y, "null")`:         {`f(x;null.y;"null") @ f(x, null.y, "null")`},
		`f(x order by y)`:              {`f(x;by y {false false}@y) @ f(x order by y)`},
		`f(x, 1 ORDER BY a.b desc, "c" asc nulls first)`: {
			`f(x;1<1>@1;by a.b {true true}@a.b desc;by "c" {false true}@"c" asc nulls first) @ f(x, 1 ORDER BY a.b desc, "c" asc nulls first)`},
		`f(order order by asc nulls last, desc desc nulls last)`: {
			`f(order;by asc {false false}@asc nulls last;by desc {true false}@desc desc nulls last) @ f(order order by asc nulls last, desc desc nulls last)`},
	} {
		aggs, err := ParseAggregates(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		var got []string
		for _, a := range aggs {
			got = append(got, showAggregate(src, a))
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

// The caret of each case stands under the position of the error.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, caret, message, hint string }{
		{``, `^`, `expected an aggregate such as sum(x) or count(*), found the end`, ``},
		{`sum`, `   ^`, `expected an opening parenthesis after "sum", found the end`, `function of a column`},
		{`sum(fare`, `        ^`, `expected a comma or a closing parenthesis, found the end`, ``},
		{`sum(fare) total,`, `                ^`, `expected an aggregate`, ``},
		{`sum(fare) total x`, `                ^`, `expected a comma or the end, found "x"`, `double quotes`},
		{`sum(fare) as`, `            ^`, `expected a name after AS, found the end`, ``},
		{`sum(fare))`, `         ^`, `expected AS, a comma or the end, found ")"`, ``},
		{`sum(*, x)`, `     ^`, `expected a closing parenthesis, found ","`, ``},
		{`quantile(0.5, fare)`, `         ^`, `expected a column name, found "0.5"`, `constants come after them, as in`},
		{`quantile(-0.5)`, `         ^`, `expected a column name, found "-0.5"`, `constants come after them, as in`},
		{`f(x, 1, y)`, `        ^`, `the column y comes after a constant`, `name the columns first`},
		{`f(x, 2x)`, `     ^`, `"2x" is no number`, `double quotes`},
		{`f(x, -1e)`, `      ^`, `"1e" is no number`, `double quotes`},
		{`f(x, 1.2.3)`, `        ^`, `expected a comma or a closing parenthesis, found ".3"`, `double quotes`},
		{`f(x, )`, `     ^`, `expected a column name, found ")"`, ``},
		{`count(1)`, `      ^`, `expected a column name, found "1"`, `count(*) counts rows`},
		{`sum(2x)`, `    ^`, `expected a column name, found "2x"`, `double quotes`},
		{`count(distinct *)`, `      ^`, `DISTINCT needs a column`, `count(*) counts rows`},
		{`f(distinct x y)`, `             ^`, `expected a comma or a closing parenthesis, found "y"`, ``},
		{`f(x order y)`, `    ^`, `expected a comma or a closing parenthesis, found "order"`, ``},
		{`f(x order by)`, `            ^`, `expected a column name, found ")"`, ``},
		{`f(x order by 1)`, `             ^`, `expected a column name, found "1"`, `ORDER BY in an aggregate takes columns`},
		{`f(x order by y nulls)`, `                    ^`, `expected FIRST or LAST after NULLS, found ")"`, ``},
		{`f(x order by y desc asc)`, `                    ^`, `expected a comma or a closing parenthesis, found "asc"`, ``},
		{`f(* order by y)`, `    ^`, `expected a closing parenthesis, found "order"`, ``},
		{`quantile_cont(x, 0.5) within group (order by x)`, `                      ^`, `WITHIN GROUP is not supported`, `name the column first`},
		{`sum(x) filter (where y)`, `       ^`, `FILTER after an aggregate is not supported yet`, ``},
		{`sum(x) OVER ()`, `       ^`, `OVER after an aggregate is not supported yet`, ``},
		{`sum(a+b)`, `     ^`, `expected a comma or a closing parenthesis, found "+"`, `expressions are not supported yet`},
		{`sum(a) / 2`, `       ^`, `expected AS, a comma or the end, found "/"`, `expressions are not supported yet`},
		{`sum('fare')`, `    ^`, `expected a column name, found a string`, `as in "Trip Distance"`},
		{"sum(`fare`)", "    ^", "expected a column name, found \"`\"", `as in "Trip Distance"`},
		{`sum("fare)`, `    ^`, `the quote " is not closed`, ``},
		{`sum('fare)`, `    ^`, `the quote ' is not closed`, ``},
		{`sum(s.)`, `      ^`, `expected a field name after the dot, found ")"`, ``},
		{`sum(s..x)`, `      ^`, `expected a field name after the dot, found "."`, ``},
		{`sum(Trip Distance)`, `         ^`, `expected a comma or a closing parenthesis, found "Distance"`, `double quotes`},
		{`sum(trip-distance)`, `        ^`, `found "-"`, `double quotes`},
		{"sum(\xff)", `    ^`, `not valid UTF-8`, ``},
		{`sum(x); drop`, `      ^`, `found ";"`, ``},
		{`sum(x) "a" "b"`, `           ^`, `expected a comma or the end, found the name "b"`, ``},
	} {
		_, err := ParseAggregates(c.src)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: no *Error: %v", c.src, err)
			continue
		}
		if want := strings.Index(c.caret, "^"); e.Offset != want {
			t.Errorf("%s: offset %d, want %d (%s)", c.src, e.Offset, want, e.Message)
		}
		if !strings.Contains(e.Message, c.message) {
			t.Errorf("%s: message %q, want %q in it", c.src, e.Message, c.message)
		}
		if !strings.Contains(e.Hint, c.hint) || (c.hint == "") != (e.Hint == "") && c.hint != "" {
			t.Errorf("%s: hint %q, want %q in it", c.src, e.Hint, c.hint)
		}
	}
	if _, err := ParseColumns(`a, , b`); err == nil || err.Error() != `sql: expected a column name, found "," at position 4` {
		t.Errorf("got %v", err)
	}
	if _, err := ParseColumns(`Trip Distance`); err == nil || !strings.Contains(err.Error(), `a comma or the end, found "Distance"`) {
		t.Errorf("got %v", err)
	}
}

func TestSpell(t *testing.T) {
	for name, want := range map[string]string{
		"fare": "fare", "_x$1": "_x$1", "größe": "größe", "a b": `"a b"`, "a.b": `"a.b"`, `q"q`: `"q""q"`, "1st": `"1st"`, "": `""`, "a\xff": "\"a\xff\"",
	} {
		if got := Spell(name); got != want {
			t.Errorf("Spell(%q) = %s, want %s", name, got, want)
		}
	}
}
