package colagg_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

// TestRowNames says which columns of the result entries of OrderBy and Select
// mean.
func TestRowNames(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{})
	for _, c := range []struct {
		q    colagg.Query
		head string
		row  string // the first
	}{
		{colagg.Query{Select: []string{"ID", "City as c, fare f"}, Limit: 1}, "id int64, c utf8, f float64", "1 Porto 6.97"},
		{colagg.Query{Select: []string{"id, id, id as id"}, Limit: 1}, "id int64, id_1 int64, id_2 int64", "1 1 1"},
		{colagg.Query{Select: []string{"id as city, city as id"}, OrderBy: []string{"city desc"}, Limit: 1}, "city int64, id utf8", ""},
		{colagg.Query{Select: []string{"id as n"}, OrderBy: []string{"id desc"}, Limit: 1}, "n int64", "5000"},
		{colagg.Query{Select: []string{"payment.method m, id"}, OrderBy: []string{"PAYMENT.METHOD", "2 desc"}, Limit: 1}, "m utf8, id int64", ""},
		{colagg.Query{GroupBy: []string{"city"}, Aggs: []string{"Sum( ID ) as s"}, OrderBy: []string{"SUM(id) DESC"}, Limit: 1}, "", "Bern 2719656"},
		{colagg.Query{GroupBy: []string{"city"}, Aggs: []string{"sum(id), max(id order by city desc)"}, OrderBy: []string{`"sum(id)" desc`}, Limit: 1}, "city utf8, sum(id) int64, max(id order by city desc) int64", ""},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"count(*) desc, 1"}, Limit: 1, Offset: 1}, "", "Kyoto 977"},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"CITY nulls first"}, Limit: 1}, "", "(null) 36"},
		{colagg.Query{GroupBy: []string{"city"}, Distinct: true, OrderBy: []string{"1 desc nulls last"}, Limit: 1}, "", "Turin 148"},
		{colagg.Query{Aggs: []string{"count(*)"}, OrderBy: []string{"1"}, Offset: 0}, "", "5000"},
		{colagg.Query{Select: []string{"id"}, Distinct: true, OrderBy: []string{"id desc"}, Limit: 1}, "", "5000"},
		{colagg.Query{Select: []string{"count(*) as n, City"}, GroupBy: []string{"city"}, OrderBy: []string{"n desc"}, Limit: 1}, "n int64, city utf8", "1081 Bern"},
		{colagg.Query{Select: []string{"city c, max(id), max(ID) as m"}, GroupBy: []string{"c"}, OrderBy: []string{"count(1) desc"}, Limit: 1}, "c utf8, max(id) int64, m int64", ""},
		{colagg.Query{Select: []string{"count(*), city"}, GroupBy: []string{"all"}, OrderBy: []string{"1"}, Limit: 1}, "count(*) int64, city utf8", "36 (null)"},
		{colagg.Query{Select: []string{"city"}, OrderBy: []string{"id desc"}, Limit: 1}, "city utf8", ""},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"sum(id) desc"}, Limit: 1}, "city utf8, count(*) int64", "Bern 1081"},
		{colagg.Query{Select: []string{"vendor"}, GroupBy: []string{"vendor, paid"}, Distinct: true, OrderBy: []string{"vendor"}, Limit: 1}, "vendor utf8", "Blue Cab"},
		{colagg.Query{GroupBy: []string{"city"}, Aggs: []string{"count(*) as n"}, Having: "n > 900 and city <> 'Bern' and max(id) is not null"}, "", "Kyoto 977"},
	} {
		c.q.From = colagg.Files(trips)
		head, rows := query(t, e, c.q)
		if c.head != "" && head != c.head || len(rows) != 1 || c.row != "" && rows[0] != c.row {
			t.Errorf("%+v: %s, %q", c.q, head, rows)
		}
	}
}

