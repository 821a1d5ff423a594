package memory

import "sync/atomic"

// Region is zeroed, pointer-free memory that grows in place. A small one is
// ordinary memory; a large one is a mapping of its own that reserves address
// space beyond its length, so that growing copies nothing, leaves nothing for
// the collector, and takes pages only as they are touched. The zero value is
// empty. A Region is not safe for concurrent use.
type Region struct {
	bytes  []byte // len is the size, cap what is reserved
	mapped bool
}

const (
	// mapFrom is the size from which a region is a mapping.
	mapFrom = 1 << 20
	// reserveFirst is the address space that a mapping takes first.
	reserveFirst = 256 << 20
)

// mappedBytes is the length of all regions that are mappings.
var mappedBytes atomic.Int64

// Mapped returns how many bytes of all regions are in mappings: memory that the Go
// runtime knows nothing of.
func Mapped() int64 { return mappedBytes.Load() }

// resize sets the length to n bytes, which are reserved.
func (r *Region) resize(n int) {
	if r.mapped {
		mappedBytes.Add(int64(n - len(r.bytes)))
	}
	r.bytes = r.bytes[:n]
}

// Grow makes the region n bytes long, if it is shorter, and returns its bytes.
// New bytes are zero. Slices got before become invalid if the region moves.
func (r *Region) Grow(n int) []byte {
	if n <= cap(r.bytes) {
		if n > len(r.bytes) {
			r.resize(n)
		}
		return r.bytes
	}
	next, mapped := newBytes(n, cap(r.bytes))
	copy(next, r.bytes)
	r.Free()
	r.bytes, r.mapped = next[:0], mapped
	r.resize(n)
	return r.bytes
}

func newBytes(n, old int) (b []byte, mapped bool) {
	if n >= mapFrom {
		if m := mapBytes(max(reserveFirst, n, 4*old)); m != nil {
			return m[:n], true
		}
	}
	return make([]byte, n, max(n, 2*old)), false
}

// Fixed makes an empty region exactly n bytes long, without room to grow.
func (r *Region) Fixed(n int) []byte {
	if n >= mapFrom {
		if m := mapBytes(n); m != nil {
			r.bytes, r.mapped = m[:0], true
			r.resize(n)
			return r.bytes
		}
	}
	r.bytes = make([]byte, n)
	return r.bytes
}

// Len returns the size in bytes.
func (r *Region) Len() int { return len(r.bytes) }

// Free gives the memory back; the region is empty then. Using its bytes
// afterwards is a fault.
func (r *Region) Free() {
	if r.mapped {
		unmapBytes(r.bytes)
		r.resize(0)
	}
	*r = Region{}
}
