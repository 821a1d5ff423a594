package colagg_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/colagg/colagg"
)

// Answers of DuckDB 2.0.1.
var (
	cityAggs = []string{"count(*), count(distance)", "sum(id), sum(passengers) as seats", "min(day), max(city)"}
	cityRows = []string{
		"Porto 432 424 1088054 752 2024-04-01 Porto",
		"Quito 260 256 662530 455 2024-04-01 Quito",
		"(null) 36 35 98040 61 2024-04-01 (null)",
		"Turin 148 145 374085 246 2024-04-01 Turin",
		"Lima 690 675 1720361 1263 2024-04-01 Lima",
		"Oslo 568 553 1325329 1026 2024-04-01 Oslo",
		"Lagos 808 791 2027991 1482 2024-04-01 Lagos",
		"Kyoto 977 959 2486454 1716 2024-04-01 Kyoto",
		"Bern 1081 1061 2719656 1933 2024-04-01 Bern",
	}
)

func TestQuery(t *testing.T) {
	for _, strategy := range append(colagg.Strategies(), "") {
		for _, opt := range []colagg.Options{{}, {Workers: 1}, {Workers: 7, BatchRows: 3}, {BatchRows: 1}} {
			t.Run(fmt.Sprintf("%s %+v", strategy, opt), func(t *testing.T) {
				e := newEngine(t, opt)
				head, rows := query(t, e, colagg.Query{From: colagg.Files(trips), GroupBy: []string{"city"}, Aggs: cityAggs, Strategy: strategy})
				if want := "city utf8, count(*) int64, count(distance) int64, sum(id) int64, seats int64, min(day) date32, max(city) utf8"; head != want {
					t.Errorf("got columns %s\nwant %s", head, want)
				}
				wantRows(t, rows, cityRows...)
			})
		}
	}
}

func TestQueryForms(t *testing.T) {
	e := newEngine(t, colagg.Options{})
	for _, c := range []struct {
		name    string
		groupBy []string
		aggs    []string
		head    string
		rows    []string
	}{
		{"nothing asked", nil, nil, "count(*) int64", []string{"5000"}},
		{"global", nil, []string{"count(*), sum(id), min(id), max(id)"}, "count(*) int64, sum(id) int64, min(id) int64, max(id) int64", []string{"5000 12502500 1 5000"}},
		{"decimal", nil, []string{"sum(tip), avg(tip)"}, "", []string{"23772.5 5.975993"}},
		{"field of a struct", []string{"payment.method"}, nil, "payment.method utf8, count(*) int64", []string{"app 1489", "card 2449", "cash 1012", "(null) 50"}},
		{"two keys in one entry", []string{"vendor, paid"}, nil, "vendor utf8, paid bool, count(*) int64", vendorRows},
		{"two keys in two entries", []string{"vendor", "paid"}, nil, "vendor utf8, paid bool, count(*) int64", vendorRows},
		{"a key named twice", []string{"vendor, VENDOR", `"vendor", paid`}, nil, "vendor utf8, paid bool, count(*) int64", vendorRows},
		{"any case", []string{"VENDOR", `Paid`}, []string{"COUNT( * )"}, "vendor utf8, paid bool, count(*) int64", vendorRows},
		{"names of keys", []string{`vendor as v, paid as "is paid"`}, nil, "v utf8, is paid bool, count(*) int64", vendorRows},
		{"quoted", []string{`"vendor"`, `"paid"`}, []string{`Count(*) "count(*)"`}, "vendor utf8, paid bool, count(*) int64", vendorRows},
		{"repeated names", nil, []string{"sum(id), sum(ID), count(*) as \"sum(id)\""}, "sum(id) int64, sum(id)_1 int64, sum(id)_2 int64", []string{"12502500 12502500 5000"}},
		{"the name of a key", []string{"paid"}, []string{"count(*) as paid"}, "paid bool, paid_1 int64", []string{"true 4797", "false 173", "(null) 30"}},
		{"key and argument", []string{"paid"}, []string{"bool_and(paid)"}, "paid bool, bool_and(paid) bool", []string{"true true", "false false", "(null) (null)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			head, rows := query(t, e, colagg.Query{From: colagg.Files(trips), GroupBy: c.groupBy, Aggs: c.aggs})
			if c.head != "" && head != c.head {
				t.Errorf("got columns %s\nwant %s", head, c.head)
			}
			wantRows(t, rows, c.rows...)
		})
	}
}

