package render

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	gotext "github.com/jedib0t/go-pretty/v6/text"
)

func numbered(t *testing.T, from, to int64) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
	}, nil))
	defer b.Release()
	for n := from; n < to; n++ {
		b.Field(0).(*array.Int64Builder).Append(n)
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

func TestTableLeavesOutTheMiddle(t *testing.T) {
	want := `┌───┐
│ n │
├───┤
│ 0 │
│ 1 │
│ 2 │
│ … │
│ 7 │
│ 8 │
└───┘
9 rows (5 shown)
`
	for cut := int64(0); cut <= 9; cut++ {
		if got := printed(t, Table, Screen{Rows: 5}, numbered(t, 0, cut), numbered(t, cut, 9)); got != want {
			t.Fatalf("split at %d:\n%s\nwant:\n%s", cut, got, want)
		}
	}
	if got := printed(t, Table, Screen{Rows: 5}, numbered(t, 0, 5)); strings.Contains(got, "…") || strings.Contains(got, "rows") {
		t.Errorf("five rows are all shown:\n%s", got)
	}
	if got := printed(t, Table, Screen{Rows: 40}, numbered(t, 0, 1234)); !strings.HasSuffix(got, "1,234 rows (40 shown)\n") {
		t.Errorf("%s", got)
	}
	// However the rows come, the last are shown in their order.
	for step := int64(1); step < 100; step++ {
		var recs []arrow.Record
		for n := int64(0); n < 300; n += step {
			recs = append(recs, numbered(t, n, min(n+step, 300)))
		}
		if got := printed(t, Table, Screen{Rows: 6}, recs...); !strings.Contains(got, "│   2 │\n│   … │\n│ 297 │\n│ 298 │\n│ 299 │\n") {
			t.Fatalf("%d rows at a time:\n%s", step, got)
		}
	}
	if got := printed(t, Table, Screen{}, numbered(t, 0, 1234)); strings.Count(got, "\n") != 1234+4 {
		t.Errorf("%d lines without a limit", strings.Count(got, "\n"))
	}
}

func TestTableFitsTheScreen(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "url", Type: arrow.BinaryTypes.String}, {Name: "title", Type: arrow.BinaryTypes.String},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
	}, nil))
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(strings.Repeat("生命", 20))
	b.Field(1).(*array.StringBuilder).Append("short")
	b.Field(2).(*array.Int64Builder).Append(1234567890123456789)
	rec := b.NewRecord()
	defer rec.Release()
	got := printed(t, Table, Screen{Columns: 60}, rec)
	for line := range strings.Lines(got) {
		if w := gotext.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")); w > 60 {
			t.Errorf("%d cells: %s", w, line)
		}
	}
	if !strings.Contains(got, "…") || !strings.Contains(got, "1234567890123456789") || !strings.Contains(got, "short") {
		t.Errorf("%s", got)
	}
	// No room for what may not be cut: the line is longer, nothing is lost.
	if got := printed(t, Table, Screen{Columns: 10}, rec); !strings.Contains(got, "1234567890123456789") {
		t.Errorf("%s", got)
	}
	if got := printed(t, Table, Screen{}, rec); strings.Contains(got, "…") {
		t.Errorf("cut without a screen:\n%s", got)
	}
}

func TestTableColors(t *testing.T) {
	rec := stringsRecord(t)
	if got := printed(t, Table, Screen{Faint: "\x1b[2m", Reset: "\x1b[0m"}, rec); !strings.Contains(got, "│ \x1b[2mNULL\x1b[0m       │       11 │") {
		t.Errorf("%q", got)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 生命":      "plain é 生命",
		"\x1b[31mred":     `\x1b[31mred`,
		"a\rb\x00\x7f":    `a\rb\x00\x7f`,
		"\u009b31m":       `\u009b31m`,
		"\u202egnp.exe":   `\u202egnp.exe`,
		"\xff\ufffd":      `\xff` + "\ufffd",
		"line\u2028break": `line\u2028break`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A table that would take too much memory is refused, and nothing of it is
// written.
func TestTableTooLong(t *testing.T) {
	text := func(rows, length int) arrow.Record {
		b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil))
		defer b.Release()
		for range rows {
			b.Field(0).(*array.StringBuilder).Append(strings.Repeat("x", length))
		}
		return b.NewRecord()
	}
	for name, c := range map[string]struct {
		rec    arrow.Record
		screen Screen
		fails  bool
	}{
		"as many rows as there may be": {numbered(t, 0, maxTableRows), Screen{}, false},
		"one more":                     {numbered(t, 0, maxTableRows+1), Screen{}, true},
		"many on a screen":             {numbered(t, 0, 3*maxTableRows), Screen{Rows: 40}, false},
		"long texts":                   {text(100, maxTableBytes/100+1), Screen{}, true},
		"long texts on a screen":       {text(100, maxTableBytes/100+1), Screen{Rows: 2, Columns: 80}, false},
	} {
		var out strings.Builder
		w, err := New(Table, &out, c.rec.Schema(), c.screen)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(c.rec)
		if (err != nil) != c.fails || out.Len() > 0 || c.fails && !strings.Contains(err.Error(), "choose csv or markdown") {
			t.Errorf("%s: %v, %d bytes written", name, err, out.Len())
		}
	}
	few := newTable(nil, numbered(t, 0, 1).Schema(), Screen{Rows: 40})
	for n := int64(0); n < 10*maxTableRows; n += maxTableRows {
		if err := few.Write(numbered(t, n, n+maxTableRows)); err != nil || len(few.head)+len(few.tail) != 40 {
			t.Fatalf("%d rows are kept, error %v", len(few.head)+len(few.tail), err)
		}
	}
}
