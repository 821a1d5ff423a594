package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// one is a query with one row as its answer, in any order of rows.
var one = []string{"query", data("trips.parquet"), "--agg", "count(*) as n, max(city) as city"}

func TestOutputEndings(t *testing.T) {
	dir := t.TempDir()
	for ending, format := range map[string]string{
		"csv": "csv", "tsv": "tsv", "json": "json", "ndjson": "ndjson", "jsonl": "ndjson", "md": "markdown", "markdown": "markdown", "xyz": "csv", "txt": "table", "CSV": "csv",
	} {
		path := filepath.Join(dir, "result."+ending)
		if out := must(t, append(one, "-o", path)...); out != "" {
			t.Errorf("%s: output %q", ending, out)
		}
		if got, want := read(t, path), must(t, append(one, "-f", format)...); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", ending, got, want)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	// The flag is stronger than the ending, and no ending is like none known.
	path := filepath.Join(dir, "noext")
	must(t, append(one, "-o", path)...)
	if got := read(t, path); got != "n,city\n5000,Turin\n" {
		t.Errorf("without an ending: %s", got)
	}
	must(t, append(one, "-o", path, "-f", "ndjson")...)
	if got := read(t, path); !strings.HasPrefix(got, "{") {
		t.Errorf("-f for a name without an ending: %s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "x.csv")
	must(t, append(one, "-f", "ndjson", "--output", path)...)
	if got := read(t, path); got != `{"n":5000,"city":"Turin"}`+"\n" {
		t.Errorf("%s", got)
	}
	if got := must(t, append(one, "-o", "-")...); got != "n,city\n5000,Turin\n" {
		t.Errorf("-o -: %s", got)
	}
	if got := names(t, dir); got != "x.csv" {
		t.Errorf("in the directory: %s", got)
	}
}

func TestOutputParquet(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.parquet", "b.pq"} {
		path := filepath.Join(dir, name)
		must(t, "query", data("trips.parquet"), "-g", "city,vendor", "-a", "sum(tip) as tip", "-o", path)
		if got, want := must(t, "query", path, "-a", "sum(tip) as t"), must(t, "query", data("trips.parquet"), "-a", "sum(tip) as t"); got != want {
			t.Errorf("%s read again: %s, want %s", name, got, want)
		}
	}
	must(t, "query", data("trips.parquet"), "-g", "city", "--limit", "0", "-o", filepath.Join(dir, "none.parquet"))
	if got := must(t, "query", filepath.Join(dir, "none.parquet")); got != "count(*)\n0\n" {
		t.Errorf("no rows: %s", got)
	}
	if got := names(t, dir); got != "a.parquet b.pq none.parquet" {
		t.Errorf("in the directory: %s", got)
	}
}

func TestOutputArrow(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.arrow", "a.ipc", "a.feather"} {
		path := filepath.Join(dir, name)
		must(t, append(one, "-o", path)...)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ipc.NewFileReader(f)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := r.Record(0)
		if err != nil {
			t.Fatal(err)
		}
		if n, c := rec.Column(0).(*array.Int64).Value(0), rec.Column(1).(*array.String).Value(0); n != 5000 || c != "Turin" {
			t.Errorf("%s: %d %s", name, n, c)
		}
		_ = r.Close()
		_ = f.Close()
	}
}

// needLinks fails the test if links could not be made. Windows lets only
// privileged users make them, so there the test is skipped.
func needLinks(t *testing.T, err error) {
	t.Helper()
	if err != nil && runtime.GOOS == "windows" {
		t.Skip("links need a privilege here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestOutputReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	write(t, path, "something long that was there before\n")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.csv")
	needLinks(t, os.Symlink("x.csv", link))
	must(t, append(one, "-o", link)...)
	if got := read(t, path); got != "n,city\n5000,Turin\n" {
		t.Errorf("%q", got)
	}
	if st, err := os.Lstat(path); err != nil || st.Mode() != 0o640 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is one no more: %v, %v", st.Mode(), err)
	}
	if got := names(t, dir); got != "link.csv x.csv" {
		t.Errorf("in the directory: %s", got)
	}
}

// A link to a file that is not there yet stays a link, and the file appears.
func TestOutputDanglingLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "real", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"first.csv": "second.csv", "second.csv": dir + "/alias/../there.csv", "alias": filepath.Join("real", "sub"),
		"round.csv": "round.csv", "lost.csv": filepath.Join("nowhere", "x.csv"),
	} {
		needLinks(t, os.Symlink(to, filepath.Join(dir, from)))
	}
	must(t, append(one, "-o", filepath.Join(dir, "first.csv"))...)
	if got := read(t, filepath.Join(dir, "real", "there.csv")); got != "n,city\n5000,Turin\n" {
		t.Errorf("%q", got)
	}
	for _, name := range []string{"round.csv", "lost.csv"} {
		if status, _, stderr := newSandbox().run(append(one, "-o", filepath.Join(dir, name))...); status != 1 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s", name, status, stderr)
		}
	}
	if got := names(t, dir); got != "alias first.csv lost.csv real round.csv second.csv" {
		t.Errorf("in the directory: %s", got)
	}
}

