//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package spill

import (
	"os"
	"syscall"
)

// lock marks f as in use until it is closed, by its process's end too. On file
// systems without locks nothing is marked and nothing is swept.
func lock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// sweep removes the file path if no process has it locked.
func sweep(path string) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		_ = os.Remove(path)
	}
}
