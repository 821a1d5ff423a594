package expr

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/vector"
)

// The caret of each case stands under the position of the error.
func TestBindErrors(t *testing.T) {
	for _, c := range []struct{ src, caret, message, hint string }{
		{`i8`, `^`, `i8 is a int8 and no condition`, `IS NOT NULL`},
		{`b and i8 + 1`, `      ^`, `i8 + 1 is a int64 and no condition`, `compare`},
		{`b and 'x'`, `      ^`, `'x' is a string and no condition`, ``},
		{`i8 = '1'`, `^`, `they cannot be compared`, `without quotes`},
		{`b or s > 5`, `     ^`, `s is a utf8 and 5 a int64`, ``},
		{`day > 5`, `^`, `they cannot be compared`, `in quotes`},
		{`b = 1`, `    ^`, `a boolean cannot be compared with 1`, ``},
		{`day = '2024-13-01'`, `      ^`, `'2024-13-01' is no date`, `2024-05-31`},
		{`us = '2024-01-01 25:00'`, `     ^`, `is no timestamp`, `2024-05-31 12:30:00`},
		{`us = '2024-01-01 10:00Z'`, `     ^`, `us has no time zone`, `leave out the zone`},
		{`s + 1 = 2`, `^`, `s is a utf8`, `of numbers`},
		{`day + day > day`, `^`, `no sum of a date32 and a date32`, `INTERVAL`},
		{`us + interval '1 dya' > us`, `     ^`, `no interval`, `1 year 2 months`},
		{`-day > day`, `^`, `no minus of a date32`, ``},
		{`extract(hour from day) = 1`, `                  ^`, `has no field 'hour'`, `cast`},
		{`extract(fortnight from day) = 1`, `^`, `no field 'fortnight'`, `quarter`},
		{`date_trunc(s, us) = us`, `           ^`, `must be a constant`, `'month'`},
		{`date_trunc('dow', us) = us`, `^`, `no unit to truncate to`, `quarter`},
		{`date_bin('1 month', us, us) = us`, `         ^`, `no fixed length`, `time_bucket`},
		{`time_bucket('1 month 1 day', us) = us`, `            ^`, `cannot be mixed`, ``},
		{`time_bucket('1 day', us, us) = us`, `                         ^`, `must be a constant`, ``},
		{`us at time zone 'Mars' = us`, `                ^`, `no time zone 'Mars'`, `Europe/Berlin`},
		{`us at time zone '+02:00' = us`, `                ^`, `no time zone '+02:00'`, `INTERVAL`},
		{`date_diff('epoch', us, us) = 1`, `          ^`, `no unit to count`, ``},
		{`year(i8) = 1`, `     ^`, `has no field 'year'`, `cast`},
		{`year(day, day) = 1`, `^`, `year takes 1 argument`, ``},
		{`yaer(day) = 1`, `^`, `there is no function yaer`, `language.md`},
		{`make_date(2024, 13, 1) = day`, `^`, `does not fit date`, ``},
		{`date '5874897-12-31' + 200000000 > day`, `^`, `does not fit date`, ``},
		{`i8 like 'a'`, `^`, `i8 is a int8`, `of strings`},
		{`y like 'a'`, `^`, `y is a binary`, `of strings`},
		{`s like t`, `       ^`, `only constant patterns`, ``},
		{`s like 'a\'`, `       ^`, `ends in a backslash`, `\\`},
		{`i8 in (1, 'x')`, `          ^`, `they cannot be compared`, `without quotes`},
		{`i8 / 0 = 1 / 0`, `         ^`, `1 / 0: division by zero`, ``},
		{`i8 = 9223372036854775807 + 1`, `     ^`, `does not fit int64`, ``},
		{`i8 = 123456789012345678901234567890123456789`, `     ^`, `more than 38 digits`, `1e40`},
		{`f64 = 1e400`, `      ^`, `does not fit float64`, ``},
		{`f64 in (` + strings.Repeat("f64,", 20000) + `1)`, `^`, `too complex`, ``},
	} {
		e, err := sql.ParseExpr(c.src)
		if err != nil {
			t.Errorf("%.40s: %v", c.src, err)
			continue
		}
		_, err = Bind(c.src, e, scopeOf(testColumns))
		var b *BindError
		if !errors.As(err, &b) {
			t.Errorf("%.40s: no *BindError: %v", c.src, err)
			continue
		}
		if want := strings.Index(c.caret, "^"); b.Offset != want || !strings.Contains(b.Message, c.message) || !strings.Contains(b.Hint, c.hint) {
			t.Errorf("%.40s: %q at %d, want %d; hint %q", c.src, b.Message, b.Offset, want, b.Hint)
		}
	}
}

