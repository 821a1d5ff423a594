package sql

// ParseItems reads a SELECT list of one or more entries. Errors are *Error.
func ParseItems(src string) ([]Item, error) {
	p, err := newParser(src)
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.is("distinct") && !p.endsItem(p.following()) {
		return nil, &Error{Offset: t.Start, Message: "DISTINCT is not part of the list", Hint: "--distinct is a flag of its own, Query.Distinct a field"}
	}
	var out []Item
	for {
		i, err := p.item()
		if err != nil {
			return nil, err
		}
		if out = append(out, i); p.accept(",") {
			continue
		}
		expect := "a comma or the end"
		if i.Alias == nil && !i.Star {
			expect = "an operator, AS, a comma or the end"
		}
		return out, p.ended(expect)
	}
}

// ParseGrouping reads what GROUP BY takes. Errors are *Error.
func ParseGrouping(src string) (*Grouping, error) {
	p, err := newParser(src)
	if err != nil {
		return nil, err
	}
	g, err := p.grouping()
	if err != nil {
		return nil, err
	}
	return g, p.ended("an operator, a comma or the end")
}

// ParseSort reads the entries of an ORDER BY. Errors are *Error.
func ParseSort(src string) ([]SortKey, error) {
	p, err := newParser(src)
	if err != nil {
		return nil, err
	}
	keys, err := p.sortKeys()
	if err != nil {
		return nil, err
	}
	return keys, p.ended("an operator, ASC, DESC, NULLS, a comma or the end")
}

// newParser returns a parser of a fragment.
func newParser(src string) (*statementParser, error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	return &statementParser{exprParser: exprParser{parser: parser{toks: toks}}}, nil
}

// ended wants the end of a fragment, which has no parameters.
func (p *statementParser) ended(expect string) error {
	if p.peek().kind != end {
		return p.wrong(expect)
	}
	return p.noParams()
}

// noParams refuses parameters, which only statements have.
func (p *exprParser) noParams() error {
	if len(p.params) > 0 {
		return &Error{Offset: p.params[0].Start, Message: "parameters are of statements only"}
	}
	return nil
}
