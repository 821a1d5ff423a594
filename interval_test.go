package colagg_test

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

// TestIntervals holds that intervals of months pass through, are counted and
// summed, and that nothing is done that needs their order.
func TestIntervals(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: arrow.FixedWidthTypes.MonthDayNanoInterval, Nullable: true}}, nil)
	query := func(q colagg.Query) (*colagg.Result, error) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		defer b.Release()
		v := b.Field(0).(*array.MonthDayNanoIntervalBuilder)
		v.AppendValues([]arrow.MonthDayNanoInterval{{Months: 1}, {}, {Days: 30, Nanoseconds: -5}}, []bool{true, false, true})
		rec := b.NewRecord()
		defer rec.Release()
		rr, err := array.NewRecordReader(schema, []arrow.Record{rec})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(rr.Release)
		q.From = colagg.Records(rr)
		return newEngine(t, colagg.Options{}).Query(t.Context(), q)
	}
	for _, c := range []struct {
		q    colagg.Query
		want []string
	}{
		{colagg.Query{Select: []string{"v"}}, []string{`{"months":1,"days":0,"nanoseconds":0}`, "(null)", `{"months":0,"days":30,"nanoseconds":-5}`}},
		{colagg.Query{Aggs: []string{"count(v)"}}, []string{"2"}},
		{colagg.Query{Aggs: []string{"sum(v)"}}, []string{`{"months":1,"days":30,"nanoseconds":-5}`}},
	} {
		res, err := query(c.q)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := rowsOf(res)
		if err != nil {
			t.Fatal(err)
		}
		wantRows(t, rows, c.want...)
	}
	for want, q := range map[string]colagg.Query{
		"cannot be a key":      {GroupBy: []string{"v"}},
		"has no order":         {Select: []string{"v"}, OrderBy: []string{"v"}},
		"min: month_day_nano":  {Aggs: []string{"min(v)"}},
		"avg: month_day_nano":  {Aggs: []string{"avg(distinct v)"}},
		"cannot be aggregated": {Aggs: []string{"count(distinct v)"}},
	} {
		_, err := query(q)
		wantError(t, err, kindOf(err), want)
	}
	if res, err := query(colagg.Query{Select: []string{"v"}, Distinct: true}); err == nil {
		res.Close()
		t.Error("intervals are distinct")
	}
}
