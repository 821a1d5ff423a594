//go:build !windows

package spill

import "syscall"

// fullErrors are those of a write for which there is no space: on the device,
// in the user's share of it, or in one file.
var fullErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
