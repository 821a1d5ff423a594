package sql

import (
	"fmt"
)

// Op says what an Expr is.
type Op uint8

// What an Expr may be. The comparisons, and Add to Mod, have two operands.
const (
	ColumnOp       Op = iota // Column
	NumberOp                 // Text is the number as it was written, without a sign
	StringOp                 // Text is the value
	DateOp                   // DATE 'Text'
	TimestampOp              // TIMESTAMP 'Text'
	TimeOp                   // TIME 'Text'
	InstantOp                // TIMESTAMPTZ 'Text'
	ExtractOp                // EXTRACT(Text FROM operand)
	AtZoneOp                 // AT TIME ZONE: the operand and the zone
	IntervalOp               // INTERVAL 'Text', also INTERVAL 3 DAY
	TrueOp                   // TRUE
	FalseOp                  // FALSE
	NullOp                   // NULL
	AndOp                    // two or more operands
	OrOp                     // two or more operands
	NotOp                    // one operand
	EqualOp                  // =
	NotEqualOp               // <> or !=
	LessOp                   // <
	LessEqualOp              // <=
	GreaterOp                // >
	GreaterEqualOp           // >=
	IsNullOp                 // one operand; also IS UNKNOWN
	IsTrueOp                 // one operand
	IsFalseOp                // one operand
	DistinctOp               // IS DISTINCT FROM: two operands
	InOp                     // the operand, then the entries of the list
	BetweenOp                // three operands
	LikeOp                   // two operands
	ILikeOp                  // two operands
	AddOp                    // +
	SubOp                    // -
	MulOp                    // *
	DivOp                    // /
	ModOp                    // %
	NegOp                    // one operand
	PowerOp                  // ^
	ConcatOp                 // ||
	BitAndOp                 // &
	BitOrOp                  // |
	BitXorOp                 // #
	ShiftLeftOp              // <<
	ShiftRightOp             // >>
	BitNotOp                 // ~: one operand
	MatchOp                  // ~, or !~ with Not
	MatchFoldOp              // ~*, or !~* with Not
	CaseOp                   // conditions and values in turn, then the value of ELSE if their number is odd
	SwitchOp                 // CASE x WHEN …: x, then as CaseOp, so that with ELSE their number is even
	CastOp                   // Type; also x::Type
	TryCastOp                // Type
)

// Expr is a node of an expression.
type Expr struct {
	Op     Op
	Not    bool // of IS NOT …, NOT IN, NOT BETWEEN, NOT LIKE, !~
	Args   []*Expr
	Column *Column // of ColumnOp
	Call   *Call   // of CallOp
	Type   *TypeName
	Text   string // of literals, ExtractOp and ParamOp; of casts the type
	At     int    // where the operator stands
	Span
}

// Bounds of an expression: how deep parentheses and operators may be nested, and
// how many operators there may be (entries of a list are not counted).
const (
	maxDepth     = 100
	maxOperators = 2000
)

