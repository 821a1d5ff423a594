package spill

import (
	"fmt"
	"syscall"
)

func mountTemp(dir string, size int) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size))
}

func unmountTemp(dir string) error { return syscall.Unmount(dir, 0) }
