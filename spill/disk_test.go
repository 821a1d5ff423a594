package spill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

// TestNothingBeforeTheFirstWrite has a directory that is not there until then.
func TestNothingBeforeTheFirstWrite(t *testing.T) {
	temp := filepath.Join(t.TempDir(), "later")
	tab := makeTable(1, types[:2], 10)
	d := Open(Config{Dirs: []string{temp}})
	f := d.File()
	if e, err := f.Append(tab.schema); err != nil || e != (Extent{}) {
		t.Errorf("no batches gave %+v, %v", e, err)
	}
	none := makeTable(1, types[:2], 0, 0)
	if e, err := f.Append(none.schema, none.batches...); err != nil || e != (Extent{}) {
		t.Errorf("no rows gave %+v, %v", e, err)
	}
	readAll(t, d, none.schema, []Extent{{}, {}}, nil)
	_, err := f.Append(tab.schema, tab.batches...)
	var e *Error
	if !errors.As(err, &e) || e.Op != "create" || e.Dir != temp || !errors.Is(err, os.ErrNotExist) ||
		err.Error() != "spill: making a temporary file in "+temp+": no such file or directory" {
		t.Errorf("a missing directory gave %v", err)
	}
	if err := Check(temp); !errors.As(err, &e) {
		t.Errorf("Check of it gave %v", err)
	}
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Check(temp); err != nil {
		t.Error(err)
	}
	got, err := f.Append(tab.schema, tab.batches...)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, d, tab.schema, []Extent{{}, got, {}, got}, append(tab.batches, tab.batches...))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	empty(t, temp)
	if err := Open(Config{Dirs: []string{"/nowhere"}}).Close(); err != nil {
		t.Error(err)
	}
}

