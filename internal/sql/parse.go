package sql

import (
	"fmt"
	"strings"
)

// Name is one part of a column's name, a function or an alias.
type Name struct {
	Text   string // without quotes
	Quoted bool
	Span
}

// Column refers to a column: several parts where the text has dots outside
// quotes.
type Column struct {
	Parts []Name
	Span
}

// String spells the column as it was written, without spaces.
func (c Column) String() string {
	parts := make([]string, len(c.Parts))
	for i, p := range c.Parts {
		if parts[i] = p.Text; p.Quoted {
			parts[i] = Quote(p.Text)
		}
	}
	return strings.Join(parts, ".")
}

// Aggregate is a call of an aggregate function.
type Aggregate struct {
	Func  Name
	Star  bool // the argument is *
	Args  []Column
	Alias *Name // nil without one
	Span
}

// ParseColumns reads a list of one or more columns. Errors are *Error.
func ParseColumns(src string) ([]Column, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks}
	var out []Column
	for {
		c, err := p.column()
		if err != nil {
			return nil, err
		}
		out = append(out, c)
		if done, err := p.more("a comma or the end"); done || err != nil {
			return out, err
		}
	}
}

// ParseAggregates reads a list of one or more aggregates. Errors are *Error.
func ParseAggregates(src string) ([]Aggregate, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks}
	var out []Aggregate
	for {
		a, err := p.aggregate()
		if err != nil {
			return nil, err
		}
		out = append(out, a)
		expect := "a comma or the end"
		if a.Alias == nil {
			expect = "AS, a comma or the end"
		}
		if done, err := p.more(expect); done || err != nil {
			return out, err
		}
	}
}

type parser struct {
	toks []token
	at   int
}

func (p *parser) peek() token { return p.toks[p.at] }

func (p *parser) next() token {
	t := p.toks[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// accept takes the next token if it is the symbol s.
func (p *parser) accept(s string) bool {
	if t := p.peek(); t.kind == symbol && t.value == s {
		p.at++
		return true
	}
	return false
}

// follows reports whether the token after the next is the symbol s.
func (p *parser) follows(s string) bool {
	if p.at+1 >= len(p.toks) {
		return false
	}
	t := p.toks[p.at+1]
	return t.kind == symbol && t.value == s
}

func (t token) is(keyword string) bool { return t.kind == word && strings.EqualFold(t.value, keyword) }

// more takes the comma before a further entry; done is true at the end.
func (p *parser) more(expect string) (done bool, err error) {
	if p.accept(",") {
		return false, nil
	}
	if p.peek().kind == end {
		return true, nil
	}
	return false, p.unexpected(expect)
}

// unexpected is the error for the next token where something else should be.
func (p *parser) unexpected(expect string) *Error {
	t := p.peek()
	e := &Error{Offset: t.Start, Message: fmt.Sprintf("expected %s, found %s", expect, t.describe())}
	switch {
	case t.kind == text, t.value == "`":
		e.Hint = quoteHint
	case t.kind == symbol && strings.Contains("+-*/%<>=|&", t.value):
		e.Hint = "expressions are not supported yet; " + nameHint
	case t.kind == word, t.kind == number, t.kind == symbol && t.value != ")" && t.value != "(" && t.value != ",":
		e.Hint = nameHint
	}
	return e
}

func (p *parser) name(expect string) (Name, error) {
	t := p.peek()
	if t.kind != word && t.kind != quoted {
		return Name{}, p.unexpected(expect)
	}
	p.at++
	return Name{Text: t.value, Quoted: t.kind == quoted, Span: t.Span}, nil
}

func (p *parser) column() (Column, error) {
	n, err := p.name("a column name")
	if err != nil {
		return Column{}, err
	}
	c := Column{Parts: []Name{n}, Span: n.Span}
	for p.accept(".") {
		if n, err = p.name("a field name after the dot"); err != nil {
			return Column{}, err
		}
		c.Parts, c.End = append(c.Parts, n), n.End
	}
	return c, nil
}

func (p *parser) aggregate() (Aggregate, error) {
	f, err := p.name("an aggregate such as sum(x) or count(*)")
	if err != nil {
		return Aggregate{}, err
	}
	a := Aggregate{Func: f, Span: f.Span}
	if !p.accept("(") {
		e := p.unexpected(fmt.Sprintf("an opening parenthesis after %q", f.Text))
		e.Hint = "an aggregate is a function of a column, such as sum(fare) or count(*)"
		return a, e
	}
	if err := p.args(&a); err != nil {
		return a, err
	}
	a.End = p.next().End // the closing parenthesis
	err = p.alias(&a)
	return a, err
}

// args reads up to the closing parenthesis and leaves it.
func (p *parser) args(a *Aggregate) error {
	if t := p.peek(); t.kind == symbol && t.value == ")" {
		return nil
	}
	if p.accept("*") {
		a.Star = true
		return p.closing("a closing parenthesis")
	}
	for {
		if t := p.peek(); (t.is("distinct") || t.is("all")) && !p.follows(")") && !p.follows(".") && !p.follows(",") {
			return &Error{Offset: t.Start, Message: fmt.Sprintf("%s in an aggregate is not supported yet", strings.ToUpper(t.value))}
		}
		c, err := p.column()
		if err != nil {
			switch t := p.peek(); {
			case t.kind == number && a.isCount():
				err.(*Error).Hint = "count(*) counts rows"
			case t.kind == number && strings.Trim(t.value, "0123456789") == "":
				err.(*Error).Hint = "arguments that are no columns are not supported yet"
			}
			return err
		}
		a.Args = append(a.Args, c)
		if !p.accept(",") {
			return p.closing("a comma or a closing parenthesis")
		}
	}
}

func (a *Aggregate) isCount() bool { return strings.EqualFold(a.Func.Text, "count") }

func (p *parser) closing(expect string) error {
	t := p.peek()
	if t.is("order") {
		return &Error{Offset: t.Start, Message: "ORDER BY in an aggregate is not supported yet"}
	}
	if t.kind == symbol && t.value == ")" {
		return nil
	}
	return p.unexpected(expect)
}

func (p *parser) alias(a *Aggregate) error {
	t := p.peek()
	if t.is("as") {
		p.at++
		n, err := p.name("a name after AS")
		if err != nil {
			return err
		}
		a.Alias, a.End = &n, n.End
		return nil
	}
	if t.kind != word && t.kind != quoted {
		return nil
	}
	if (t.is("filter") || t.is("over")) && p.follows("(") {
		return &Error{Offset: t.Start, Message: fmt.Sprintf("%s after an aggregate is not supported yet", strings.ToUpper(t.value))}
	}
	n, err := p.name("a name")
	a.Alias, a.End = &n, n.End
	return err
}
