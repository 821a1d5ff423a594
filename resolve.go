package colagg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/colagg/colagg/internal/sql"
)

// resolver finds columns by the names in a query.
type resolver struct{ cols []column }

// spellPath spells a path bare where it can be, for messages.
func spellPath(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = sql.Spell(p)
	}
	return strings.Join(parts, ".")
}

// spellings spells the columns so that a query finds each by its own: in quotes
// where another column has the same name once dots are put between the parts.
func spellings(cols []column) []string {
	joined := make(map[string]int, len(cols))
	for _, c := range cols {
		joined[strings.Join(c.path, ".")]++
	}
	out := make([]string, len(cols))
	for i, c := range cols {
		if joined[strings.Join(c.path, ".")] > 1 {
			out[i] = quotePath(c.path)
		} else {
			out[i] = spellPath(c.path)
		}
	}
	return out
}

// find returns the column that ref means. Of the columns that match exactly,
// one with fewer parts comes first, so that a top-level column named "a.b" is
// before field b of a; else the only column that matches without regard to
// case is taken.
func (r resolver) find(in fragment, ref sql.Column) (int, error) {
	exact := r.matching(ref, sameName)
	if len(exact) == 0 {
		folded := r.matching(ref, foldedName)
		switch len(folded) {
		case 0:
			return 0, r.unknown(in, ref)
		case 1:
			return r.usable(in, ref, folded[0])
		}
		return 0, r.ambiguous(in, ref, folded)
	}
	best := exact[:1]
	for _, i := range exact[1:] {
		switch n := len(r.cols[best[0]].path); {
		case len(r.cols[i].path) < n:
			best = []int{i}
		case len(r.cols[i].path) == n:
			best = append(best, i)
		}
	}
	if len(best) > 1 {
		return 0, r.ambiguous(in, ref, best)
	}
	return r.usable(in, ref, best[0])
}

// usable refuses a column that cannot be queried.
func (r resolver) usable(in fragment, ref sql.Column, i int) (int, error) {
	c := r.cols[i]
	if c.repeated {
		return 0, container(in, ref, c, len(c.path))
	}
	if c.typ == nil {
		e := badFragment(in, ref.Start, "", "column %s cannot be read: %s", ref, c.problem)
		if c.file != "" {
			e.Err = unreadable(c.file, c.path, c.problem)
		}
		e.Kind = Unsupported
		return 0, e
	}
	return i, nil
}

// unreadable is the error for a column of a file, of any row group.
func unreadable(file string, path []string, problem string) error {
	return &UnsupportedError{File: file, RowGroup: -1, Column: strings.Join(path, "."), What: problem}
}

type sameFunc func(n sql.Name, s string) bool

func sameName(n sql.Name, s string) bool { return n.Text == s }

func foldedName(n sql.Name, s string) bool {
	return n.Text == s || !n.Quoted && strings.EqualFold(n.Text, s)
}

func (r resolver) matching(ref sql.Column, same sameFunc) []int {
	var out []int
	for i, c := range r.cols {
		if matchPath(ref.Parts, c.path, same) {
			out = append(out, i)
		}
	}
	return out
}

// matchPath reports whether parts name path. A quoted part is one element of
// the path; bare parts may also form one together, with the dots between them.
func matchPath(parts []sql.Name, path []string, same sameFunc) bool {
	if len(parts) == 0 || len(path) == 0 {
		return len(parts) == len(path)
	}
	joined := parts[0]
	for n := 1; ; n++ {
		if same(joined, path[0]) && matchPath(parts[n:], path[1:], same) {
			return true
		}
		if n == len(parts) || joined.Quoted || parts[n].Quoted || len(joined.Text) >= len(path[0])*4 {
			return false
		}
		joined.Text += "." + parts[n].Text
	}
}

func (r resolver) ambiguous(in fragment, ref sql.Column, cols []int) error {
	var names []string
	for _, c := range cols {
		if name := quotePath(r.cols[c].path); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return badFragment(in, ref.Start, "", "column %s is ambiguous: there are %d columns of that name, which cannot be told apart", ref, len(cols))
	}
	return badFragment(in, ref.Start, "quote the one that is meant", "column %s is ambiguous: it may be %s", ref, listNames(names))
}

// quotePath spells a path in quotes, which only it matches.
func quotePath(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = sql.Quote(p)
	}
	return strings.Join(parts, ".")
}

// container is the error for a name of what is around or in a list or a map:
// the first n names of the path of c, which is in it.
func container(in fragment, ref sql.Column, c column, n int) error {
	what := "is a " + c.container
	switch {
	case n < c.depth:
		what = "is a struct without a field that can be queried: there is a " + c.container + " in it"
	case n > c.depth:
		what = "is part of a " + c.container
	}
	return badFragment(in, ref.Start, "columns and fields that hold one value a row work", "column %s %s, which cannot be queried yet", ref, what)
}

// unknown is the error for a name that matches no leaf: of a struct, of a
// list or a map, or of nothing.
func (r resolver) unknown(in fragment, ref sql.Column) error {
	var fields []string
	var inside error
	names := spellings(r.cols)
	for i, c := range r.cols {
		for n := 1; n < len(c.path); n++ {
			if !matchPath(ref.Parts, c.path[:n], foldedName) {
				continue
			}
			if !c.repeated {
				fields = append(fields, names[i])
			} else if inside == nil {
				inside = container(in, ref, c, n)
			}
		}
	}
	if len(fields) > 0 {
		return badFragment(in, ref.Start, "use a field of it: "+listNames(fields), "column %s is a struct", ref)
	}
	if inside != nil {
		return inside
	}
	return badFragment(in, ref.Start, columnHint(ref.String(), names), "there is no column %s", ref)
}

// maxListed is how many names a message lists.
const maxListed = 8

func listNames(names []string) string {
	if len(names) > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}
