package sql

import (
	"fmt"
	"slices"
	"strings"
)

// reserved are the words that are no column in an expression unless quoted.
var reserved = []string{"and", "or", "not", "is", "in", "between", "like", "ilike", "isnull", "notnull", "as", "from", "where", "select",
	"case", "when", "then", "else", "end", "cast", "exists", "group", "order", "having", "limit"}

// constants are the words that are values.
var constants = []string{"true", "false", "null"}

// primary reads a literal, a column or an expression in parentheses.
func (p *exprParser) primary() (*Expr, error) {
	t := p.peek()
	lit := func(op Op, tokens int) (*Expr, error) {
		last := p.toks[p.at+tokens-1]
		p.at += tokens
		return &Expr{Op: op, Text: last.value, At: t.Start, Span: Span{t.Start, last.End}}, nil
	}
	next := p.toks[min(p.at+1, len(p.toks)-1)]
	switch {
	case t.kind == number && !wellFormed(t.value):
		return nil, &Error{Offset: t.Start, Message: fmt.Sprintf("%q is no number", t.value), Hint: nameHint}
	case t.kind == number:
		return lit(NumberOp, 1)
	case t.kind == text:
		return lit(StringOp, 1)
	case p.accept("("):
		return p.inParentheses(t)
	case p.parameterNext():
		return p.parameter()
	case t.kind == quoted && !p.follows("("):
		return p.columnExpr()
	case t.kind == quoted:
		return p.functionCall()
	case t.kind != word:
		return nil, p.wrong("a column or a value")
	case p.follows("."):
		return p.columnExpr()
	case t.is("true"):
		return lit(TrueOp, 1)
	case t.is("false"):
		return lit(FalseOp, 1)
	case t.is("null"):
		return lit(NullOp, 1)
	case t.is("date") && next.kind == text:
		return lit(DateOp, 2)
	case t.is("timestamp") && next.kind == text:
		return lit(TimestampOp, 2)
	case t.is("time") && next.kind == text:
		return lit(TimeOp, 2)
	case t.is("timestamptz") && next.kind == text:
		return lit(InstantOp, 2)
	}
	if e, err := p.form(t); e != nil || err != nil {
		return e, err
	}
	if message := p.missing(t); message != "" {
		return nil, &Error{Offset: t.Start, Message: message}
	}
	if slices.Contains(reserved, strings.ToLower(t.value)) {
		e := p.wrong("a column or a value")
		e.Hint = fmt.Sprintf("a column of this name goes in double quotes: %s", Quote(t.value))
		return nil, e
	}
	if p.callNext() {
		return p.functionCall()
	}
	return p.columnExpr()
}

func (p *exprParser) inParentheses(open token) (*Expr, error) {
	back, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer back()
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, p.wrong("an operator or a closing parenthesis")
	}
	wrapped := *e // the parentheses count as a part of it
	wrapped.Span = Span{open.Start, p.toks[p.at-1].End}
	return &wrapped, nil
}

func (p *exprParser) columnExpr() (*Expr, error) {
	c, err := p.column()
	if err != nil {
		return nil, err
	}
	return &Expr{Op: ColumnOp, Column: &c, At: c.Start, Span: c.Span}, nil
}

// missing says of a word that begins something that SQL has and this does not.
func (p *exprParser) missing(t token) string {
	switch upper := strings.ToUpper(t.value); {
	case upper == "SELECT" && p.at > 0 && p.toks[p.at-1].value == "(":
		return "sub-selects are not supported yet"
	case upper == "EXISTS" || (upper == "ARRAY" || upper == "ROW") && p.follows("["):
		return upper + " is not supported"
	case upper == "ROW" && p.follows("("):
		return "ROW is not supported"
	}
	return ""
}

// wrong is the error for the next token where something else should be.
func (p *exprParser) wrong(expect string) *Error {
	t := p.peek()
	e := &Error{Offset: t.Start, Message: fmt.Sprintf("expected %s, found %s", expect, t.describe())}
	if t.kind == symbol {
		if text := p.operatorText(); text != "" && !known(text) {
			e.Message, e.Hint = unknownOperator(text)
			return e
		}
	}
	switch {
	case t.value == "[" && t.kind == symbol:
		e.Message = "the operator [ is not supported"
	case t.is("escape"):
		e.Message, e.Hint = "ESCAPE is not supported", `a backslash makes the % or _ behind it a plain character`
	case t.is("similar"):
		e.Message, e.Hint = "SIMILAR is not supported", "~ matches regular expressions"
	case t.is("collate"), t.is("at"):
		e.Message = strings.ToUpper(t.value) + " is not supported"
	case t.kind == text && t.Start > 0:
		e.Hint = "a string in single quotes is a value; " + quoteHint
	case t.value == "`":
		e.Hint = quoteHint
	case t.kind == word, t.kind == symbol && !strings.Contains("()+-*/%<>=,", t.value):
		e.Hint = nameHint
	}
	return e
}