// TestErrors has conditions that fail for a row, and guards that keep the row
// from them, also in dictionaries with an entry that no row has.
func TestErrors(t *testing.T) {
	cols := make([]*vector.Vector, len(testColumns))
	for i, c := range testColumns {
		cols[i] = vector.NewNull(c.typ, 3)
	}
	cols[0] = flatVector(testColumns[0].typ, []any{ints(2)[0], ints(0)[0], nil})
	cols[3] = flatVector(testColumns[3].typ, ints(-1<<63, 1<<62, 5))
	coded := flatVector(testColumns[2].typ, ints(1, 0, 2))
	coded.ID = vector.NextID()
	cols[2] = &vector.Vector{Type: coded.Type, Len: 3, Dict: coded, Codes: []uint32{0, 2, 2}}
	for src, want := range map[string]string{
		`6 / i8 > 1`:     `6 / i8: division by zero`,
		`6 % i8 > 1`:     `6 % i8: division by zero`,
		`6.5e0 / i8 > 1`: `6.5e0 / i8: division by zero`,
		`6 / i8 is null`: `6 / i8: division by zero`,
		`i64 / -1 > 0`:   `i64 / -1: a value does not fit int64`,
		`-i64 > 0`:       `-i64: a value does not fit int64`,
		`i64 + i64 > 0`:  `i64 + i64: a value does not fit int64`,
		`i64 - 1 > 0`:    `i64 - 1: a value does not fit int64`,
		`1 > i64 * 4`:    `i64 * 4: a value does not fit int64`,
		`i64 * 99999999999999999999.5 * 1000000000000 > 0`: `does not fit decimal(38, 1)`,
		`i8 <> 0 and 6 / i8 = 3`:                           `[0]`,
		`i8 = 0 or 6 / i8 = 3`:                             `[0 1]`,
		`6 / i32 = 6`:                                      `[0]`,
		`6 / i32 = 3 and 6 / i32 > 0`:                      `[1 2]`,
	} {
		c := bound(t, src)
		ev := c.evaluator()
		for range 2 {
			rows, err := ev.rows(&vector.Batch{Cols: cols, Len: 3})
			got := strings.ReplaceAll(strings.Trim(strings.Join(strings.Fields(fmt.Sprint(rows)), " "), " "), "  ", " ")
			if err != nil {
				got = err.Error()
			}
			if got != want && (err == nil || !strings.Contains(got, want)) {
				t.Errorf("%s: %s, want %s", src, got, want)
			}
		}
	}
}

// TestSteadyStateAllocatesNothing runs conditions over batches of a stream.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	b := &vector.Batch{Len: 1000}
	for _, c := range testColumns {
		if c.pool == nil {
			b.Cols = append(b.Cols, vector.NewNull(c.typ, b.Len))
			continue
		}
		vals := make([]any, b.Len)
		for i := range vals {
			if rng.IntN(10) > 0 {
				vals[i] = c.pool[rng.IntN(len(c.pool))]
			}
		}
		b.Cols = append(b.Cols, flatVector(c.typ, vals))
	}
	dict := b.Cols[13]
	dict.ID = vector.NextID()
	b.Cols[13] = &vector.Vector{Type: dict.Type, Len: b.Len, Dict: dict, Codes: make([]uint32, b.Len)}
	for _, src := range []string{
		`i32 > 1 and f64 < 2 and d2 >= 1.5`, `i8 + i16 * 2 > i32 or d2 * 2 > d6`, `s like 'a%' or t in ('a', 'b')`, `s < t`,
		`not (b or c) and (b = c) is null`, `day < us`, `u8 in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)`, `f32 * 2 > f64`,
	} {
		ev := bound(t, src).evaluator()
		if n := testing.AllocsPerRun(10, func() {
			if _, err := ev.rows(b); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %g allocations a batch", src, n)
		}
	}
}
