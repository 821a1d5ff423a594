package operators

import "github.com/colagg/colagg/vector"

// Selector finds the rows of batches that count; it belongs to one goroutine.
type Selector interface {
	// Select returns, in rising order, those rows of b that count; the memory is
	// the Selector's until the next call. The columns that it does not look at
	// may be nil.
	Select(b *vector.Batch) ([]uint32, error)
	// Close gives its memory back.
	Close()
}
