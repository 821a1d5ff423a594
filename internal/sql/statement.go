package sql

import (
	"fmt"
	"slices"
	"strings"
)

// Statement is a query: rows, their order, and which of them are given.
type Statement struct {
	With          []CTE // of a WITH before it
	Body          *Body
	Order         []SortKey
	Limit, Offset *Expr   // nil without one
	Params        []*Expr // of the whole text, in its order; empty in a Statement within another
	Span
}

// CTE is a query that WITH gives a name to.
type CTE struct {
	Name  Name
	Query *Statement
}

// SetOp is how the rows of two queries become one.
type SetOp uint8

// The set operations.
const (
	Union SetOp = iota
	Intersect
	Except
)

// String returns the keyword.
func (o SetOp) String() string { return [...]string{"UNION", "INTERSECT", "EXCEPT"}[o] }

// Body is one of a SELECT, a Statement in parentheses and a set operation.
type Body struct {
	Select      *Select
	Nested      *Statement
	Left, Right *Body // of Op
	Op          SetOp
	All         bool // rows that are equal stay
	At          int  // where the operation's keyword stands
	Span
}

// Select is a SELECT without what stands behind it.
type Select struct {
	Distinct *Span // of the keyword; nil without
	Items    []Item
	From     *From // nil without one
	Where    *Expr // nil without one
	Group    *Grouping
	Having   *Expr // nil without one
	Span
}

// Item is an entry of a SELECT list.
type Item struct {
	Star  bool    // all columns
	Of    *Column // of "name.*", else nil
	Expr  *Expr   // nil of a star
	Alias *Name   // nil without one
	Span
}

// SortKey is an entry of ORDER BY.
type SortKey struct {
	Expr *Expr
	Direction
	Span
}

// From is where rows come from: one of files, a query, a name and a parameter.
type From struct {
	Files []File
	Query *Statement // in parentheses, or what WITH has given a name to
	Name  *Column    // of what is not in WITH
	Param *Expr
	Alias *Name // nil without one; the name that WITH gave counts as one
	Span
}

// File is the name of an input, or a pattern.
type File struct {
	Name string
	Span
}

// maxSelects is how many SELECTs a statement may have, those that WITH names
// counted each time that they are used.
const maxSelects = 200

// ParseStatement reads one statement; a semicolon may end it. Comments count as
// spaces. Errors are *Error; what is SQL but not supported is an error that says
// so.
func ParseStatement(src string) (*Statement, error) {
	plain, err := blankComments(src)
	if err != nil {
		return nil, err
	}
	p, err := newParser(plain)
	if err != nil {
		return nil, err
	}
	if p.peek().kind == end {
		return nil, p.wrong("SELECT")
	}
	s, err := p.statement()
	if err != nil {
		return nil, err
	}
	if p.accept(";") && p.peek().kind != end {
		return nil, &Error{Offset: p.peek().Start, Message: "there is more than one statement"}
	}
	if p.peek().kind != end {
		return nil, p.outOfPlace("the next clause or the end")
	}
	s.Params = p.params
	return s, nil
}

// blankComments puts spaces in the place of comments, so that positions stay.
func blankComments(src string) (string, error) {
	out := []byte(src)
	for at := 0; at < len(src); {
		switch rest := src[at:]; {
		case src[at] == '\'' || src[at] == '"':
			_, n, ok := unquote(rest)
			if !ok {
				return src, nil // which the lexer says
			}
			at += n
		case strings.HasPrefix(rest, "--"):
			for ; at < len(src) && src[at] != '\n'; at++ {
				out[at] = ' '
			}
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return "", &Error{Offset: at, Message: "the comment is not closed", Hint: "*/ closes it"}
			}
			for range n + 4 {
				out[at] = ' '
				at++
			}
		default:
			at++
		}
	}
	return string(out), nil
}

// statementParser reads statements; it is an exprParser that knows what WITH has
// named.
type statementParser struct {
	exprParser
	named []CTE
	sizes []int // SELECTs in each of named
	count int   // SELECTs so far
}

func (p *statementParser) statement() (*Statement, error) {
	back, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer back()
	s := &Statement{Span: p.peek().Span}
	known := len(p.named)
	defer func() { p.named, p.sizes = p.named[:known], p.sizes[:known] }()
	if p.peek().is("with") {
		if s.With, err = p.with(); err != nil {
			return nil, err
		}
	}
	if s.Body, err = p.body(); err != nil {
		return nil, err
	}
	if p.keyword("order", "by") {
		p.at += 2
		if s.Order, err = p.sortKeys(); err != nil {
			return nil, err
		}
	}
	err = p.window(s)
	s.End = p.last().End
	return s, err
}

// last is the token before the next.
func (p *statementParser) last() token { return p.toks[max(0, p.at-1)] }

