package colagg

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/colagg/colagg/operators"
)

// TestGroupsThatAreTooLarge names the group and the sizes, and says what to do.
func TestGroupsThatAreTooLarge(t *testing.T) {
	for k, s := range Strategies() {
		if testing.Short() && k%3 > 0 {
			continue
		}
		for by, group := range map[string]string{"": "the only group", "k": "the group k = 0"} {
			dir := t.TempDir()
			e, err := New(Options{MemoryLimit: 1 << 20, Workers: 3, TempDirs: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			rr := faultRecords(t, 300_000, 1)
			q := Query{From: Records(rr), Aggs: []string{"array_agg(v)"}, Strategy: s}
			if by != "" {
				q.GroupBy = []string{by}
			}
			var known *Error
			res, err := e.Query(context.Background(), q)
			if err == nil {
				_, err = readRows(res, false)
			}
			rr.Release()
			if !errors.As(err, &known) || known.Kind != Memory || !errors.Is(err, ErrMemoryLimit) ||
				!strings.Contains(err.Error(), "the states of "+group+" take ") || !strings.Contains(err.Error(), "; give more with Options.MemoryLimit") {
				t.Errorf("%s by %q: %v", s, by, err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 || e.budget.Used() != 0 {
				t.Errorf("%s by %q: left are the files %v and %d bytes", s, by, left, e.budget.Used())
			}
		}
	}
}

// failingWriter fails at the at-th call, as its fault says.
type failingWriter struct {
	fault     ioFault
	at, calls int
}

func (w *failingWriter) Write(p []byte) (int, error) {
	w.calls++
	if k := w.calls - 1; k >= w.at && k-w.at < w.fault.times {
		return len(p) / 2, w.fault.err
	}
	return len(p), nil
}

// TestFaultsOfOutputs makes writes of a result fail, in every way, while
// groups come from disk: the error is that of the write, and nothing is left.
func TestFaultsOfOutputs(t *testing.T) {
	dir := t.TempDir()
	e, err := New(Options{MemoryLimit: 24 << 10, Workers: 1, BatchRows: 250, TempDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(format int, w *failingWriter) (err error) {
		rr := faultRecords(t, 1300, 900)
		defer rr.Release()
		res, err := e.Query(context.Background(), Query{From: Records(rr), GroupBy: []string{"k"}, Aggs: []string{"min(s)"}})
		if err != nil {
			t.Fatal(err)
		}
		if format == 0 {
			err = res.WriteParquet(w)
		} else {
			err = res.WriteArrow(w)
		}
		if res.Stats().SpilledBytes == 0 {
			t.Error("nothing went to disk")
		}
		return errors.Join(err, res.Close())
	}
	for format := range 2 {
		counting := &failingWriter{at: forEver}
		if err := write(format, counting); err != nil || counting.calls < 3 {
			t.Fatalf("%d writes, %v", counting.calls, err)
		}
		most := 40
		if testing.Short() {
			most = 8
		}
		for _, f := range ioFaults {
			for at := 0; at < counting.calls; at += 1 + counting.calls/most {
				var known *Error
				err := write(format, &failingWriter{fault: f, at: at})
				if !errors.As(err, &known) || known.Kind != IO || f.err != nil && !errors.Is(err, f.err) {
					t.Errorf("format %d, %s at write %d of %d: %v", format, f.name, at, counting.calls, err)
				}
				if left, _ := os.ReadDir(dir); len(left) > 0 || e.budget.Used() != 0 {
					t.Fatalf("left are the files %v and %d bytes", left, e.budget.Used())
				}
			}
		}
	}
}

// unclosable is a stream whose Close fails.
type unclosable struct{ operators.Stream }

func (s unclosable) Close() error { return errors.Join(s.Stream.Close(), os.ErrPermission) }

// TestBatchesTellWhatClosingFailsWith has the error as the last step.
func TestBatchesTellWhatClosingFailsWith(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	rr := faultRecords(t, 10, 1)
	defer rr.Release()
	res, err := e.Query(context.Background(), Query{From: Records(rr), GroupBy: []string{"k"}})
	if err != nil {
		t.Fatal(err)
	}
	res.stream = unclosable{res.stream}
	records, failed := 0, 0
	for rec, err := range res.Batches() {
		switch {
		case err == nil && failed == 0:
			records++
		case rec == nil && errors.Is(err, os.ErrPermission):
			failed++
		default:
			t.Error(err)
		}
	}
	if records != 1 || failed != 1 {
		t.Errorf("%d records and %d errors", records, failed)
	}
}
