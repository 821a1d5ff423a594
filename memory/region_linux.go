package memory

import "syscall"

// noReserve keeps pages that are only reserved out of what the kernel counts
// as promised.
const noReserve = syscall.MAP_NORESERVE
