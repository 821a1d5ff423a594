package sql

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// showStatement spells a statement with all parentheses.
func showStatement(s *Statement) string {
	var b strings.Builder
	for _, c := range s.With {
		fmt.Fprintf(&b, "with %s=%s ", c.Name.Text, showStatement(c.Query))
	}
	b.WriteString(showBody(s.Body))
	for _, k := range s.Order {
		b.WriteString(" order:" + showKey(k))
	}
	if s.Limit != nil {
		b.WriteString(" limit:" + showExpr(s.Limit))
	}
	if s.Offset != nil {
		b.WriteString(" offset:" + showExpr(s.Offset))
	}
	return b.String()
}

func showKey(k SortKey) string {
	return fmt.Sprintf("%s desc=%v nullsfirst=%v", showExpr(k.Expr), k.Desc, k.NullsFirst)
}

func showBody(b *Body) string {
	switch {
	case b.Select != nil:
		return showSelect(b.Select)
	case b.Nested != nil:
		return "[" + showStatement(b.Nested) + "]"
	}
	all := ""
	if b.All {
		all = " all"
	}
	return fmt.Sprintf("{%s %s%s %s}", showBody(b.Left), strings.ToLower(b.Op.String()), all, showBody(b.Right))
}

func showSelect(s *Select) string {
	var b strings.Builder
	b.WriteString("select")
	if s.Distinct != nil {
		b.WriteString(" distinct")
	}
	for i, item := range s.Items {
		b.WriteString([]string{" ", ", "}[min(i, 1)])
		switch {
		case item.Of != nil:
			b.WriteString(item.Of.String() + ".*")
		case item.Star:
			b.WriteString("*")
		default:
			b.WriteString(showExpr(item.Expr))
		}
		if item.Alias != nil {
			b.WriteString(" as " + item.Alias.Text)
		}
	}
	b.WriteString(showFrom(s.From))
	if s.Where != nil {
		b.WriteString(" where " + showExpr(s.Where))
	}
	if g := s.Group; g != nil && g.All {
		b.WriteString(" by all")
	} else if g != nil {
		b.WriteString(" by" + showSets(g.Sets))
	}
	if s.Having != nil {
		b.WriteString(" having " + showExpr(s.Having))
	}
	return b.String()
}

func showFrom(f *From) string {
	if f == nil {
		return ""
	}
	out := " from"
	for _, file := range f.Files {
		out += " '" + file.Name + "'"
	}
	if f.Query != nil {
		out += " [" + showStatement(f.Query) + "]"
	}
	if f.Name != nil {
		out += " name " + f.Name.String()
	}
	if f.Param != nil {
		out += " " + showExpr(f.Param)
	}
	if f.Alias != nil {
		out += " as " + f.Alias.Text
	}
	return out
}

func showSets(items []GroupItem) string {
	out := ""
	for _, i := range items {
		out += " " + [...]string{"(", "sets(", "rollup(", "cube("}[i.Kind]
		for k, e := range i.Exprs {
			out += []string{"", " "}[min(k, 1)] + showExpr(e)
		}
		out += strings.TrimPrefix(showSets(i.Sets), " ") + ")"
	}
	return out
}

