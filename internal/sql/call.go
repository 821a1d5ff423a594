package sql

import (
	"fmt"
	"strings"
)

// Aggregate is a call of an aggregate function.
type Aggregate struct {
	Func      Name
	Star      bool // the argument is *
	Distinct  *Span
	Args      []Column
	Constants []Constant // behind the columns
	Order     []Key      // of ORDER BY within the call
	Alias     *Name      // nil without one
	Span
}

// ConstantKind says what a Constant is.
type ConstantKind uint8

// The kinds of constants.
const (
	Null ConstantKind = iota
	Number
	String
)

// Constant is an argument that is no column. Text is the value of a string, or
// a number with its sign as it was written.
type Constant struct {
	Kind ConstantKind
	Text string
	Span
}

// Direction is how a key orders: NULLs come last when ascending and first when
// descending, unless the text says otherwise.
type Direction struct{ Desc, NullsFirst bool }

// Key is a column of an ORDER BY within a call.
type Key struct {
	Column Column
	Direction
	Span
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

func (p *parser) aggregate() (Aggregate, error) {
	a, err := p.call()
	if err == nil {
		err = p.alias(&a)
	}
	return a, err
}

// call reads up to and with the closing parenthesis.
func (p *parser) call() (Aggregate, error) {
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
	expect, err := p.args(&a)
	if err == nil && !a.Star && p.keyword("order", "by") {
		p.at += 2
		expect, err = "a comma or a closing parenthesis", p.keys(&a)
	}
	if err != nil {
		return a, err
	}
	if t := p.peek(); t.kind != symbol || t.value != ")" {
		return a, p.unexpected(expect)
	}
	a.End = p.next().End
	return a, nil
}

// keyword reports whether the next words are these.
func (p *parser) keyword(words ...string) bool {
	for i, w := range words {
		if p.at+i >= len(p.toks) || !p.toks[p.at+i].is(w) {
			return false
		}
	}
	return true
}

// quantifier reads DISTINCT or ALL, which changes nothing.
func (p *parser) quantifier(a *Aggregate) error {
	t := p.peek()
	if !t.is("distinct") && !t.is("all") || p.follows(")") || p.follows(".") || p.follows(",") {
		return nil
	}
	if p.follows("*") {
		return &Error{Offset: t.Start, Message: strings.ToUpper(t.value) + " needs a column", Hint: "count(*) counts rows"}
	}
	p.at++
	if t.is("distinct") {
		a.Distinct = &t.Span
	}
	return nil
}

// args reads columns and constants up to what must be ORDER BY or the closing
// parenthesis, and says what it expects there.
func (p *parser) args(a *Aggregate) (expect string, err error) {
	if t := p.peek(); t.kind == symbol && t.value == ")" {
		return "", nil
	}
	if p.accept("*") {
		a.Star = true
		return "a closing parenthesis", nil
	}
	if err := p.quantifier(a); err != nil {
		return "", err
	}
	expect = "a comma or a closing parenthesis"
	for {
		if err := p.arg(a); err != nil {
			return "", err
		}
		if !p.accept(",") {
			return expect, nil
		}
	}
}

// arg reads a column or, behind the first column, a constant.
func (p *parser) arg(a *Aggregate) error {
	t := p.peek()
	if len(a.Args) == 0 && !p.signed() {
		c, err := p.column()
		if t.kind == number && err != nil {
			err.(*Error).Hint = "the arguments of an aggregate are columns; constants come after them, as in quantile_cont(fare, 0.5)"
			if a.isCount() {
				err.(*Error).Hint = "count(*) counts rows"
			} else if !wellFormed(t.value) {
				err.(*Error).Hint = nameHint
			}
		}
		a.Args = append(a.Args, c)
		return err
	}
	if c, ok, err := p.constant(); ok || err != nil {
		if err == nil && len(a.Args) == 0 {
			err = &Error{Offset: c.Start, Message: fmt.Sprintf("expected a column name, found %q", c.Text),
				Hint: "the arguments of an aggregate are columns; constants come after them, as in quantile_cont(fare, 0.5)"}
		}
		a.Constants = append(a.Constants, c)
		return err
	}
	c, err := p.column()
	if err == nil && len(a.Constants) > 0 {
		err = &Error{Offset: c.Start, Message: fmt.Sprintf("the column %s comes after a constant", c), Hint: "name the columns first, as in quantile_cont(fare, 0.5)"}
	}
	a.Args = append(a.Args, c)
	return err
}

// signed reports whether a sign and a number follow.
func (p *parser) signed() bool {
	t := p.peek()
	return t.kind == symbol && (t.value == "-" || t.value == "+") && p.toks[p.at+1].kind == number
}

// constant reads a constant if there is one.
func (p *parser) constant() (c Constant, ok bool, err error) {
	t := p.peek()
	switch {
	case t.kind == text:
		c = Constant{Kind: String, Text: t.value, Span: t.Span}
	case t.is("null") && !p.follows("."):
		c = Constant{Kind: Null, Span: t.Span}
	case t.kind == number, p.signed():
		c = Constant{Kind: Number, Span: t.Span}
		if t.kind == symbol {
			p.at++
			if t.value == "-" {
				c.Text = "-"
			}
		}
		n := p.peek()
		if !wellFormed(n.value) {
			return c, false, &Error{Offset: n.Start, Message: fmt.Sprintf("%q is no number", n.value), Hint: nameHint}
		}
		c.Text, c.End = c.Text+n.value, n.End
	default:
		return c, false, nil
	}
	p.at++
	return c, true, nil
}

func (a *Aggregate) isCount() bool { return strings.EqualFold(a.Func.Text, "count") }

// keys reads the list behind ORDER BY.
func (p *parser) keys(a *Aggregate) error {
	for {
		t := p.peek()
		c, err := p.column()
		if err != nil {
			if t.kind == number || t.kind == text {
				err.(*Error).Hint = "ORDER BY in an aggregate takes columns"
			}
			return err
		}
		k := Key{Column: c, Span: c.Span}
		if k.Direction, err = p.direction(); err != nil {
			return err
		}
		k.End = p.toks[p.at-1].End
		a.Order = append(a.Order, k)
		if !p.accept(",") {
			return nil
		}
	}
}

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

func (p *parser) alias(a *Aggregate) (err error) {
	t := p.peek()
	for _, k := range []string{"filter", "over"} {
		if t.is(k) && p.follows("(") {
			return &Error{Offset: t.Start, Message: strings.ToUpper(k) + " after an aggregate is not supported yet"}
		}
	}
	if p.keyword("within", "group") {
		return &Error{Offset: t.Start, Message: "WITHIN GROUP is not supported", Hint: "name the column first, as in quantile_cont(fare, 0.5)"}
	}
	a.Alias, a.End, err = p.named(a.End)
	return err
}

// named reads an alias if there is one, and returns where it, or what came
// before, ends.
func (p *parser) named(before int) (*Name, int, error) {
	t := p.peek()
	expect := "a name"
	switch {
	case t.is("as"):
		p.at++
		expect = "a name after AS"
	case t.kind != word && t.kind != quoted:
		return nil, before, nil
	}
	n, err := p.name(expect)
	if err != nil {
		return nil, before, err
	}
	return &n, n.End, nil
}
