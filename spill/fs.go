package spill

import "io"

// FS is what a Dir asks of the operating system. Tests put failing ones in its
// place. All methods may be called by several goroutines.
type FS interface {
	// Create makes the file path, which must not be there, for reading and
	// writing. named is false if the file has no name or loses it by itself
	// when it is closed or its process ends; otherwise the file is locked as
	// long as it is open, where the system has locks.
	Create(path string) (h Handle, named bool, err error)
	// Remove removes the name of a file, which may be open.
	Remove(path string) error
	// Sweep removes the files in dir whose names begin with prefix and which
	// no living process has locked. What it cannot remove it leaves.
	Sweep(dir, prefix string)
	// Free returns how many bytes can still be written in dir, or -1 if that
	// is not known.
	Free(dir string) int64
}

// Handle is an open file of an FS.
type Handle interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Truncate sets the size of the file.
	Truncate(size int64) error
	// Punch gives the space of n bytes from off on back to the file system;
	// they read as zeros afterwards. An error means that nothing has changed.
	Punch(off, n int64) error
}
