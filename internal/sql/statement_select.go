package sql

import (
	"fmt"
	"slices"
	"strings"
)

// stops are the words that are no alias without AS.
var stops = []string{"from", "where", "group", "having", "order", "limit", "offset", "union", "intersect", "except", "fetch", "for", "window",
	"qualify", "join", "inner", "left", "right", "full", "cross", "natural", "asof", "positional", "semi", "anti", "on", "using", "tablesample", "select", "into",
	"with", "filter", "over", "within", "pivot", "unpivot", "when", "then", "else", "end", "and", "or", "not", "is", "in", "between", "like", "ilike",
	"isnull", "notnull", "collate", "similar", "at", "escape", "desc", "asc", "nulls", "by", "exclude", "replace", "values", "minus", "lateral"}

// selection reads a SELECT; FROM may come first, and alone it selects all.
func (p *statementParser) selection() (*Select, error) {
	s := &Select{Span: p.peek().Span}
	var err error
	if p.word("from") {
		if s.From, err = p.from(); err != nil {
			return nil, err
		}
	}
	switch t := p.peek(); {
	case p.word("select"):
		err = p.selectList(s)
	case s.From == nil:
		err = p.noSelect(t)
	default:
		s.Items = []Item{{Star: true, Span: s.From.Span}}
	}
	if err == nil && p.peek().is("into") {
		err = &Error{Offset: p.peek().Start, Message: "SELECT INTO is not supported"}
	}
	if err == nil && s.From == nil && p.word("from") {
		s.From, err = p.from()
	}
	if err == nil && p.word("where") {
		s.Where, err = p.or()
	}
	if err == nil && p.keyword("group", "by") {
		p.at += 2
		s.Group, err = p.grouping()
	}
	if err == nil && p.word("having") {
		s.Having, err = p.or()
	}
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.is("window") || t.is("qualify") {
		return nil, &Error{Offset: t.Start, Message: strings.ToUpper(t.value) + " is not supported: there are no window functions"}
	}
	s.End = p.last().End
	return s, nil
}

// noSelect is the error for a statement that begins with t.
func (p *statementParser) noSelect(t token) error {
	for _, w := range []string{"insert", "update", "delete", "create", "drop", "alter", "copy", "values", "table", "explain", "pivot", "describe", "show", "set", "merge", "attach"} {
		if t.is(w) {
			e := &Error{Offset: t.Start, Message: strings.ToUpper(w) + " is not supported", Hint: "a statement is a SELECT"}
			if w == "explain" {
				e.Hint = "--explain and --analyze are flags, Engine.ExplainSQL a function"
			}
			return e
		}
	}
	return p.outOfPlace("SELECT")
}

func (p *statementParser) selectList(s *Select) error {
	t, next := p.peek(), p.following()
	switch {
	case t.is("all") && !p.endsItem(next):
		p.at++
	case t.is("distinct") && !p.endsItem(next):
		if p.at++; p.peek().is("on") && p.follows("(") {
			return &Error{Offset: p.peek().Start, Message: "DISTINCT ON is not supported", Hint: "GROUP BY with first(x) takes one row of each group"}
		}
		s.Distinct = &t.Span
	}
	for {
		i, err := p.item()
		if err != nil {
			return err
		}
		if s.Items = append(s.Items, i); !p.accept(",") {
			return nil
		}
	}
}

// endsItem reports whether t ends an entry of a list, so that the word before it
// is a column.
func (p *statementParser) endsItem(t token) bool {
	return t.kind == end || t.kind == symbol && strings.Contains(",.;)", t.value) || t.is("as") || t.is("from")
}

func (p *statementParser) item() (Item, error) {
	t := p.peek()
	if p.accept("*") {
		return Item{Star: true, Span: t.Span}, p.starOnly()
	}
	if of, ok := p.starOf(); ok {
		return Item{Star: true, Of: of, Span: Span{t.Start, p.last().End}}, p.starOnly()
	}
	e, err := p.or()
	if err != nil {
		return Item{}, err
	}
	i := Item{Expr: e, Span: e.Span}
	i.Alias, err = p.alias()
	i.End = p.last().End
	return i, err
}

// starOf reads "name.*" if it is there.
func (p *statementParser) starOf() (*Column, bool) {
	at := p.at
	c, err := p.column()
	if err != nil && p.last().value == "." && p.accept("*") {
		c = Column{Span: Span{p.toks[at].Start, p.last().Start}}
		for _, t := range p.toks[at : p.at-1] {
			if t.kind != symbol {
				c.Parts = append(c.Parts, Name{Text: t.value, Quoted: t.kind == quoted, Span: t.Span})
			}
		}
		return &c, true
	}
	p.at = at
	return nil, false
}

// starOnly refuses what other dialects put behind a star.
func (p *statementParser) starOnly() error {
	if t := p.peek(); t.is("exclude") || t.is("replace") || t.is("rename") || t.is("except") && p.follows("(") && !p.selectIn(2) {
		return &Error{Offset: t.Start, Message: strings.ToUpper(t.value) + " behind a star is not supported", Hint: "name the columns"}
	}
	return nil
}

// selectIn reports whether a SELECT is so many tokens ahead.
func (p *statementParser) selectIn(n int) bool {
	t := p.toks[min(p.at+n, len(p.toks)-1)]
	return t.is("select") || t.is("from") || t.kind == symbol && t.value == "("
}

// alias reads AS and a name, or a name that is no word of the grammar.
func (p *statementParser) alias() (*Name, error) {
	t := p.peek()
	switch {
	case p.word("as"):
		n, err := p.name("a name after AS")
		return &n, err
	case t.kind == quoted, t.kind == word && !slices.Contains(stops, strings.ToLower(t.value)):
		n, err := p.name("a name")
		return &n, err
	}
	return nil, nil
}

