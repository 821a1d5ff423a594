package sql

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a half-open range of bytes of a fragment.
type Span struct{ Start, End int }

// Error says what is wrong with a fragment and where.
type Error struct {
	Offset  int    // byte position in the fragment; its length if it ends too early
	Message string // what was expected and what was found
	Hint    string // what to write instead, or empty
}

// Error returns the message with its position.
func (e *Error) Error() string { return fmt.Sprintf("sql: %s at position %d", e.Message, e.Offset+1) }

type kind uint8

const (
	end kind = iota
	word
	quoted
	number
	text   // 'a string'
	symbol // one character
)

type token struct {
	kind  kind
	value string // of a quoted name: without its quotes
	Span
}

// describe names the token in messages.
func (t token) describe() string {
	switch t.kind {
	case end:
		return "the end"
	case quoted:
		return fmt.Sprintf("the name %q", t.value)
	case word, number:
		return fmt.Sprintf("%q", t.value)
	case text:
		return "a string"
	}
	return fmt.Sprintf("%q", t.value)
}

const (
	quoteHint = `names are quoted with double quotes, as in "Trip Distance"`
	nameHint  = `a name with spaces or other characters goes in double quotes, as in "Trip Distance"`
)

// lex splits a fragment into tokens; the last has kind end.
func lex(src string) ([]token, error) {
	var out []token
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRuneInString(src[at:])
		start := at
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case r == utf8.RuneError && size == 1:
			return nil, &Error{Offset: at, Message: "the text is not valid UTF-8"}
		case r == '_' || unicode.IsLetter(r):
			at += run(src[at:], wordRune)
			out = append(out, token{word, src[start:at], Span{start, at}})
		case digit(src, at), r == '.' && digit(src, at+1) && !follows(out, at):
			at += numberLen(src[at:])
			out = append(out, token{number, src[start:at], Span{start, at}})
		case r == '"' || r == '\'':
			value, n, ok := unquote(src[at:])
			if !ok {
				return nil, &Error{Offset: at, Message: fmt.Sprintf("the quote %c is not closed", r)}
			}
			at += n
			k := quoted
			if r == '\'' {
				k = text
			}
			out = append(out, token{k, value, Span{start, at}})
		default:
			at += size
			out = append(out, token{symbol, src[start:at], Span{start, at}})
		}
	}
	return append(out, token{end, "", Span{len(src), len(src)}}), nil
}

func digit(s string, at int) bool { return at < len(s) && s[at] >= '0' && s[at] <= '9' }

// follows reports whether a name ends right before at, so that a dot there is
// part of a path.
func follows(toks []token, at int) bool {
	if len(toks) == 0 {
		return false
	}
	t := toks[len(toks)-1]
	return t.End == at && (t.kind == word || t.kind == quoted)
}

// numberLen returns the length of the number that s begins with: digits with an
// optional point and exponent, and whatever letters and digits stand right
// behind, which make it wrong.
func numberLen(s string) int {
	digits := func(at int) int {
		for digit(s, at) {
			at++
		}
		return at
	}
	at := digits(0)
	if at < len(s) && s[at] == '.' {
		at = digits(at + 1)
	}
	if at < len(s) && (s[at] == 'e' || s[at] == 'E') {
		if sign := strings.IndexAny(s[at+1:], "+-"); sign == 0 && digit(s, at+2) {
			at = digits(at + 2)
		}
	}
	return at + run(s[at:], wordRune)
}

// wellFormed reports whether a number is one, by its letters: digits, and an
// exponent if anything.
func wellFormed(number string) bool {
	mantissa, exponent, found := strings.Cut(strings.ToLower(number), "e")
	return strings.Trim(mantissa, "0123456789.") == "" &&
		(!found || exponent != "" && strings.Trim(strings.TrimLeft(exponent, "+-"), "0123456789") == "")
}

func wordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// run returns how many bytes at the beginning of s are runes that ok accepts.
func run(s string, ok func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !ok(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// unquote reads the quoted text that s begins with; n is its length with
// quotes. A quote within is doubled.
func unquote(s string) (value string, n int, ok bool) {
	var b strings.Builder
	q := s[0]
	for i := 1; i < len(s); i++ {
		if s[i] == q {
			if i+1 == len(s) || s[i+1] != q {
				return b.String(), i + 1, true
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return "", 0, false
}

// Quote spells name as a quoted name.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Spell writes name bare where that is a column everywhere, else quoted.
func Spell(name string) string {
	r, _ := utf8.DecodeRuneInString(name)
	lower := strings.ToLower(name)
	if slices.Contains(reserved, lower) || slices.Contains(constants, lower) {
		return Quote(name)
	}
	if (r == '_' || unicode.IsLetter(r)) && run(name, wordRune) == len(name) && utf8.ValidString(name) {
		return name
	}
	return Quote(name)
}