var vendorRows = []string{
	"Blue Cab true 2647", "Zest false 23", "Meridian false 60", "Meridian (null) 8", "Zest (null) 2",
	"Zest true 516", "Meridian true 1634", "Blue Cab (null) 20", "Blue Cab false 90",
}

func TestLimit(t *testing.T) {
	e := newEngine(t, colagg.Options{BatchRows: 4})
	for limit, want := range map[int64]int{0: 9, -1: 0, 1: 1, 4: 4, 5: 5, 8: 8, 9: 9, 10: 9, 1 << 62: 9} {
		_, rows := query(t, e, colagg.Query{From: colagg.Files(trips), GroupBy: []string{"city"}, Aggs: cityAggs, Limit: limit})
		if len(rows) != want {
			t.Errorf("limit %d gives %d rows, want %d", limit, len(rows), want)
		}
		all := strings.Join(cityRows, "\n")
		for _, r := range rows {
			if !strings.Contains(all, r) {
				t.Errorf("limit %d gives a row that is no group: %s", limit, r)
			}
		}
	}
}

func TestStatsAndProgress(t *testing.T) {
	e := newEngine(t, colagg.Options{Workers: 2})
	var mu sync.Mutex
	var last, total int64
	q := colagg.Query{From: colagg.Files(trips, trips), GroupBy: []string{"city"}, Aggs: []string{"sum(fare)"}}
	q.Progress = func(done, of int64) {
		if !mu.TryLock() {
			t.Error("Progress is called twice at once")
			return
		}
		defer mu.Unlock()
		if done < last || done > of || total != 0 && total != of {
			t.Errorf("progress went from %d of %d to %d of %d", last, total, done, of)
		}
		last, total = done, of
	}
	res, err := e.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	s := res.Stats()
	if s.Rows != 10000 || s.Groups != 9 || s.Workers < 1 || s.Workers > 2 || s.Elapsed <= 0 || s.PeakMemory <= 0 || s.Strategy == "" || s.KeyForm == "" {
		t.Errorf("odd figures: %+v", s)
	}
	if last != total || total < 1000 {
		t.Errorf("progress ended at %d of %d", last, total)
	}
	// The chunks, and little that is read ahead behind each of them.
	if p := res.Plan(); s.BytesRead < total || s.BytesRead > total+16*128 || p.Pipelines[0].Operators[0].Scan.Bytes != (colagg.Figure{Estimate: total, Actual: s.BytesRead}) {
		t.Errorf("%d bytes read of %d: %+v", s.BytesRead, total, p)
	}
	// Only what is needed is read: the file has ten more columns.
	if info, err := e.Describe(t.Context(), colagg.Files(trips)); err != nil || s.BytesRead >= 2*info[0].Size {
		t.Errorf("read %d bytes of two files of %d (%v)", s.BytesRead, info[0].Size, err)
	}
}

func TestCountReadsNothing(t *testing.T) {
	in := &countingInput{data: readFile(t, trips)}
	res, err := newEngine(t, colagg.Options{}).Query(t.Context(), colagg.Query{From: colagg.Inputs(in)})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := rowsOf(res)
	if err != nil {
		t.Fatal(err)
	}
	wantRows(t, rows, "5000")
	if n := in.opened.Load(); n != 1 {
		t.Errorf("opened %d times, want once for the footer", n)
	}
	if n := in.open.Load(); n != 0 {
		t.Errorf("%d still open", n)
	}
	if s := res.Stats(); s.BytesRead != 0 || s.Rows != 5000 {
		t.Errorf("odd figures: %+v", s)
	}
}
