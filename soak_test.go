package colagg

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colagg/colagg/memory"
)

var soak = flag.Duration("soak", 2*time.Second, "how long TestSoak runs")

// soakTable is an input of the soak; each query opens it anew.
type soakTable struct {
	name         string
	keys, values []string // columns
	open         func() (Source, func())
}

func soakTables(t *testing.T) []soakTable {
	t.Helper()
	records := func(rows, keys int) func() (Source, func()) {
		return func() (Source, func()) {
			rr := faultRecords(t, rows, keys)
			return Records(rr), rr.Release
		}
	}
	file := func() (Source, func()) { return Files("testdata/trips.parquet"), func() {} }
	return []soakTable{
		{"many groups", []string{"k", "s", "k, s"}, []string{"k", "s", "v"}, records(3000, 2000)},
		{"few groups", []string{"k", "s", "s, k"}, []string{"k", "s", "v"}, records(2000, 5)},
		{"trips", []string{"city", "vendor, day", "id", "pickup, city"}, []string{"fare", "distance", "city", "id", "pickup"}, file},
	}
}

// soakCalls returns the calls of all functions that a table's columns allow.
func soakCalls(t *testing.T, tab soakTable) (out []string) {
	t.Helper()
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Functions() {
		found := false
		for _, c := range tab.values {
			other := tab.values[0]
			for _, form := range []string{"%s(%s)", "%s(distinct %s)", "%s(%s, 0.3)", "%s(%s, 3)", "%s(%s, '; ')", "%s(%s order by " + other + " desc)", "%s(%s, " + other + ")"} {
				call := fmt.Sprintf(form, f, c)
				src, done := tab.open()
				if _, err := e.Explain(context.Background(), Query{From: src, Aggs: []string{call}}); err == nil {
					out, found = append(out, call), true
				}
				done()
			}
		}
		if ofBools := []string{"bool_and", "bool_or", "every", "count_if", "countif"}; !found && !slices.Contains(ofBools, f) {
			t.Errorf("%s is in no call over %s", f, tab.name)
		}
	}
	return out
}

// soakQuery is a random query over tab without a source.
func soakQuery(r *rand.Rand, tab soakTable, calls []string) (q Query) {
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	switch r.IntN(6) {
	case 0:
		q.Select = []string{pick(tab.keys), pick(tab.values)}
		q.Distinct = r.IntN(2) == 0
	default:
		if r.IntN(10) > 0 {
			q.GroupBy = []string{pick(tab.keys)}
		}
		for range 1 + r.IntN(3) {
			q.Aggs = append(q.Aggs, pick(calls))
		}
	}
	if len(q.GroupBy)+len(q.Select) > 0 && r.IntN(3) == 0 {
		q.OrderBy = []string{[]string{"1", "1 desc"}[r.IntN(2)]}
	}
	if r.IntN(4) == 0 {
		q.Limit = int64(1 + r.IntN(50))
	}
	return q
}

// soaker compares answers with those that there are without a limit.
type soaker struct {
	t       *testing.T
	free    *Engine
	mu      sync.Mutex
	answers map[string][]string

	done, spilled, cancelled, refused atomic.Int64
}

// answer returns the rows of q without its limit.
func (s *soaker) answer(tab soakTable, q Query) []string {
	q.Strategy, q.Limit = "serial", 0
	name := tab.name + ": " + queryText(q)
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows, ok := s.answers[name]; ok {
		return rows
	}
	src, done := tab.open()
	defer done()
	q.From = src
	res, err := s.free.Query(context.Background(), q)
	if err != nil {
		s.t.Errorf("%s: %v", name, err)
		return nil
	}
	rows, err := readRows(res, inOrder(q))
	if err != nil {
		s.t.Errorf("%s: %v", name, err)
	}
	s.answers[name] = rows
	return rows
}

// inOrder reports whether q's rows come in an order.
func inOrder(q Query) bool { return len(q.OrderBy) > 0 || len(q.Select) > 0 && !q.Distinct }