func TestOutputIsInput(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.parquet")
	original := read(t, data("trips.parquet"))
	write(t, input, original)
	symlink, hardlink := filepath.Join(dir, "symlink.csv"), filepath.Join(dir, "hardlink.csv")
	needLinks(t, errors.Join(os.Symlink("in.parquet", symlink), os.Link(input, hardlink)))
	for _, args := range [][]string{
		{"query", input, "-o", input},
		{"query", data("names.parquet"), input, "-o", filepath.Join(dir, ".", "in.parquet")},
		{"query", input, "-f", "csv", "-o", symlink},
		{"query", input, "-f", "csv", "-o", hardlink},
		{"query", dir, "-o", input},
		{"query", filepath.Join(dir, "*.parquet"), "-o", input},
	} {
		status, _, stderr := newSandbox().run(args...)
		if status != 2 || !strings.Contains(stderr, "is the input "+input) {
			t.Errorf("%s: status %d, %s", strings.Join(args, " "), status, stderr)
		}
	}
	if read(t, input) != original {
		t.Error("the input has changed")
	}
	if got := names(t, dir); got != "hardlink.csv in.parquet symlink.csv" {
		t.Errorf("in the directory: %s", got)
	}
}

// Whatever fails, what was there stays and nothing else is left.
func TestOutputFailures(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	write(t, path, "before")
	for _, args := range [][]string{
		{"query", data("overflow.parquet"), "-a", "sum(v)"},
		{"query", data("trips.parquet"), "-g", "nothing"},
		{"query", "query_test.go"},
	} {
		if status, _, stderr := newSandbox().run(append(args, "-o", path)...); status == 0 {
			t.Errorf("%v: %s", args, stderr)
		}
	}
	s := newSandbox()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if status := run(ctx, &s.environ, append(one, "-o", path)); status != 130 || s.err.String() != "colagg: interrupted\n" {
		t.Errorf("cancelled: status %d, %s", status, s.err.String())
	}
	if got := read(t, path); got != "before" {
		t.Errorf("%q", got)
	}
	if got := names(t, dir); got != "x.csv" {
		t.Errorf("in the directory: %s", got)
	}
}

// makers are the ways to make a file that is not finished: as the system can,
// and where there are no files without names.
var makers = map[string]func(string, fs.FileMode) (*os.File, error){
	"system": createUnnamed,
	"named":  func(string, fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported },
}

func TestOutputCommit(t *testing.T) {
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) { testOutputCommit(t, maker) })
	}
}

func testOutputCommit(t *testing.T, maker func(string, fs.FileMode) (*os.File, error)) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	begin := func() *output {
		t.Helper()
		o, err := beginOutput(path, maker)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file is there before its time: %v", err)
		}
		return o
	}
	o := begin()
	bad := errors.New("half of it is missing")
	if err := o.commit(func(string) error { return bad }); !errors.Is(err, bad) || !strings.Contains(err.Error(), path) {
		t.Errorf("commit of a bad file: %v", err)
	}
	o.discard()
	if got := names(t, dir); got != "" {
		t.Errorf("after a bad commit: %s", got)
	}
	good := func(temp string) error {
		if got := read(t, temp); got != "text" {
			t.Errorf("to be checked: %q", got)
		}
		return nil
	}
	if err := o.commit(good); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("commit after discard: %v", err)
	}
	o = begin()
	if err := o.commit(good); err != nil {
		t.Fatal(err)
	}
	o.discard()
	if got := read(t, path); got != "text" {
		t.Errorf("%q", got)
	}
	if got := names(t, dir); got != "x" {
		t.Errorf("after a commit: %s", got)
	}
	if err := os.Chmod(path, 0o640); err != nil { // another one takes its place
		t.Fatal(err)
	}
	if o, err := beginOutput(path, maker); err != nil {
		t.Fatal(err)
	} else if _, err := o.Write([]byte("new")); err != nil {
		t.Fatal(err)
	} else if err := o.commit(func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if got := read(t, path); err != nil || got != "new" || st.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v", got, st.Mode(), err)
	}
	if got := names(t, dir); got != "x" {
		t.Errorf("after a second commit: %s", got)
	}
}

// A write error names the file that the user knows.
func TestOutputWriteError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	o, err := createOutput(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = o.file.Close()
	if _, err := o.Write([]byte("text")); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("%v", err)
	}
	o.discard()
}
