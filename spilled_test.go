package colagg

import (
	"slices"
	"strings"
	"testing"
)

// TestReadBackWidens gives groups on disk the memory that reading has given
// back: otherwise they come one by one, and are written again each time. The
// plan has all groups.
func TestReadBackWidens(t *testing.T) {
	e, err := New(Options{MemoryLimit: 160 << 10, Workers: 1, BatchRows: 500})
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Query(t.Context(), Query{From: Files("testdata/trips.parquet"), GroupBy: []string{"id"},
		Aggs: []string{"max(city), sum(tip), count(distinct fare), max(vendor), min(pickup)"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range res.Batches() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if text := res.Plan().String(); !strings.Contains(text, "groups    5,000") {
		t.Errorf("plan\n%s", text)
	}
	if s := res.Stats(); s.Groups != 5000 || s.SpilledBytes > 2<<20 {
		t.Errorf("stats %+v", s)
	}
	res.Release()
}

// TestSetsOnDisk has no group in memory when the first set of keys is asked for:
// that is not an empty input, which would have one row for the set without keys.
func TestSetsOnDisk(t *testing.T) {
	var want []string
	for _, limit := range []int64{0, 96 << 10} {
		e, err := New(Options{MemoryLimit: limit, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Query(t.Context(), Query{SQL: "SELECT city, count(*) AS n FROM 'testdata/trips.parquet' GROUP BY GROUPING SETS ((city), ())", Strategy: "partition-rows"})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readRows(res, false)
		if limit == 0 {
			want = rows
		}
		if err != nil || len(rows) < 2 || !slices.Equal(rows, want) {
			t.Errorf("limit %d: rows %q, not %q, %v", limit, rows, want, err)
		}
	}
}