// ParseExpr reads one expression. Errors are *Error; what is SQL but not
// supported is an error that says so.
func ParseExpr(src string) (*Expr, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &exprParser{parser: parser{toks: toks}}
	e, err := p.or()
	if err == nil && p.peek().kind != end {
		err = p.wrong("an operator or the end")
	}
	if err == nil {
		err = p.noParams()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// exprParser reads by precedence: OR, AND, NOT, IS, comparisons, ranges (IN,
// BETWEEN, LIKE), all other operators, sums, products, powers, AT TIME ZONE,
// signs, casts; as in PostgreSQL.
type exprParser struct {
	parser
	depth, operators int
	params           []*Expr // in the order of the text
	marks            string  // how parameters are written: "$" or "?"
}

// deeper is called before what may hold itself, with the way back.
func (p *exprParser) deeper() (func(), error) {
	if p.depth++; p.depth > maxDepth {
		return nil, &Error{Offset: p.peek().Start, Message: fmt.Sprintf("the expression is nested more than %d deep", maxDepth)}
	}
	return func() { p.depth-- }, nil
}

// node makes an operator over args, whose first and last give its span.
func (p *exprParser) node(op Op, at Span, args ...*Expr) (*Expr, error) {
	if p.operators++; p.operators > maxOperators {
		return nil, &Error{Offset: at.Start, Message: fmt.Sprintf("the expression has more than %d operators", maxOperators),
			Hint: "IN (…) compares with many values"}
	}
	e := &Expr{Op: op, Args: args, At: at.Start, Span: at}
	e.Start = min(at.Start, args[0].Start)
	e.End = max(p.toks[max(0, p.at-1)].End, args[len(args)-1].End)
	return e, nil
}

func (p *exprParser) or() (*Expr, error) { return p.chain(OrOp, "or", p.and) }

func (p *exprParser) and() (*Expr, error) { return p.chain(AndOp, "and", p.not) }

// chain reads operands with a word between them as one node.
func (p *exprParser) chain(op Op, word string, operand func() (*Expr, error)) (*Expr, error) {
	first, err := operand()
	if err != nil {
		return nil, err
	}
	args, at := []*Expr{first}, p.peek().Span
	for p.peek().is(word) {
		p.at++
		next, err := operand()
		if err != nil {
			return nil, err
		}
		if args = append(args, next); len(args) > maxOperators {
			return nil, &Error{Offset: next.Start, Message: fmt.Sprintf("the expression has more than %d operators", maxOperators), Hint: "IN (…) compares with many values"}
		}
	}
	if len(args) == 1 {
		return first, nil
	}
	return p.node(op, at, args...)
}

func (p *exprParser) not() (*Expr, error) {
	t := p.peek()
	if !t.is("not") {
		return p.is()
	}
	back, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer back()
	p.at++
	arg, err := p.not()
	if err != nil {
		return nil, err
	}
	return p.node(NotOp, t.Span, arg)
}

func (p *exprParser) is() (*Expr, error) {
	e, err := p.comparison()
	for err == nil && (p.peek().is("is") || p.peek().is("isnull") || p.peek().is("notnull")) {
		at := p.next()
		if !at.is("is") {
			if e, err = p.node(IsNullOp, at.Span, e); err == nil {
				e.Not = at.is("notnull")
			}
			continue
		}
		not := p.peek().is("not")
		if not {
			p.at++
		}
		if e, err = p.test(e, at.Span); err == nil {
			e.Not = not
		}
	}
	return e, err
}

// test reads what follows IS or IS NOT.
func (p *exprParser) test(e *Expr, at Span) (*Expr, error) {
	for word, op := range map[string]Op{"null": IsNullOp, "unknown": IsNullOp, "true": IsTrueOp, "false": IsFalseOp} {
		if p.peek().is(word) {
			p.at++
			return p.node(op, at, e)
		}
	}
	if !p.keyword("distinct", "from") {
		return nil, p.wrong("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS")
	}
	p.at += 2
	right, err := p.comparison()
	if err != nil {
		return nil, err
	}
	return p.node(DistinctOp, at, e, right)
}

func (p *exprParser) comparison() (*Expr, error) {
	left, err := p.ranges()
	if err != nil {
		return nil, err
	}
	o, at, ok := p.symbolOp(comparisons)
	if !ok {
		return left, nil
	}
	right, err := p.ranges()
	if err != nil {
		return nil, err
	}
	if _, again, ok := p.symbolOp(comparisons); ok {
		return nil, &Error{Offset: again.Start, Message: "comparisons cannot be chained", Hint: "write a < b AND b < c, or use parentheses"}
	}
	return p.node(o.op, at, left, right)
}

// ranges reads an operand with IN, BETWEEN or LIKE behind it or not.
func (p *exprParser) ranges() (*Expr, error) {
	e, err := p.other()
	if err != nil {
		return nil, err
	}
	t, not := p.peek(), false
	if t.is("not") {
		if next := p.toks[min(p.at+1, len(p.toks)-1)]; next.is("in") || next.is("between") || next.is("like") || next.is("ilike") {
			p.at++
			not, t = true, next
		}
	}
	out := e
	switch {
	case t.is("in"):
		out, err = p.in(e)
	case t.is("between"):
		out, err = p.between(e)
	case t.is("like"), t.is("ilike"):
		p.at++
		pattern, e2 := p.other()
		if e2 != nil {
			return nil, e2
		}
		op := LikeOp
		if t.is("ilike") {
			op = ILikeOp
		}
		out, err = p.node(op, t.Span, e, pattern)
	default:
		return e, nil
	}
	if err == nil {
		out.Not = not
	}
	return out, err
}

func (p *exprParser) in(e *Expr) (*Expr, error) {
	at := p.next().Span
	if !p.accept("(") {
		return nil, p.wrong("a list in parentheses after IN")
	}
	args := []*Expr{e}
	for {
		arg, err := p.other()
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
		if p.accept(",") {
			continue
		}
		if !p.accept(")") {
			return nil, p.wrong("a comma or a closing parenthesis")
		}
		return p.node(InOp, at, args...)
	}
}

func (p *exprParser) between(e *Expr) (*Expr, error) {
	at := p.next().Span
	if p.peek().is("symmetric") {
		return nil, &Error{Offset: p.peek().Start, Message: "BETWEEN SYMMETRIC is not supported"}
	}
	lo, err := p.other()
	if err != nil {
		return nil, err
	}
	if !p.peek().is("and") {
		return nil, p.wrong("AND between the bounds of BETWEEN")
	}
	p.at++
	hi, err := p.other()
	if err != nil {
		return nil, err
	}
	return p.node(BetweenOp, at, e, lo, hi)
}
