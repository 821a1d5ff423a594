package colagg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What a query holds of the budget is given back, however it ends.
func TestNothingHeld(t *testing.T) {
	for _, workers := range []int{1, 4} {
		e, err := New(Options{Workers: workers, BatchRows: 10})
		if err != nil {
			t.Fatal(err)
		}
		run := func(ctx context.Context, q Query, after func(*Result)) {
			t.Helper()
			q.From = Files("testdata/trips.parquet", "testdata/trips.parquet")
			if res, err := e.Query(ctx, q); err == nil {
				if e.budget.Used() == 0 {
					t.Error("a result holds nothing")
				}
				after(res)
			}
			if n := e.budget.Used(); n != 0 {
				t.Errorf("%d bytes are still held", n)
			}
		}
		for _, strategy := range Strategies() {
			q := Query{GroupBy: []string{"city, pickup"}, Aggs: []string{"sum(fare), min(vendor)"}, Strategy: strategy}
			run(t.Context(), q, (*Result).Release)
			run(t.Context(), q, func(r *Result) { _ = r.Close() })
			run(t.Context(), q, func(r *Result) {
				for range r.Batches() {
					break
				}
			})
			run(t.Context(), q, func(r *Result) {
				for range r.Batches() {
				}
			})
			ctx, cancel := context.WithCancel(t.Context())
			q.Progress = func(done, _ int64) {
				if done > 20000 {
					cancel()
				}
			}
			run(ctx, q, func(*Result) { t.Error("not cancelled") })
			cancel()
		}
	}
}

// A refusal at any point is an error that holds nothing.
func TestAnyMemoryLimit(t *testing.T) {
	done := false
	for limit := int64(4 << 10); !done; limit += limit / 8 {
		e, err := New(Options{MemoryLimit: limit, Workers: 3, BatchRows: 500})
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Query(t.Context(), Query{From: Files("testdata/trips.parquet"), GroupBy: []string{"id"}, Aggs: []string{"max(city), sum(tip)"}, Strategy: "shared"})
		if err == nil {
			groups := int64(0)
			for rec, err2 := range res.Batches() {
				if err = err2; err == nil {
					groups += rec.NumRows()
				}
			}
			if done = err == nil; done && groups != 5000 {
				t.Errorf("%d groups", groups)
			}
		}
		if err != nil && !errors.Is(err, ErrMemoryLimit) {
			t.Fatalf("with %d bytes: %v", limit, err)
		}
		if n := e.budget.Used(); n != 0 {
			t.Fatalf("with %d bytes: %d still held", limit, n)
		}
	}
}

func TestMemTotal(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:       16326428 kB\nMemFree: 1 kB\n": 16326428 << 10,
		"MemFree: 1 kB\nMemTotal: 5 kB":                5 << 10,
		"":                                             0,
		"MemTotal: many kB\n":                          0,
		"MemTotal: 5 MB\n":                             0,
		"MemTotal: 9223372036854775807 kB\n":           0,
		"MemTotalOther: 7 kB\nMemTotal: -1 kB\nX: 8 kB": 0,
	} {
		if got := memTotal([]byte(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestCgroupLimit(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"memory.max":                       "max\n",
		"a/memory.max":                     "5000000\n",
		"a/b/memory.max":                   "max\n",
		"a/c/memory.max":                   "3000000\n",
		"v2":                               "0::/a/b\n",
		"deeper":                           "0::/a/c\n",
		"outside":                          "0::/../elsewhere\n",
		"v1":                               "12:cpu,memory:/x/y\n3:cpuset:/a/c\n",
		"memory/memory.limit_in_bytes":     "9223372036854771712\n",
		"memory/x/y/memory.limit_in_bytes": "7000000\n",
		"broken":                           "0\n\n::\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for self, want := range map[string]int64{"v2": 5000000, "deeper": 3000000, "outside": 0, "v1": 7000000, "broken": 0, "missing": 0} {
		if got := cgroupLimit(filepath.Join(root, self), root); got != want {
			t.Errorf("%s: got %d, want %d", self, got, want)
		}
	}
}

func TestDefaultMemoryLimit(t *testing.T) {
	if n := defaultMemoryLimit(); n < 64<<20 || n > unknownMemory<<12 {
		t.Errorf("%d bytes", n)
	}
}