func TestBadRowQueries(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{})
	for _, c := range []struct {
		q       colagg.Query
		offset  int
		message string
	}{
		{colagg.Query{OrderBy: []string{"2"}}, 0, "the result has no column 2 (at position 1 of '2'); the columns are count(*)"},
		{colagg.Query{OrderBy: []string{"0"}}, 0, `expected the number of a column, found "0"`},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"1, fare"}}, 3, "column fare is neither a key nor in an aggregate"},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"fair"}}, 0, "the result has no column fair"},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"sum(fair)"}}, 4, "there is no column fair"},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"summ(fare)"}}, 0, "unknown function \"summ\""},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"city descending"}}, 5, "expected an operator, ASC, DESC, NULLS, a comma or the end"},
		{colagg.Query{GroupBy: []string{"city"}, OrderBy: []string{"city nulls"}}, 10, "expected FIRST or LAST after NULLS"},
		{colagg.Query{Select: []string{"id as n, city as N"}, OrderBy: []string{"n, N, \"n\", x"}}, 11, "the result has no column x"},
		{colagg.Query{Select: []string{"id as aB, city as Ab"}, OrderBy: []string{"ab"}}, 0, "column ab is ambiguous in the result"},
		{colagg.Query{Select: []string{"id, citty"}}, 4, "there is no column citty"},
		{colagg.Query{Select: []string{"tags"}}, 0, "column tags is a list"},
		{colagg.Query{Select: []string{""}}, 0, "expected a column or a value, found the end"},
		{colagg.Query{Select: []string{"id"}, GroupBy: []string{"city"}}, 0, "column id is neither a key nor in an aggregate (at position 1 of 'id'); group by it, or take any_value(id)"},
		{colagg.Query{Select: []string{"id"}, Aggs: []string{"count(*)"}}, -1, "a list to select and aggregates beside it do not go together; Query.Select may have aggregates"},
		{colagg.Query{Select: []string{"*"}, GroupBy: []string{"city"}}, 0, "* does not go with GROUP BY"},
		{colagg.Query{Select: []string{"city as c, count(*)"}, GroupBy: []string{"2"}}, 0, "an aggregate cannot be a key"},
		{colagg.Query{Select: []string{"city"}, GroupBy: []string{"2"}}, 0, "the result has no column 2"},
		{colagg.Query{Select: []string{"city"}, Distinct: true, OrderBy: []string{"id"}}, 0, "id is not in the result, which has each row once"},
		{colagg.Query{Select: []string{"x.*"}}, 0, "there is no table x"},
		{colagg.Query{Where: "sum(id) > 3"}, 0, "the aggregate sum(id) cannot be in the condition of rows (at position 1 of 'sum(id) > 3'); HAVING filters groups"},
		{colagg.Query{Where: "fare > 1 and f(city) = 'x'"}, 13, "unknown function \"f\""},
		{colagg.Query{GroupBy: []string{"city"}, Having: "id > 3"}, 0, "column id is neither a key nor in an aggregate"},
		{colagg.Query{GroupBy: []string{"city"}, Having: "city > 3"}, 0, "compared"},
		{colagg.Query{Select: []string{"city"}, GroupBy: []string{"city as c"}}, 8, "keys have no names of their own beside a SELECT list"},
		{colagg.Query{GroupBy: []string{"city as c"}, Having: "c > 'P' and d = 1"}, 12, "there is no column d"},
		{colagg.Query{Distinct: true}, -1, "distinct rows of what?"},
		{colagg.Query{Offset: -1}, -1, "the offset is negative: -1"},
	} {
		c.q.From = colagg.Files(trips)
		got := wantError(t, failQuery(t, e, c.q), colagg.BadQuery, c.message)
		if got.Offset != c.offset {
			t.Errorf("%+v: position %d, want %d", c.q, got.Offset, c.offset)
		}
	}
}

// TestLimitStopsTheScan reads a few rows of many files.
func TestLimitStopsTheScan(t *testing.T) {
	checkLeaks(t)
	for _, workers := range []int{1, 3} {
		e := newEngine(t, colagg.Options{Workers: workers})
		res, err := e.Query(t.Context(), colagg.Query{From: many(), Select: []string{"*"}, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := rowsOf(res)
		if err != nil || len(rows) != 10 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		if err := res.Close(); err != nil {
			t.Error(err)
		}
		p := res.Plan()
		scan := p.Pipelines[0].Operators[0].Scan
		if scan.Bytes.Actual*5 > scan.Bytes.Estimate || len(p.Pipelines) != 1 {
			t.Errorf("%d of %d bytes were read", scan.Bytes.Actual, scan.Bytes.Estimate)
		}
	}
}

// TestSelectedRowsStay retains records of a scan, whose memory is not used again.
func TestSelectedRowsStay(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 3, BatchRows: 100})
	res, err := e.Query(t.Context(), colagg.Query{From: many(), Select: []string{"id", "city", "payment.method"}})
	if err != nil {
		t.Fatal(err)
	}
	var kept []arrow.Record
	var rows []string
	for res.Next() {
		rec := res.Record()
		rec.Retain()
		kept = append(kept, rec)
		rows = append(rows, recordRows(rec)...)
	}
	if res.Err() != nil || len(rows) != 60*5000 {
		t.Fatalf("%d rows, %v", len(rows), res.Err())
	}
	res.Release()
	at := 0
	for _, rec := range kept {
		now := recordRows(rec)
		if !slices.Equal(now, rows[at:at+len(now)]) {
			t.Fatalf("rows from %d on have changed", at)
		}
		at += len(now)
		rec.Release()
	}
	for i, r := range rows {
		if want := fmt.Sprint(i%5000+1) + " "; !strings.HasPrefix(r, want) {
			t.Fatalf("row %d is %s", i, r)
		}
	}
}

