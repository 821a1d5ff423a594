package sql

import (
	"fmt"
	"strconv"
)

// OrderItem is an entry of an ORDER BY list: one of an output column's number
// from 1, its name, and a call whose result it is.
type OrderItem struct {
	Ordinal int        // 0 if there is a Column or a Call
	Column  *Column    // nil if there is none
	Call    *Aggregate // nil if there is none; never with an alias
	Direction
	Span
}

// ParseOrder reads a list of one or more entries of ORDER BY. Errors are *Error.
func ParseOrder(src string) ([]OrderItem, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks}
	var out []OrderItem
	for {
		o, err := p.orderItem()
		if err != nil {
			return nil, err
		}
		out = append(out, o)
		if done, err := p.more("ASC, DESC, NULLS, a comma or the end"); done || err != nil {
			return out, err
		}
	}
}

func (p *parser) orderItem() (OrderItem, error) {
	t := p.peek()
	o := OrderItem{Span: t.Span}
	switch {
	case t.kind == number:
		n, err := strconv.Atoi(t.value)
		if err != nil || n < 1 {
			return o, &Error{Offset: t.Start, Message: fmt.Sprintf("expected the number of a column, found %q", t.value), Hint: "columns of the result count from 1"}
		}
		p.at++
		o.Ordinal = n
	case p.follows("("):
		a, err := p.call()
		if err != nil {
			return o, err
		}
		o.Call = &a
	default:
		c, err := p.column()
		if err != nil {
			return o, err
		}
		o.Column = &c
	}
	var err error
	o.Direction, err = p.direction()
	o.End = p.toks[max(0, p.at-1)].End
	return o, err
}

// SelectItem is an entry of a SELECT list.
type SelectItem struct {
	Star   bool // all columns; Column is empty then
	Column Column
	Alias  *Name // nil without one
	Span
}

// ParseSelect reads a list of one or more columns, each of which may have an
// alias, and stars. Errors are *Error.
func ParseSelect(src string) ([]SelectItem, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks}
	var out []SelectItem
	for {
		s, err := p.selectItem()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		expect := "a comma or the end"
		if s.Alias == nil && !s.Star {
			expect = "AS, a comma or the end"
		}
		if done, err := p.more(expect); done || err != nil {
			return out, err
		}
	}
}

func (p *parser) selectItem() (SelectItem, error) {
	t := p.peek()
	if p.accept("*") {
		return SelectItem{Star: true, Span: t.Span}, nil
	}
	if (t.kind == word || t.kind == quoted) && p.follows("(") {
		return SelectItem{}, &Error{Offset: t.Start, Message: fmt.Sprintf("the call of %q cannot be selected", t.value), Hint: "--agg takes aggregates; expressions are not supported yet"}
	}
	if t.is("distinct") && !p.follows(",") && !p.follows(".") && p.toks[p.at+1].kind != end && !p.toks[p.at+1].is("as") {
		return SelectItem{}, &Error{Offset: t.Start, Message: "DISTINCT is not part of the list", Hint: "--distinct is a flag of its own, Query.Distinct a field"}
	}
	c, err := p.column()
	if err != nil {
		return SelectItem{}, err
	}
	s := SelectItem{Column: c, Span: c.Span}
	s.Alias, s.End, err = p.named(s.End)
	return s, err
}