// run runs one query on e, and cancels it at times.
func (s *soaker) run(r *rand.Rand, e *Engine, tab soakTable, q Query) {
	want := s.answer(tab, q)
	q.Strategy = Strategies()[r.IntN(len(Strategies()))]
	what := fmt.Sprintf("%s, %d bytes, %d workers: %s", tab.name, e.limit, e.workers, queryText(q))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if r.IntN(5) == 0 {
		go func(d time.Duration) {
			time.Sleep(d)
			cancel()
		}(time.Duration(r.IntN(20_000)) * time.Microsecond)
	}
	src, done := tab.open()
	defer done()
	q.From = src
	res, err := e.Query(ctx, q)
	var rows []string
	if err == nil {
		if r.IntN(20) == 0 {
			_ = res.Close() // unread
			return
		}
		rows, err = readRows(res, inOrder(q))
		if res.Stats().SpilledBytes > 0 {
			s.spilled.Add(1)
		}
	}
	s.done.Add(1)
	var limit *memory.LimitError
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		s.cancelled.Add(1)
	case errors.As(err, &limit) && limit.Account == "reading Parquet" && tab.name == "trips":
		s.refused.Add(1)
	case err != nil:
		s.t.Errorf("%s: %v", what, err)
	default:
		s.compare(what, q, rows, want)
	}
}

// compare looks at the rows of q; want is without its limit.
func (s *soaker) compare(what string, q Query, rows, want []string) {
	if q.Limit > 0 && q.Limit < int64(len(want)) {
		want = want[:q.Limit]
		if !inOrder(q) {
			if len(rows) != len(want) {
				s.t.Errorf("%s: %d rows, not %d", what, len(rows), len(want))
			}
			return
		}
	}
	if len(rows) != len(want) {
		s.t.Errorf("%s: %d rows, not %d", what, len(rows), len(want))
		return
	}
	for i := range want {
		if rows[i] != want[i] && !nearly(rows[i], want[i], strings.Join(q.Aggs, " ")) {
			s.t.Errorf("%s: row %d is\n%s, not\n%s", what, i, rows[i], want[i])
			return
		}
	}
}

// nearly compares rows whose numbers may differ as their functions allow.
func nearly(got, want, calls string) bool {
	off := 0x1p-48
	switch {
	case strings.Contains(calls, "approx_quantile"):
		off = 1.0 / 64
	case !slices.ContainsFunc([]string{"var", "stddev", "sem", "corr", "regr_", "skewness", "kurtosis", "product", "geo"}, func(s string) bool { return strings.Contains(calls, s) }):
		return false
	}
	g, w := strings.Fields(got), strings.Fields(want)
	return slices.EqualFunc(g, w, func(a, b string) bool {
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		return a == b || err1 == nil && err2 == nil && math.Abs(x-y) <= off*math.Abs(y)
	})
}

// TestSoak runs random queries at random limits, some at a time on one engine,
// for as long as -soak says. The answers are those without a limit, and nothing
// is left of memory, goroutines and files after each engine.
func TestSoak(t *testing.T) {
	free, err := New(Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := &soaker{t: t, free: free, answers: map[string][]string{}}
	tables := soakTables(t)
	calls := make([][]string, len(tables))
	for i, tab := range tables {
		calls[i] = soakCalls(t, tab)
	}
	seed := uint64(time.Now().UnixNano())
	if *soak <= 2*time.Second {
		seed = 1
	}
	t.Logf("seed %d", seed)
	before := runtime.NumGoroutine()
	for round, begin := uint64(0), time.Now(); time.Since(begin) < *soak && !t.Failed(); round++ {
		r := rand.New(rand.NewPCG(seed, round))
		dir := t.TempDir()
		e, err := New(Options{Workers: 1 + r.IntN(8), MemoryLimit: 8 << 10 << r.IntN(12), TempDirs: []string{dir}, BatchRows: []int{10, 500, 8192}[r.IntN(3)]})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for n := range 1 + r.IntN(4) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed+uint64(n)+1, round))
				for range 5 {
					i := r.IntN(len(tables))
					s.run(r, e, tables[i], soakQuery(r, tables[i], calls[i]))
				}
			})
		}
		wg.Wait()
		_ = e.Close()
		if left, _ := os.ReadDir(dir); len(left) > 0 || e.budget.Used() != 0 {
			t.Errorf("round %d: left are the files %v and %d bytes", round, left, e.budget.Used())
		}
		for wait := 0; runtime.NumGoroutine() > before; wait++ {
			if wait > 300 {
				t.Fatalf("round %d: %d goroutines, %d before", round, runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	}
	t.Logf("%d queries, of which %d went to disk, %d were cancelled, %d had no memory to read files", s.done.Load(), s.spilled.Load(), s.cancelled.Load(), s.refused.Load())
	if s.spilled.Load() == 0 {
		t.Error("none went to disk")
	}
}
