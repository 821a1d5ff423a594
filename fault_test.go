package colagg

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg/spill"
)

// ioFault is what happens at one call.
type ioFault struct {
	name  string
	err   error // nil: a part is done, without an error
	times int   // calls in a row that fail
}

// passing reports whether the call succeeds when it is made again.
func (f ioFault) passing() bool {
	return f.times <= 3 && f.err != syscall.EIO && f.err != syscall.ENOSPC
}

const forEver = 1 << 30

var ioFaults = []ioFault{
	{"interrupted", syscall.EINTR, 1}, {"again and again", syscall.EAGAIN, 3}, {"short", nil, 1},
	{"broken once", syscall.EIO, 1}, {"broken", syscall.EIO, forEver}, {"full once", syscall.ENOSPC, 1}, {"full", syscall.ENOSPC, forEver},
	{"interrupted for ever", syscall.EINTR, forEver}, {"short for ever", nil, forEver},
}

// faultyFiles are temporary files with a fault at the calls from the at-th on.
type faultyFiles struct {
	fault ioFault
	at    int

	mu    sync.Mutex
	calls []string
	open  int
	stuck bool // a file was not removed
}

// fails counts a call and reports whether it is to fail.
func (f *faultyFiles) fails(call string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := len(f.calls)
	f.calls = append(f.calls, call)
	return k >= f.at && k-f.at < f.fault.times
}

// whole fails a call that cannot be done in part.
func (f *faultyFiles) whole(call string) error {
	if f.fails(call) {
		return f.fault.err
	}
	return nil
}

// faulted returns the first call that failed, or "".
func (f *faultyFiles) faulted() string {
	if f.at < len(f.calls) {
		return f.calls[f.at]
	}
	return ""
}

func (f *faultyFiles) Create(path string) (spill.Handle, bool, error) {
	if err := f.whole("create"); err != nil {
		return nil, false, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, false, err
	}
	f.mu.Lock()
	f.open++
	f.mu.Unlock()
	return &faultyFile{file, f}, true, nil
}

