package sql

import "testing"

// FuzzParseStatement checks what holds for every text: no panic, errors inside
// the text, and nodes inside the nodes that they are part of.
func FuzzParseStatement(f *testing.F) {
	for _, src := range []string{
		`select a, sum(b * 2) filter (where c > 1) as s from 'x', 'y' t where d in (1, 2) group by rollup(a, (b, c)) having count(*) > 1 order by 2 desc nulls last limit 3 offset 1`,
		`with a as (select 1), b as (from a) (select * from b union all from read_parquet(['x'])) except select "q"."r".* from $1 -- no`,
		`select count(distinct a), array_agg(a order by b desc, c), max(distinct) from (select distinct x.y from 'f') group by all`,
		`select ? from 'x' group by grouping sets ((), (a, b), cube(a, b)) /* x */ ; `,
		`select ((((a + 1) * 2)))`, `select a from 'x' wehre b`, `values (1)`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		s, err := ParseStatement(src)
		checkError(t, src, err)
		if err == nil {
			checkStatement(t, src, s, Span{0, len(src)})
		}
	})
}

func checkStatement(t *testing.T, src string, s *Statement, in Span) {
	within(t, src, s.Span, in)
	for _, c := range s.With {
		within(t, src, c.Name.Span, s.Span)
		checkStatement(t, src, c.Query, s.Span)
	}
	checkBody(t, src, s.Body, s.Span)
	for _, k := range s.Order {
		within(t, src, k.Span, s.Span)
		checkTree(t, src, k.Expr, k.Span)
	}
	checkTree(t, src, s.Limit, s.Span)
	checkTree(t, src, s.Offset, s.Span)
}

func checkBody(t *testing.T, src string, b *Body, in Span) {
	within(t, src, b.Span, in)
	switch {
	case b.Nested != nil:
		checkStatement(t, src, b.Nested, b.Span)
	case b.Select == nil:
		checkBody(t, src, b.Left, b.Span)
		checkBody(t, src, b.Right, b.Span)
	default:
		checkSelect(t, src, b.Select)
	}
}

func checkSelect(t *testing.T, src string, s *Select) {
	if len(s.Items) == 0 {
		t.Fatalf("%q: nothing is selected", src)
	}
	for _, i := range s.Items {
		within(t, src, i.Span, s.Span)
		checkTree(t, src, i.Expr, i.Span)
		if (i.Expr == nil) != i.Star {
			t.Fatalf("%q: %+v", src, i)
		}
	}
	if f := s.From; f != nil {
		within(t, src, f.Span, s.Span)
		given := len(f.Files) > 0
		for _, ok := range []bool{f.Query != nil, f.Name != nil, f.Param != nil} {
			if given && ok {
				t.Fatalf("%q: two inputs", src)
			}
			given = given || ok
		}
		if !given {
			t.Fatalf("%q: no input", src)
		}
	}
	checkTree(t, src, s.Where, s.Span)
	checkTree(t, src, s.Having, s.Span)
	if s.Group != nil {
		checkSets(t, src, s.Group.Sets, s.Group.Span)
	}
}

func checkSets(t *testing.T, src string, sets []GroupItem, in Span) {
	for _, g := range sets {
		within(t, src, g.Span, in)
		for _, e := range g.Exprs {
			checkTree(t, src, e, g.Span)
		}
		checkSets(t, src, g.Sets, g.Span)
	}
}

func checkTree(t *testing.T, src string, e *Expr, in Span) {
	if e == nil {
		return
	}
	within(t, src, e.Span, in)
	if e.At < e.Start || e.At >= e.End {
		t.Fatalf("%q: operator of %v at %d", src, e.Span, e.At)
	}
	for _, a := range e.Args {
		checkTree(t, src, a, e.Span)
	}
	if e.Call == nil {
		return
	}
	for _, k := range e.Call.Order {
		checkTree(t, src, k.Expr, k.Span)
	}
	checkTree(t, src, e.Call.Filter, e.Span)
}

func within(t *testing.T, src string, s, in Span) {
	if s.Start < in.Start || s.End > in.End || s.Start >= s.End {
		t.Fatalf("%q: span %v, not within %v", src, s, in)
	}
}
