//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakResident is the most resident memory that a process that has ended had,
// in bytes.
func peakResident(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return -1
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}
