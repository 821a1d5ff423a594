package colagg

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
)

func testColumns() []column {
	var out []column
	for _, path := range []string{
		"city", "Fare", "fare", "TOTAL", "Trip Distance", // 0..4
		"a.b", "a|b", "a|c.d", "s|X|y", "S|x|z", // 5..9
		"list|element", "point|tags|item", "point|x", // 10..12
		"dup", "dup", "odd", "p.q|r", "grösse", "", "a.b.c", // 13..19
	} {
		out = append(out, column{path: strings.Split(path, "|"), typ: arrow.PrimitiveTypes.Int64})
	}
	out[10].repeated, out[11].repeated = true, true
	out[15].typ, out[15].problem = nil, "it is odd"
	return out
}

func TestResolve(t *testing.T) {
	r := resolver{testColumns()}
	for text, want := range map[string]any{
		`city`:            0,
		`CITY`:            0,
		`"city"`:          0,
		`"CITY"`:          `there is no column "CITY" (at position 1 of '"CITY"'); nearest of the 20 columns: city`,
		`Fare`:            1,
		`fare`:            2,
		`FARE`:            `column FARE is ambiguous: it may be "Fare", "fare" (at position 1 of 'FARE'); quote the one that is meant`,
		`total`:           3,
		`"Trip Distance"`: 4,
		`"trip distance"`: `nearest of the 20 columns: "Trip Distance"`,
		`trip_distance`:   `nearest of the 20 columns: "Trip Distance"`,
		`a.b`:             5, // the top-level column
		`"a.b"`:           5,
		`"a"."b"`:         6,
		`a."b"`:           6,
		`A.B`:             `column A.B is ambiguous: it may be "a.b", "a"."b"`,
		`a.c.d`:           7,
		`a."c.d"`:         7,
		`"a.c.d"`:         `there is no column "a.c.d"`,
		`"a"."c"."d"`:     `there is no column "a"."c"."d"`,
		`A.C.D`:           7,
		`s.x.y`:           8,
		`s.x.z`:           9,
		`s.x`:             `column s.x is a struct (at position 1 of 's.x'); use a field of it: s.X.y, S.x.z`,
		`a`:               `column a is a struct (at position 1 of 'a'); use a field of it: "a"."b", a."c.d"`,
		`list`:            `column list is a list (repeated), which cannot be queried yet`,
		`list.element`:    `column list.element is a list (repeated)`,
		`point`:           `use a field of it: point.x`,
		`point.tags`:      `column point.tags is a list (repeated)`,
		`dup`:             `column dup is ambiguous: it may be "dup", "dup"`,
		`odd`:             `column odd cannot be read: it is odd`,
		`p.q.r`:           16,
		`"p.q".r`:         16,
		`P.Q`:             `use a field of it: "p.q".r`,
		`GRÖSSE`:          17,
		`""`:              18,
		`a.b.c`:           19,
		`a.b.c.d`:         `there is no column a.b.c.d`,
		`xyzzy`:           `there is no column xyzzy (at position 1 of 'xyzzy'); the 20 columns are city, Fare, fare, TOTAL, "Trip Distance", "a.b", "a"."b", a."c.d" and 12 more`,
	} {
		refs, err := sql.ParseColumns(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.find(text, refs[0])
		if index, ok := want.(int); ok {
			if err != nil || got != index {
				t.Errorf("%s: got column %d (%v), want %d", text, got, err, index)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want.(string)) {
			t.Errorf("%s: got column %d, error %v, want %s", text, got, err, want)
		}
	}
	if _, err := (resolver{}).find("x", sql.Column{Parts: []sql.Name{{Text: "x"}}}); err == nil {
		t.Error("found a column where there is none")
	}
}

// Every column that can be queried is found by the spelling that Describe and
// messages give it.
func TestSpellings(t *testing.T) {
	r := resolver{testColumns()}
	names := spellings(r.cols)
	for i, c := range r.cols {
		if c.repeated || c.typ == nil || c.path[0] == "dup" {
			continue
		}
		refs, err := sql.ParseColumns(names[i])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.find(names[i], refs[0]); err != nil || got != i {
			t.Errorf("%s: got %d (%v), want %d", names[i], got, err, i)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"city", "county", "country", "Trip Distance", "pickup_at", "pickup_zone", "x"}
	for name, want := range map[string][]string{
		"citty":        {"city"},
		"contry":       {"country", "county"},
		"tripdistance": {"Trip Distance"},
		"pickup":       {"pickup_at", "pickup_zone"},
		"zone":         {"pickup_zone"},
		"cityname":     {"city"},
		"y":            {"x"},
		"qqqqq":        {},
		"":             {"x"},
	} {
		if got := nearest(name, names); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"größe", "grösse", 2}, {"abc", "abc", 0}, {"ab", "ba", 2}} {
		if got := editDistance(c.a, c.b, 10); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := editDistance("a", "abcdef", 2); got <= 2 {
		t.Errorf("got %d within a limit of 2", got)
	}
}
