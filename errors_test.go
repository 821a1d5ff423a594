package colagg_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

// The caret of each case stands under the position in the entry that is wrong.
func TestBadQueries(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{})
	for _, c := range []struct {
		groupBy, agg, caret string
		kind                colagg.Kind
		message             string
	}{
		{`citty`, `count(*)`, `^`, colagg.BadQuery, `there is no column citty (at position 1 of 'citty'); nearest of the 13 columns: city`},
		{`city, "City"`, `count(*)`, `      ^`, colagg.BadQuery, `there is no column "City"`},
		{`zzzzzz`, `count(*)`, `^`, colagg.BadQuery, `the 13 columns are id, city, vendor, pickup, day, distance, fare, tip and 5 more; Engine.Describe lists them`},
		{`payment`, `count(*)`, `^`, colagg.BadQuery, `column payment is a struct (at position 1 of 'payment'); use a field of it: payment.method, payment.card_last4`},
		{`payment.metod`, `count(*)`, `^`, colagg.BadQuery, `there is no column payment.metod (at position 1 of 'payment.metod'); nearest of the 13 columns: payment.method`},
		{`tags`, `count(*)`, `^`, colagg.BadQuery, `column tags is a list, which cannot be queried yet`},
		{`tags.list.element`, `count(*)`, `^`, colagg.BadQuery, `column tags.list.element is part of a list`},
		{`city fare`, `count(*)`, `     ^`, colagg.BadQuery, `expected an operator, a comma or the end, found "fare"`},
		{``, `count(*)`, `^`, colagg.BadQuery, `expected a column or a value, found the end`},
		{`city`, `sum(fair)`, `    ^`, colagg.BadQuery, `there is no column fair (at position 5 of 'sum(fair)'); nearest of the 13 columns: fare, paid`},
		{`city`, `count(*), summ(fare)`, `          ^`, colagg.BadQuery, `summ`},
		{`city`, `sum(city)`, `^`, colagg.BadQuery, `sum`},
		{`city`, `sum(*)`, `^`, colagg.BadQuery, `sum needs a column (at position 1 of 'sum(*)'); name one, as in sum(x)`},
		{`city`, `avg()`, `^`, colagg.BadQuery, `avg needs a column`},
		{`city`, `sum(fare, tip)`, `^`, colagg.BadQuery, `takes one argument, not 2`},
		{`city`, `last(distinct fare)`, `     ^`, colagg.BadQuery, `last: does not take DISTINCT (at position 6 of 'last(distinct fare)'); write last(column)`},
		{`city`, `min_by(fare, tip order by tip)`, `                          ^`, colagg.BadQuery, `min_by: does not take ORDER BY`},
		{`city`, `min(fare order by tipp)`, `                  ^`, colagg.BadQuery, `there is no column tipp`},
		{`city`, `min(distinct fare order by fare, tip)`, `                                 ^`, colagg.BadQuery, `min with DISTINCT cannot be ordered by tip, which it does not take`},
		{`city`, `count(fare, 1)`, `            ^`, colagg.BadQuery, `count: takes columns, not constants`},
		{`city`, `fare`, `^`, colagg.BadQuery, `fare is no aggregate (at position 1 of 'fare'); an aggregate is a function of a column, such as sum(fare) or count(*)`},
		{`sum(fare)`, `count(*)`, `^`, colagg.BadQuery, `an aggregate cannot be a key`},
		{`1`, `count(*)`, `^`, colagg.BadQuery, `there is no SELECT list for GROUP BY 1`},
	} {
		err := failQuery(t, e, colagg.Query{From: colagg.Files(trips), GroupBy: []string{c.groupBy}, Aggs: []string{c.agg}})
		got := wantError(t, err, c.kind, c.message)
		if got.Offset != strings.Index(c.caret, "^") || got.Source != c.groupBy && got.Source != c.agg {
			t.Errorf("%s %s: got position %d of %q", c.groupBy, c.agg, got.Offset, got.Source)
		}
	}
}

func TestSquaresOverflow(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.Float64Builder).AppendValues([]float64{1e300, -1e300}, nil)
	rr, err := array.NewRecordReader(schema, []arrow.Record{b.NewRecord()})
	if err != nil {
		t.Fatal(err)
	}
	err = failQuery(t, newEngine(t, colagg.Options{}), colagg.Query{From: colagg.Records(rr), Aggs: []string{"stddev(x) as s"}})
	wantError(t, err, colagg.Overflow, "s (stddev(x)): squares of the values exceed the range of float64")
}

// Names with control characters are escaped in messages.
func TestControlCharacters(t *testing.T) {
	data := parquetOf(t, field("a\x00b\n\x1b[1m\u0085é", arrow.PrimitiveTypes.Int64))
	e := newEngine(t, colagg.Options{})
	err := failQuery(t, e, colagg.Query{From: colagg.FS(fstest.MapFS{"x.parquet": {Data: data}}, "x.parquet"), GroupBy: []string{"q"}})
	wantError(t, err, colagg.BadQuery, `the only column is "a\x00b\n\x1b[1m\u0085é"`)
}