func (f *faultyFiles) Remove(path string) error {
	err := f.whole("remove")
	if err == nil {
		err = os.Remove(path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stuck = err != nil
	return err
}

func (f *faultyFiles) Sweep(string, string) {}
func (f *faultyFiles) Free(string) int64    { return 12345 }

type faultyFile struct {
	*os.File
	fs *faultyFiles
}

func (h *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if h.fs.fails("write") {
		n, _ := h.File.WriteAt(p[:len(p)/2], off)
		return n, h.fs.fault.err
	}
	return h.File.WriteAt(p, off)
}

func (h *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if h.fs.fails("read") {
		n, _ := h.File.ReadAt(p[:len(p)/2], off)
		return n, h.fs.fault.err
	}
	return h.File.ReadAt(p, off)
}

func (h *faultyFile) Truncate(size int64) error {
	if err := h.fs.whole("truncate"); err != nil {
		return err
	}
	return h.File.Truncate(size)
}

// Punch writes other bytes where nobody reads any more.
func (h *faultyFile) Punch(off, n int64) error {
	if err := h.fs.whole("punch"); err != nil {
		return err
	}
	_, err := h.File.WriteAt(slices.Repeat([]byte{0x55}, int(n)), off)
	return err
}

func (h *faultyFile) Close() error {
	h.fs.mu.Lock()
	h.fs.open--
	h.fs.mu.Unlock()
	err := h.File.Close()
	if e := h.fs.whole("close"); e != nil {
		return e
	}
	return err
}

// faultRecords gives rows with the columns k, one of so many int64, s, a text of
// it, and v, the row's number.
func faultRecords(t *testing.T, rows, keys int) array.RecordReader {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "k", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}, {Name: "v", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	var all []arrow.Record
	r := rand.New(rand.NewPCG(5, 5))
	for i := range rows {
		k := r.IntN(keys)
		b.Field(0).(*array.Int64Builder).Append(int64(k))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("the text of key %d", k))
		b.Field(2).(*array.Int64Builder).Append(int64(i))
		if (i+1)%250 == 0 || i+1 == rows {
			all = append(all, b.NewRecord())
		}
	}
	rr, err := array.NewRecordReader(schema, all)
	if err != nil {
		t.Fatal(err)
	}
	return rr
}

// faultQueries are small queries that spill.
func faultQueries() (out []Query) {
	for _, s := range Strategies() {
		out = append(out, Query{GroupBy: []string{"k"}, Aggs: []string{"count(*), sum(v), min(s)"}, Strategy: s})
	}
	return append(out,
		Query{GroupBy: []string{"s"}, Aggs: []string{"count(distinct v)"}},
		Query{GroupBy: []string{"k"}, Aggs: []string{"max(v)"}, OrderBy: []string{"2 desc"}},
		Query{Select: []string{"v, s"}, OrderBy: []string{"s", "v desc"}},
		Query{Select: []string{"s"}, Distinct: true},
	)
}

// queryText spells a query for messages.
func queryText(q Query) string {
	return fmt.Sprintf("%q %q select %q distinct %v order %q limit %d, %s", q.GroupBy, q.Aggs, q.Select, q.Distinct, q.OrderBy, q.Limit, q.Strategy)
}

// readRows reads a result to its end and closes it; rows without an order are
// sorted.
func readRows(res *Result, ordered bool) (out []string, err error) {
	for res.Next() {
		rec := res.Record()
		for i := range int(rec.NumRows()) {
			cells := make([]string, rec.NumCols())
			for k, c := range rec.Columns() {
				cells[k] = c.ValueStr(i)
			}
			out = append(out, strings.Join(cells, " "))
		}
	}
	if !ordered {
		slices.Sort(out)
	}
	return out, errors.Join(res.Err(), res.Close())
}

// faultRun runs q with little memory, and checks that nothing is left.
func faultRun(t *testing.T, what string, q Query, workers int, files *faultyFiles) (rows []string, dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	e, err := New(Options{MemoryLimit: 24 << 10, Workers: workers, BatchRows: 250, TempDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	e.files = files
	rr := faultRecords(t, 1300, 900)
	q.From = Records(rr)
	res, err := e.Query(context.Background(), q)
	if err == nil {
		rows, err = readRows(res, len(q.OrderBy) > 0)
	}
	rr.Release()
	_ = e.Close()
	if files.open != 0 || e.budget.Used() != 0 {
		t.Errorf("%s: %d files are open, and %d bytes held", what, files.open, e.budget.Used())
	}
	left, _ := os.ReadDir(dir)
	if len(left) > 0 && (!files.stuck || err == nil) {
		t.Errorf("%s: %v is left", what, left)
	}
	return rows, dir, err
}

// everyNth is how many positions of a fault there are for each that an ordinary
// run tries; a prime, so that it comes to every kind of call.
const everyNth = 151

// TestFaultsOfTemporaryFiles makes the calls of small spilling queries fail, in
// every way: the answer is right, or there is an error that names the directory
// and the bytes. COLAGG_STRESS_ROUNDS is how many times as many positions are
// tried; from 151 on it is every one.
func TestFaultsOfTemporaryFiles(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("COLAGG_STRESS_ROUNDS"))
	step := max(1, everyNth/max(1, rounds))
	if testing.Short() {
		step *= 5
	}
	before := runtime.NumGoroutine()
	kinds := map[string]int{}
	for n, q := range faultQueries() {
		for _, workers := range []int{1 + n%2*2, 3 - n%2*2}[:min(2, 1+rounds)] {
			name := fmt.Sprintf("%s, %d workers", queryText(q), workers)
			counting := &faultyFiles{at: forEver}
			want, _, err := faultRun(t, name, q, workers, counting)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			calls := len(counting.calls)
			if calls < 5 {
				t.Fatalf("%s makes only the calls %v", name, counting.calls)
			}
			for i, f := range ioFaults {
				for at := (i + n) % step; at < calls; at += step {
					files := &faultyFiles{fault: f, at: at}
					what := fmt.Sprintf("%s: %s at call %d of %d", name, f.name, at, calls)
					rows, dir, err := faultRun(t, what, q, workers, files)
					what += " (" + files.faulted() + ")"
					kinds[files.faulted()]++
					checkFault(t, what, dir, files, rows, want, err)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	for _, call := range []string{"create", "remove", "write", "read", "truncate", "punch", "close"} {
		if kinds[call] == 0 && !testing.Short() {
			t.Errorf("no call of %s was tried: %v", call, kinds)
		}
	}
	t.Log(kinds)
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// checkFault looks at how a query with a fault ended.
func checkFault(t *testing.T, what, dir string, files *faultyFiles, rows, want []string, err error) {
	t.Helper()
	call, f := files.faulted(), files.fault
	var known *Error
	switch {
	case err == nil && !slices.Equal(rows, want):
		t.Errorf("%s: a wrong answer, %d rows of %d", what, len(rows), len(want))
	case err == nil && !f.passing() && (call == "write" || call == "read" || call == "create" && f.err != nil):
		t.Errorf("%s: no error", what)
	case err == nil:
	case f.passing():
		t.Errorf("%s: a passing fault gave %v", what, err)
	case !errors.As(err, &known) || known.Kind != IO || !strings.Contains(err.Error(), dir):
		t.Errorf("%s: the error is %v", what, err)
	case (call == "write" || call == "read") && !strings.Contains(err.Error(), "B on disk"):
		t.Errorf("%s: the error tells no bytes: %v", what, err)
	}
}
