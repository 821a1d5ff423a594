package colagg_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

var mixedSchema = arrow.NewSchema([]arrow.Field{
	{Name: "key", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "dict", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
	{Name: "large", Type: arrow.BinaryTypes.LargeString, Nullable: true},
	{Name: "s", Type: arrow.StructOf(
		arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		arrow.Field{Name: "t", Type: arrow.StructOf(arrow.Field{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.String}, Nullable: true}), Nullable: true},
	), Nullable: true},
	{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64), Nullable: true},
	{Name: "span", Type: arrow.FixedWidthTypes.MonthInterval, Nullable: true},
	{Name: "nothing", Type: arrow.Null, Nullable: true},
}, nil)

// mixedRecord has rows lo up to hi of a table whose values, and which of them
// are NULL, follow from the number of the row.
func mixedRecord(mem memory.Allocator, lo, hi int) arrow.Record {
	b := array.NewRecordBuilder(mem, mixedSchema)
	defer b.Release()
	for i := lo; i < hi; i++ {
		appendText := func(f interface {
			AppendValueFromString(string) error
			AppendNull()
		}, null bool, text string) {
			if null {
				f.AppendNull()
			} else if err := f.AppendValueFromString(text); err != nil {
				panic(err)
			}
		}
		appendText(b.Field(0), i%7 == 0, fmt.Sprintf("k%d", i%5))
		appendText(b.Field(1), i%3 == 1, fmt.Sprint(i%2 == 0))
		appendText(b.Field(2), i%11 == 0, fmt.Sprintf("d%d", i%4))
		appendText(b.Field(3), i%5 == 2, fmt.Sprintf("large %d", i%3))
		s := b.Field(4).(*array.StructBuilder)
		t := s.FieldBuilder(1).(*array.StructBuilder)
		if s.Append(i%4 != 3); i%4 != 3 { // else it has appended to its fields
			appendText(s.FieldBuilder(0), i%6 == 5, fmt.Sprint(i))
			if t.Append(i%5 != 0); i%5 != 0 {
				appendText(t.FieldBuilder(0), i%9 == 1, fmt.Sprintf("t%d", i%3))
			}
		}
		b.Field(5).AppendNull()
		b.Field(6).AppendNull()
		b.Field(7).AppendNull()
	}
	return b.NewRecord()
}

// wantMixed groups rows 0 up to n of that table in a map.
func wantMixed(n int, key func(i int) string, null func(i int) bool) []string {
	groups := map[string][3]int{}
	for i := range n {
		k := key(i)
		if null(i) {
			k = "(null)"
		}
		g := groups[k]
		g[0]++
		if i%4 != 3 && i%6 != 5 {
			g[1]++
			g[2] += i
		}
		groups[k] = g
	}
	var out []string
	for k, g := range groups {
		sum := fmt.Sprint(g[2])
		if g[1] == 0 {
			sum = "(null)"
		}
		out = append(out, fmt.Sprintf("%s %d %d %s", k, g[0], g[1], sum))
	}
	return out
}

func TestRecords(t *testing.T) {
	checkLeaks(t)
	const n = 400
	for _, c := range []struct {
		column string
		key    func(i int) string
		null   func(i int) bool
	}{
		{"key", func(i int) string { return fmt.Sprintf("k%d", i%5) }, func(i int) bool { return i%7 == 0 }},
		{"flag", func(i int) string { return fmt.Sprint(i%2 == 0) }, func(i int) bool { return i%3 == 1 }},
		{"dict", func(i int) string { return fmt.Sprintf("d%d", i%4) }, func(i int) bool { return i%11 == 0 }},
		{"large", func(i int) string { return fmt.Sprintf("large %d", i%3) }, func(i int) bool { return i%5 == 2 }},
		{"s.t.d", func(i int) string { return fmt.Sprintf("t%d", i%3) }, func(i int) bool { return i%4 == 3 || i%5 == 0 || i%9 == 1 }},
		{"nothing", func(i int) string { return "" }, func(i int) bool { return true }},
	} {
		for _, opt := range []colagg.Options{{}, {BatchRows: 3, Workers: 3}, {BatchRows: 8}, {BatchRows: 64, Workers: 2}, {BatchRows: 1}} {
			t.Run(fmt.Sprintf("%s %+v", c.column, opt), func(t *testing.T) {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				defer mem.AssertSize(t, 0)
				rr := sliced(t, mem, n)
				defer rr.Release()
				e := newEngine(t, opt)
				res, err := e.Query(t.Context(), colagg.Query{From: colagg.Records(rr), GroupBy: []string{c.column}, Aggs: []string{"count(*), count(s.x), sum(s.x)"}})
				if err != nil {
					t.Fatal(err)
				}
				if s := res.Stats(); s.Rows != n || s.BytesRead != 0 {
					t.Errorf("odd figures: %+v", s)
				}
				rows, err := rowsOf(res)
				if err != nil {
					t.Fatal(err)
				}
				wantRows(t, rows, wantMixed(n, c.key, c.null)...)
			})
		}
	}
}

