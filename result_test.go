package colagg_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/colagg/colagg"
)

// manyGroups gives 2,000 groups of a row each, in batches of an odd size.
func manyGroups(t testing.TB) *colagg.Result {
	t.Helper()
	values := make([]int64, 2000)
	for i := range values {
		values[i] = int64(i) * 1_000_000_007
	}
	e := newEngine(t, colagg.Options{BatchRows: 100, Workers: 2})
	res, err := e.Query(t.Context(), colagg.Query{From: colagg.Records(int64Reader(t, values)), GroupBy: []string{"x"}, Aggs: []string{"sum(x), count(*)"}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRetainedRecords(t *testing.T) {
	e := newEngine(t, colagg.Options{BatchRows: 100, Workers: 2})
	for n, strategy := range colagg.Strategies() {
		for k, key := range []string{"city", "id", "pickup", "vendor, city", "payment.card_last4", "city, vendor, id", "tip", "paid"} {
			if testing.Short() && (n+k)%4 > 0 {
				continue
			}
			q := colagg.Query{From: colagg.Files(trips), GroupBy: []string{key}, Strategy: strategy,
				Aggs: []string{"count(*), sum(tip), avg(fare), min(vendor), max(city), min(pickup), max(tip), any_value(payment.method)"}}
			_, want := query(t, e, q)
			res, err := e.Query(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var kept []arrow.Record
			for rec, err := range res.Batches() {
				if err != nil {
					t.Fatal(err)
				}
				rec.Retain()
				kept = append(kept, rec)
			}
			if res.Record() != nil {
				t.Error("there is a record after the last")
			}
			res.Release()
			_, again := query(t, e, q) // may use the memory of the first
			var rows []string
			for _, rec := range kept {
				rows = append(rows, recordRows(rec)...)
				rec.Release()
			}
			slices.Sort(rows)
			wantRows(t, rows, want...)
			wantRows(t, again, want...)
		}
	}
}

func TestResultEnds(t *testing.T) {
	res := manyGroups(t)
	res.Retain()
	res.Release()
	if !res.Next() {
		t.Fatal("closed although a reference is left")
	}
	for range 2 {
		if err := res.Close(); err != nil {
			t.Error(err)
		}
	}
	if res.Next() || res.Err() != nil || res.Record() != nil || res.Schema().NumFields() != 3 {
		t.Error("a closed result goes on")
	}
	res.Release()

	res = manyGroups(t)
	for range res.Batches() {
		break
	}
	if res.Next() {
		t.Error("a result goes on after the loop was left")
	}
	for rec, err := range res.Batches() {
		t.Errorf("a closed result gives %v, %v", rec, err)
	}
	res.Release() // harmless
}

func TestWriteParquet(t *testing.T) {
	want, err := rowsOf(manyGroups(t))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	res := manyGroups(t)
	defer res.Release()
	if err := res.WriteParquet(&buf); err != nil {
		t.Fatal(err)
	}
	if res.Next() {
		t.Error("rows are left")
	}
	e := newEngine(t, colagg.Options{})
	head, rows := query(t, e, colagg.Query{
		From:    colagg.Inputs(&countingInput{data: buf.Bytes()}),
		GroupBy: []string{"x"}, Aggs: []string{`min("sum(x)") as s`, `max("count(*)") as n`},
	})
	if head != "x int64, s int64, n int64" {
		t.Errorf("got columns %s", head)
	}
	wantRows(t, rows, want...)
}

func TestWriteArrow(t *testing.T) {
	e := newEngine(t, colagg.Options{BatchRows: 4})
	q := colagg.Query{From: colagg.Files(trips), GroupBy: []string{"city", "vendor"}, Aggs: cityAggs}
	_, want := query(t, e, q)
	res, err := e.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	var first []string
	if res.Next() { // what is read already is not written
		first = recordRows(res.Record())
	}
	var buf bytes.Buffer
	if err := res.WriteArrow(&buf); err != nil {
		t.Fatal(err)
	}
	fr, err := ipc.NewFileReader(bytes.NewReader(buf.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if !fr.Schema().Equal(res.Schema()) {
		t.Errorf("got schema %s, want %s", fr.Schema(), res.Schema())
	}
	rows := first
	for i := range fr.NumRecords() {
		rec, err := fr.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, recordRows(rec)...)
	}
	slices.Sort(rows)
	wantRows(t, rows, want...)
}

// brokenWriter takes some bytes, then fails, or takes less without saying so.
type brokenWriter struct {
	left  int
	short bool
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return len(p), nil
	}
	n := w.left
	w.left = 0
	if w.short {
		return n, nil
	}
	return n, errBroken
}

func TestWriteErrors(t *testing.T) {
	write := map[string]func(*colagg.Result, io.Writer) error{
		"parquet": (*colagg.Result).WriteParquet,
		"arrow":   (*colagg.Result).WriteArrow,
	}
	for name, f := range write {
		var whole bytes.Buffer
		if err := f(manyGroups(t), &whole); err != nil {
			t.Fatal(err)
		}
		for left := 0; left < whole.Len(); left += 1 + whole.Len()/37 {
			for _, short := range []bool{false, true} {
				err := f(manyGroups(t), &brokenWriter{left, short})
				wantError(t, err, colagg.IO, "writing")
				if short && !errors.Is(err, io.ErrShortWrite) || !short && !errors.Is(err, errBroken) {
					t.Errorf("%s after %d bytes: %v", name, left, err)
				}
			}
		}
		if err := f(manyGroups(t), &brokenWriter{left: whole.Len()}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEmptyResult(t *testing.T) {
	e := newEngine(t, colagg.Options{})
	for _, strategy := range colagg.Strategies() {
		q := colagg.Query{Strategy: strategy, Aggs: []string{"count(*), sum(x), min(x)"}}
		q.From = colagg.Records(int64Reader(t))
		head, rows := query(t, e, q)
		wantRows(t, rows, "0 (null) (null)")
		q.From, q.GroupBy = colagg.Records(int64Reader(t)), []string{"x"}
		keyed, rows := query(t, e, q)
		wantRows(t, rows)
		if keyed != "x int64, "+head {
			t.Errorf("got columns %s and %s", head, keyed)
		}
		q.From = colagg.Records(int64Reader(t))
		res, err := e.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var p bytes.Buffer
		if err := res.WriteParquet(&p); err != nil {
			t.Fatal(err)
		}
		_, rows = query(t, e, colagg.Query{From: colagg.Inputs(&countingInput{data: p.Bytes()}), Aggs: []string{`count(*), sum("sum(x)")`}})
		wantRows(t, rows, "0 (null)")
	}
}
