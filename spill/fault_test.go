package spill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// fault is what happens at one call.
type fault struct {
	name  string
	err   error // nil: a part is done, without an error
	times int   // calls in a row that fail
}

var faults = []fault{
	{"interrupted", syscall.EINTR, 1}, {"again and again", syscall.EAGAIN, 3}, {"short", nil, 1},
	{"broken once", syscall.EIO, 1}, {"broken", syscall.EIO, 1 << 30}, {"full once", syscall.ENOSPC, 1}, {"full", syscall.ENOSPC, 1 << 30},
	{"interrupted for ever", syscall.EINTR, 1 << 30}, {"short for ever", nil, 1 << 30},
}

// faultFS is the operating system's file system with a fault at the calls from
// the at-th on. Names stay with open files, so that removing counts.
type faultFS struct {
	osFS
	fault fault
	at    int
	only  string // calls with this name count, or all

	mu    sync.Mutex
	calls int
	log   []string
	open  int
}

// fails counts a call and reports whether it is to fail.
func (f *faultFS) fails(call string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.only != "" && f.only != call {
		return false
	}
	k := f.calls
	f.calls++
	f.log = append(f.log, call)
	return k >= f.at && k-f.at < f.fault.times
}

// whole fails a call that cannot be done in part.
func (f *faultFS) whole(call string) error {
	if f.fails(call) {
		return f.fault.err
	}
	return nil
}

func (f *faultFS) Create(path string) (Handle, bool, error) {
	if err := f.whole("create"); err != nil {
		return nil, false, err
	}
	file, err := createNamed(path)
	if err != nil {
		return nil, false, err
	}
	f.mu.Lock()
	f.open++
	f.mu.Unlock()
	return &faultHandle{osHandle{file}, f}, true, nil
}

func (f *faultFS) Remove(path string) error {
	if err := f.whole("remove"); err != nil {
		return err
	}
	return f.osFS.Remove(path)
}

type faultHandle struct {
	Handle
	fs *faultFS
}

func (h *faultHandle) WriteAt(p []byte, off int64) (int, error) {
	if h.fs.fails("write") {
		n, _ := h.Handle.WriteAt(p[:len(p)/2], off)
		return n, h.fs.fault.err
	}
	return h.Handle.WriteAt(p, off)
}

func (h *faultHandle) ReadAt(p []byte, off int64) (int, error) {
	if h.fs.fails("read") {
		n, _ := h.Handle.ReadAt(p[:len(p)/2], off)
		return n, h.fs.fault.err
	}
	return h.Handle.ReadAt(p, off)
}

func (h *faultHandle) Truncate(size int64) error {
	if err := h.fs.whole("truncate"); err != nil {
		return err
	}
	return h.Handle.Truncate(size)
}

func (h *faultHandle) Punch(off, n int64) error {
	if err := h.fs.whole("punch"); err != nil {
		return err
	}
	return h.Handle.Punch(off, n)
}

// Close closes whatever it says, as the system's does.
func (h *faultHandle) Close() error {
	h.fs.mu.Lock()
	h.fs.open--
	h.fs.mu.Unlock()
	err := h.Handle.Close()
	if e := h.fs.whole("close"); e != nil {
		return e
	}
	return err
}

// scenario is what a query may do; it fails the test at a wrong answer and
// returns the first error.
func scenario(t *testing.T, d *Dir, tab table) error {
	t.Helper()
	var extents []Extent
	var want []*vector.Batch
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	files := []*File{d.File(), d.File()}
	for i := range 6 {
		e, err := files[i%2].Append(tab.schema, tab.batches...)
		note(err)
		if err == nil { // goes on after an error, as nothing must be broken by it
			extents, want = append(extents, e), append(want, tab.batches...)
		}
		if i == 3 && len(extents) > 2 {
			d.Release(extents[0])
			extents, want = extents[1:], want[len(tab.batches):]
		}
	}
	r := d.Reader(tab.schema, extents)
	for _, w := range want {
		b, err := r.Next(context.Background())
		if err != nil {
			note(err)
			break
		}
		same(t, b, w)
	}
	if first == nil {
		if _, err := r.Next(context.Background()); err != io.EOF {
			t.Fatalf("no end: %v", err)
		}
	}
	note(r.Close())
	d.Release(extents...)
	if s := d.Stats(); s.OnDisk < 0 || s.OnDisk > s.Peak {
		t.Fatalf("stats %+v", s)
	}
	return first
}

// TestEveryFault makes every call of a small query fail, in every way.
func TestEveryFault(t *testing.T) {
	tab := makeTable(3, types[:3], 300, 20)
	counting := &faultFS{at: 1 << 30}
	run := func(t *testing.T, fs *faultFS, dirs int) error {
		budget := memory.NewBudget(0)
		var temps []string
		for range dirs {
			temps = append(temps, t.TempDir())
		}
		d := Open(Config{Dirs: temps, Budget: budget, FS: fs})
		err := scenario(t, d, tab)
		closed := d.Close()
		if err == nil {
			err = closed
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || !strings.Contains(err.Error(), temps[0]) && !strings.Contains(err.Error(), temps[dirs-1])) {
			t.Errorf("error %v", err)
		}
		if fs.open != 0 || budget.Used() != 0 || d.Stats().OnDisk != 0 {
			t.Errorf("%d files open, %d bytes of memory and %d of disk left", fs.open, budget.Used(), d.Stats().OnDisk)
		}
		if closed == nil {
			for _, dir := range temps {
				empty(t, dir)
			}
		}
		return err
	}
	if err := run(t, counting, 1); err != nil {
		t.Fatal(err)
	}
	for _, call := range []string{"create", "remove", "write", "read", "truncate", "punch", "close"} {
		if !strings.Contains(strings.Join(counting.log, " "), call) && call != "punch" {
			t.Errorf("the query makes no call of %s", call)
		}
	}
	for _, f := range faults {
		for at := range counting.calls {
			t.Run(fmt.Sprintf("%s/%d %s", f.name, at, counting.log[at]), func(t *testing.T) {
				err := run(t, &faultFS{fault: f, at: at}, 1)
				passing := f.times <= 3 && (f.err == nil || transient(f.err))
				if passing && err != nil {
					t.Errorf("a passing fault gave %v", err)
				}
				call := counting.log[at]
				if (call == "write" || call == "read" || call == "create") && !passing && f.err != nil && err == nil {
					t.Error("no error")
				}
				if call == "remove" && f.times > retries && err == nil {
					t.Error("a file that stays is no error")
				}
				if full(f.err) && call == "write" && (!errors.Is(err, syscall.ENOSPC) || !errors.As(err, new(*Error))) {
					t.Errorf("a full disk gave %v", err)
				}
				// With a second directory, one full write moves on.
				if err := run(t, &faultFS{fault: f, at: at}, 2); err != nil && (passing || full(f.err) && f.times == 1 && (call == "write" || call == "create")) {
					t.Errorf("with two directories: %v", err)
				}
			})
		}
	}
}