// TestManyExtentsFewFiles writes what would be hundreds of partitions.
func TestManyExtentsFewFiles(t *testing.T) {
	temps := []string{t.TempDir(), t.TempDir()}
	d := Open(Config{Dirs: temps})
	defer func() { _ = d.Close() }()
	tab := makeTable(1, types[:2], 5)
	for range 3 {
		f := d.File()
		for range 300 {
			if _, err := f.Append(tab.schema, tab.batches...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s := d.Stats(); s.Files != 3 || s.Extents != 900 {
		t.Errorf("stats %+v", s)
	}
	if a, b := d.segments[0].path, d.segments[1].path; a != temps[0] || b != temps[1] || d.segments[2].path != a {
		t.Error("files do not take turns in the directories")
	}
}

// TestQuota reaches the limit, and goes on once space is given back.
func TestQuota(t *testing.T) {
	const limit = 256 << 10
	d := Open(Config{Dirs: []string{t.TempDir()}, MaxBytes: limit})
	defer func() { _ = d.Close() }()
	tab := numbers(1000) // some 16 KiB
	f := d.File()
	var extents []Extent
	var err error
	for err == nil {
		var e Extent
		if e, err = f.Append(tab.schema, tab.batches...); err == nil {
			extents = append(extents, e)
		}
	}
	var e *Error
	if !errors.Is(err, ErrQuota) || !errors.As(err, &e) || !e.Full() || e.Quota != limit || e.OnDisk > limit || e.OnDisk+blocks(e.Bytes) <= limit ||
		!strings.Contains(err.Error(), "writing 1") || !strings.Contains(err.Error(), " KiB on disk of at most 256 KiB, ") {
		t.Errorf("the limit gave %v", err)
	}
	if s := d.Stats(); s.Peak > limit || s.OnDisk != s.Peak || len(extents) < 8 {
		t.Errorf("stats %+v, %d extents", s, len(extents))
	}
	for range 200 { // in a ring
		d.Release(extents[0])
		got, err := f.Append(tab.schema, tab.batches...)
		if err != nil {
			t.Fatal(err)
		}
		extents = append(extents[1:], got)
	}
	for _, x := range extents {
		readAll(t, d, tab.schema, []Extent{x}, tab.batches)
	}
	d.Release(extents...)
	if s := d.Stats(); s.OnDisk != 0 || s.Peak > limit {
		t.Errorf("stats %+v", s)
	}
	if got, err := f.Append(tab.schema, tab.batches...); err != nil || got.offset != 0 {
		t.Errorf("a file without extents is not empty: %v, at %d", err, got.offset)
	}
}

// unpunched is a file system that cannot give parts of files back.
type unpunched struct{ osFS }

type wholeHandle struct{ Handle }

func (wholeHandle) Punch(int64, int64) error { return errNoPunch }

func (u unpunched) Create(path string) (Handle, bool, error) {
	h, named, err := u.osFS.Create(path)
	return wholeHandle{h}, named, err
}

func TestReleaseOfWholeFiles(t *testing.T) {
	d := Open(Config{Dirs: []string{t.TempDir()}, FS: unpunched{}})
	defer func() { _ = d.Close() }()
	tab := numbers(1000)
	f := d.File()
	a, _ := f.Append(tab.schema, tab.batches...)
	b, _ := f.Append(tab.schema, tab.batches...)
	before := d.Stats().OnDisk
	d.Release(a)
	if d.Stats().OnDisk != before {
		t.Error("space counts as free that is not")
	}
	d.Release(b)
	if d.Stats().OnDisk != 0 {
		t.Error("an empty file takes space")
	}
}

// mount makes a small file system, or skips the test.
func mount(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := mountTemp(dir, size); err != nil {
		t.Skipf("a file system of its own is needed: %v", err)
	}
	t.Cleanup(func() {
		if err := unmountTemp(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisk fills a file system.
func TestFullDisk(t *testing.T) {
	small := mount(t, 512<<10)
	tab := numbers(2000)
	d := Open(Config{Dirs: []string{small}})
	f := d.File()
	var extents []Extent
	var err error
	for err == nil && len(extents) < 100 {
		var e Extent
		if e, err = f.Append(tab.schema, tab.batches...); err == nil {
			extents = append(extents, e)
		}
	}
	var e *Error
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &e) || !e.Full() || e.Dir != small || e.Free < 0 || e.Free >= e.Bytes {
		t.Fatalf("a full disk gave %v", err)
	}
	t.Log(err)
	for range 200 { // what is given back is there again
		d.Release(extents[0])
		got, err := f.Append(tab.schema, tab.batches...)
		if err != nil {
			t.Fatal(err)
		}
		extents = append(extents[1:], got)
	}
	for _, x := range extents {
		readAll(t, d, tab.schema, []Extent{x}, tab.batches)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	empty(t, small)
	if free := (osFS{}).Free(small); free < 500<<10 {
		t.Errorf("only %d bytes are free again", free)
	}

	large := t.TempDir()
	d = Open(Config{Dirs: []string{small, large}})
	f = d.File()
	extents = nil
	for range 100 {
		e, err := f.Append(tab.schema, tab.batches...)
		if err != nil {
			t.Fatal(err)
		}
		extents = append(extents, e)
	}
	readAll(t, d, tab.schema, extents[:1], tab.batches)
	readAll(t, d, tab.schema, extents[99:], tab.batches)
	if s := d.Stats(); s.Files != 2 || extents[0].segment.path != small || extents[99].segment.path != large {
		t.Errorf("the second directory did not take over: %+v", s)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestBothFull names all directories that were tried, and why each failed.
func TestBothFull(t *testing.T) {
	temps := []string{t.TempDir(), t.TempDir()}
	tab := numbers(100)
	d := Open(Config{Dirs: temps, FS: &faultFS{fault: fault{"", syscall.ENOSPC, 1 << 30}, only: "write"}})
	_, err := d.File().Append(tab.schema, tab.batches...)
	if want := temps[0] + ", " + temps[1] + ": no space left on device (0 B on disk, "; !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	_ = d.Close()
	d = Open(Config{Dirs: []string{temps[0], "/nowhere"}, FS: &faultFS{fault: fault{"", syscall.ENOSPC, 1 << 30}, only: "write"}})
	_, err = d.File().Append(tab.schema, tab.batches...)
	if want := temps[0] + ", /nowhere: no space left on device, and no such file or directory ("; !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	_ = d.Close()
	for _, dir := range temps {
		empty(t, dir)
	}
}

// TestConcurrently has workers that write, read each other's extents and give
// them back.
func TestConcurrently(t *testing.T) {
	d := Open(Config{Dirs: []string{t.TempDir(), t.TempDir()}})
	tab := makeTable(9, types[:4], 200, 10)
	extents := make(chan Extent, 64)
	var writers, readers sync.WaitGroup
	for range 4 {
		f := d.File()
		writers.Go(func() {
			for range 100 {
				e, err := f.Append(tab.schema, tab.batches...)
				if err != nil {
					t.Error(err)
					return
				}
				extents <- e
			}
		})
		readers.Go(func() {
			for e := range extents {
				r := d.Reader(tab.schema, []Extent{e})
				for range 2 {
					if _, err := r.Next(context.Background()); err != nil {
						t.Error(err)
					}
				}
				if _, err := r.Next(context.Background()); err != io.EOF {
					t.Error(err)
				}
				_ = r.Close()
				d.Release(e)
			}
		})
	}
	writers.Wait()
	close(extents)
	readers.Wait()
	if s := d.Stats(); s.OnDisk != 0 || s.Extents != 400 || s.Read != s.Written {
		t.Errorf("stats %+v", s)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseWhileInUse ends workers with an error, and leaves nothing.
func TestCloseWhileInUse(t *testing.T) {
	temp := t.TempDir()
	for range 20 {
		d := Open(Config{Dirs: []string{temp}})
		tab := makeTable(9, types[:4], 200)
		var wg sync.WaitGroup
		started := make(chan bool, 4)
		for range 4 {
			wg.Go(func() {
				f := d.File()
				for {
					e, err := f.Append(tab.schema, tab.batches...)
					if err == nil {
						r := d.Reader(tab.schema, []Extent{e})
						_, err = r.Next(context.Background())
						_ = r.Close()
					}
					select {
					case started <- true:
					default:
					}
					if err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		<-started
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		empty(t, temp)
		if s := d.Stats(); s.OnDisk != 0 {
			t.Errorf("stats %+v", s)
		}
	}
}

// raw returns the bytes of an extent.
func raw(t *testing.T, e Extent) []byte {
	t.Helper()
	p := make([]byte, e.Bytes)
	if err := readAt(e.segment.handle, p, e.offset); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDamage changes every byte of an extent on disk, and cuts it.
func TestDamage(t *testing.T) {
	d := Open(Config{Dirs: []string{t.TempDir()}})
	defer func() { _ = d.Close() }()
	tab := makeTable(5, types[:2], 40, 10)
	e, err := d.File().Append(tab.schema, tab.batches...)
	if err != nil {
		t.Fatal(err)
	}
	good := raw(t, e)
	damaged := func(what string) {
		t.Helper()
		r := d.Reader(tab.schema, []Extent{e})
		_, err := r.Next(context.Background())
		var known *Error
		if !errors.Is(err, ErrDamaged) || !errors.As(err, &known) || known.Op != "read" {
			t.Errorf("%s: %v", what, err)
		}
		if _, again := r.Next(context.Background()); again != err {
			t.Errorf("%s: then %v", what, again)
		}
		_ = r.Close()
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= byte(1 + rnd.IntN(255))
		if _, err := e.segment.handle.WriteAt(bad, e.offset); err != nil {
			t.Fatal(err)
		}
		damaged(fmt.Sprintf("byte %d", i))
	}
	if err := e.segment.handle.Truncate(e.Bytes - 1); err != nil {
		t.Fatal(err)
	}
	damaged("cut")
	if _, err := e.segment.handle.WriteAt(good, e.offset); err != nil {
		t.Fatal(err)
	}
	readAll(t, d, tab.schema, []Extent{e}, tab.batches)
	other := arrow.NewSchema([]arrow.Field{tab.schema.Field(0)}, nil)
	r := d.Reader(other, []Extent{e})
	if _, err := r.Next(context.Background()); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "schema") {
		t.Errorf("another schema gave %v", err)
	}
	d.Release(e)
	damaged("given back")
}
