package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/colagg/colagg"
)

func TestParseMemory(t *testing.T) {
	all := colagg.AvailableMemory()
	for s, want := range map[string]int64{
		"": 0, "256MB": 256e6, "2GiB": 2 << 30, "2 gib": 2 << 30, "1000": 1000, "1.5KiB": 1536, " 7k ": 7000,
		"100%": all, "50%": all / 2, "12.5 %": all / 8, "1e-30%": 1,
	} {
		if got, err := parseMemory(s); err != nil || got-want > 1 || want-got > 1 {
			t.Errorf("%q: %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"0", "-1", "0%", "-5%", "101%", "nan%", "inf%", "%", "MB", "1 XB", "9EiB", "1e30", "ten"} {
		if got, err := parseMemory(s); err == nil {
			t.Errorf("%q: %d", s, got)
		}
	}
}

func TestMemory(t *testing.T) {
	if got := must(t, "query", data("trips.parquet"), "--memory", "64MiB"); got != "count(*)\n5000\n" {
		t.Error(got)
	}
	grouped := []string{"query", data("trips.parquet"), "-g", "id,pickup", "-a", "sum(tip)"}
	lines := func(args ...string) []string {
		return slices.Sorted(strings.Lines(must(t, append(grouped, args...)...)))
	}
	if got, want := lines("--memory", "100KiB"), lines(); len(want) < 5000 || !slices.Equal(got, want) {
		t.Errorf("%d lines, not the %d that there are with more memory", len(got), len(want))
	}
	status, stdout, stderr := newSandbox().run(append(grouped, "--memory", "1KiB")...)
	if status != 1 || stdout != "" || !strings.HasSuffix(stderr, "; give more with --memory, or group by fewer or shorter columns\n") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestNoChecksums changes bytes of a file whose pages have checksums until an
// answer shows it.
func TestNoChecksums(t *testing.T) {
	good := []byte(read(t, filepath.Join("..", "..", "parquetio", "testdata", "read", "full_snappy_v1.parquet")))
	path := filepath.Join(t.TempDir(), "changed.parquet")
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := newSandbox().run("query", path, "-a", "count(int64)")
		if !strings.Contains(stderr, "checksum") {
			continue
		}
		want := path + `: row group 0, column "int64": a page's checksum is wrong: its bytes have changed since they were written; --no-checksums reads it as it is` + "\n"
		if status != 1 || !strings.HasSuffix(stderr, want) {
			t.Fatalf("status %d, %s\nwant %s", status, stderr, want)
		}
		if status, stdout, _ := newSandbox().run("query", path, "-a", "count(int64)", "--no-checksums"); status == 0 && stdout == "count(int64)\n67\n" {
			return
		}
	}
	t.Error("no changed byte gave a wrong checksum and rows without it")
}

func TestRootHelp(t *testing.T) {
	got := must(t)
	if !strings.Contains(got, "\nUsage:\n  colagg [command]\n\nExamples:") || !strings.Contains(got, "141 if nobody reads the pipe") || got != must(t, "--help") {
		t.Error(got)
	}
	got = must(t, "query", "--help")
	for _, want := range []string{"sorted by the keys", "where there are up to", "--limit takes rows as they", "--order-by orders by columns of the result", "--where keeps the rows", "--where CONDITION", "more than 100,000 are refused", "--memory SIZE", "--no-checksums"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestSchemaProblems shows why columns of a file cannot be queried.
func TestSchemaProblems(t *testing.T) {
	got := must(t, "schema", data("encrypted.parquet"))
	if !strings.HasSuffix(got, "┘\nsecret cannot be queried: row group 0: column is encrypted\n") || !strings.Contains(got, "│ secret │ BYTE_ARRAY STRING │ utf8 ") {
		t.Error(got)
	}
	if got := must(t, "schema", "-f", "json", data("encrypted.parquet")); strings.Count(got, `"problem"`) != 1 || !strings.Contains(got, `"problem": "row group 0: column is encrypted"`) {
		t.Error(got)
	}
	if got := must(t, "query", data("encrypted.parquet"), "-a", "sum(open)"); got != "sum(open)\n6\n" {
		t.Error(got)
	}
	status, _, stderr := newSandbox().run("query", data("encrypted.parquet"), "-a", "max(secret)")
	if status != 1 || !strings.Contains(stderr, `column "secret": column is encrypted`) {
		t.Errorf("status %d, %s", status, stderr)
	}
	_, stdout, _ := newSandbox().run("__completeNoDesc", "query", data("encrypted.parquet"), "-g", "")
	if !strings.HasPrefix(stdout, "open\n:") {
		t.Errorf("completed: %s", stdout)
	}
}

// The engine takes as many workers as the flag allows, and no more.
func TestMaxThreads(t *testing.T) {
	if _, err := colagg.New(colagg.Options{Workers: maxThreads}); err != nil {
		t.Error(err)
	}
	if _, err := colagg.New(colagg.Options{Workers: maxThreads + 1}); err == nil {
		t.Error("the engine takes more workers than the flag does")
	}
}

// TestTempFlags gives directories, in which nothing is left, and hands the
// memory limit on to the runtime.
func TestTempFlags(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	var limits []int64
	s := newSandbox()
	s.limitHeap = func(n int64) { limits = append(limits, n) }
	status, stdout, stderr := s.run("query", data("trips.parquet"), "--temp-dir", a, "--temp-dir", b, "--max-temp", "1GiB", "--memory", "64MiB")
	if status != 0 || stdout != "count(*)\n5000\n" || stderr != "" {
		t.Errorf("status %d, %s, %s", status, stdout, stderr)
	}
	if names(t, a) != "" || names(t, b) != "" {
		t.Errorf("left behind: %s, %s", names(t, a), names(t, b))
	}
	if len(limits) != 1 || limits[0] != 64<<20 {
		t.Errorf("limits %v", limits)
	}
}

// TestLimitHeap sets the runtime's limit above that of queries, unless there is
// one.
func TestLimitHeap(t *testing.T) {
	before := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(before)
	limitHeap(1 << 40)
	if got := debug.SetMemoryLimit(-1); got != 1<<40+heapSlack {
		t.Errorf("limit %d", got)
	}
	limitHeap(1 << 41)
	if got := debug.SetMemoryLimit(math.MaxInt64); got != 1<<40+heapSlack {
		t.Errorf("a limit that was set gave way to %d", got)
	}
	limitHeap(math.MaxInt64)
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("no limit became %d", got)
	}
}

// TestHeapLimit takes what is mapped off the heap's limit, within bounds.
func TestHeapLimit(t *testing.T) {
	for _, c := range [][3]int64{{400 << 20, 0, 400 << 20}, {400 << 20, 300 << 20, 100 << 20}, {400 << 20, 399 << 20, 100 << 20}, {50 << 20, 40 << 20, heapSlack}} {
		if got := heapLimit(c[0], c[1]); got != c[2] {
			t.Errorf("of %d bytes with %d mapped %d, not %d", c[0], c[1], got, c[2])
		}
	}
}
