package spill

import (
	"errors"
	"io"
	"io/fs"
	"sync"
)

// block is what the space of an extent is rounded up to: that of the usual
// file systems, so that it can be given back as a whole.
const block = 4 << 10

// blocks rounds n up to whole blocks.
func blocks(n int64) int64 { return (n + block - 1) / block * block }

// segment is one file of the operating system. One File writes to it; all
// goroutines may read it and give space back.
type segment struct {
	dir    *Dir
	path   string // the directory
	handle Handle

	mu     sync.Mutex
	name   string // of the file, while it has one
	closed bool
	end    int64 // where the next extent goes
	live   int64 // bytes of extents that are not given back
	disk   int64 // bytes on disk that Dir counts
}

// write puts p in the file and returns its position, or leaves things as they
// were.
func (s *segment) write(p []byte) (int64, error) {
	n := blocks(int64(len(p)))
	if err := s.dir.take(n); err != nil {
		return 0, err
	}
	s.mu.Lock()
	off := s.end
	s.end += n
	s.live += n
	s.disk += n
	s.mu.Unlock()
	err := writeAt(s.handle, p, off)
	if err == nil {
		return off, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live -= n
	s.end = off
	// What was written of it may be what fills the disk. If even that fails,
	// the next extent comes to lie over it.
	_ = s.truncate(off)
	s.disk -= n
	s.dir.give(n)
	s.empty()
	return 0, err
}

// empty gives all space back when nothing in the file is wanted any more, and
// reports whether it did. s.mu is held.
func (s *segment) empty() bool {
	if s.live != 0 || s.disk == 0 || s.truncate(0) != nil {
		return false
	}
	s.dir.give(s.disk)
	s.end, s.disk = 0, 0
	return true
}

// release gives the space of n bytes at off back: those alone where the file
// system can, and the whole file when nothing in it is wanted any more.
func (s *segment) release(off, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.live -= n
	if !s.empty() && patiently(func() error { return s.handle.Punch(off, n) }) == nil {
		s.dir.give(n)
		s.disk -= n
	}
}

func (s *segment) truncate(size int64) error {
	return patiently(func() error { return s.handle.Truncate(size) })
}

// unlink removes the name of the file, if it has one.
func (s *segment) unlink() error {
	if s.name == "" {
		return nil
	}
	err := patiently(func() error { return s.dir.fs.Remove(s.name) })
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		s.name = ""
		return nil
	}
	return err
}

// close closes and removes the file; it may be called again.
func (s *segment) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		_ = s.handle.Close() // what it says of data that nobody wants does not matter
		s.dir.give(s.disk)
		s.disk = 0
	}
	if err := s.unlink(); err != nil {
		return s.dir.failed("remove", s.path, 0, err)
	}
	return nil
}

// writeAt writes all of p: short writes go on, passing errors are tried again.
func writeAt(w io.WriterAt, p []byte, off int64) error {
	for tries := 0; len(p) > 0; {
		n, err := w.WriteAt(p, off)
		n = max(0, min(n, len(p)))
		p, off = p[n:], off+int64(n)
		if n > 0 {
			tries = 0
		}
		if err != nil && !transient(err) {
			return err
		}
		if tries++; tries > retries {
			if err == nil {
				err = io.ErrShortWrite
			}
			return err
		}
	}
	return nil
}

// readAt fills p as writeAt writes it.
func readAt(r io.ReaderAt, p []byte, off int64) error {
	for tries := 0; len(p) > 0; {
		n, err := r.ReadAt(p, off)
		n = max(0, min(n, len(p)))
		p, off = p[n:], off+int64(n)
		if n > 0 {
			tries = 0
		}
		switch {
		case len(p) == 0:
			return nil
		case err == io.EOF:
			return errShort
		case err != nil && !transient(err):
			return err
		}
		if tries++; tries > retries {
			if err == nil {
				err = io.ErrNoProgress
			}
			return err
		}
	}
	return nil
}