// sliced gives the table in records of many lengths, an empty one too; some are
// slices of larger ones, at odd positions.
func sliced(t testing.TB, mem memory.Allocator, n int) array.RecordReader {
	t.Helper()
	var recs []arrow.Record
	for lo, size := 0, 0; lo < n; size = (size*2 + 1) % 333 {
		hi := min(n, lo+size)
		from := max(0, lo-13)
		whole := mixedRecord(mem, from, hi+5)
		recs = append(recs, whole.NewSlice(int64(lo-from), int64(hi-from)))
		whole.Release()
		lo = hi
	}
	rr, err := array.NewRecordReader(mixedSchema, recs)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		r.Release()
	}
	return rr
}

func TestRecordsErrors(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 4, BatchRows: 8})
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	reader := func() array.RecordReader { return sliced(t, mem, 300) }
	for column, want := range map[string]string{
		"list": "column list is a list, which",
		"span": "column span cannot be read: Arrow type month_interval is not supported",
		"s":    "column s is a struct (at position 1 of 's'); use a field of it: s.x, s.t.d",
		"s.y":  "there is no column s.y (at position 1 of 's.y'); nearest of the 9 columns: s.x",
	} {
		rr := reader()
		res, err := e.Query(t.Context(), colagg.Query{From: colagg.Records(rr), GroupBy: []string{column}})
		if res != nil || err == nil {
			t.Fatal("no error")
		}
		wantError(t, err, kindOf(err), want)
		rr.Release()
	}
	for after := range 6 {
		rr := &failingReader{RecordReader: reader(), left: after}
		_, err := e.Query(t.Context(), colagg.Query{From: colagg.Records(rr), GroupBy: []string{"dict"}})
		wantError(t, err, colagg.IO, "reading Arrow records: the line is broken")
		if !errors.Is(err, errBroken) {
			t.Error("the cause is lost")
		}
		rr.Release()
	}
	rr := &failingReader{RecordReader: reader(), left: 3, panics: true}
	_, err := e.Query(t.Context(), colagg.Query{From: colagg.Records(rr), GroupBy: []string{"dict"}})
	wantError(t, err, colagg.Internal, "no more")
	rr.Release()
	_, err = e.Query(t.Context(), colagg.Query{From: colagg.Records(nil)})
	wantError(t, err, colagg.BadQuery, "the record reader is nil")
}

func kindOf(err error) colagg.Kind {
	var e *colagg.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return colagg.Internal
}

// failingReader fails after some records.
type failingReader struct {
	array.RecordReader
	left   int
	panics bool
}

func (r *failingReader) Next() bool {
	if r.left == 0 {
		if r.panics {
			panic("no more")
		}
		return false
	}
	r.left--
	return r.RecordReader.Next()
}

func (r *failingReader) Err() error { return errBroken }

// A reader that reports io.EOF as its error has only ended.
func TestRecordsEOF(t *testing.T) {
	rr := &eofReader{int64Reader(t, []int64{1, 2}, nil, []int64{2})}
	_, rows := query(t, newEngine(t, colagg.Options{}), colagg.Query{From: colagg.Records(rr), GroupBy: []string{"x"}})
	wantRows(t, rows, "1 1", "2 2")
	_, rows = query(t, newEngine(t, colagg.Options{}), colagg.Query{From: colagg.Records(rr), Aggs: []string{"count(*), sum(x)"}})
	wantRows(t, rows, "0 (null)")
}

type eofReader struct{ array.RecordReader }

func (eofReader) Err() error { return io.EOF }
