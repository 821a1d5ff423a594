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
		`a`:                           {`[bare a] a`},
		` city ,Vendor_2`:             {`[bare city] city`, `[bare Vendor_2] Vendor_2`},
		`"Trip Distance", x`:          {`[quoted Trip Distance] "Trip Distance"`, `[bare x] x`},
		`s.field`:                     {`[bare s, bare field] s.field`},
		`s . "f.g" .h`:                {`[bare s, quoted f.g, bare h] s . "f.g" .h`},
		`"a.b"`:                       {`[quoted a.b] "a.b"`},
		`"say ""hi"""`:                {`[quoted say "hi"] "say ""hi"""`},
		`""`:                          {`[quoted ] ""`},
		`straße,größe,名前,_x$1`:        {`[bare straße] straße`, `[bare größe] größe`, `[bare 名前] 名前`, `[bare _x$1] _x$1`},
		"\ta\n,\u00a0b":               {`[bare a] a`, `[bare b] b`},
		`"as", distinct, over, count`: {`[quoted as] "as"`, `[bare distinct] distinct`, `[bare over] over`, `[bare count] count`},
	} {
		cols, err := ParseItems(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		var got []string
		for _, c := range cols {
			got = append(got, showColumn(src, *c.Expr.Column))
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

func TestParseItems(t *testing.T) {
	for src, want := range map[string]string{
		`sum(fare)`:                                      `(sum fare)`,
		`SUM( fare ) AS total, count(*) n`:               `(SUM fare) as total, (count *) as n`,
		`sum("a b") AS "to""tal"`:                        `(sum "a b") as to"tal`,
		`min(s.f) "low"`:                                 `(min s.f) as low`,
		`count()`:                                        `(count)`,
		`max(distinct), max(all.x)`:                      `(max distinct), (max all.x)`,
		`"sum"(x), sum(ALL x)`:                           `(sum x), (sum x)`,
		`sum(x) as as, x as from, y as "end"`:            `(sum x) as as, x as from, y as end`,
		`f(x, .5, - 12, ', ', 'it''s', null)`:            `(f x .5 (neg 12) ', ' 'it's' NULL)`,
		`f(x, 1 ORDER BY a.b desc, "c" asc nulls first)`: `(f x 1 order: a.b desc=true nullsfirst=true order: "c" desc=false nullsfirst=true)`,
		`f(distinct x + 1) filter (where y) / 2 as z`:    `(/ (f distinct: (+ x 1) filter: y) 2) as z`,
		`*, a b, t.*`:                                    `*, a as b, t.*`,
	} {
		items, err := ParseItems(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := strings.TrimPrefix(showSelect(&Select{Items: items}), "select "); got != want {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

// The caret of each case stands under the position of the error.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, caret, message, hint string }{
		{``, `^`, `expected a column or a value, found the end`, ``},
		{`sum(fare`, `        ^`, `expected an operator, a comma or a closing parenthesis, found the end`, ``},
		{`sum(fare) total,`, `                ^`, `expected a column or a value`, ``},
		{`sum(fare) total x`, `                ^`, `expected a comma or the end, found "x"`, `double quotes`},
		{`sum(fare) as`, `            ^`, `expected a name after AS, found the end`, ``},
		{`sum(fare))`, `         ^`, `expected an operator, AS, a comma or the end, found ")"`, ``},
		{`sum(*, x)`, `    ^`, `expected a column or a value, found "*"`, ``},
		{`f(x, 2x)`, `     ^`, `"2x" is no number`, `double quotes`},
		{`f(x, )`, `     ^`, `expected a column or a value, found ")"`, ``},
		{`count(distinct *)`, `      ^`, `DISTINCT needs a column`, `count(*) counts rows`},
		{`f(distinct x y)`, `             ^`, `expected an operator, a comma or a closing parenthesis, found "y"`, ``},
		{`f(x order y)`, `    ^`, `expected an operator, a comma or a closing parenthesis, found "order"`, ``},
		{`f(x order by)`, `            ^`, `expected a column or a value, found ")"`, ``},
		{`f(x order by y nulls)`, `                    ^`, `expected FIRST or LAST after NULLS, found ")"`, ``},
		{`f(x order by y desc asc)`, `                    ^`, `expected an operator, a comma or a closing parenthesis, found "asc"`, ``},
		{`quantile_cont(x, 0.5) within group (order by x)`, `                      ^`, `WITHIN GROUP is not supported`, `name the column first`},
		{`sum(x) filter (y)`, `               ^`, `expected WHERE, found "y"`, ``},
		{`sum(x) OVER ()`, `       ^`, `OVER is not supported: there are no window functions`, ``},
		{"sum(`fare`)", "    ^", "expected a column or a value, found \"`\"", `as in "Trip Distance"`},
		{`sum("fare)`, `    ^`, `the quote " is not closed`, ``},
		{`sum('fare)`, `    ^`, `the quote ' is not closed`, ``},
		{`sum(s.)`, `      ^`, `expected a field name after the dot, found ")"`, ``},
		{`sum(s..x)`, `      ^`, `expected a field name after the dot, found "."`, ``},
		{`sum(Trip Distance)`, `         ^`, `expected an operator, a comma or a closing parenthesis, found "Distance"`, `double quotes`},
		{"sum(\xff)", `    ^`, `not valid UTF-8`, ``},
		{`sum(x); drop`, `      ^`, `found ";"`, ``},
		{`sum(x) "a" "b"`, `           ^`, `expected a comma or the end, found the name "b"`, ``},
		{`distinct a`, `^`, `DISTINCT is not part of the list`, `Query.Distinct`},
		{`a, $1`, `   ^`, `parameters are of statements only`, ``},
	} {
		_, err := ParseItems(c.src)
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
	if _, err := ParseGrouping(`a, , b`); err == nil || err.Error() != `sql: expected a column or a value, found "," at position 4` {
		t.Errorf("got %v", err)
	}
	if _, err := ParseSort(`a desc, b descending`); err == nil || !strings.Contains(err.Error(), `expected an operator, ASC, DESC, NULLS, a comma or the end, found "descending"`) {
		t.Errorf("got %v", err)
	}
}

func TestSpell(t *testing.T) {
	for name, want := range map[string]string{
		"fare": "fare", "_x$1": "_x$1", "größe": "größe", "a b": `"a b"`, "a.b": `"a.b"`, `q"q`: `"q""q"`, "1st": `"1st"`, "": `""`, "a\xff": "\"a\xff\"", "Order": `"Order"`, "null": `"null"`, "count": "count",
	} {
		if got := Spell(name); got != want {
			t.Errorf("Spell(%q) = %s, want %s", name, got, want)
		}
	}
}
