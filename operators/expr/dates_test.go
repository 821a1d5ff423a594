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
	{"tod", arrow.FixedWidthTypes.Time64us, nil},
	{"n", arrow.PrimitiveTypes.Int32, nil},
}

// dateRows is the table of testdata/dates.py.
func dateRows(t *testing.T) *vector.Batch {
	t.Helper()
	days, stamps, instants, clocks := []int32{}, []int64{}, []int64{}, []int64{}
	for _, r := range [][4]string{
		{"2024-05-31", "2024-05-31 12:34:56.789", "2024-03-10 07:30:00", "12:34:56.789"},
		{"2024-02-29", "1969-12-31 23:59:59.999999", "2024-11-03 05:30:00.25", "23:59:59.999999"},
		{"1999-12-31", "2000-01-01 00:00:00", "1970-01-01 00:00:00", "00:00:00"},
		{"1970-01-01", "1850-07-15 06:00:00.000001", "2024-07-01 12:00:00", "04:00:00.000001"},
		{"1582-10-15", "2262-04-11 23:47:16", "2024-12-31 23:59:59.999", "06:00:00"},
	} {
		day, _ := calendar.ParseDate(r[0])
		x, _ := calendar.ParseTimestamp(r[1])
		y, _ := calendar.ParseTimestamp(r[2])
		stamp, _ := x.Ticks(calendar.Microseconds)
		instant, _ := y.Ticks(calendar.Microseconds)
		nanos, _ := calendar.ParseTime(r[3])
		clocks = append(clocks, nanos/1000)
		days, stamps, instants = append(days, int32(day)), append(stamps, stamp), append(instants, instant)
	}
	b := &vector.Batch{Len: len(days)}
	for i, data := range [][]byte{vector.AsBytes(days), vector.AsBytes(stamps), vector.AsBytes(instants), vector.AsBytes(clocks), vector.AsBytes([]int32{3, -1, 0, 12, 400})} {
		b.Cols = append(b.Cols, &vector.Vector{Type: dateColumns[i].typ, Len: b.Len, Data: data})
	}
	return b
}

// literalOf is an answer of testdata/dates.txt as a literal.
func literalOf(kind, answer string) string {
	switch kind {
	case "number":
		return answer
	case "text":
		return "'" + answer + "'"
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
	low := strings.ToLower(string(text))
	for _, f := range dateFunctions {
		for _, name := range strings.Split(f.name, ", ") {
			if !strings.Contains(low, "`"+name+"(") && !strings.Contains(low, "`"+name+"`") {
				t.Errorf("%s is not in docs/dates.md", name)
			}
		}
	}
}

// TestDateConditions has conditions and the rows of the table for which they hold.
func TestDateConditions(t *testing.T) {
	b := dateRows(t)
	for src, want := range map[string]string{
		`day + 1 is null`: `[]`,
		`(ts - day) is not null and age(ts, day) is not null`: `[0 1 2 3 4]`,
		`ts - day > '10 hours'`:                               `[0 2 4]`,
		`interval '1 day' * n in (interval '72 hours', '0')`:  `[0 2]`,
		`ts - ts in ('0')`:                                    `[0 1 2 3 4]`,
		`ts - day between '0' and interval '1 day'`:           `[0 2]`,
		`not (age(ts, day) <= '1 day')`:                       `[4]`,
		`tod > '06:00'`:                                       `[0 1]`,
		`tod in ('06:00', '00:00:00', '01:00')`:               `[2 4]`,
		`tod < time '04:00:00.0000005'`:                       `[2]`,
		`extract(month from day) in (5, 2)`:                   `[0 1]`,
		`extract(second from ts) > 56.789`:                    `[1]`,
		`extract(second from ts) >= 56.789`:                   `[0 1]`,
		`day is distinct from date '2024-05-31' and n < 12`:   `[1 2]`,
		`tz > '2024-07-01 14:00+02:00'`:                       `[1 4]`,
		`date_trunc('day', tz) = tz`:                          `[2]`,
		`day + n < day`:                                       `[1]`,
		`null + interval '1 day' is null`:                     `[0 1 2 3 4]`,
		`date_trunc(null, ts) is null`:                        `[0 1 2 3 4]`,
		`day + 2147483647 > day`:                              `day + 2147483647: a value does not fit date`,
		`ts + interval '200000 years' > ts`:                   `[0 1 2 3 4]`,
		`ts + interval '300000 years' > ts`:                   `ts + interval '300000 years': a value does not fit timestamp`,
		`interval '100000000 days' * n > interval '1 day'`:    `interval '100000000 days' * n: a value does not fit interval`,
		`ts + interval '1 ns' > ts`:                           `is no interval`,
		`ts + interval '0.000000001 s' > ts`:                  `[0 1 2 3 4]`,
		`day + interval '1 day' * 2147483647 > day`:           `a value does not fit timestamp`,
		`make_date(2024, n, 1) > day`:                         `make_date(2024, n, 1): a value does not fit date`,
		`strptime(n::text, '%d') is null`:                     `strptime(n::text, '%d'): '-1' is no timestamp`,
		`try_strptime(n::text, '%d') is null`:                 `[1 2 4]`,
		`monthname(day) = 'May'`:                              `[0]`,
		`strftime(ts, '%q') = ''`:                             `there is no format specifier %q`,
		`strptime(n::text, n::text) = ts`:                     `must be a constant`,
		`strptime(n::text, '%U') = ts`:                        `can be written but not read`,
		`('2024-05-31 10:00+02' || '')::timestamp = ts`:       `is no timestamp`,
		`try_cast('2024-05-32' as date) is null`:              `[0 1 2 3 4]`,
		`(n::text)::date = day`:                               `(n::text)::date: '3' is no date`,
		`time '23:59:59.9999999'::time = time '00:00:00'`:     `[0 1 2 3 4]`,
		`to_timestamp(n * 1e14) > tz`:                         `a value does not fit timestamp`,
	} {
		e, err := sql.ParseExpr(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		c, err := Bind(src, e, scopeOf(dateColumns))
		var rows []uint32
		if err == nil {
			rows, err = c.evaluator().rows(&vector.Batch{Cols: b.Cols, Len: b.Len, Sel: []uint32{0, 1, 2, 3, 4}})
		}
		got := fmt.Sprint(rows)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

// TestDateFunctionsAllocateNothing runs conditions over batches of a stream.
func TestDateFunctionsAllocateNothing(t *testing.T) {
	b := dateRows(t)
	for _, src := range []string{
		`day + n > day`, `ts + n * interval '1 month' > ts`, `ts - day > interval '1 day'`, `extract(hour from tz at time zone 'Europe/Berlin') > 3`, `date_trunc('month', ts) = ts`,
		`age(ts, day) > interval '1 day'`, `time_bucket('5 months', ts) < ts`, `make_timestamp(2024, 1, 2, 3, 4, (n + 1) % 3) < ts`, `tod + interval '1 hour' > tod`, `extract(epoch from ts) > 5`,
	} {
		e, err := sql.ParseExpr(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		c, err := Bind(src, e, scopeOf(dateColumns))
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		ev := c.evaluator()
		if n := testing.AllocsPerRun(10, func() {
			if _, err := ev.rows(b); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %g allocations a batch", src, n)
		}
	}
}
