package expr

import (
	"regexp"
	"strings"

	"github.com/colagg/colagg/internal/sql"
)

// patternFunctions are about regular expressions, which are Go's (RE2's); they and
// their flags are constants.
var patternFunctions = []function{
	{name: "regexp_matches, regexp_like", args: "s, pattern[, flags]", about: "whether it matches some part; also s ~ pattern, and s ~* pattern without regard to case", least: 2, most: 3, bind: bindMatches("%s")},
	{name: "regexp_full_match", args: "s, pattern[, flags]", about: "whether it matches all of s", least: 2, most: 3, bind: bindMatches(`\A(?:%s)\z`)},
	{name: "regexp_extract", args: "s, pattern[, group[, flags]]", about: "the first match, or one of its groups by number; empty without one", least: 2, most: 4, bind: bindExtractMatch},
	{name: "regexp_replace", args: "s, pattern, to[, flags]", about: `with to in place of the first match, of all with the flag g; \1 in it is a group`, least: 3, most: 4, bind: bindReplaceMatch},
}

// constantText is an argument that must be a constant string.
func (b *binder) constantText(v *value, what string) (string, error) {
	if !v.constant() || v.class != textClass {
		return "", bad(v.node, "", "the %s %s must be a constant string", what, b.spell(v.node))
	}
	return v.lit.text, nil
}

// expression is the pattern of a call, in the frame of a format; all is the flag g.
func (b *binder) expression(format string, pattern, flags *value) (re *regexp.Regexp, all bool, err error) {
	text, err := b.constantText(pattern, "pattern")
	if err != nil {
		return nil, false, err
	}
	set := ""
	if flags != nil {
		letters, err := b.constantText(flags, "string of flags")
		if err != nil {
			return nil, false, err
		}
		for _, f := range letters {
			switch f {
			case 'g':
				all = true
			case 'i', 's':
				set += string(f)
			case 'c':
			case 'm', 'n':
				set += "m"
			default:
				return nil, false, bad(flags.node, "flags are g, i, c, s and m", "there is no flag %c", f)
			}
		}
	}
	text = strings.Replace(format, "%s", text, 1)
	if set != "" {
		text = "(?" + set + ")" + text
	}
	if re, err = regexp.Compile(text); err != nil {
		return nil, false, bad(pattern.node, "", "the pattern is wrong: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, all, nil
}

// subject is the string that is matched.
func (b *binder) subject(v *value) error {
	if !textual.takes(v) {
		return bad(v.node, "", "%s is a %s and no string", b.spell(v.node), v.name)
	}
	return nil
}

func optional(args []*value, i int) *value {
	if i < len(args) {
		return args[i]
	}
	return nil
}

func bindMatches(format string) bindFunc {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		if err := b.subject(args[0]); err != nil {
			return nil, err
		}
		re, _, err := b.expression(format, args[1], optional(args, 2))
		if err != nil {
			return nil, err
		}
		return truthValue(e, matching(args[0], re)), nil
	}
}

func matching(v *value, re *regexp.Regexp) logic {
	if v.constant() {
		return truthOf(re.MatchString(v.lit.text))
	}
	return matches{v, nil, re.Match, true}
}

// regular binds ~ and ~*.
func (b *binder) regular(e *sql.Expr, v *value) (logic, error) {
	p, err := b.value(e.Args[1])
	if err != nil {
		return nil, err
	}
	if v.class == nullClass || p.class == nullClass {
		return isNull, nil
	}
	if err := b.subject(v); err != nil {
		return nil, err
	}
	format := "%s"
	if e.Op == sql.MatchFoldOp {
		format = "(?i)%s"
	}
	re, _, err := b.expression(format, p, nil)
	if err != nil {
		return nil, err
	}
	return matching(v, re), nil
}

func bindExtractMatch(b *binder, e *sql.Expr, args []*value) (*value, error) {
	if err := b.subject(args[0]); err != nil {
		return nil, err
	}
	re, _, err := b.expression("%s", args[1], optional(args, 3))
	if err != nil {
		return nil, err
	}
	group := 0
	if g := optional(args, 2); g != nil {
		if !g.constant() || g.class != intClass || g.lit.exact.Sign() < 0 || g.lit.exact.Int64() > int64(re.NumSubexp()) {
			return nil, bad(g.node, "", "%s must be the number of a group, which are %d", b.spell(g.node), re.NumSubexp())
		}
		group = int(g.lit.exact.Int64())
	}
	v := &value{class: textClass, node: e, col: -1, name: "utf8", args: args[:1]}
	build := of1(func(dst, s *texts, rows []uint32) error {
		dst.share(s)
		for _, i := range rows {
			lo, hi := 0, 0
			if at := re.FindSubmatchIndex(s.at(i)); at != nil && at[2*group] >= 0 {
				lo, hi = at[2*group], at[2*group+1]
			}
			dst.piece(i, s, lo, hi)
		}
		return nil
	})
	v.made.build = func(c *compiler) any { return build(c, v) }
	return v, nil
}

func bindReplaceMatch(b *binder, e *sql.Expr, args []*value) (*value, error) {
	if err := b.subject(args[0]); err != nil {
		return nil, err
	}
	re, all, err := b.expression("%s", args[1], optional(args, 3))
	if err != nil {
		return nil, err
	}
	to, err := b.constantText(args[2], "replacement")
	if err != nil {
		return nil, err
	}
	template := templateOf(to)
	v := &value{class: textClass, node: e, col: -1, name: "utf8", args: args[:1]}
	build := of1(func(dst, s *texts, rows []uint32) error {
		for _, i := range rows {
			x := s.at(i)
			dst.end(i, replaceMatches(dst.start(i, len(x)), x, re, template, all))
		}
		return nil
	})
	v.made.build = func(c *compiler) any { return build(c, v) }
	return v, nil
}

// templateOf makes Go's template of one with \1 and \&.
func templateOf(to string) []byte {
	var out []byte
	for i := 0; i < len(to); i++ {
		switch c := to[i]; {
		case c == '$':
			out = append(out, "$$"...)
		case c == '\\' && i+1 < len(to):
			i++
			switch n := to[i]; {
			case '0' <= n && n <= '9':
				out = append(out, '$', '{', n, '}')
			case n == '&':
				out = append(out, "${0}"...)
			default:
				out = append(out, n)
			}
		default:
			out = append(out, c)
		}
	}
	return out
}

func replaceMatches(dst, s []byte, re *regexp.Regexp, template []byte, all bool) []byte {
	n := 1
	if all {
		n = -1
	}
	last := 0
	for _, at := range re.FindAllSubmatchIndex(s, n) {
		dst = append(dst, s[last:at[0]]...)
		dst = re.Expand(dst, template, s, at)
		last = at[1]
	}
	return append(dst, s[last:]...)
}
