package colagg

import (
	"errors"
	"fmt"
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
		"box|m|key_value|key", "box|m|key_value|value|list|element", // 20..21
	} {
		out = append(out, column{path: strings.Split(path, "|"), typ: arrow.PrimitiveTypes.Int64})
	}
	out[10].repeated, out[10].container, out[10].depth = true, "list", 1
	out[11].repeated, out[11].container, out[11].depth = true, "list", 2
	out[20].repeated, out[20].container, out[20].depth = true, "map", 2
	out[21].repeated, out[21].container, out[21].depth = true, "map", 2
	out[15].typ, out[15].problem = nil, "it is odd"
	return out
}

func TestResolve(t *testing.T) {
	r := resolver{testColumns()}
	for text, want := range map[string]any{
		`city`:                               0,
		`CITY`:                               0,
		`"city"`:                             0,
		`"CITY"`:                             `there is no column "CITY" (at position 1 of '"CITY"'); nearest of the 22 columns: city`,
		`Fare`:                               1,
		`fare`:                               2,
		`FARE`:                               `column FARE is ambiguous: it may be "Fare", "fare" (at position 1 of 'FARE'); quote the one that is meant`,
		`total`:                              3,
		`"Trip Distance"`:                    4,
		`"trip distance"`:                    `nearest of the 22 columns: "Trip Distance"`,
		`trip_distance`:                      `nearest of the 22 columns: "Trip Distance"`,
		`a.b`:                                5, // the top-level column
		`"a.b"`:                              5,
		`"a"."b"`:                            6,
		`a."b"`:                              6,
		`A.B`:                                `column A.B is ambiguous: it may be "a.b", "a"."b"`,
		`a.c.d`:                              7,
		`a."c.d"`:                            7,
		`"a.c.d"`:                            `there is no column "a.c.d"`,
		`"a"."c"."d"`:                        `there is no column "a"."c"."d"`,
		`A.C.D`:                              7,
		`s.x.y`:                              8,
		`s.x.z`:                              9,
		`s.x`:                                `column s.x is a struct (at position 1 of 's.x'); use a field of it: s.X.y, S.x.z`,
		`a`:                                  `column a is a struct (at position 1 of 'a'); use a field of it: "a"."b", a."c.d"`,
		`list`:                               `column list is a list, which cannot be queried yet (at position 1 of 'list'); columns and fields that hold one value a row work`,
		`list.element`:                       `column list.element is part of a list, which`,
		`point`:                              `use a field of it: point.x`,
		`point.tags`:                         `column point.tags is a list, which`,
		`point.tags.item`:                    `column point.tags.item is part of a list, which`,
		`box.m`:                              `column box.m is a map, which cannot be queried yet`,
		`box.m.key_value`:                    `column box.m.key_value is part of a map, which`,
		`box.m.key_value.value.list.element`: `column box.m.key_value.value.list.element is part of a map, which`,
		`box`:                                `column box is a struct without a field that can be queried: there is a map in it, which cannot be queried yet`,
		`dup`:                                `column dup is ambiguous: there are 2 columns of that name, which cannot be told apart (at position 1 of 'dup')`,
		`odd`:                                `column odd cannot be read: it is odd`,
		`p.q.r`:                              16,
		`"p.q".r`:                            16,
		`P.Q`:                                `use a field of it: "p.q".r`,
		`GRÖSSE`:                             17,
		`""`:                                 18,
		`a.b.c`:                              19,
		`a.b.c.d`:                            `there is no column a.b.c.d`,
		`xyzzy`:                              `there is no column xyzzy (at position 1 of 'xyzzy'); the 22 columns are city, Fare, fare, TOTAL, "Trip Distance", "a.b", "a"."b", a."c.d" and 14 more; Engine.Describe lists them`,
	} {
		ref, err := sql.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.find(fragment{text: text}, *ref.Column)
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
	if _, err := (resolver{}).find(fragment{text: "x"}, sql.Column{Parts: []sql.Name{{Text: "x"}}}); err == nil {
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
		ref, err := sql.ParseExpr(names[i])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.find(fragment{text: names[i]}, *ref.Column); err != nil || got != i {
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

func TestColumnHint(t *testing.T) {
	for _, c := range []struct {
		columns int
		want    string
	}{
		{0, "there are no columns"},
		{1, "the only column is c0"},
		{2, "the 2 columns are c0, c1"},
		{8, "the 8 columns are c0, c1, c2, c3, c4, c5, c6, c7"},
		{9, "the 9 columns are c0, c1, c2, c3, c4, c5, c6, c7 and 1 more; Engine.Describe lists them"},
	} {
		var columns []string
		for i := range c.columns {
			columns = append(columns, fmt.Sprint("c", i))
		}
		if got := columnHint("xyzzy", columns); got != c.want {
			t.Errorf("%d columns: %s", c.columns, got)
		}
	}
}
