//go:build unix && !linux

package memory

const noReserve = 0

func adviseHuge([]byte) {}
