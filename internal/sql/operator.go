package sql

import (
	"fmt"
	"slices"
	"strings"
)

// operator is a symbol between operands.
type operator struct {
	text string
	op   Op
	not  bool
}

// Operators by precedence, the loosest first; between ranges and comparisons
// stand IN, BETWEEN and LIKE.
var (
	comparisons = []operator{{"=", EqualOp, false}, {"<>", NotEqualOp, false}, {"!=", NotEqualOp, false}, {"<", LessOp, false},
		{"<=", LessEqualOp, false}, {">", GreaterOp, false}, {">=", GreaterEqualOp, false}}
	others = []operator{{"||", ConcatOp, false}, {"&", BitAndOp, false}, {"|", BitOrOp, false}, {"#", BitXorOp, false}, {"<<", ShiftLeftOp, false},
		{">>", ShiftRightOp, false}, {"~", MatchOp, false}, {"!~", MatchOp, true}, {"~*", MatchFoldOp, false}, {"!~*", MatchFoldOp, true}}
	sums     = []operator{{"+", AddOp, false}, {"-", SubOp, false}}
	products = []operator{{"*", MulOp, false}, {"/", DivOp, false}, {"%", ModOp, false}}
	powers   = []operator{{"^", PowerOp, false}, {"**", PowerOp, false}}
	casts    = []operator{{"::", CastOp, false}}
)

// operatorText returns the operator that the next symbols are, which stand side by
// side: a sign or ~ behind one is the operand's.
func (p *exprParser) operatorText() string {
	var text string
	for i := p.at; i < len(p.toks); i++ {
		t := p.toks[i]
		if t.kind != symbol || !strings.Contains("+-*/<>=~!@#%^&|:", t.value) || i > p.at && t.Start != p.toks[i-1].End {
			break
		}
		text += t.value
	}
	if text == "--" || strings.HasPrefix(text, "/*") {
		return text
	}
	for n := len(text); n > 0; n-- {
		if known(text[:n]) && strings.Trim(text[n:], "+-~") == "" && !strings.HasPrefix(text[n-1:], "~~") {
			return text[:n]
		}
	}
	return text
}

func known(text string) bool {
	for _, ops := range [][]operator{comparisons, others, sums, products, powers, casts} {
		if slices.ContainsFunc(ops, func(o operator) bool { return o.text == text }) {
			return true
		}
	}
	return false
}

// symbolOp reads the operator that the next symbols are, if it is in ops.
func (p *exprParser) symbolOp(ops []operator) (operator, Span, bool) {
	t := p.peek()
	if t.kind != symbol {
		return operator{}, t.Span, false
	}
	text := p.operatorText()
	for _, o := range ops {
		if o.text == text {
			p.at += len(text)
			return o, Span{t.Start, t.Start + len(text)}, true
		}
	}
	return operator{}, t.Span, false
}

// binary reads operands with operators of one precedence between them.
func (p *exprParser) binary(ops []operator, operand func() (*Expr, error)) (*Expr, error) {
	e, err := operand()
	for err == nil {
		o, at, ok := p.symbolOp(ops)
		if !ok {
			return e, nil
		}
		right, err := operand()
		if err != nil {
			return nil, err
		}
		if e, err = p.node(o.op, at, e, right); err != nil {
			return nil, err
		}
		e.Not = o.not
	}
	return nil, err
}

// other reads the operators that have no precedence of their own.
func (p *exprParser) other() (*Expr, error) { return p.binary(others, p.complement) }

// complement reads ~ before an operand.
func (p *exprParser) complement() (*Expr, error) {
	t := p.peek()
	if t.kind != symbol || t.value != "~" {
		return p.sum()
	}
	back, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer back()
	p.at++
	arg, err := p.complement()
	if err != nil {
		return nil, err
	}
	return p.node(BitNotOp, t.Span, arg)
}

func (p *exprParser) sum() (*Expr, error) { return p.binary(sums, p.product) }

func (p *exprParser) product() (*Expr, error) { return p.binary(products, p.power) }

func (p *exprParser) power() (*Expr, error) { return p.binary(powers, p.zoned) }

// zoned reads AT TIME ZONE behind an operand.
func (p *exprParser) zoned() (*Expr, error) {
	e, err := p.sign()
	for err == nil && p.keyword("at", "time", "zone") {
		at := p.peek().Span
		p.at += 3
		zone, err := p.sign()
		if err != nil {
			return nil, err
		}
		if e, err = p.node(AtZoneOp, at, e, zone); err != nil {
			return nil, err
		}
	}
	return e, err
}

func (p *exprParser) sign() (*Expr, error) {
	t := p.peek()
	if t.kind != symbol || t.value != "-" && t.value != "+" {
		return p.typed()
	}
	if next := p.toks[min(p.at+1, len(p.toks)-1)]; t.value == "-" && next.kind == symbol && next.value == "-" && next.Start == t.End {
		return nil, &Error{Offset: t.Start, Message: "comments are not supported", Hint: "put a space between two minus signs"}
	}
	back, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer back()
	p.at++
	arg, err := p.sign()
	if err != nil || t.value == "+" {
		return arg, err
	}
	return p.node(NegOp, t.Span, arg)
}

// typed reads :: and a type behind an operand.
func (p *exprParser) typed() (*Expr, error) {
	e, err := p.primary()
	for err == nil {
		_, at, ok := p.symbolOp(casts)
		if !ok {
			return e, nil
		}
		t, err := p.typeName()
		if err != nil {
			return nil, err
		}
		if e, err = p.node(CastOp, at, e); err != nil {
			return nil, err
		}
		e.Type, e.Text = t, t.String()
	}
	return nil, err
}

// unknownOperator is the error for symbols that are no operator.
func unknownOperator(text string) (message, hint string) {
	switch {
	case text == "==":
		return "there is no operator ==", "= compares"
	case strings.HasPrefix(text, "--"), strings.HasPrefix(text, "/*"):
		return "comments are not supported", ""
	case text == "~~" || text == "!~~":
		return fmt.Sprintf("there is no operator %s", text), "LIKE matches patterns"
	}
	return fmt.Sprintf("there is no operator %s", text), ""
}
