//go:build unix && !linux && !race

package memory

const noReserve = 0

func adviseHuge([]byte) {}