func TestSelectedRecords(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 3, BatchRows: 7})
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	var recs []arrow.Record
	for lo := 0; lo < 1000; lo += 40 {
		recs = append(recs, mixedRecord(mem, lo, lo+40))
	}
	defer func() {
		for _, rec := range recs {
			rec.Release()
		}
	}()
	var want []string
	for i := range 1000 {
		x, dict := fmt.Sprint(i), fmt.Sprint("d", i%4)
		if i%4 == 3 || i%6 == 5 {
			x = "(null)"
		}
		if i%11 == 0 {
			dict = "(null)"
		}
		want = append(want, x+" "+dict)
	}
	for _, order := range [][]string{nil, {"dict desc"}} {
		rr, err := array.NewRecordReader(mixedSchema, recs)
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Query(t.Context(), colagg.Query{From: colagg.Records(rr), Select: []string{"s.x, dict"}, OrderBy: order})
		if err != nil {
			t.Fatal(err)
		}
		head := header(res)
		var rows []string
		for rec, err := range res.Batches() {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, recordRows(rec)...)
		}
		rr.Release()
		if order != nil {
			slices.SortStableFunc(want, func(a, b string) int {
				key := func(s string) string { return strings.Replace(s[strings.Index(s, " "):], "(", "z", 1) }
				return strings.Compare(key(b), key(a))
			})
		}
		if head != "s.x int64, dict utf8" || !slices.Equal(rows, want) {
			t.Errorf("order %q: %s, %q", order, head, rows[:20])
		}
	}
}

// TestRowsCancelled ends queries while rows come.
func TestRowsCancelled(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{Workers: 3, BatchRows: 50})
	for _, order := range [][]string{nil, {"fare"}} {
		ctx, cancel := context.WithCancel(t.Context())
		res, err := e.Query(ctx, colagg.Query{From: many(), Select: []string{"id, fare"}, OrderBy: order})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for res.Next() {
			if n++; n == 3 {
				cancel()
			}
		}
		if !errors.Is(res.Err(), context.Canceled) {
			t.Errorf("%v after %d batches", res.Err(), n)
		}
		res.Release()
		cancel()
	}
}

// TestOrderPlan holds the figures of what orders.
func TestOrderPlan(t *testing.T) {
	q := colagg.Query{From: many(), Select: []string{"id", "fare", "city"}, OrderBy: []string{"fare desc, id"}}
	p, s := planOf(t, newEngine(t, colagg.Options{Workers: 2, BatchRows: 500, MemoryLimit: 4 << 20}), q)
	op := p.Pipelines[0].Operators[1]
	o := op.Order
	if len(p.Pipelines) != 2 || op.RowsIn.Actual != 300_000 || o.Runs < 4 || o.SpilledRuns < o.Runs-2 || o.SpilledBytes != s.SpilledBytes || s.RowsOut != 300_000 || s.Groups != 0 {
		t.Errorf("%+v, %+v, %+v", op, o, s)
	}
	text := p.String()
	for _, want := range []string{"Plan, executed: id, fare, city\n", "pipeline ordering", "order by fare desc, id\n", "spilled  ", " before the last merge"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	q.Limit = 20
	p, s = planOf(t, newEngine(t, colagg.Options{Workers: 2, BatchRows: 500}), q)
	op = p.Pipelines[0].Operators[1]
	if op.Order.Limit != 20 || op.Order.Kept > 60_000 || op.RowsOut.Actual != 20 || s.RowsOut != 20 || op.Order.SpilledRuns != 0 {
		t.Errorf("%+v, %+v", op.Order, s)
	}
	if text := p.String(); !strings.Contains(text, "top   20 rows wanted; ") {
		t.Error(text)
	}
}
