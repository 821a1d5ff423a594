//go:build !linux && !darwin

package colagg

func physicalMemory() int64 { return unknownMemory }
