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

// unexpected is the error for the next token where something else should be.
func (p *parser) unexpected(expect string) *Error {
	t := p.peek()
	e := &Error{Offset: t.Start, Message: fmt.Sprintf("expected %s, found %s", expect, t.describe())}
	switch {
	case t.kind == text, t.value == "`":
		e.Hint = quoteHint
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

// keyword reports whether the next tokens are these words.
func (p *parser) keyword(words ...string) bool {
	for i, w := range words {
		if p.at+i >= len(p.toks) || !p.toks[p.at+i].is(w) {
			return false
		}
	}
	return true
}

// Direction is how a key orders: NULLs come last when ascending and first when
// descending, unless the text says otherwise.
type Direction struct{ Desc, NullsFirst bool }

// direction reads what may follow a key.
func (p *parser) direction() (d Direction, err error) {
	if t := p.peek(); t.is("asc") || t.is("desc") {
		p.at++
		d.Desc = t.is("desc")
	}
	d.NullsFirst = d.Desc
	if !p.peek().is("nulls") {
		return d, nil
	}
	p.at++
	if t := p.peek(); !t.is("first") && !t.is("last") {
		return d, p.unexpected("FIRST or LAST after NULLS")
	}
	d.NullsFirst = p.next().is("first")
	return d, nil
}
