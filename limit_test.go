package colagg

import (
	"runtime/debug"
	"testing"
)

// However little there is, the limit is not 0, which would be none.
func TestLeastMemoryLimit(t *testing.T) {
	all := defaultMemoryLimit()
	before := debug.SetMemoryLimit(1)
	least := defaultMemoryLimit()
	debug.SetMemoryLimit(before)
	if least != 1 || all <= 1 {
		t.Errorf("limits %d and %d", least, all)
	}
}
