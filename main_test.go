package colagg_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg"
)

const trips = "testdata/trips.parquet"

func newEngine(t testing.TB, opt colagg.Options) *colagg.Engine {
	t.Helper()
	e, err := colagg.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// rowsOf reads a result to its end: a text per row, sorted.
func rowsOf(res *colagg.Result) ([]string, error) {
	var out []string
	for rec, err := range res.Batches() {
		if err != nil {
			return nil, err
		}
		out = append(out, recordRows(rec)...)
	}
	slices.Sort(out)
	return out, nil
}

func recordRows(rec arrow.Record) []string {
	out := make([]string, rec.NumRows())
	for i := range out {
		cells := make([]string, rec.NumCols())
		for k, c := range rec.Columns() {
			cells[k] = c.ValueStr(i)
		}
		out[i] = strings.Join(cells, " ")
	}
	return out
}

// header spells the columns of a result.
func header(res *colagg.Result) string {
	var out []string
	for _, f := range res.Schema().Fields() {
		out = append(out, f.Name+" "+f.Type.String())
	}
	return strings.Join(out, ", ")
}

func query(t testing.TB, e *colagg.Engine, q colagg.Query) (head string, rows []string) {
	t.Helper()
	res, err := e.Query(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	rows, err = rowsOf(res)
	if err != nil {
		t.Fatal(err)
	}
	return header(res), rows
}

func wantRows(t testing.TB, got []string, want ...string) {
	t.Helper()
	want = slices.Sorted(slices.Values(want)) // which several goroutines may share
	if !slices.Equal(got, want) {
		t.Errorf("got rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// wantError checks the kind and parts of the message.
func wantError(t testing.TB, err error, kind colagg.Kind, parts ...string) *colagg.Error {
	t.Helper()
	var e *colagg.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, which is no *Error", err)
	}
	if e.Kind != kind {
		t.Errorf("got kind %s, want %s: %v", e.Kind, kind, err)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("got %q, want %q in it", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the message has several lines: %q", err)
	}
	return e
}

// checkLeaks fails the test if, at its end, more goroutines run than now.
func checkLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 100 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
	})
}

func failQuery(t testing.TB, e *colagg.Engine, q colagg.Query) error {
	t.Helper()
	res, err := e.Query(context.Background(), q)
	if err == nil {
		rows, err := rowsOf(res)
		if err == nil {
			t.Fatalf("no error but %s", fmt.Sprint(rows))
		}
		return err
	}
	if res != nil {
		t.Error("a result beside an error")
	}
	return err
}
