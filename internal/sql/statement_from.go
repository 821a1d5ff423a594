package sql

import (
	"slices"
	"strings"
)

// joins begin what would join a second table.
var joins = []string{"join", "inner", "left", "right", "full", "cross", "natural", "asof", "positional", "semi", "anti"}

// from reads what is behind FROM.
func (p *statementParser) from() (f *From, err error) {
	f = &From{Span: p.peek().Span}
	if err := p.fromItem(f); err != nil {
		return nil, err
	}
	alias, err := p.alias()
	if err != nil {
		return nil, err
	}
	if alias != nil {
		f.Alias = alias
		if p.peek().value == "(" {
			return nil, &Error{Offset: p.peek().Start, Message: "names of columns behind FROM are not supported", Hint: "give them with AS in the SELECT"}
		}
	}
	f.End = p.last().End
	t := p.peek()
	switch {
	case t.kind == symbol && t.value == ",", t.kind == word && slices.Contains(joins, strings.ToLower(t.value)):
		return nil, &Error{Offset: t.Start, Message: "joins are not supported: a SELECT has one input", Hint: "FROM 'a.parquet', 'b.parquet' reads files one after the other"}
	case t.is("tablesample"), t.is("pivot"), t.is("unpivot"):
		return nil, &Error{Offset: t.Start, Message: strings.ToUpper(t.value) + " is not supported"}
	}
	return f, nil
}

func (p *statementParser) fromItem(f *From) (err error) {
	switch t := p.peek(); {
	case t.kind == text:
		return p.files(f, "")
	case t.is("read_parquet") && p.follows("("):
		p.at += 2
		return p.readParquet(f)
	case t.kind == symbol && t.value == "(":
		f.Query, err = p.parenthesized()
		return err
	case t.is("lateral") && p.follows("("):
		return &Error{Offset: t.Start, Message: "LATERAL is not supported"}
	case t.is("values") && p.follows("("):
		return &Error{Offset: t.Start, Message: "VALUES is not supported"}
	case p.parameterNext():
		f.Param, err = p.parameter()
		return err
	case t.kind == quoted, t.kind == word && !slices.Contains(reserved, strings.ToLower(t.value)):
		return p.fromName(f)
	}
	e := p.wrong("a file such as 'trips.parquet', or a query in parentheses, after FROM")
	e.Hint = ""
	return e
}

// fromName reads the name of a query that WITH has, or of something else.
func (p *statementParser) fromName(f *From) error {
	c, err := p.column()
	if err != nil {
		return err
	}
	if p.peek().value == "(" {
		return &Error{Offset: c.Start, Message: "there is no table function " + c.String(), Hint: "read_parquet('trips.parquet') reads files"}
	}
	for i, cte := range slices.Backward(p.named) {
		n := c.Parts[0]
		if len(c.Parts) > 1 || n.Text != cte.Name.Text && (n.Quoted || cte.Name.Quoted || !strings.EqualFold(n.Text, cte.Name.Text)) {
			continue
		}
		if p.count += p.sizes[i]; p.count > maxSelects {
			return tooMany(c.Start)
		}
		f.Query, f.Alias = cte.Query, &n
		return nil
	}
	if t := p.peek(); t.kind == symbol && strings.Contains("/*?[-:\\", t.value) && t.Start == p.last().End {
		return &Error{Offset: c.Start, Message: "the name of a file without quotes", Hint: "write it as in FROM 'data/trips.parquet'"}
	}
	f.Name = &c
	return nil
}

// files reads names of files with commas between, up to closing if that is not
// empty.
func (p *statementParser) files(f *From, closing string) error {
	for {
		t := p.peek()
		if t.kind != text {
			return p.wrong("the name of a file in single quotes")
		}
		p.at++
		f.Files = append(f.Files, File{Name: t.value, Span: t.Span})
		switch next := p.following(); {
		case p.peek().value == "," && (next.kind == text || closing != ""):
			p.at++
		case closing == "" || p.accept(closing):
			return nil
		default:
			return p.wrong("a comma or a closing bracket")
		}
	}
}

// readParquet reads the arguments of read_parquet: a file, or a list of them.
func (p *statementParser) readParquet(f *From) error {
	list := p.accept("[")
	closing := ")"
	if list {
		closing = "]"
	}
	if !list && p.peek().kind == text && p.following().value == "," {
		return &Error{Offset: p.toks[p.at+2].Start, Message: "read_parquet takes no options", Hint: "several files are a list, as in read_parquet(['a.parquet', 'b.parquet'])"}
	}
	if err := p.files(f, closing); err != nil || !list {
		return err
	}
	if p.peek().value == "," {
		return &Error{Offset: p.following().Start, Message: "read_parquet takes no options"}
	}
	if !p.accept(")") {
		return p.wrong("a closing parenthesis")
	}
	return nil
}
