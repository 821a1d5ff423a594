//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package spill

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// namedFS is a file system in which open files keep their names, until they may
// be removed.
type namedFS struct {
	osFS
	removes atomic.Bool
}

func (*namedFS) Create(path string) (Handle, bool, error) {
	f, err := createNamed(path)
	if err != nil {
		return nil, false, err
	}
	lock(f)
	return osHandle{f}, true, nil
}

func (f *namedFS) Remove(path string) error {
	if !f.removes.Load() {
		return errors.New("the file is open")
	}
	return os.Remove(path)
}

// TestMain runs one of the other processes of the tests below when it is told
// to.
func TestMain(m *testing.M) {
	if what := os.Getenv("SPILL_TEST_PROCESS"); what != "" {
		process(what, strings.Split(os.Getenv("SPILL_TEST_DIRS"), string(os.PathListSeparator)))
	}
	os.Exit(m.Run())
}

// process writes for ever, or ("check") some time and reads all of it again.
func process(what string, dirs []string) {
	named := &namedFS{}
	cfg := Config{Dirs: dirs}
	if strings.HasPrefix(what, "named") {
		cfg.FS = named
	}
	d := Open(cfg)
	tab := numbers(3000)
	for i, v := range tab.batches[0].Cols[0].Data {
		tab.batches[0].Cols[0].Data[i] = v ^ byte(os.Getpid()) // every process has its own
	}
	files := []*File{d.File(), d.File(), d.File()}
	var extents []Extent
	for i := 0; ; i++ {
		e, err := files[i%3].Append(tab.schema, tab.batches...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		extents = append(extents, e)
		if i == 10 {
			fmt.Println("writing")
		}
		if i > 100 && strings.HasSuffix(what, "for ever") {
			d.Release(extents[0])
			extents = extents[1:]
		}
		if i > 100 && strings.HasSuffix(what, "check") {
			break
		}
	}
	r := d.Reader(tab.schema, extents)
	for range extents {
		b, err := r.Next(context.Background())
		if err != nil || string(b.Cols[0].Data[:3000*8]) != string(tab.batches[0].Cols[0].Data) {
			fmt.Fprintln(os.Stderr, "not what was written:", err)
			os.Exit(1)
		}
	}
	if _, err := r.Next(context.Background()); err != io.EOF {
		os.Exit(1)
	}
	named.removes.Store(true) // as a system may that removes closed files only
	if err := d.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// start starts another process and waits until it writes.
func start(t *testing.T, what string, dirs ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SPILL_TEST_PROCESS="+what, "SPILL_TEST_DIRS="+strings.Join(dirs, string(os.PathListSeparator)))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "writing\n" {
		t.Fatalf("the process says %q, %v", line, err)
	}
	return cmd
}

func count(t *testing.T, dir string) int {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// TestKilled kills a process in the middle of its writing, some times.
func TestKilled(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for i := range 5 {
		cmd := start(t, "for ever", a, b)
		time.Sleep(time.Duration(i) * 3 * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the process ended by itself")
		}
		empty(t, a)
		empty(t, b)
	}
}

// TestKilledWithNames has files with names left behind, which the next run
// removes, and those of a living process, which it does not.
func TestKilledWithNames(t *testing.T) {
	dir := t.TempDir()
	if !hasLocks(t) {
		t.Skip("locks are needed")
	}
	dead, alive := start(t, "named for ever", dir), start(t, "named check", dir)
	if n := count(t, dir); n < 3 {
		t.Fatalf("%d files are there", n)
	}
	_ = dead.Process.Kill()
	_ = dead.Wait()
	if n := count(t, dir); n < 3 {
		t.Fatalf("%d files are there after the kill", n)
	}
	other := dir + "/" + strings.TrimSuffix(prefix, "-") + ".parquet"
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Check(dir); err != nil {
		t.Error(err)
	}
	if err := alive.Wait(); err != nil {
		t.Errorf("the living process failed: %v", err)
	}
	if err := Check(dir); err != nil {
		t.Error(err)
	}
	if err := os.Remove(other); err != nil {
		t.Errorf("a file of another name was swept: %v", err)
	}
	empty(t, dir)
}

// hasLocks reports whether the file system here has locks that keep others out.
func hasLocks(t *testing.T) bool {
	path := t.TempDir() + "/" + prefix + "x"
	f, err := createNamed(path)
	if err != nil {
		t.Fatal(err)
	}
	lock(f)
	sweep(path)
	_, err = os.Stat(path)
	held := err == nil
	_ = f.Close()
	sweep(path)
	_, err = os.Stat(path)
	return held && err != nil
}

// TestEightProcesses share directories; each finds its own again.
func TestEightProcesses(t *testing.T) {
	for _, what := range []string{"check", "named check"} {
		a, b := t.TempDir(), t.TempDir()
		var all []*exec.Cmd
		for range 8 {
			all = append(all, start(t, what, a, b))
		}
		for _, cmd := range all {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		empty(t, a)
		empty(t, b)
	}
}

// TestNamesOfOthers survives that all names that it would take are taken.
func TestNamesOfOthers(t *testing.T) {
	dir := t.TempDir()
	fs := &takenFS{left: 3}
	d := Open(Config{Dirs: []string{dir}, FS: fs})
	tab := makeTable(1, types[:1], 3)
	e, err := d.File().Append(tab.schema, tab.batches...)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, d, tab.schema, []Extent{e}, tab.batches)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if len(fs.tried) != 4 {
		t.Errorf("names tried: %v", fs.tried)
	}
	empty(t, dir)
}

// takenFS has a file already where the first ones are to be.
type takenFS struct {
	osFS
	left  int
	tried map[string]bool
}

func (f *takenFS) Create(path string) (Handle, bool, error) {
	if f.tried == nil {
		f.tried = map[string]bool{}
	}
	f.tried[path] = true
	if f.left--; f.left >= 0 {
		return nil, false, &os.PathError{Op: "open", Path: path, Err: os.ErrExist}
	}
	return f.osFS.Create(path + strconv.Itoa(0))
}
