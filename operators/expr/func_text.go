package expr

import (
	"bytes"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/colagg/colagg/internal/sql"
)

// textFunctions are about strings; positions and lengths are of characters, from 1.
var textFunctions = []function{
	{name: "length, char_length, character_length, len", args: "s", about: "the number of characters", least: 1, most: 1, bind: counted(utf8.RuneCount)},
	{name: "octet_length, strlen", args: "s", about: "the number of bytes", least: 1, most: 1, bind: counted(func(s []byte) int { return len(s) })},
	{name: "lower, lcase", args: "s", about: "in lower case", least: 1, most: 1, bind: written1(lower)},
	{name: "upper, ucase", args: "s", about: "in upper case", least: 1, most: 1, bind: written1(upper)},
	{name: "substring, substr", args: "s, from[, count]", about: "a part; also substring(s FROM 2 FOR 3)", least: 2, most: 3, bind: overloads(
		overload{takes: []kind{textual, whole}, result: textClass, build: of2(func(dst, s *texts, from []int64, rows []uint32) error {
			dst.share(s)
			for _, i := range rows {
				lo, hi := substring(s.at(i), from[i], math.MaxInt64)
				dst.piece(i, s, lo, hi)
			}
			return nil
		})},
		overload{takes: []kind{textual, whole, whole}, result: textClass, build: func(c *compiler, v *value) any {
			over := c.failure(v, false)
			over.Text, over.Type = "a length below 0", "length"
			return of3(func(dst, s *texts, from, count []int64, rows []uint32) error {
				dst.share(s)
				for _, i := range rows {
					if count[i] < 0 {
						return over
					}
					lo, hi := substring(s.at(i), from[i], count[i])
					dst.piece(i, s, lo, hi)
				}
				return nil
			})(c, v)
		}})},
	{name: "left", args: "s, n", about: "the first n characters; all but the last ones if n is below 0", least: 2, most: 2, bind: overloads(
		overload{takes: []kind{textual, whole}, result: textClass, build: pieces(func(s []byte, n int64) (lo, hi int) { return 0, boundary(s, n) })})},
	{name: "right", args: "s, n", about: "the last n characters; all but the first ones if n is below 0", least: 2, most: 2, bind: overloads(
		overload{takes: []kind{textual, whole}, result: textClass, build: pieces(func(s []byte, n int64) (lo, hi int) {
			if n == math.MinInt64 {
				return len(s), len(s)
			}
			if n == 0 {
				return len(s), len(s)
			}
			return boundary(s, -n), len(s)
		})})},
	{name: "trim, btrim", args: "s[, characters]", about: "without spaces, or these characters, at both ends", least: 1, most: 2, bind: trimmed(true, true)},
	{name: "ltrim", args: "s[, characters]", about: "the same at the beginning", least: 1, most: 2, bind: trimmed(true, false)},
	{name: "rtrim", args: "s[, characters]", about: "the same at the end", least: 1, most: 2, bind: trimmed(false, true)},
	{name: "replace", args: "s, from, to", about: "with to in place of each from", least: 3, most: 3, bind: overloads(
		overload{takes: []kind{textual, textual, textual}, result: textClass, build: of3(func(dst, s, from, to *texts, rows []uint32) error {
			for _, i := range rows {
				dst.end(i, replace(dst.start(i, len(s.at(i))), s.at(i), from.at(i), to.at(i)))
			}
			return nil
		})})},
	{name: "split_part", args: "s, separator, n", about: "the nth part, from the end if n is below 0", least: 3, most: 3, bind: overloads(
		overload{takes: []kind{textual, textual, whole}, result: textClass, build: splitPart})},
	{name: "concat", args: "x, …", about: "all arguments as one string, NULLs left out", least: 1, most: -1, bind: bindConcatAll(0), nulls: true},
	{name: "concat_ws", args: "separator, x, …", about: "the same with a separator between them", least: 2, most: -1, bind: bindConcatAll(1), nulls: true},
	{name: "starts_with, prefix", args: "s, start", about: "whether it begins like that", least: 2, most: 2, bind: compared2(bytes.HasPrefix)},
	{name: "ends_with, suffix", args: "s, end", about: "whether it ends like that", least: 2, most: 2, bind: compared2(bytes.HasSuffix)},
	{name: "contains", args: "s, part", about: "whether that is in it", least: 2, most: 2, bind: compared2(bytes.Contains)},
	{name: "strpos, instr", args: "s, part", about: "where the part is, or 0; also position(part IN s)", least: 2, most: 2, bind: overloads(
		overload{takes: []kind{textual, textual}, result: intClass, build: of2(func(dst []int64, s, part *texts, rows []uint32) error {
			for _, i := range rows {
				x := s.at(i)
				dst[i] = 0
				if at := bytes.Index(x, part.at(i)); at >= 0 {
					dst[i] = int64(utf8.RuneCount(x[:at])) + 1
				}
			}
			return nil
		})})},
	{name: "lpad", args: "s, length[, fill]", about: "filled up at the beginning, or cut, to that length", least: 2, most: 3, bind: padded(true)},
	{name: "rpad", args: "s, length[, fill]", about: "the same at the end", least: 2, most: 3, bind: padded(false)},
	{name: "reverse", args: "s", about: "its characters from the last to the first", least: 1, most: 1, bind: written1(reverse)},
	{name: "repeat", args: "s, n", about: "n times", least: 2, most: 2, bind: overloads(
		overload{takes: []kind{textual, whole}, result: textClass, build: of2(func(dst, s *texts, n []int64, rows []uint32) error {
			for _, i := range rows {
				dst.repeat(i, s.at(i), n[i])
			}
			return nil
		})})},
	{name: "ascii, unicode", args: "s", about: "the code of the first character, 0 of none", least: 1, most: 1, bind: counted(func(s []byte) int {
		if len(s) == 0 {
			return 0
		}
		r, _ := utf8.DecodeRune(s)
		return int(r)
	})},
	{name: "initcap", args: "s", about: "each word with a capital letter", least: 1, most: 1, bind: written1(initcap)},
}

