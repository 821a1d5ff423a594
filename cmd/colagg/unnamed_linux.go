package main

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// createUnnamed begins a file in dir that has no name yet, so that nothing is
// left of it when the program is killed. Not every file system has such files;
// and without /proc they could not be named later.
func createUnnamed(dir string, perm fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDWR|unix.O_TMPFILE, perm)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(unnamedPath(f)); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// unnamedPath is where a file without a name can be opened again.
func unnamedPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// nameFile gives a file without a name one that is not taken.
func nameFile(f *os.File, path string) error {
	if err := unix.Linkat(unix.AT_FDCWD, unnamedPath(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: path, Err: err}
	}
	return nil
}
