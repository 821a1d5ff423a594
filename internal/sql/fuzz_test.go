package sql

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse checks what holds for every text: no panic, errors inside the
// text, nodes in rising order inside the text, and columns that parse again
// to the same names.
func FuzzParse(f *testing.F) {
	f.Fuzz(func(t *testing.T, src string) {
		cols, err := ParseColumns(src)
		checkError(t, src, err)
		last := 0
		for _, c := range cols {
			last = checkSpan(t, src, c.Span, last)
			checkColumn(t, src, c)
		}
		items, err := ParseOrder(src)
		checkError(t, src, err)
		last = 0
		for _, o := range items {
			last = checkSpan(t, src, o.Span, last)
			if (o.Ordinal > 0) == (o.Column != nil || o.Call != nil) {
				t.Fatalf("%q: %+v", src, o)
			}
		}
		selected, err := ParseSelect(src)
		checkError(t, src, err)
		last = 0
		for _, s := range selected {
			last = checkSpan(t, src, s.Span, last)
		}
		aggs, err := ParseAggregates(src)
		checkError(t, src, err)
		last = 0
		for _, a := range aggs {
			inside := checkSpan(t, src, a.Func.Span, last)
			for _, c := range a.Args {
				inside = checkSpan(t, src, c.Span, inside)
				checkColumn(t, src, c)
			}
			for _, c := range a.Constants {
				inside = checkSpan(t, src, c.Span, inside)
				checkConstant(t, c)
			}
			for _, k := range a.Order {
				inside = checkSpan(t, src, k.Span, inside)
				checkColumn(t, src, k.Column)
			}
			if a.Alias != nil {
				checkSpan(t, src, a.Alias.Span, inside)
			}
			last = checkSpan(t, src, a.Span, last)
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

// checkConstant wants numbers that strconv reads.
func checkConstant(t *testing.T, c Constant) {
	if c.Kind != Number {
		return
	}
	if _, err := strconv.ParseFloat(c.Text, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		t.Fatalf("number %q: %v", c.Text, err)
	}
}

func checkSpan(t *testing.T, src string, s Span, from int) int {
	if s.Start < from || s.End <= s.Start || s.End > len(src) {
		t.Fatalf("%q: span %v, not behind %d", src, s, from)
	}
	return s.End
}

func checkColumn(t *testing.T, src string, c Column) {
	again, err := ParseColumns(c.String())
	if err != nil || len(again) != 1 || !slices.EqualFunc(again[0].Parts, c.Parts, func(a, b Name) bool {
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
