package render

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// TestLists compares with the text that DuckDB 2.0.1 casts the lists to (save for
// the spelling of NaN), and
// with JSON.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		elem       arrow.DataType
		in         string
		text, json string
	}{
		{arrow.PrimitiveTypes.Int64, `[1,null,-2]`, `[1, NULL, -2]`, `[1,null,-2]`},
		{arrow.PrimitiveTypes.Int64, `[]`, `[]`, `[]`},
		{arrow.FixedWidthTypes.Boolean, `[true,false]`, `[true, false]`, `[true,false]`},
		{arrow.PrimitiveTypes.Float64, `[1.5,"NaN","Inf"]`, `[1.5, NaN, inf]`, `[1.5,null,null]`},
		{&arrow.Decimal128Type{Precision: 5, Scale: 2}, `["1.20"]`, `[1.20]`, `[1.20]`},
		{arrow.FixedWidthTypes.Date32, `["2020-01-02"]`, `[2020-01-02]`, `["2020-01-02"]`},
		{arrow.FixedWidthTypes.Time64us, `["10:00:00"]`, `['10:00:00']`, `["10:00:00"]`},
		{arrow.BinaryTypes.String, `["a","b,c","d'e"," ","",null,"NULL","null","x=y","(a","a)","c:d","new","a b"]`,
			`[a, 'b,c', 'd\'e', ' ', '', NULL, 'NULL', 'null', 'x=y', '(a', 'a)', 'c:d', new, a b]`,
			`["a","b,c","d'e"," ","",null,"NULL","null","x=y","(a","a)","c:d","new","a b"]`},
		{arrow.BinaryTypes.String, `["a ","null x","x\"y","a[b","a;b","Null","(","tab\t","ü","\n","x\\y","a\tb","it's \\"]`,
			`['a ', null x, 'x"y', 'a[b', a;b, 'Null', '(', 'tab` + "\t" + `', ü, '` + "\n" + `', 'x\\y', a` + "\t" + `b, 'it\'s \\']`,
			`["a ","null x","x\"y","a[b","a;b","Null","(","tab\t","ü","\n","x\\y","a\tb","it's \\"]`},
		{arrow.Null, `[null,null]`, `[NULL, NULL]`, `[null,null]`},
	} {
		b := array.NewListBuilder(memory.DefaultAllocator, c.elem)
		b.AppendNull()
		if err := b.AppendValueFromString(c.in); err != nil {
			t.Fatal(err)
		}
		col := array.NewSlice(b.NewArray(), 1, 2)
		schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: col.DataType(), Nullable: true}}, nil)
		rec := array.NewRecord(schema, []arrow.Array{col}, 1)
		cells := bind(nil, rec)[0]
		if got := string(cells.append(nil, 0)); got != c.text {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.text)
		}
		for format, want := range map[Format]string{NDJSON: `{"l":` + c.json + "}\n", JSON: "[\n{\"l\":" + c.json + "}\n]\n"} {
			var out strings.Builder
			w, err := New(format, &out, schema, Screen{})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil || out.String() != want {
				t.Errorf("%s %s: error %v\n got %swant %s", format, c.in, err, out.String(), want)
			}
		}
	}
}

// TestListsFramed has lists with what separates cells in them.
func TestListsFramed(t *testing.T) {
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.BinaryTypes.String)
	if err := b.AppendValueFromString(`["a|b","c\td"]`); err != nil {
		t.Fatal(err)
	}
	b.AppendNull()
	col := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: col.DataType(), Nullable: true}, {Name: "m", Type: col.DataType(), Nullable: true}}, nil)
	for format, want := range map[Format]string{
		CSV:      "l,m\n\"[a|b, c\td]\",\"[a|b, c\td]\"\n,\n",
		TSV:      "l\tm\n[a|b, c\\td]\t[a|b, c\\td]\n\\N\t\\N\n",
		Markdown: "| l | m |\n| --- | --- |\n| [a\\|b, c\td] | [a\\|b, c\td] |\n| NULL | NULL |\n",
		Table: `┌─────────────┬─────────────┐
│ l           │ m           │
├─────────────┼─────────────┤
│ [a|b, c\td] │ [a|b, c\td] │
│ NULL        │ NULL        │
└─────────────┴─────────────┘
`,
	} {
		var out strings.Builder
		w, err := New(format, &out, schema, Screen{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(array.NewRecord(schema, []arrow.Array{col, col}, 2)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil || out.String() != want {
			t.Errorf("%s: error %v\n got %s\nwant %s", format, err, out.String(), want)
		}
	}
}