func TestBadOptions(t *testing.T) {
	for _, opt := range []colagg.Options{{Workers: -1}, {BatchRows: -1}, {MemoryLimit: -1}, {Workers: 1 << 30}, {BatchRows: 1 << 30}} {
		_, err := colagg.New(opt)
		wantError(t, err, colagg.BadQuery, "Options.")
	}
	e := newEngine(t, colagg.Options{})
	wantError(t, failQuery(t, e, colagg.Query{}), colagg.BadQuery, "no source")
	wantError(t, failQuery(t, e, colagg.Query{From: colagg.Files(trips), Strategy: "magic"}), colagg.BadQuery, `no strategy "magic"; the strategies are auto, serial`)
	closed := newEngine(t, colagg.Options{})
	_ = closed.Close()
	wantError(t, failQuery(t, closed, colagg.Query{From: colagg.Files(trips)}), colagg.BadQuery, "the engine is closed")
	_, err := closed.Describe(t.Context(), colagg.Files(trips))
	wantError(t, err, colagg.BadQuery, "the engine is closed")
}

func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for k := colagg.Internal; k <= colagg.IO; k++ {
		seen[k.String()] = true
	}
	if len(seen) != 8 || !seen["internal error"] {
		t.Errorf("the kinds are called %v", seen)
	}
}

// int64Reader gives one column x of the given batches.
func int64Reader(t testing.TB, batches ...[]int64) array.RecordReader {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var recs []arrow.Record
	for _, values := range batches {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.Int64Builder).AppendValues(values, nil)
		recs = append(recs, b.NewRecord())
	}
	rr, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	return rr
}

func TestOverflow(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{})
	for _, strategy := range colagg.Strategies() {
		q := colagg.Query{Aggs: []string{"count(*), sum(x) as total"}, Strategy: strategy}
		q.From = colagg.Records(int64Reader(t, []int64{math.MaxInt64}, []int64{1}))
		err := failQuery(t, e, q)
		wantError(t, err, colagg.Overflow, "total (sum(x)): the result 9223372036854775808 does not fit int64; avg has no such limit")
		q.From, q.Aggs = colagg.Records(int64Reader(t, []int64{math.MaxInt64, 1})), []string{"sum(x)"}
		if err := failQuery(t, e, q); !strings.HasPrefix(err.Error(), "sum(x): the result ") {
			t.Error(err)
		}
		q.Aggs = []string{"sum(x) as total"}
		// The order of rows does not matter.
		q.From = colagg.Records(int64Reader(t, []int64{math.MaxInt64, 1}, []int64{-1}))
		_, rows := query(t, e, q)
		wantRows(t, rows, fmt.Sprint(int64(math.MaxInt64)))
	}
}

// TestMemoryLimit reads pages that are larger than the limit, which nothing can
// go to disk for.
func TestMemoryLimit(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{MemoryLimit: 1 << 10, Workers: 2})
	for _, strategy := range colagg.Strategies() {
		for range 3 { // what a failed query held is given back
			err := failQuery(t, e, colagg.Query{From: colagg.Files(trips), GroupBy: []string{"city"}, Strategy: strategy})
			wantError(t, err, colagg.Memory, "memory limit of 1.0 KiB exceeded: ", " more needed for reading Parquet", "; give more with Options.MemoryLimit")
			if !errors.Is(err, colagg.ErrMemoryLimit) {
				t.Errorf("%v is no ErrMemoryLimit", err)
			}
			_, rows := query(t, e, colagg.Query{From: colagg.Records(int64Reader(t, []int64{1, 2, 2})), GroupBy: []string{"x"}, Strategy: strategy})
			wantRows(t, rows, "1 1", "2 2")
		}
	}
}

func TestContextErrors(t *testing.T) {
	checkLeaks(t)
	e := newEngine(t, colagg.Options{})
	q := colagg.Query{From: colagg.Files(trips), GroupBy: []string{"city"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Query(ctx, q); !errors.Is(err, context.Canceled) || errors.As(err, new(*colagg.Error)) {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := e.Query(ctx, q); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Describe(ctx, q.From); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	res, err := e.Query(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	cancel()
	if res.Next() || !errors.Is(res.Err(), context.Canceled) || res.Next() {
		t.Errorf("a cancelled result gives rows or the error %v", res.Err())
	}
}

// A result that a file format cannot hold is an error, not a panic.
func TestWriteUnsupported(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Duration_s}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	b.Field(0).(*array.DurationBuilder).Append(7)
	rr, err := array.NewRecordReader(schema, []arrow.Record{b.NewRecord()})
	if err != nil {
		t.Fatal(err)
	}
	res, err := newEngine(t, colagg.Options{}).Query(t.Context(), colagg.Query{From: colagg.Records(rr), GroupBy: []string{"d"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	wantError(t, res.WriteParquet(io.Discard), colagg.Unsupported, "duration")
	if err := res.WriteArrow(io.Discard); err != nil {
		t.Error(err)
	}
}