// Grouping is a GROUP BY.
type Grouping struct {
	All  bool // by every entry of the SELECT list that has no aggregate
	Sets []GroupItem
	Span
}

// GroupKind says what a GroupItem is.
type GroupKind uint8

// The kinds.
const (
	GroupBy     GroupKind = iota // by all of Exprs
	GroupSets                    // GROUPING SETS (Sets)
	GroupRollup                  // ROLLUP (Sets, each a GroupBy)
	GroupCube                    // CUBE (Sets, each a GroupBy)
)

// GroupItem is an entry of a GROUP BY.
type GroupItem struct {
	Kind  GroupKind
	Exprs []*Expr
	Alias *Name // of the one expression; nil: none
	Sets  []GroupItem
	Span
}

// grouping reads what is behind GROUP BY.
func (p *statementParser) grouping() (*Grouping, error) {
	g := &Grouping{Span: p.peek().Span}
	next := p.following()
	if t := p.peek(); t.is("all") && !(next.kind == symbol && strings.Contains(".,+-*/%<>=|(", next.value)) {
		p.at++
		g.All = true
		return g, nil
	}
	for {
		i, err := p.groupItem()
		if err != nil {
			return nil, err
		}
		if g.Sets = append(g.Sets, i); !p.accept(",") {
			g.End = p.last().End
			return g, nil
		}
	}
}

func (p *statementParser) groupItem() (i GroupItem, err error) {
	back, err := p.deeper()
	if err != nil {
		return i, err
	}
	defer back()
	t := p.peek()
	switch {
	case p.keyword("grouping", "sets"):
		p.at += 2
		i.Kind = GroupSets
	case t.is("rollup") && p.follows("("):
		p.at++
		i.Kind = GroupRollup
	case t.is("cube") && p.follows("("):
		p.at++
		i.Kind = GroupCube
	default:
		if i.Exprs, err = p.groupExprs(); err == nil && len(i.Exprs) == 1 && p.word("as") {
			var n Name
			n, err = p.name("a name after AS")
			i.Alias = &n
		}
		i.Span = Span{t.Start, p.last().End}
		return i, err
	}
	if !p.accept("(") {
		return i, p.wrong("an opening parenthesis")
	}
	for {
		at := p.peek()
		s, err := p.groupItem()
		if err != nil {
			return i, err
		}
		if i.Kind != GroupSets && s.Kind != GroupBy {
			return i, &Error{Offset: at.Start, Message: "ROLLUP and CUBE take columns and expressions"}
		}
		if i.Sets = append(i.Sets, s); p.accept(",") {
			continue
		}
		if !p.accept(")") {
			return i, p.wrong("a comma or a closing parenthesis")
		}
		i.Span = Span{t.Start, p.last().End}
		return i, nil
	}
}

// groupExprs reads an expression, or a list of them in parentheses, which may be
// empty.
func (p *statementParser) groupExprs() ([]*Expr, error) {
	at, operators := p.at, p.operators
	if p.accept("(") {
		if p.accept(")") {
			return nil, nil
		}
		if list, ok := p.exprList(); ok {
			return list, nil
		}
		p.at, p.operators = at, operators
	}
	e, err := p.or()
	return []*Expr{e}, err
}

// exprList reads the rest of a list in parentheses; false where it is none, but
// an expression that begins with a parenthesis.
func (p *statementParser) exprList() (list []*Expr, ok bool) {
	for {
		e, err := p.or()
		if err != nil {
			return nil, false
		}
		if list = append(list, e); p.accept(",") {
			continue
		}
		if len(list) < 2 || !p.accept(")") {
			return nil, false
		}
		return list, true
	}
}

// clauses are those of a statement in their order.
var clauses = []string{"select", "from", "where", "group", "having", "order", "limit", "offset"}

// outOfPlace is the error for the next token where something else should be: a
// clause that comes too late, or a word that may be a clause misspelled.
func (p *statementParser) outOfPlace(expect string) error {
	t := p.peek()
	switch {
	case (t.is("group") || t.is("order")) && !p.following().is("by"):
		p.at++
		return p.wrong("BY")
	case p.at == 0:
		e := p.wrong(expect)
		if e.Hint = ""; similar(strings.ToLower(t.value), "select") {
			e.Hint = "did you mean SELECT?"
		}
		return e
	case slices.Contains(clauses, strings.ToLower(t.value)) && t.kind == word:
		return &Error{Offset: t.Start, Message: strings.ToUpper(t.value) + " is out of place",
			Hint: "the clauses are SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, in this order and each once"}
	}
	e := p.wrong(expect)
	if last := p.last(); last.kind == word {
		for _, c := range clauses {
			if !last.is(c) && similar(strings.ToLower(last.value), c) {
				return &Error{Offset: last.Start, Message: fmt.Sprintf("%q is read as a name, and then %s was expected, not %s", last.value, expect, t.describe()),
					Hint: fmt.Sprintf("did you mean %s?", strings.ToUpper(c))}
			}
		}
	}
	return e
}

// similar reports whether a word has the letters of another but one, or these
// in another order.
func similar(a, b string) bool {
	sorted := func(s string) string { r := []byte(s); slices.Sort(r); return string(r) }
	x, y := sorted(a), sorted(b)
	if len(x) < len(y) {
		x, y = y, x
	}
	if x == y {
		return true
	}
	for i := range x {
		if rest := x[:i] + x[i+1:]; rest == y {
			return true
		}
	}
	return false
}
