package sql

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse checks what holds for every text: no panic, errors inside the
// text, nodes in rising order inside the text, and columns that parse again
// to the same names.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, src string) {
		items, err := ParseItems(src)
		checkError(t, src, err)
		last := 0
		for _, i := range items {
			last = checkSpan(t, src, i.Span, last)
			checkTree(t, src, i.Expr, i.Span)
			if i.Expr != nil && i.Expr.Op == ColumnOp {
				checkColumn(t, src, *i.Expr.Column)
			}
		}
		keys, err := ParseSort(src)
		checkError(t, src, err)
		last = 0
		for _, k := range keys {
			last = checkSpan(t, src, k.Span, last)
			checkTree(t, src, k.Expr, k.Span)
		}
		g, err := ParseGrouping(src)
		checkError(t, src, err)
		if err == nil {
			checkSets(t, src, g.Sets, Span{0, len(src)})
		}
	})
}

func checkError(t *testing.T, src string, err error) {
	var e *Error
	if err == nil || errors.As(err, &e) && e.Offset >= 0 && e.Offset <= len(src) && e.Message != "" {
		return
	}
	t.Fatalf("%q: %#v", src, err)
}

func checkSpan(t *testing.T, src string, s Span, from int) int {
	if s.Start < from || s.End <= s.Start || s.End > len(src) {
		t.Fatalf("%q: span %v, not behind %d", src, s, from)
	}
	return s.End
}

func checkColumn(t *testing.T, src string, c Column) {
	again, err := ParseItems(c.String())
	if err != nil || len(again) != 1 || !slices.EqualFunc(again[0].Expr.Column.Parts, c.Parts, func(a, b Name) bool {
		return a.Text == b.Text && a.Quoted == b.Quoted
	}) {
		t.Fatalf("%q: column %q parses again to %v (%v)", src, c.String(), again, err)
	}
	for _, p := range c.Parts {
		if !p.Quoted && (strings.ContainsAny(p.Text, `". `) || !utf8.ValidString(p.Text)) {
			t.Fatalf("%q: bare name %q", src, p.Text)
		}
	}
}
