package colagg

import "os"

func physicalMemory() int64 {
	info, err := os.ReadFile("/proc/meminfo")
	if n := memTotal(info); err == nil && n > 0 {
		return n
	}
	return unknownMemory
}
