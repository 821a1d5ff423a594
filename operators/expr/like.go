package expr

import (
	"bytes"
	"errors"
	"unicode"
	"unicode/utf8"
)

// pattern is that of a LIKE: % is any number of characters, _ is one, and a
// backslash makes what follows a plain character.
type pattern struct {
	parts [][]symbol // between the %
	plain [][]byte   // the same as bytes, where no character is special; else nil
	fold  bool       // ILIKE
}

// symbol is a character of a pattern, folded for ILIKE, or any one.
type symbol struct {
	r   rune
	any bool
}

var errEscape = errors.New("the pattern ends in a backslash that makes nothing plain")

func newPattern(text string, fold bool) (*pattern, error) {
	p := &pattern{parts: make([][]symbol, 1), fold: fold}
	simple := !fold
	escaped := false
	for _, r := range text {
		last := len(p.parts) - 1
		switch {
		case escaped:
			escaped = false
			p.parts[last] = append(p.parts[last], symbol{r: p.folded(r)})
		case r == '\\':
			escaped = true
		case r == '%':
			p.parts = append(p.parts, nil)
		case r == '_':
			simple = false
			p.parts[last] = append(p.parts[last], symbol{any: true})
		default:
			p.parts[last] = append(p.parts[last], symbol{r: p.folded(r)})
		}
	}
	if escaped {
		return nil, errEscape
	}
	if simple {
		for _, part := range p.parts {
			var b []byte
			for _, s := range part {
				b = utf8.AppendRune(b, s.r)
			}
			p.plain = append(p.plain, b)
		}
	}
	return p, nil
}

func (p *pattern) folded(r rune) rune {
	if p.fold {
		return unicode.ToLower(r)
	}
	return r
}

// match reports whether all of s is of the pattern.
func (p *pattern) match(s []byte) bool {
	if p.plain != nil {
		return matchPlain(p.plain, s)
	}
	n, ok := p.prefix(p.parts[0], s)
	if !ok {
		return false
	}
	s = s[n:]
	if len(p.parts) == 1 {
		return len(s) == 0
	}
	last := len(p.parts) - 1
	for _, part := range p.parts[1:last] {
		end := p.find(part, s)
		if end < 0 {
			return false
		}
		s = s[end:]
	}
	return p.suffix(p.parts[last], s)
}

func matchPlain(parts [][]byte, s []byte) bool {
	if len(parts) == 1 {
		return bytes.Equal(parts[0], s)
	}
	last := len(parts) - 1
	if !bytes.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, part := range parts[1:last] {
		at := bytes.Index(s, part)
		if at < 0 {
			return false
		}
		s = s[at+len(part):]
	}
	return bytes.HasSuffix(s, parts[last])
}

// prefix returns how many bytes of s the part takes at its beginning. A byte
// that is not UTF-8 is one character, equal to none.
func (p *pattern) prefix(part []symbol, s []byte) (n int, ok bool) {
	for _, want := range part {
		if n == len(s) {
			return 0, false
		}
		r, size := utf8.DecodeRune(s[n:])
		if !want.any && (p.folded(r) != want.r || r == utf8.RuneError && size == 1) {
			return 0, false
		}
		n += size
	}
	return n, true
}

// find returns where the first occurrence of the part in s ends, or -1.
func (p *pattern) find(part []symbol, s []byte) int {
	for at := 0; ; {
		if n, ok := p.prefix(part, s[at:]); ok {
			return at + n
		}
		if at == len(s) {
			return -1
		}
		_, size := utf8.DecodeRune(s[at:])
		at += size
	}
}

// suffix reports whether the part is at the end of s.
func (p *pattern) suffix(part []symbol, s []byte) bool {
	at := len(s)
	for range part {
		if at == 0 {
			return false
		}
		_, size := utf8.DecodeLastRune(s[:at])
		at -= size
	}
	_, ok := p.prefix(part, s[at:])
	return ok
}

func (m matches) build(c *compiler) test {
	return &oneTest[*texts]{of: c.texts(m.v), keep: keepTexts(m.match, m.want)}
}
