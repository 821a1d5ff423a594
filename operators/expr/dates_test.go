package expr

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
	"github.com/colagg/colagg/vector"
)

// dateColumns are the columns of testdata/dates.py.
var dateColumns = []testColumn{
	{"day", arrow.FixedWidthTypes.Date32, nil},
	{"ts", &arrow.TimestampType{Unit: arrow.Microsecond}, nil},
	{"tz", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, nil},
	{"n", arrow.PrimitiveTypes.Int32, nil},
}

// dateRows is the table of testdata/dates.py.
func dateRows(t *testing.T) *vector.Batch {
	t.Helper()
	days, stamps, instants := []int32{}, []int64{}, []int64{}
	for _, r := range [][3]string{
		{"2024-05-31", "2024-05-31 12:34:56.789", "2024-03-10 07:30:00"}, {"2024-02-29", "1969-12-31 23:59:59.999999", "2024-11-03 05:30:00.25"},
		{"1999-12-31", "2000-01-01 00:00:00", "1970-01-01 00:00:00"}, {"1970-01-01", "1850-07-15 06:00:00.000001", "2024-07-01 12:00:00"},
		{"1582-10-15", "2262-04-11 23:47:16", "2024-12-31 23:59:59.999"},
	} {
		day, _ := calendar.ParseDate(r[0])
		x, _ := calendar.ParseTimestamp(r[1])
		y, _ := calendar.ParseTimestamp(r[2])
		stamp, _ := x.Ticks(calendar.Microseconds)
		instant, _ := y.Ticks(calendar.Microseconds)
		days, stamps, instants = append(days, int32(day)), append(stamps, stamp), append(instants, instant)
	}
	b := &vector.Batch{Len: len(days)}
	for i, data := range [][]byte{vector.AsBytes(days), vector.AsBytes(stamps), vector.AsBytes(instants), vector.AsBytes([]int32{3, -1, 0, 12, 400})} {
		b.Cols = append(b.Cols, &vector.Vector{Type: dateColumns[i].typ, Len: b.Len, Data: data})
	}
	return b
}

// literalOf is an answer of testdata/dates.txt as a literal.
func literalOf(kind, answer string) string {
	if kind == "number" {
		return answer
	}
	return kind + " '" + answer + "'"
}

// TestDates compares each expression of testdata/dates.txt with each answer.
func TestDates(t *testing.T) {
	file, err := os.Open("testdata/dates.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b, n := dateRows(t), 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		f := strings.Split(lines.Text(), " | ")
		for row, answer := range f[2:] {
			src := fmt.Sprintf("%s = %s", f[0], literalOf(f[1], answer))
			e, err := sql.ParseExpr(src)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			c, err := Bind(src, e, scopeOf(dateColumns))
			if err != nil {
				t.Errorf("%s: %v", src, err)
				break
			}
			rows, err := c.evaluator().rows(&vector.Batch{Cols: b.Cols, Len: b.Len, Sel: []uint32{uint32(row)}})
			if err != nil || len(rows) != 1 {
				t.Errorf("row %d: %s: %v, %v", row, src, rows, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d expressions", n)
	}
}

// TestDatesDocumented holds that docs/dates.md names every function.
func TestDatesDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/dates.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range dateFunctions {
		low := strings.ToLower(string(text))
		if !strings.Contains(low, "`"+name+"(") && !strings.Contains(low, "`"+name+"`") {
			t.Errorf("%s is not in docs/dates.md", name)
		}
	}
}
