package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/colagg/colagg"
)

// manyKeys is how many groups the file of many has.
const manyKeys = 200_000

// many writes a file with two rows for each k: the numbers below manyKeys, once
// up and once down; v is the row's number, and g 7.
func many(t *testing.T) string {
	t.Helper()
	i64 := arrow.PrimitiveTypes.Int64
	schema := arrow.NewSchema([]arrow.Field{{Name: "k", Type: i64}, {Name: "v", Type: i64}, {Name: "g", Type: i64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	var all []arrow.Record
	for i := range 2 * manyKeys {
		b.Field(0).(*array.Int64Builder).Append(int64(min(i, 2*manyKeys-1-i)))
		b.Field(1).(*array.Int64Builder).Append(int64(i))
		b.Field(2).(*array.Int64Builder).Append(7)
		if (i+1)%20_000 == 0 {
			all = append(all, b.NewRecord())
		}
	}
	rr, err := array.NewRecordReader(schema, all)
	if err != nil {
		t.Fatal(err)
	}
	e, err := colagg.New(colagg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := e.Query(context.Background(), colagg.Query{From: colagg.Records(rr), Select: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Release()
	path := filepath.Join(t.TempDir(), "many.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.WriteParquet(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// little is a query of path that spills to temp.
func little(path, temp string, more ...string) []string {
	return append([]string{"query", path, "-g", "k", "-a", "count(*), sum(v)", "--memory", "8MB", "--temp-dir", temp}, more...)
}

// TestProgramsShareTemp has eight programs spill to one directory at once.
func TestProgramsShareTemp(t *testing.T) {
	path, temp := many(t), t.TempDir()
	var want bytes.Buffer
	fmt.Fprintln(&want, "k,count,sum_v")
	for k := range manyKeys {
		fmt.Fprintf(&want, "%d,2,%d\n", k, 2*manyKeys-1)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			status, stdout, stderr := execute(t, exec.Command(program, little(path, temp, "-f", "csv", "--order-by", "k")...))
			if _, rows, _ := strings.Cut(stdout, "\n"); status != 0 || stderr != "" || rows != strings.SplitN(want.String(), "\n", 2)[1] {
				t.Errorf("status %d, %d bytes, not %d; %s", status, len(stdout), want.Len(), stderr)
			}
		})
	}
	wg.Wait()
	if got := names(t, temp); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

// spills waits until cmd has written a temporary file in dir.
func spills(t *testing.T, cmd *exec.Cmd, dir string) {
	t.Helper()
	for range 2000 {
		fds := fmt.Sprintf("/proc/%d/fd", cmd.Process.Pid)
		open, _ := os.ReadDir(fds)
		for _, fd := range open {
			at := filepath.Join(fds, fd.Name())
			to, err := os.Readlink(at)
			if err != nil || !strings.HasPrefix(to, dir+"/") {
				continue
			}
			if st, err := os.Stat(at); err == nil && st.Size() > 0 {
				return
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Error("nothing was written")
}

// TestKilledWhileSpilling ends the program in the middle: nothing stays.
func TestKilledWhileSpilling(t *testing.T) {
	path := many(t)
	for i, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGQUIT} {
		temp, dir := t.TempDir(), t.TempDir()
		args := little(path, temp, "-o", filepath.Join(dir, "x.parquet"))
		for range 20 {
			args = append(args, path)
		}
		cmd, _, _ := start(t, args...)
		spills(t, cmd, temp)
		time.Sleep(time.Duration(i) * 20 * time.Millisecond)
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if cmd.ProcessState.Success() {
			t.Errorf("%s: the program ended by itself", s)
		}
		if got := names(t, temp) + names(t, dir); got != "" {
			t.Errorf("%s: left behind: %s", s, got)
		}
	}
}

// fails runs the program, which must fail with one line that has all parts,
// and leave nothing in dirs.
func fails(t *testing.T, args, parts, dirs []string) {
	t.Helper()
	status, stdout, stderr := execute(t, exec.Command(program, args...))
	if status != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%v: status %d, %d bytes, %s", args, status, len(stdout), stderr)
	}
	for _, p := range parts {
		if !strings.Contains(stderr, p) {
			t.Errorf("%q is not in %s", p, stderr)
		}
	}
	for _, dir := range dirs {
		if got := names(t, dir); got != "" {
			t.Errorf("%v: left behind: %s", args, got)
		}
	}
}

// TestSpillingFails has too little room on disk, for temporary data or for the
// result, and a group that is larger than the memory.
func TestSpillingFails(t *testing.T) {
	path, temp, dir := many(t), t.TempDir(), t.TempDir()
	out := filepath.Join(dir, "x.parquet")
	fails(t, little(path, temp, "--max-temp", "100KB", "-o", out),
		[]string{temp + ": limit on temporary disk space reached (", " KiB on disk of at most ", "--max-temp"}, []string{temp, dir})
	var again []string
	for range 3 {
		again = append(again, path)
	}
	begin := time.Now()
	fails(t, append([]string{"query", "-g", "g", "-a", "array_agg(v)", "--memory", "8MB", "--temp-dir", temp, "-o", out}, again...),
		[]string{"the states of the group g = 7 take ", " so far, and there are ", "--memory"}, []string{temp, dir})
	fails(t, append([]string{"query", "-a", "array_agg(v)", "--memory", "8MB", "--temp-dir", temp, "-o", out}, again...),
		[]string{"the states of the only group take ", " so far, and there are ", "--memory"}, []string{temp, dir})
	if d := time.Since(begin); d > 4*soon {
		t.Errorf("groups that are too large took %s", d)
	}
	for _, size := range []int{64 << 10, 128 << 10, 256 << 10} {
		disk := t.TempDir()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
			t.Skip("no file system can be mounted here:", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(disk, 0) })
		fails(t, little(path, disk, "-o", out), []string{"temporary data in " + disk + ": no space left on device (", " on disk, ", " free)", "--temp-dir"}, []string{disk, dir})
		fails(t, little(path, temp, "-o", filepath.Join(disk, "x.csv")), []string{"output " + disk + "/x.csv: no space left on device"}, []string{disk, temp})
		fails(t, little(path, temp, "-o", filepath.Join(disk, "x.parquet")), []string{"output " + disk + "/x.parquet: no space left on device"}, []string{disk, temp})
	}
}
