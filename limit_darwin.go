package colagg

import (
	"encoding/binary"
	"syscall"
)

func physicalMemory() int64 {
	// Sysctl takes the 8 bytes of the number for text and drops a final zero
	// byte.
	s, err := syscall.Sysctl("hw.memsize")
	if err != nil {
		return unknownMemory
	}
	b := make([]byte, 8)
	copy(b, s)
	if n := int64(binary.LittleEndian.Uint64(b)); n > 0 {
		return n
	}
	return unknownMemory
}
