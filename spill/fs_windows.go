package spill

import (
	"os"
	"syscall"
)

// Attributes of CreateFile that package syscall lacks.
const (
	attributeTemporary = 0x100
	deleteOnClose      = 0x04000000
	shareDelete        = 4
)

// create makes a file that the system deletes when its last handle is closed,
// by the process's end too.
func create(path string) (*os.File, bool, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE,
		syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|shareDelete, nil,
		syscall.CREATE_NEW, attributeTemporary|deleteOnClose, 0)
	if err != nil {
		return nil, false, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), false, nil
}

func sweep(string) {}

func punch(*os.File, int64, int64) error { return errNoPunch }

func free(string) int64 { return -1 }

// fullErrors are ERROR_DISK_FULL, ERROR_HANDLE_DISK_FULL and
// ERROR_DISK_QUOTA_EXCEEDED, beside what Go makes up for Windows.
var fullErrors = []error{syscall.Errno(112), syscall.Errno(39), syscall.Errno(1295), syscall.ENOSPC, syscall.EDQUOT}
