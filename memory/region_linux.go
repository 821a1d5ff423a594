//go:build !race

package memory

import "syscall"

// noReserve keeps pages that are only reserved out of what the kernel counts
// as promised.
const noReserve = syscall.MAP_NORESERVE

// adviseHuge asks for huge pages, where the system leaves that to the program:
// with 1M groups at random, an eighth of the time is page walks. It is only
// advice, so its failure does not matter.
func adviseHuge(b []byte) { _ = syscall.Madvise(b, madvHugepage) }

// madvHugepage is MADV_HUGEPAGE, which package syscall lacks on some
// architectures.
const madvHugepage = 14
