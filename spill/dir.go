package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
)

// Config says where a Dir puts its data and how much of it.
type Config struct {
	// Dirs are the directories to use, which must be there when something is
	// written. Files take turns in them. Empty means os.TempDir().
	Dirs []string
	// MaxBytes is the most bytes on disk at once, in whole blocks of 4 KiB for
	// each extent; 0 means no limit.
	MaxBytes int64
	// Budget is what buffers for writing and reading are held by; nil means no
	// limit.
	Budget *memory.Budget
	// FS does the work; nil means the operating system's.
	FS FS
}

// Dir is the temporary space of one query. Its methods may be called by
// several goroutines.
type Dir struct {
	dirs   []string
	quota  int64
	budget *memory.Budget
	fs     FS

	onDisk, peak, written, read, extents atomic.Int64

	mu       sync.Mutex
	closed   bool
	files    []*File
	segments []*segment
	swept    []bool // of dirs
}

// Stats are the figures of a Dir so far.
type Stats struct {
	Written int64 // bytes of extents written
	Read    int64 // bytes of extents read, again for each time
	Extents int64 // extents written
	Files   int   // files of the operating system that were made
	OnDisk  int64 // bytes on disk now, in blocks
	Peak    int64 // most bytes on disk at once, in blocks
}

// Open returns a Dir, which has done nothing yet. The caller closes it.
func Open(cfg Config) *Dir {
	d := &Dir{dirs: cfg.Dirs, quota: cfg.MaxBytes, budget: cfg.Budget, fs: cfg.FS}
	if len(d.dirs) == 0 {
		d.dirs = []string{os.TempDir()}
	}
	if d.budget == nil {
		d.budget = memory.NewBudget(0)
	}
	if d.fs == nil {
		d.fs = osFS{}
	}
	d.swept = make([]bool, len(d.dirs))
	return d
}

// File returns a new File, for one worker. Nothing is made on disk before its
// first Append. It lives as long as the Dir.
func (d *Dir) File() *File {
	f := &File{dir: d}
	f.mem.account = d.budget.SmallAccount("temporary data")
	d.mu.Lock()
	defer d.mu.Unlock()
	f.at = len(d.files) % len(d.dirs)
	f.closed = d.closed
	d.files = append(d.files, f)
	f.segments = make([]*segment, len(d.dirs))
	return f
}

// Reader returns a reader of extents, in their order; schema is the one that
// they were written with. Extents may be of any Files of d. The caller closes
// the reader, and may have several.
func (d *Dir) Reader(schema *arrow.Schema, extents []Extent) *Reader {
	r := &Reader{dir: d, schema: schema, extents: extents}
	r.mem.account = d.budget.SmallAccount("temporary data")
	return r
}

// Release gives the disk space of extents back that will not be read any more.
// Each may be given back once; reading it afterwards is an error.
func (d *Dir) Release(extents ...Extent) {
	for _, e := range extents {
		if e.segment != nil {
			e.segment.release(e.offset, blocks(e.Bytes))
		}
	}
}

// Stats returns the figures so far.
func (d *Dir) Stats() Stats {
	s := Stats{
		Written: d.written.Load(),
		Read:    d.read.Load(),
		Extents: d.extents.Load(),
		OnDisk:  d.onDisk.Load(),
		Peak:    d.peak.Load(),
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.Files = len(d.segments)
	return s
}

// Close removes everything from disk and gives the memory of all Files back.
// Whatever uses d afterwards fails with ErrClosed. It may be called again, and
// returns an *Error for each file that could not be removed.
func (d *Dir) Close() error {
	d.mu.Lock()
	d.closed = true
	files, segments := d.files, d.segments
	d.files = nil
	d.mu.Unlock()
	for _, f := range files {
		f.close()
	}
	var errs []error
	for _, s := range segments {
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

// prefix begins the names of all temporary files.
const prefix = "colagg-spill-"

// create makes a file in the k-th directory.
func (d *Dir) create(k int) (*segment, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	dir := d.dirs[k]
	if !d.swept[k] {
		d.swept[k] = true
		d.fs.Sweep(dir, prefix)
	}
	s := &segment{dir: d, path: dir}
	err := patiently(func() error {
		path := filepath.Join(dir, fmt.Sprintf("%s%016x", prefix, rand.Uint64()))
		h, named, err := d.fs.Create(path)
		if err != nil {
			return err
		}
		s.handle = h
		if named {
			s.name = path
		}
		return nil
	})
	if err != nil {
		return nil, d.failed("create", dir, 0, err)
	}
	// Where an open file keeps its name, it is removed when it is closed.
	_ = s.unlink()
	d.segments = append(d.segments, s)
	return s, nil
}

// take counts n bytes more on disk, or returns ErrQuota.
func (d *Dir) take(n int64) error {
	for {
		now := d.onDisk.Load()
		if d.quota > 0 && n > d.quota-now {
			return ErrQuota
		}
		if d.onDisk.CompareAndSwap(now, now+n) {
			break
		}
	}
	now := d.onDisk.Load()
	for p := d.peak.Load(); now > p && !d.peak.CompareAndSwap(p, now); p = d.peak.Load() {
	}
	return nil
}

func (d *Dir) give(n int64) { d.onDisk.Add(-n) }

// failed makes an *Error of what happened in dir.
func (d *Dir) failed(op, dir string, bytes int64, err error) error {
	free := int64(-1)
	if op == "write" || full(err) {
		last := dir
		if i := strings.LastIndex(dir, ", "); i >= 0 {
			last = dir[i+2:]
		}
		free = d.fs.Free(last)
	}
	return &Error{Op: op, Dir: dir, Bytes: bytes, OnDisk: d.onDisk.Load(), Free: free, Quota: d.quota, Err: bare(err)}
}

// retries is how often a call is made again after a passing error.
const retries = 10

// patiently calls f again while its error is a passing one.
func patiently(f func() error) error {
	var err error
	for range retries {
		if err = f(); err == nil || !transient(err) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

// Check makes a file in dir, as a Dir does, and removes it again. The error is
// that of a Dir's first write there.
func Check(dir string) error {
	d := Open(Config{Dirs: []string{dir}})
	_, err := d.create(0)
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}