// counted is an integer of a string.
func counted(f func([]byte) int) bindFunc {
	return overloads(overload{takes: []kind{textual}, result: intClass, build: of1(func(dst []int64, s *texts, rows []uint32) error {
		for _, i := range rows {
			dst[i] = int64(f(s.at(i)))
		}
		return nil
	})})
}

// written1 is a string made of another, appended to dst.
func written1(f func(dst, s []byte) []byte) bindFunc {
	return overloads(overload{takes: []kind{textual}, result: textClass, build: of1(func(dst, s *texts, rows []uint32) error {
		for _, i := range rows {
			x := s.at(i)
			dst.end(i, f(dst.start(i, len(x)), x))
		}
		return nil
	})})
}

// compared2 is whether two strings are so.
func compared2(f func(a, b []byte) bool) bindFunc {
	return overloads(overload{takes: []kind{textual, textual}, result: boolClass, build: of2(func(dst []bool, a, b *texts, rows []uint32) error {
		for _, i := range rows {
			dst[i] = f(a.at(i), b.at(i))
		}
		return nil
	})})
}

// pieces are parts of a string, by a number.
func pieces(f func(s []byte, n int64) (lo, hi int)) func(*compiler, *value) any {
	return of2(func(dst, s *texts, n []int64, rows []uint32) error {
		dst.share(s)
		for _, i := range rows {
			lo, hi := f(s.at(i), n[i])
			dst.piece(i, s, lo, hi)
		}
		return nil
	})
}

func mapRunes(dst, s []byte, f func(rune) rune) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[0])
		} else {
			dst = utf8.AppendRune(dst, f(r))
		}
		s = s[size:]
	}
	return dst
}

