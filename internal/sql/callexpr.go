package sql

import (
	"fmt"
	"strconv"
	"strings"
)

// What an Expr of a statement may be besides.
const (
	CallOp  Op = iota + 200 // Call; the arguments are operands
	ParamOp                 // a parameter; Text is its number, from 1
)

// Call is what a call of a function has beside its arguments.
type Call struct {
	Func     Name
	Star     bool  // the argument is *
	Distinct *Span // of the keyword; nil without
	Order    []SortKey
	Filter   *Expr // of FILTER (WHERE …); nil without
}

// callNext reports whether a call of a function follows.
func (p *exprParser) callNext() bool {
	t := p.peek()
	return (t.kind == word || t.kind == quoted) && p.follows("(")
}

// functionCall reads a call with all that may follow it.
func (p *exprParser) functionCall() (*Expr, error) {
	back, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer back()
	f, err := p.name("a function")
	if err != nil {
		return nil, err
	}
	p.at++ // the parenthesis
	e := &Expr{Op: CallOp, At: f.Start, Span: f.Span, Call: &Call{Func: f}}
	if err := p.callArgs(e); err != nil {
		return nil, err
	}
	if p.operators++; p.operators > maxOperators {
		return nil, &Error{Offset: f.Start, Message: fmt.Sprintf("the expression has more than %d operators", maxOperators)}
	}
	if err := p.callBehind(e); err != nil {
		return nil, err
	}
	e.End = p.toks[p.at-1].End
	return e, nil
}

// callArgs reads up to and with the closing parenthesis.
func (p *exprParser) callArgs(e *Expr) (err error) {
	if p.accept(")") {
		return nil
	}
	c := e.Call
	if t := p.peek(); (t.is("distinct") || t.is("all")) && !p.follows(")") && !p.follows(".") && !p.follows(",") {
		if p.follows("*") {
			return &Error{Offset: t.Start, Message: strings.ToUpper(t.value) + " needs a column", Hint: "count(*) counts rows"}
		}
		if p.at++; t.is("distinct") {
			c.Distinct = &t.Span
		}
	}
	if p.peek().value == "*" && p.peek().kind == symbol && p.follows(")") {
		p.at += 2
		c.Star = true
		return nil
	}
	for {
		arg, err := p.or()
		if err != nil {
			return err
		}
		if e.Args = append(e.Args, arg); !p.accept(",") {
			break
		}
	}
	if len(e.Args) == 1 && (strings.EqualFold(c.Func.Text, "substring") || strings.EqualFold(c.Func.Text, "substr")) {
		if err := p.substringArgs(e); err != nil {
			return err
		}
	}
	if p.keyword("order", "by") {
		p.at += 2
		if c.Order, err = p.sortKeys(); err != nil {
			return err
		}
	}
	if !p.accept(")") {
		return p.wrong("an operator, a comma or a closing parenthesis")
	}
	return nil
}

// callBehind reads what may stand behind a call.
func (p *exprParser) callBehind(e *Expr) (err error) {
	t := p.peek()
	if p.keyword("within", "group") {
		return &Error{Offset: t.Start, Message: "WITHIN GROUP is not supported", Hint: "name the column first, as in quantile_cont(fare, 0.5)"}
	}
	if t.is("filter") && p.follows("(") {
		if p.at += 2; !p.word("where") {
			return p.wrong("WHERE")
		}
		if e.Call.Filter, err = p.or(); err != nil {
			return err
		}
		if !p.accept(")") {
			return p.wrong("an operator or a closing parenthesis")
		}
	}
	t = p.peek()
	if next := p.following(); t.is("over") && (next.value == "(" || next.kind == word) {
		return &Error{Offset: t.Start, Message: "OVER is not supported: there are no window functions"}
	}
	return nil
}

// parameterNext reports whether $1 or ? follows.
func (p *exprParser) parameterNext() bool {
	t, next := p.peek(), p.following()
	return t.kind == symbol && (t.value == "?" || t.value == "$" && next.kind == number && next.Start == t.End)
}

// parameter reads $1 or ?, of which one kind may be in a statement.
func (p *exprParser) parameter() (*Expr, error) {
	t := p.next()
	e := &Expr{Op: ParamOp, At: t.Start, Span: t.Span, Text: strconv.Itoa(len(p.params) + 1)}
	if t.value == "$" {
		n := p.next()
		if v, err := strconv.Atoi(n.value); err != nil || v < 1 || v > maxOperators {
			return nil, &Error{Offset: t.Start, Message: fmt.Sprintf("there is no parameter $%s", n.value), Hint: "parameters count from $1"}
		}
		e.Text, e.End = n.value, n.End
	}
	if p.marks == "" {
		p.marks = t.value
	}
	if p.marks != t.value {
		return nil, &Error{Offset: t.Start, Message: "parameters are $1 or ?, not both"}
	}
	p.params = append(p.params, e)
	return e, nil
}
