//go:build !unix

package memory

func mapBytes(int) []byte { return nil }

func unmapBytes([]byte) {}