// lower and upper map by Unicode's simple mapping, ASCII by a loop of its own.
func lower(dst, s []byte) []byte {
	for k, c := range s {
		if c >= utf8.RuneSelf {
			return mapRunes(dst, s[k:], unicode.ToLower)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func upper(dst, s []byte) []byte {
	for k, c := range s {
		if c >= utf8.RuneSelf {
			return mapRunes(dst, s[k:], unicode.ToUpper)
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func initcap(dst, s []byte) []byte {
	inside := false
	return mapRunes(dst, s, func(r rune) rune {
		was := inside
		if inside = unicode.IsLetter(r) || unicode.IsDigit(r); was {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	})
}

func reverse(dst, s []byte) []byte {
	for len(s) > 0 {
		_, size := utf8.DecodeLastRune(s)
		dst = append(dst, s[len(s)-size:]...)
		s = s[:len(s)-size]
	}
	return dst
}

// boundary is where the first n characters of s end, or for n below 0 where the
// last ones begin.
func boundary(s []byte, n int64) int {
	if n >= 0 {
		at := 0
		for ; n > 0 && at < len(s); n-- {
			_, size := utf8.DecodeRune(s[at:])
			at += size
		}
		return at
	}
	at := len(s)
	for ; n < 0 && at > 0; n++ {
		_, size := utf8.DecodeLastRune(s[:at])
		at -= size
	}
	return at
}

// substring returns where count characters from the character from are in s, as
// PostgreSQL counts: what is before the first character counts too.
func substring(s []byte, from, count int64) (lo, hi int) {
	end := from + count
	if count > 0 && end < from {
		end = math.MaxInt64
	}
	from = max(from, 1)
	if end <= from {
		return 0, 0
	}
	lo = boundary(s, from-1)
	return lo, lo + boundary(s[lo:], end-from)
}

func replace(dst, s, from, to []byte) []byte {
	if len(from) == 0 {
		return append(dst, s...)
	}
	for {
		at := bytes.Index(s, from)
		if at < 0 {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:at]...), to...)
		s = s[at+len(from):]
	}
}

func splitPart(c *compiler, v *value) any {
	over := c.failure(v, false)
	over.Text, over.Type = "0", "number of a part"
	return of3(func(dst, s, sep *texts, n []int64, rows []uint32) error {
		dst.share(s)
		for _, i := range rows {
			if n[i] == 0 {
				return over
			}
			lo, hi := part(s.at(i), sep.at(i), n[i])
			dst.piece(i, s, lo, hi)
		}
		return nil
	})(c, v)
}

// part returns where the nth part between separators is.
func part(s, sep []byte, n int64) (lo, hi int) {
	if len(sep) == 0 {
		if n == 1 || n == -1 {
			return 0, len(s)
		}
		return 0, 0
	}
	if n < 0 {
		n += int64(bytes.Count(s, sep)) + 2
	}
	for ; n > 0; n-- {
		end := bytes.Index(s[lo:], sep)
		switch {
		case end < 0 && n == 1:
			return lo, len(s)
		case end < 0:
			return 0, 0
		case n == 1:
			return lo, lo + end
		}
		lo += end + len(sep)
	}
	return 0, 0
}

// trimmed cuts characters off the ends.
func trimmed(front, back bool) bindFunc {
	cut := func(dst, s *texts, i uint32, set string) {
		x := s.at(i)
		lo, hi := 0, len(x)
		if front {
			lo = hi - len(bytes.TrimLeft(x, set))
		}
		if back {
			hi = lo + len(bytes.TrimRight(x[lo:], set))
		}
		dst.piece(i, s, lo, hi)
	}
	return overloads(
		overload{takes: []kind{textual}, result: textClass, build: of1(func(dst, s *texts, rows []uint32) error {
			dst.share(s)
			for _, i := range rows {
				cut(dst, s, i, " ")
			}
			return nil
		})},
		overload{takes: []kind{textual, textual}, result: textClass, build: of2(func(dst, s, set *texts, rows []uint32) error {
			dst.share(s)
			for _, i := range rows {
				cut(dst, s, i, string(set.at(i)))
			}
			return nil
		})})
}

// repeat makes row i n times s.
func (t *texts) repeat(i uint32, s []byte, n int64) {
	if n <= 0 || len(s) == 0 {
		n = 0
	} else if n > math.MaxInt32/int64(len(s)) {
		t.long, t.from[i], t.to[i] = true, 0, 0
		return
	}
	out := t.start(i, int(n)*len(s))
	if t.long {
		return
	}
	for ; n > 0; n-- {
		out = append(out, s...)
	}
	t.end(i, out)
}

// padded fills strings up to a length.
func padded(front bool) bindFunc {
	pad := func(dst *texts, i uint32, s []byte, length int64, fill []byte) {
		missing := length - int64(utf8.RuneCount(s))
		if missing <= 0 || len(fill) == 0 {
			dst.put(i, s[:boundary(s, min(max(length, 0), int64(len(s))))])
			return
		}
		characters := int64(utf8.RuneCount(fill))
		if missing > math.MaxInt32/4 {
			dst.long, dst.from[i], dst.to[i] = true, 0, 0
			return
		}
		out := dst.start(i, len(s)+int(missing/characters+1)*len(fill))
		if dst.long {
			return
		}
		if !front {
			out = append(out, s...)
		}
		for ; missing >= characters; missing -= characters {
			out = append(out, fill...)
		}
		out = append(out, fill[:boundary(fill, missing)]...)
		if front {
			out = append(out, s...)
		}
		dst.end(i, out)
	}
	space := []byte(" ")
	return overloads(
		overload{takes: []kind{textual, whole}, result: textClass, build: of2(func(dst, s *texts, n []int64, rows []uint32) error {
			for _, i := range rows {
				pad(dst, i, s.at(i), n[i], space)
			}
			return nil
		})},
		overload{takes: []kind{textual, whole, textual}, result: textClass, build: of3(func(dst, s *texts, n []int64, fill *texts, rows []uint32) error {
			for _, i := range rows {
				pad(dst, i, s.at(i), n[i], fill.at(i))
			}
			return nil
		})})
}

// bindConcat is ||.
func bindConcat(b *binder, e *sql.Expr, args []*value) (*value, error) {
	if !slices.ContainsFunc(args, func(v *value) bool { return v.class == textClass }) {
		return nil, bad(e, "cast one of them to text", "|| is of strings, and %s is a %s", b.spell(args[0].node), args[0].name)
	}
	v := &value{class: textClass, node: e, col: -1, name: "utf8"}
	for _, a := range args {
		t, err := b.asText(a)
		if err != nil {
			return nil, err
		}
		v.args = append(v.args, t)
	}
	build := of2(func(dst, a, b *texts, rows []uint32) error {
		for _, i := range rows {
			x, y := a.at(i), b.at(i)
			dst.end(i, append(append(dst.start(i, len(x)+len(y)), x...), y...))
		}
		return nil
	})
	v.made.build = func(c *compiler) any { return build(c, v) }
	return v, nil
}

// bindConcatAll is concat, or with a separator as the first argument concat_ws.
func bindConcatAll(separators int) bindFunc {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		v := &value{class: textClass, node: e, col: -1, name: "utf8"}
		for i, a := range args {
			t, err := b.asText(a)
			if err != nil {
				return nil, err
			}
			switch {
			case t.class != nullClass:
				v.args = append(v.args, t)
			case i < separators:
				return nullValue(e), nil
			}
		}
		v.made.build = func(c *compiler) any {
			out := &concatenation{}
			for i, a := range v.args {
				if i < separators {
					out.separator = c.texts(a)
				} else {
					out.parts = append(out.parts, c.texts(a))
				}
			}
			return out
		}
		return v, nil
	}
}

// concatenation puts strings together, those that are not NULL.
type concatenation struct {
	separator source[*texts] // or nil
	parts     []source[*texts]
	have      []marks
	texts     []*texts
	buf       texts
}

func (t *concatenation) values(f *frame, rows []uint32) (*texts, []uint32, error) {
	t.have, t.texts = grow(f, t.have, len(t.parts)), grow(f, t.texts, len(t.parts))
	var sep *texts
	var err error
	if t.separator != nil {
		if sep, rows, err = t.separator.values(f, rows); err != nil {
			return nil, nil, err
		}
	}
	for k, p := range t.parts {
		t.have[k].begin(f)
		x, have, err := p.values(f, rows)
		if err != nil {
			return nil, nil, err
		}
		t.texts[k] = x
		t.have[k].set(have)
	}
	t.buf.begin(f)
	for _, i := range rows {
		out, some := t.buf.start(i, 0), false
		for k, x := range t.texts {
			if t.have[k][i] == 0 {
				continue
			}
			if some && sep != nil {
				out = append(out, sep.at(i)...)
			}
			out, some = append(out, x.at(i)...), true
		}
		t.buf.end(i, out)
	}
	return &t.buf, rows, t.buf.fits()
}