// with reads the queries that WITH names.
func (p *statementParser) with() (list []CTE, err error) {
	p.at++
	if p.peek().is("recursive") && !p.following().is("as") {
		return nil, &Error{Offset: p.peek().Start, Message: "WITH RECURSIVE is not supported"}
	}
	for {
		c := CTE{}
		if c.Name, err = p.name("a name for a query"); err != nil {
			return nil, err
		}
		if p.accept("(") {
			return nil, &Error{Offset: p.last().Start, Message: "names of columns in WITH are not supported", Hint: "give them with AS in the SELECT"}
		}
		if !p.word("as") {
			return nil, p.wrong("AS")
		}
		for _, w := range []string{"materialized", "not"} {
			if p.peek().is(w) {
				return nil, &Error{Offset: p.peek().Start, Message: "MATERIALIZED is not supported"}
			}
		}
		before := p.count
		if c.Query, err = p.parenthesized(); err != nil {
			return nil, err
		}
		p.named, p.sizes = append(p.named, c), append(p.sizes, p.count-before)
		if list = append(list, c); !p.accept(",") {
			return list, nil
		}
	}
}

// parenthesized reads a statement in parentheses.
func (p *statementParser) parenthesized() (*Statement, error) {
	if !p.accept("(") {
		return nil, p.wrong("a query in parentheses")
	}
	s, err := p.statement()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, p.outOfPlace("the next clause or a closing parenthesis")
	}
	return s, nil
}

// body reads UNION and EXCEPT, from left to right.
func (p *statementParser) body() (*Body, error) {
	return p.setOperations(p.intersections, Union, Except)
}

// intersections reads INTERSECT, which binds tighter.
func (p *statementParser) intersections() (*Body, error) {
	return p.setOperations(p.operand, Intersect)
}

func (p *statementParser) setOperations(operand func() (*Body, error), ops ...SetOp) (*Body, error) {
	left, err := operand()
	for err == nil {
		t := p.peek()
		i := slices.IndexFunc(ops, func(o SetOp) bool { return t.is(o.String()) })
		if i < 0 {
			return left, nil
		}
		p.at++
		b := &Body{Op: ops[i], At: t.Start, Left: left, Span: left.Span}
		if b.All = p.word("all"); !b.All {
			p.word("distinct")
		}
		if t := p.peek(); t.is("by") || t.is("corresponding") {
			return nil, &Error{Offset: t.Start, Message: strings.ToUpper(t.value) + " is not supported: columns are matched by their position"}
		}
		if b.Right, err = operand(); err == nil {
			b.End = b.Right.End
			left = b
		}
	}
	return nil, err
}

// operand reads a SELECT or a statement in parentheses.
func (p *statementParser) operand() (*Body, error) {
	t := p.peek()
	if t.kind == symbol && t.value == "(" {
		s, err := p.parenthesized()
		if err != nil {
			return nil, err
		}
		return &Body{Nested: s, Span: Span{t.Start, p.last().End}}, nil
	}
	if p.count++; p.count > maxSelects {
		return nil, tooMany(t.Start)
	}
	s, err := p.selection()
	if err != nil {
		return nil, err
	}
	return &Body{Select: s, Span: s.Span}, nil
}

func tooMany(at int) *Error {
	return &Error{Offset: at, Message: fmt.Sprintf("the statement has more than %d SELECTs", maxSelects)}
}

// sortKeys reads the list behind ORDER BY.
func (p *exprParser) sortKeys() (list []SortKey, err error) {
	for {
		e, err := p.or()
		if err != nil {
			return nil, err
		}
		k := SortKey{Expr: e, Span: e.Span}
		if p.peek().is("using") {
			return nil, &Error{Offset: p.peek().Start, Message: "USING in ORDER BY is not supported", Hint: "ASC and DESC order"}
		}
		if k.Direction, err = p.direction(); err != nil {
			return nil, err
		}
		k.End = p.toks[p.at-1].End
		if list = append(list, k); !p.accept(",") {
			return list, nil
		}
	}
}

// window reads LIMIT and OFFSET, in any order.
func (p *statementParser) window(s *Statement) (err error) {
	for {
		t := p.peek()
		switch {
		case t.is("limit") && s.Limit == nil:
			p.at++
			if p.word("all") {
				continue
			}
			if s.Limit, err = p.or(); err != nil {
				return err
			}
			if next := p.peek(); next.kind == symbol && next.value == "%" || next.is("percent") {
				return &Error{Offset: next.Start, Message: "a LIMIT in percent is not supported"}
			}
			if next := p.peek(); next.kind == symbol && next.value == "," {
				return &Error{Offset: next.Start, Message: "LIMIT takes one number", Hint: "LIMIT 10 OFFSET 20"}
			}
		case t.is("offset") && s.Offset == nil:
			p.at++
			if s.Offset, err = p.or(); err != nil {
				return err
			}
			if !p.word("rows") {
				p.word("row")
			}
		case t.is("fetch"):
			return &Error{Offset: t.Start, Message: "FETCH is not supported", Hint: "LIMIT 10 gives ten rows"}
		case t.is("for"):
			return &Error{Offset: t.Start, Message: "FOR is not supported: there is nothing to lock"}
		default:
			return nil
		}
	}
}

// word takes the next token if it is that word.
func (p *exprParser) word(w string) bool {
	if !p.peek().is(w) {
		return false
	}
	p.at++
	return true
}

// following is the token after the next.
func (p *exprParser) following() token { return p.toks[min(p.at+1, len(p.toks)-1)] }
