package sql

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TypeName is a type as it is written.
type TypeName struct {
	Name string // in lower case, with single spaces between words
	Args []int  // in parentheses
	Span
}

// String spells the type.
func (t *TypeName) String() string {
	if len(t.Args) == 0 {
		return t.Name
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = strconv.Itoa(a)
	}
	return t.Name + "(" + strings.Join(args, ",") + ")"
}

// typeName reads a type.
func (p *exprParser) typeName() (*TypeName, error) {
	n, err := p.name("a type")
	if err != nil {
		return nil, err
	}
	t := &TypeName{Name: strings.ToLower(n.Text), Span: n.Span}
	for word, second := range map[string]string{"double": "precision", "character": "varying", "bit": "varying"} {
		if t.Name == word && p.word(second) {
			t.Name += " " + second
		}
	}
	if p.accept("(") {
		if t.Args, err = p.typeArgs(); err != nil {
			return nil, err
		}
	}
	if t.Name == "timestamp" || t.Name == "time" {
		for _, zone := range []string{"with", "without"} {
			if p.keyword(zone, "time", "zone") {
				p.at += 3
				t.Name += " " + zone + " time zone"
			}
		}
	}
	t.End = p.toks[p.at-1].End
	if p.peek().value == "[" {
		return nil, &Error{Offset: p.peek().Start, Message: "types of lists are not supported"}
	}
	return t, nil
}

// typeArgs reads numbers up to and with the closing parenthesis.
func (p *exprParser) typeArgs() (args []int, err error) {
	for {
		n, err := strconv.Atoi(p.peek().value)
		if err != nil || p.peek().kind != number {
			return nil, p.wrong("a number")
		}
		p.at++
		if args = append(args, n); p.accept(",") {
			continue
		}
		if !p.accept(")") {
			return nil, p.wrong("a comma or a closing parenthesis")
		}
		return args, nil
	}
}

// form reads what has a grammar of its own and begins with the word t; nil is
// that it is none of these.
func (p *exprParser) form(t token) (*Expr, error) {
	next := p.following()
	switch word := strings.ToLower(t.value); {
	case word == "case":
		return p.within(t, p.caseForm)
	case word == "timestamp" && p.literalWithZone():
		last := p.toks[p.at+4]
		p.at += 5
		return &Expr{Op: InstantOp, Text: last.value, At: t.Start, Span: Span{t.Start, last.End}}, nil
	case word == "interval" && (next.kind == text || next.kind == number || next.value == "(" || next.value == "-"):
		return p.interval(t)
	case !p.follows("("):
		return nil, nil
	case word == "cast" || word == "try_cast":
		return p.within(t, p.cast)
	case word == "extract" && p.at+3 < len(p.toks) && p.toks[p.at+3].is("from"):
		return p.within(t, p.extract)
	case word == "position":
		return p.within(t, p.position)
	case word == "trim":
		return p.within(t, p.trim)
	case word == "overlay":
		return nil, &Error{Offset: t.Start, Message: "OVERLAY is not supported"}
	}
	return nil, nil
}

// literalWithZone reports whether TIMESTAMP WITH TIME ZONE '…' follows.
func (p *exprParser) literalWithZone() bool {
	return p.keyword("timestamp", "with", "time", "zone") && p.at+4 < len(p.toks) && p.toks[p.at+4].kind == text
}

// within reads a form that may hold expressions, and gives it its span.
func (p *exprParser) within(t token, read func(t token) (*Expr, error)) (*Expr, error) {
	back, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer back()
	if p.operators++; p.operators > maxOperators {
		return nil, &Error{Offset: t.Start, Message: fmt.Sprintf("the expression has more than %d operators", maxOperators)}
	}
	e, err := read(t)
	if err != nil {
		return nil, err
	}
	e.At, e.Span = t.Start, Span{t.Start, p.toks[p.at-1].End}
	return e, nil
}

// caseForm reads CASE up to its END.
func (p *exprParser) caseForm(token) (*Expr, error) {
	p.at++
	e := &Expr{Op: CaseOp}
	read := func() error {
		arg, err := p.or()
		e.Args = append(e.Args, arg)
		return err
	}
	if !p.peek().is("when") {
		e.Op = SwitchOp
		if err := read(); err != nil {
			return nil, err
		}
	}
	if !p.peek().is("when") {
		return nil, p.wrong("an operator or WHEN")
	}
	for p.word("when") {
		if err := read(); err != nil {
			return nil, err
		}
		if !p.word("then") {
			return nil, p.wrong("an operator or THEN")
		}
		if err := read(); err != nil {
			return nil, err
		}
		if p.operators++; len(e.Args) > maxOperators {
			return nil, &Error{Offset: p.peek().Start, Message: fmt.Sprintf("the expression has more than %d operators", maxOperators)}
		}
	}
	if p.word("else") {
		if err := read(); err != nil {
			return nil, err
		}
	}
	if !p.word("end") {
		return nil, p.wrong("an operator, WHEN, ELSE or END")
	}
	return e, nil
}

