package spill

import (
	"os"
	"path/filepath"
	"strings"
)

// osFS is the operating system's file system.
type osFS struct{}

// osHandle is an open file of the operating system.
type osHandle struct{ *os.File }

// Punch is part of Handle.
func (h osHandle) Punch(off, n int64) error { return punch(h.File, off, n) }

// Create is part of FS.
func (osFS) Create(path string) (Handle, bool, error) {
	f, named, err := create(path)
	if err != nil {
		return nil, false, err
	}
	return osHandle{f}, named, nil
}

// Remove is part of FS.
func (osFS) Remove(path string) error { return os.Remove(path) }

// Free is part of FS.
func (osFS) Free(dir string) int64 { return free(dir) }

// Sweep is part of FS. A file that its owner has made but not locked yet may
// be removed too, which does not harm the owner: it would have done the same.
func (osFS) Sweep(dir, prefix string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	_ = d.Close()
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			sweep(filepath.Join(dir, name))
		}
	}
}

// createNamed makes a file that others cannot read.
func createNamed(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}
