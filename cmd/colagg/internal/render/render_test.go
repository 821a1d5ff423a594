package render

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// stringsRecord has the strings that formats get wrong, and a count.
func stringsRecord(t *testing.T) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "count(*)", Type: arrow.PrimitiveTypes.Int64},
	}, nil))
	defer b.Release()
	s := b.Field(0).(*array.StringBuilder)
	for _, v := range []string{"", "NULL", "a,b", `say "hi"`, "two\nlines", "tab\there", `back\slash`, "p|pe", " pad ", "é", "he\xfflo"} {
		s.Append(v)
	}
	s.AppendNull()
	for i := range int64(12) {
		b.Field(1).(*array.Int64Builder).Append(i)
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

func printed(t *testing.T, f Format, screen Screen, recs ...arrow.Record) string {
	t.Helper()
	var out bytes.Buffer
	w, err := New(f, &out, recs[0].Schema(), screen)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestStringsInEveryFormat(t *testing.T) {
	want := map[Format]string{
		CSV: "s,count(*)\n" + `"",0` + "\nNULL,1\n" + `"a,b",2` + "\n" + `"say ""hi""",3` + "\n\"two\nlines\",4\ntab\there,5\n" +
			`back\slash,6` + "\np|pe,7\n\" pad \",8\né,9\nhe\xfflo,10\n,11\n",
		TSV: "s\tcount(*)\n\t0\nNULL\t1\na,b\t2\nsay \"hi\"\t3\n" + `two\nlines` + "\t4\n" + `tab\there` + "\t5\n" +
			`back\\slash` + "\t6\np|pe\t7\n pad \t8\né\t9\nhe\xfflo\t10\n" + `\N` + "\t11\n",
		Markdown: "| s | count(*) |\n| --- | ---: |\n|  | 0 |\n| NULL | 1 |\n| a,b | 2 |\n| say \"hi\" | 3 |\n| two<br>lines | 4 |\n| tab\there | 5 |\n" +
			`| back\\slash | 6 |` + "\n" + `| p\|pe | 7 |` + "\n|  pad  | 8 |\n| é | 9 |\n| he\xfflo | 10 |\n| NULL | 11 |\n",
		NDJSON: `{"s":"","count(*)":0}
{"s":"NULL","count(*)":1}
{"s":"a,b","count(*)":2}
{"s":"say \"hi\"","count(*)":3}
{"s":"two\nlines","count(*)":4}
{"s":"tab\there","count(*)":5}
{"s":"back\\slash","count(*)":6}
{"s":"p|pe","count(*)":7}
{"s":" pad ","count(*)":8}
{"s":"é","count(*)":9}
{"s":"he\ufffdlo","count(*)":10}
{"s":null,"count(*)":11}
`,
		Table: `┌────────────┬──────────┐
│ s          │ count(*) │
├────────────┼──────────┤
│            │        0 │
│ NULL       │        1 │
│ a,b        │        2 │
│ say "hi"   │        3 │
│ two\nlines │        4 │
│ tab\there  │        5 │
│ back\slash │        6 │
│ p|pe       │        7 │
│  pad       │        8 │
│ é          │        9 │
│ he\xfflo   │       10 │
│ NULL       │       11 │
└────────────┴──────────┘
`,
	}
	lines := strings.Split(strings.TrimSuffix(want[NDJSON], "\n"), "\n")
	want[JSON] = "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	rec := stringsRecord(t)
	for f, w := range want {
		if got := printed(t, f, Screen{}, rec); got != w {
			t.Errorf("%s:\n%s\nwant:\n%s", f, got, w)
		}
	}
}

// Other readers than those of this project must understand what is written.
func TestStandardReaders(t *testing.T) {
	rec := stringsRecord(t)
	rows, err := stdcsv.NewReader(strings.NewReader(printed(t, CSV, Screen{}, rec))).ReadAll()
	if err != nil || len(rows) != 13 {
		t.Fatalf("%d rows of CSV, %v", len(rows), err)
	}
	var objects []map[string]any
	if err := json.Unmarshal([]byte(printed(t, JSON, Screen{}, rec, rec)), &objects); err != nil || len(objects) != 24 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	s := rec.Column(0).(*array.String)
	for i := range 11 {
		if rows[i+1][0] != s.Value(i) {
			t.Errorf("CSV row %d: %q, want %q", i, rows[i+1][0], s.Value(i))
		}
		if want := strings.ToValidUTF8(s.Value(i), "\ufffd"); objects[i]["s"] != want {
			t.Errorf("JSON row %d: %q, want %q", i, objects[i]["s"], want)
		}
	}
	if v, ok := objects[11]["s"]; v != nil || !ok {
		t.Errorf("JSON NULL: %v, %t", v, ok)
	}
}

func TestNoRows(t *testing.T) {
	rec := stringsRecord(t).NewSlice(0, 0)
	defer rec.Release()
	for f, want := range map[Format]string{
		CSV: "s,count(*)\n", TSV: "s\tcount(*)\n", JSON: "[]\n", NDJSON: "",
		Markdown: "| s | count(*) |\n| --- | ---: |\n",
	} {
		if got := printed(t, f, Screen{}, rec); got != want {
			t.Errorf("%s: %q, want %q", f, got, want)
		}
	}
	if got := printed(t, Table, Screen{}, rec); !strings.Contains(got, "│ s │ count(*) │\n") {
		t.Errorf("table:\n%s", got)
	}
}

func TestSingleColumnCSV(t *testing.T) {
	rec := stringsRecord(t)
	one := array.NewRecord(arrow.NewSchema(rec.Schema().Fields()[:1], nil), rec.Columns()[:1], rec.NumRows())
	defer one.Release()
	got := printed(t, CSV, Screen{}, one)
	if !strings.HasPrefix(got, "s\n\"\"\n\"NULL\"\n\"a,b\"\n") || !strings.HasSuffix(got, "\nNULL\n") {
		t.Errorf("%s", got)
	}
	if strings.Contains(got, "\n\n") {
		t.Errorf("an empty line in\n%s", got)
	}
}

func TestColumnNames(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a,b", Type: arrow.PrimitiveTypes.Int64}, {Name: "", Type: arrow.PrimitiveTypes.Int64},
		{Name: "q\"t\t|", Type: arrow.BinaryTypes.String},
	}, nil)
	rec := array.NewRecord(schema, []arrow.Array{
		array.MakeArrayOfNull(memory.DefaultAllocator, schema.Field(0).Type, 0),
		array.MakeArrayOfNull(memory.DefaultAllocator, schema.Field(1).Type, 0),
		array.MakeArrayOfNull(memory.DefaultAllocator, schema.Field(2).Type, 0),
	}, 0)
	defer rec.Release()
	for f, want := range map[Format]string{
		CSV:      "\"a,b\",\"\",\"q\"\"t\t|\"\n",
		TSV:      "a,b\t\tq\"t\\t|\n",
		Markdown: "| a,b |  | q\"t\t\\| |\n| ---: | ---: | --- |\n",
	} {
		if got := printed(t, f, Screen{}, rec); got != want {
			t.Errorf("%s: %q, want %q", f, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	twice := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "x", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	if _, err := New(JSON, nil, twice, Screen{}); err == nil || !strings.Contains(err.Error(), `two columns are named "x"`) {
		t.Errorf("equal names in JSON: %v", err)
	}
	list := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(arrow.StructOf())}}, nil)
	if _, err := New(CSV, nil, list, Screen{}); err == nil || !strings.Contains(err.Error(), `column "l"`) {
		t.Errorf("a list of structs in CSV: %v", err)
	}
	if _, err := New("xml", nil, twice, Screen{}); err == nil {
		t.Error("an unknown format was taken")
	}
}

// brokenWriter fails from its n-th write on.
type brokenWriter struct{ n int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	rec := stringsRecord(t)
	for _, f := range []Format{CSV, TSV, JSON, NDJSON, Markdown, Table} {
		w, err := New(f, &brokenWriter{}, rec.Schema(), Screen{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(rec), w.Close()); err == nil {
			t.Errorf("%s: a failed write was not reported", f)
		}
	}
}