// close reads the closing parenthesis of a form.
func (p *exprParser) close() error {
	if !p.accept(")") {
		return p.wrong("an operator or a closing parenthesis")
	}
	return nil
}

func (p *exprParser) cast(t token) (*Expr, error) {
	p.at += 2
	arg, err := p.or()
	if err != nil {
		return nil, err
	}
	if !p.word("as") {
		return nil, p.wrong("an operator or AS and a type")
	}
	e := &Expr{Op: CastOp, Args: []*Expr{arg}}
	if t.is("try_cast") {
		e.Op = TryCastOp
	}
	if e.Type, err = p.typeName(); err != nil {
		return nil, err
	}
	e.Text = e.Type.String()
	return e, p.close()
}

func (p *exprParser) extract(token) (*Expr, error) {
	field := p.toks[p.at+2]
	if field.kind != word && field.kind != quoted && field.kind != text {
		p.at += 2
		return nil, p.wrong("a field such as year")
	}
	p.at += 4
	arg, err := p.or()
	if err != nil {
		return nil, err
	}
	return &Expr{Op: ExtractOp, Text: strings.ToLower(field.value), Args: []*Expr{arg}}, p.close()
}

// call is the call of an ordinary function that a form stands for.
func call(t token, name string, args ...*Expr) *Expr {
	return &Expr{Op: CallOp, Args: args, Call: &Call{Func: Name{Text: name, Span: t.Span}}}
}

func (p *exprParser) position(t token) (*Expr, error) {
	p.at += 2
	part, err := p.other()
	if err != nil {
		return nil, err
	}
	if !p.word("in") {
		e := p.wrong("IN")
		e.Hint = "POSITION('b' IN x) looks for b in x; strpos(x, 'b') does too"
		return nil, e
	}
	of, err := p.other()
	if err != nil {
		return nil, err
	}
	return call(t, "strpos", of, part), p.close()
}

func (p *exprParser) trim(t token) (*Expr, error) {
	p.at += 2
	name := "trim"
	side := p.peek()
	if next := p.following(); next.value != ")" && next.value != "," && next.value != "." {
		switch {
		case side.is("leading"):
			name = "ltrim"
		case side.is("trailing"):
			name = "rtrim"
		}
		if name != "trim" || side.is("both") {
			p.at++
		}
	}
	var args []*Expr
	for !p.peek().is("from") {
		arg, err := p.or()
		if err != nil {
			return nil, err
		}
		if args = append(args, arg); !p.accept(",") {
			break
		}
	}
	if p.word("from") {
		of, err := p.or()
		if err != nil {
			return nil, err
		}
		args = append([]*Expr{of}, args...)
	}
	return call(t, name, args...), p.close()
}

// substringArgs reads what may follow the first argument of SUBSTRING in words.
func (p *exprParser) substringArgs(e *Expr) error {
	if p.word("from") {
		from, err := p.or()
		if err != nil {
			return err
		}
		e.Args = append(e.Args, from)
	}
	at := p.peek()
	if !p.word("for") {
		return nil
	}
	if len(e.Args) == 1 {
		e.Args = append(e.Args, &Expr{Op: NumberOp, Text: "1", At: at.Start, Span: at.Span})
	}
	length, err := p.or()
	if err != nil {
		return err
	}
	e.Args = append(e.Args, length)
	return nil
}

// units are what may stand behind the number of an INTERVAL.
var units = []string{"microsecond", "microseconds", "millisecond", "milliseconds", "second", "seconds", "minute", "minutes", "hour", "hours",
	"day", "days", "week", "weeks", "month", "months", "quarter", "quarters", "year", "years", "decade", "decades", "century", "centuries",
	"millennium", "millennia"}

// interval reads INTERVAL '…', INTERVAL '…' unit and INTERVAL n unit.
func (p *exprParser) interval(t token) (*Expr, error) {
	p.at++
	e := &Expr{Op: IntervalOp, At: t.Start, Span: t.Span}
	if p.accept("-") {
		e.Text = "-"
	}
	n := p.peek()
	if n.kind != number && (n.kind != text || e.Text != "") {
		return nil, &Error{Offset: n.Start, Message: "INTERVAL of an expression is not supported", Hint: "multiply one, as in n * INTERVAL '1 day'"}
	}
	p.at++
	e.Text += n.value
	if u := p.peek(); u.kind == word && slices.Contains(units, strings.ToLower(u.value)) {
		p.at++
		e.Text += " " + strings.ToLower(u.value)
	} else if n.kind == number {
		return nil, p.wrong("a unit such as day behind the number of an INTERVAL")
	}
	if p.peek().is("to") {
		return nil, &Error{Offset: p.peek().Start, Message: "TO in an INTERVAL is not supported", Hint: "write all units, as in INTERVAL '1 year 2 months'"}
	}
	e.End = p.toks[p.at-1].End
	return e, nil
}
