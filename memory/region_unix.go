//go:build unix && !race

package memory

import "syscall"

// mapBytes returns n bytes of zeroed address space, or nil if the system
// refuses.
func mapBytes(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|noReserve)
	if err != nil {
		return nil
	}
	adviseHuge(b)
	return b
}

// unmapBytes gives a mapping back. syscall.Mmap knows it by its last byte.
func unmapBytes(b []byte) {
	if err := syscall.Munmap(b[:cap(b)]); err != nil {
		panic("BUG: unmapping memory: " + err.Error())
	}
}
