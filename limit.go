package colagg

import (
	"bytes"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/colagg/colagg/memory"
)

// AvailableMemory returns how many bytes of memory this process may use: the
// least of the machine's memory, the limits of its control groups (those of the
// container), and GOMEMLIMIT.
func AvailableMemory() int64 {
	limit := physicalMemory()
	if n := cgroupLimit("/proc/self/cgroup", "/sys/fs/cgroup"); n > 0 {
		limit = min(limit, n)
	}
	if n := debug.SetMemoryLimit(-1); n > 0 && n < math.MaxInt64 {
		limit = min(limit, n)
	}
	return limit
}

// defaultMemoryLimit returns 70 % of the memory that this process may use: the
// rest is for the garbage collector's slack and for everyone else.
func defaultMemoryLimit() int64 { return max(1, AvailableMemory()/10*7) }

// MappedMemory returns how many bytes of tables, of all engines, are in mappings of
// their own. The Go runtime does not count them: a program that sets its limit
// (debug.SetMemoryLimit) takes them off.
func MappedMemory() int64 { return memory.Mapped() }

// unknownMemory stands for the physical memory where the system does not tell.
const unknownMemory = 8 << 30

// memTotal returns the bytes that the text of /proc/meminfo gives as the total,
// or 0.
func memTotal(meminfo []byte) int64 {
	for line := range bytes.Lines(meminfo) {
		f := bytes.Fields(line)
		if len(f) == 3 && string(f[0]) == "MemTotal:" && string(f[2]) == "kB" {
			n, err := strconv.ParseInt(string(f[1]), 10, 64)
			if err == nil && n > 0 && n < math.MaxInt64>>10 {
				return n << 10
			}
		}
	}
	return 0
}

// cgroupLimit returns the tightest memory limit of the control groups listed
// in the file self, or 0 without one. It knows both versions: a group of v2 is
// at root/its path, with limits at every level above; one of v1 at
// root/memory/its path.
func cgroupLimit(self, root string) int64 {
	groups, err := os.ReadFile(self)
	if err != nil {
		return 0
	}
	var limit int64
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		base, name := root, "memory.max"
		if f[1] != "" {
			if !strings.Contains(","+f[1]+",", ",memory,") {
				continue
			}
			base, name = path.Join(root, "memory"), "memory.limit_in_bytes"
		}
		// Inside a container the path may be the host's: then only the
		// directories that exist count, down to the root.
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			if n := readLimit(path.Join(base, dir, name)); n > 0 && (limit == 0 || n < limit) {
				limit = n
			}
			if dir == "/" {
				break
			}
		}
	}
	return limit
}

func readLimit(file string) int64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return 0 // "max"
	}
	return n
}
