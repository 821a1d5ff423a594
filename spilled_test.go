package colagg

import (
	"errors"
	"strings"
	"testing"
)

// TestOnlyGroupTooLarge names the group and both sizes where there is no key,
// as where there is one.
func TestOnlyGroupTooLarge(t *testing.T) {
	for _, agg := range []string{"array_agg(id), array_agg(fare)", "count(distinct id)", "median(fare), mode(id)"} {
		e, err := New(Options{MemoryLimit: 160 << 10, Workers: 2, BatchRows: 500})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Query(t.Context(), Query{From: Files("testdata/trips.parquet"), Aggs: []string{agg}})
		var known *Error
		if !errors.As(err, &known) || known.Kind != Memory || !errors.Is(err, ErrMemoryLimit) || !strings.Contains(err.Error(), "the states of the only group take ") ||
			!strings.Contains(err.Error(), " KiB are for groups; give more with Options.MemoryLimit") {
			t.Errorf("%s: %v", agg, err)
		}
		if err == nil {
			continue
		}
		if n := e.budget.Used(); n != 0 {
			t.Errorf("%s: %d bytes still held", agg, n)
		}
	}
}

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
