package colagg_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

// TestWherePlan shows what a filter took and left, and that its columns are read
// but not kept; without a filter count(*) reads nothing.
func TestWherePlan(t *testing.T) {
	eng, err := colagg.New(colagg.Options{Workers: 2, BatchRows: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	from := colagg.Files("testdata/trips.parquet")
	for _, q := range []colagg.Query{
		{From: from, Where: "city IS NULL"},
		{From: from, Where: "city IS NULL", Select: []string{"id"}},
		{From: from, Where: "city IS NULL", Select: []string{"id"}, Distinct: true, OrderBy: []string{"id"}},
	} {
		res, err := eng.Query(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		for res.Next() {
		}
		if err := res.Err(); err != nil {
			t.Fatal(err)
		}
		p := res.Plan()
		if n := res.Schema().NumFields(); n != 1 {
			t.Errorf("%d columns", n)
		}
		res.Release()
		scan, filter := p.Pipelines[0].Operators[0], p.Pipelines[0].Operators[1]
		if filter.Name != "filter" || filter.RowsIn.Actual != 5000 || filter.RowsOut.Actual != 36 || scan.RowsOut.Actual != 5000 || p.Where != q.Where {
			t.Errorf("%+v: scan %+v, filter %+v", q, scan.RowsOut, filter)
		}
		if !strings.Contains(p.String(), "filter city IS NULL") {
			t.Error(p)
		}
	}
	res, err := eng.Query(context.Background(), colagg.Query{From: from})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	if n := res.Stats().BytesRead; n != 0 {
		t.Errorf("count(*) read %d bytes", n)
	}
}

// TestWhereErrors wants the kind and the place.
func TestWhereErrors(t *testing.T) {
	eng, err := colagg.New(colagg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	for where, want := range map[string]struct {
		kind   colagg.Kind
		offset int
	}{
		"paid AND fair > 1":             {colagg.BadQuery, 9},
		"paid AND":                      {colagg.BadQuery, 8},
		"paid AND city > 1":             {colagg.BadQuery, 9},
		"paid OR id / (id - id) > 1":    {colagg.BadQuery, 8},
		"id * 9223372036854775807 <> 1": {colagg.Overflow, 0},
	} {
		_, err := eng.Query(context.Background(), colagg.Query{From: colagg.Files("testdata/trips.parquet"), Where: where})
		var e *colagg.Error
		if !errors.As(err, &e) || e.Kind != want.kind || e.Offset != want.offset || e.Source != where {
			t.Errorf("%s: %#v", where, err)
		}
	}
}
