package spill

import (
	"os"
	"path/filepath"
	"syscall"
)

// Flags of open and fallocate that package syscall lacks. O_TMPFILE holds the
// bit of O_DIRECTORY, which is not the same on all architectures.
const (
	tmpFile   = 0o20000000 | syscall.O_DIRECTORY
	keepSize  = 1
	punchHole = 2
)

// create makes a file without a name where the file system can, so that there
// is no moment at which a killed process leaves it behind.
func create(path string) (f *os.File, named bool, err error) {
	if f, err = os.OpenFile(filepath.Dir(path), os.O_RDWR|os.O_EXCL|tmpFile, 0o600); err == nil {
		return f, false, nil
	}
	if f, err = createNamed(path); err == nil {
		lock(f)
	}
	return f, true, err
}

func punch(f *os.File, off, n int64) error {
	for {
		err := syscall.Fallocate(int(f.Fd()), keepSize|punchHole, off, n)
		if err != syscall.EINTR {
			return err
		}
	}
}

func free(dir string) int64 {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return -1
	}
	return int64(st.Bavail) * int64(st.Bsize)
}