func TestParseStatement(t *testing.T) {
	for src, want := range map[string]string{
		`select 1`:   `select 1`,
		`from 'a' ;`: `select * from 'a'`,
		`select a, b as c, "d" e, f "G" from 'x.parquet'`:                                          `select a, b as c, "d" as e, f as G from 'x.parquet'`,
		`FROM 'a' SELECT b WHERE c GROUP BY d`:                                                     `select b from 'a' where c by (d)`,
		`select * from 'a', 'b' as t`:                                                              `select * from 'a' 'b' as t`,
		`select t.*, t."x".* from read_parquet('a') t`:                                             `select t.*, t."x".* from 'a' as t`,
		`select t.x from read_parquet(['a', 'b'])`:                                                 `select t.x from 'a' 'b'`,
		`select * from "a b.parquet"`:                                                              `select * from name "a b.parquet"`,
		`select * from $1 where a > $2 and b = $1`:                                                 `select * from $1 where (and (> a $2) (= b $1))`,
		`select ? from ? limit ? offset ?`:                                                         `select $1 from $2 limit:$3 offset:$4`,
		`select distinct a from 'x'`:                                                               `select distinct a from 'x'`,
		`select all a from 'x'`:                                                                    `select a from 'x'`,
		`select distinct, all from 'x'`:                                                            `select distinct, all from 'x'`,
		`select distinct from 'x'`:                                                                 `select distinct from 'x'`,
		`select distinct distinct from 'x'`:                                                        `select distinct distinct from 'x'`,
		`select max(distinct), count(distinct a) from 'x'`:                                         `select (max distinct), (count distinct: a) from 'x'`,
		`select count(*), f(), g(a, 1) from 'x'`:                                                   `select (count *), (f), (g a 1) from 'x'`,
		`select sum(a * b) / count(*) + 1 x from 'x'`:                                              `select (+ (/ (sum (* a b)) (count *)) 1) as x from 'x'`,
		`select sum(a) filter (where b > 1) as s from 'x'`:                                         `select (sum a filter: (> b 1)) as s from 'x'`,
		`select array_agg(a order by b desc, c nulls first) from 'x'`:                              `select (array_agg a order: b desc=true nullsfirst=true order: c desc=false nullsfirst=true) from 'x'`,
		`select a from 'x' group by a, b + 1, 3`:                                                   `select a from 'x' by (a) ((+ b 1)) (3)`,
		`select a from 'x' group by all`:                                                           `select a from 'x' by all`,
		`select all from 'x' group by all, b`:                                                      `select all from 'x' by (all) (b)`,
		`select a from 'x' group by grouping sets ((a, b), a, (), rollup (c, (d, e)))`:             `select a from 'x' by sets((a b) (a) () rollup((c) (d e)))`,
		`select a from 'x' group by rollup(a, b), cube((a), b), (a + 1) * 2`:                       `select a from 'x' by rollup((a) (b)) cube((a) (b)) ((* (+ a 1) 2))`,
		`select a from 'x' group by a having sum(b) > 1 order by 1 desc nulls last, sum(b) + 1, a`: `select a from 'x' by (a) having (> (sum b) 1) order:1 desc=true nullsfirst=false order:(+ (sum b) 1) desc=false nullsfirst=false order:a desc=false nullsfirst=false`,
		`select a from 'x' offset 2 rows limit 3`:                                                  `select a from 'x' limit:3 offset:2`,
		`select a from 'x' limit all`:                                                              `select a from 'x'`,
		`select a from 'x' union select b from 'y' except all select c from 'z'`:                   `{{select a from 'x' union select b from 'y'} except all select c from 'z'}`,
		`select a union all select b intersect distinct select c order by 1`:                       `{select a union all {select b intersect select c}} order:1 desc=false nullsfirst=false`,
		`(select a limit 1) union (select b order by 1) limit 2`:                                   `{[select a limit:1] union [select b order:1 desc=false nullsfirst=false]} limit:2`,
		`select x from (select a x from 'x') as t`:                                                 `select x from [select a as x from 'x'] as t`,
		`with a as (select 1), b as (from a) select * from B x`:                                    `with a=select 1 with b=select * from [select 1] as a select * from [select * from [select 1] as a] as x`,
		`with a as (select 1) select * from (with a as (select 2) from a)`:                         `with a=select 1 select * from [with a=select 2 select * from [select 2] as a]`,
		"select a -- a comment'\nfrom /* 'b' */ 'c--d' /**/":                                       `select a from 'c--d'`,
		`select "from", from_, "order" from 'x'`:                                                   `select "from", from_, "order" from 'x'`,
	} {
		s, err := ParseStatement(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := showStatement(s); got != want {
			t.Errorf("%s:\n got %s\nwant %s", src, got, want)
		}
	}
}

func TestParseStatementErrors(t *testing.T) {
	for src, want := range map[string]string{
		``:                                                    `expected SELECT, found the end @0`,
		`select`:                                              `expected a column or a value, found the end @6`,
		`select from 'x'`:                                     `expected a column or a value, found "from" @7; a column of this name goes in double quotes: "from"`,
		`select a, from 'x'`:                                  `expected a column or a value, found "from" @10; a column of this name goes in double quotes: "from"`,
		`selct a from 'x'`:                                    `expected SELECT, found "selct" @0; did you mean SELECT?`,
		`select a form 'x'`:                                   `"form" is read as a name, and then the next clause or the end was expected, not a string @9; did you mean FROM?`,
		`select a from 'x' wehre b`:                           `"wehre" is read as a name, and then the next clause or the end was expected, not "b" @18; did you mean WHERE?`,
		`select a from 'x' group b`:                           `expected BY, found "b" @24; `,
		`select a from 'x' limit 1 where b`:                   `WHERE is out of place @26; the clauses`,
		`select a from 'x' where b where c`:                   `WHERE is out of place @26; the clauses`,
		`select a from`:                                       `expected a file such as 'trips.parquet', or a query in parentheses, after FROM, found the end @13`,
		`select a from where b`:                               `expected a file such as 'trips.parquet', or a query in parentheses, after FROM, found "where" @14`,
		`select a from 'x' b, c`:                              `joins are not supported: a SELECT has one input @19; FROM`,
		`select a from 'x' join 'y' using (a)`:                `joins are not supported: a SELECT has one input @18; FROM`,
		`select a from range(3)`:                              `there is no table function range @14; read_parquet`,
		`select a from read_parquet('x', y=1)`:                `read_parquet takes no options @32; several`,
		`select a from read_parquet(['x'], y)`:                `read_parquet takes no options @34`,
		`select a from data/x.parquet`:                        `the name of a file without quotes @14`,
		`select a from read_parquet(['x', y])`:                `expected the name of a file in single quotes, found "y" @33`,
		`select * exclude (a) from 'x'`:                       `EXCLUDE behind a star is not supported @9; name the columns`,
		`select distinct on (a) b from 'x'`:                   `DISTINCT ON is not supported @16; GROUP BY`,
		`select sum(a) over () from 'x'`:                      `OVER is not supported: there are no window functions @14`,
		`select sum(a) over w from 'x'`:                       `OVER is not supported: there are no window functions @14`,
		`select f(a) within group (order by b)`:               `WITHIN GROUP is not supported @12; name`,
		`select count(distinct *) from 'x'`:                   `DISTINCT needs a column @13; count(*)`,
		`select a from 'x' qualify b`:                         `QUALIFY is not supported: there are no window functions @18`,
		`select a from 'x' union by name from 'y'`:            `BY is not supported: columns are matched by their position @24`,
		`select a from 'x' union`:                             `expected SELECT, found the end @23`,
		`select a from 'x' fetch first 3 rows only`:           `FETCH is not supported @18; LIMIT`,
		`select a from 'x' limit 1, 2`:                        `LIMIT takes one number @25; LIMIT`,
		`select a from 'x' limit 10 %`:                        `expected a column or a value, found the end @28`,
		`select a from 'x' order by a using <`:                `USING in ORDER BY is not supported @29; ASC`,
		`select a from 'x'; select b`:                         `there is more than one statement @19`,
		`select $1, ? from 'x'`:                               `parameters are $1 or ?, not both @11`,
		`select $0 from 'x'`:                                  `there is no parameter $0 @7; parameters count from $1`,
		`with recursive a as (select 1) from a`:               `WITH RECURSIVE is not supported @5`,
		`with a (b) as (select 1) from a`:                     `names of columns in WITH are not supported @7; give`,
		`with a as materialized (select 1) from a`:            `MATERIALIZED is not supported @10`,
		`insert into a values (1)`:                            `INSERT is not supported @0; a statement is a SELECT`,
		`select a from 'x' /* b`:                              `the comment is not closed @18; */ closes it`,
		`select a from (select b from 'x'`:                    `expected the next clause or a closing parenthesis, found the end @32`,
		`select a from 'x' group by rollup(grouping sets(a))`: `ROLLUP and CUBE take columns and expressions @34`,
		`select a from 'x' group by rollup a`:                 `expected the next clause or the end, found "a" @34; `,
		`select a from (select b from 'x') t(c)`:              `names of columns behind FROM are not supported @35; give`,
		`select a into b from 'x'`:                            `SELECT INTO is not supported @9`,
		`select a from lateral (select 1)`:                    `LATERAL is not supported @14`,
		`values (1)`:                                          `VALUES is not supported @0; a statement is a SELECT`,
		strings.Repeat("(", 200) + "select 1":                 `the expression is nested more than 100 deep @100`,
		"select 1" + strings.Repeat(" union select 1", 250):   `the statement has more than 200 SELECTs @3000`,
		"with a as (select 1), b as (from a union from a), c as (from b union from b), d as (from c union from c), e as (from d union from d)," +
			"f as (from e union from e), g as (from f union from f) from g": `the statement has more than 200 SELECTs @172`,
	} {
		_, err := ParseStatement(src)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.60s: %v", src, err)
			continue
		}
		got := fmt.Sprintf("%s @%d", e.Message, e.Offset)
		if e.Hint != "" {
			got += "; " + e.Hint
		}
		if !strings.HasPrefix(got, want) || !strings.Contains(want, ";") && e.Hint != "" && !strings.Contains(got, want) {
			t.Errorf("%.60s:\n got %s\nwant %s", src, got, want)
		}
	}
}
