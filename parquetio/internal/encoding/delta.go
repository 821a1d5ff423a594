package encoding

import "fmt"

// Bounds on the header of a DELTA_BINARY_PACKED page. The format wants blocks
// of a multiple of 128 values and miniblocks of a multiple of 32; some writers
// have smaller miniblocks.
const (
	blockUnit     = 128
	maxBlock      = 1 << 16
	miniblockUnit = 8
)

// Delta decodes INT32 and INT64 values in Delta Encoding
// (DELTA_BINARY_PACKED = 5). Arithmetic wraps around, so differences of INT32
// values may have more than 32 bits, as some writers have them.
type Delta[T int32 | int64] struct {
	data   []byte
	pos    int
	left   int // values not yet given
	fresh  bool
	value  T // the first value while fresh, else the last one given
	size   int
	minis  int
	widths []byte // of the block's miniblocks to come
	min    T
	mini   int // values left in the current miniblock
	bit    int
	width  uint

	small [128]uint32 // differences of the current miniblock, of up to 32 bits
	large [32]uint64  // and of more
}

// Reset reads the header. Empty data is a page without values.
func (d *Delta[T]) Reset(data []byte) error {
	*d = Delta[T]{data: data}
	if len(data) == 0 {
		return nil
	}
	block, pos, err := uvarint(data, 0)
	if err != nil {
		return err
	}
	minis, pos, err := uvarint(data, pos)
	if err != nil {
		return err
	}
	count, pos, err := uvarint(data, pos)
	if err != nil {
		return err
	}
	first, pos, err := zigzag(data, pos)
	if err != nil {
		return err
	}
	if block == 0 || block > maxBlock || block%blockUnit != 0 {
		return fmt.Errorf("encoding: delta blocks of %d values", block)
	}
	if minis == 0 || block%minis != 0 || block/minis%miniblockUnit != 0 {
		return fmt.Errorf("encoding: delta blocks of %d values in %d miniblocks", block, minis)
	}
	if count > 1<<31-1 {
		return fmt.Errorf("encoding: page of %d delta values", count)
	}
	d.pos, d.left, d.fresh, d.value = pos, int(count), true, T(first)
	d.size, d.minis = int(block/minis), int(minis)
	return nil
}

// Len returns how many values are left, by the page's own header. Blocks may
// turn out to be missing.
func (d *Delta[T]) Len() int { return d.left }

// Decode fills dst with the next len(dst) values, or fails.
func (d *Delta[T]) Decode(dst []T) error {
	if len(dst) > d.left {
		return tooMany(len(dst), d.left)
	}
	if d.fresh && len(dst) > 0 {
		dst[0] = d.value
		dst = dst[1:]
		d.fresh = false
		d.left--
	}
	for len(dst) > 0 {
		if d.mini == 0 {
			if err := d.next(); err != nil {
				return err
			}
		}
		k := min(d.mini, len(dst))
		d.value = d.sum(dst[:k])
		d.bit += k * int(d.width)
		d.mini -= k
		d.left -= k
		dst = dst[k:]
	}
	return nil
}

// sum fills dst with values of the current miniblock and returns the last.
func (d *Delta[T]) sum(dst []T) T {
	v, bit := d.value, d.bit
	small, large := &d.small, &d.large
	for len(dst) > 0 {
		var k int
		switch {
		case d.width == 0:
			k = len(dst)
			for i := range dst {
				v += d.min
				dst[i] = v
			}
		case d.width <= 32:
			k = min(len(dst), len(small))
			unpack32(small[:k], d.data, bit, d.width)
			v = add(dst[:k], small[:k], v, d.min)
		default:
			k = min(len(dst), len(large))
			unpack64(large[:k], d.data, bit, d.width)
			v = add(dst[:k], large[:k], v, d.min)
		}
		bit += k * int(d.width)
		dst = dst[k:]
	}
	return v
}

// add fills dst with v plus the running sum of the differences, each of which
// is over the lowest.
func add[T int32 | int64, U uint32 | uint64](dst []T, diffs []U, v, lowest T) T {
	for i, x := range diffs[:len(dst)] {
		v += lowest + T(x)
		dst[i] = v
	}
	return v
}

// next begins a miniblock, and a block if need be.
func (d *Delta[T]) next() error {
	if len(d.widths) == 0 {
		lowest, pos, err := zigzag(d.data, d.pos)
		if err != nil {
			return err
		}
		if len(d.data)-pos < d.minis {
			return fmt.Errorf("encoding: delta block at byte %d is cut short", d.pos)
		}
		d.min, d.widths, d.pos = T(lowest), d.data[pos:pos+d.minis], pos+d.minis
	}
	d.width = uint(d.widths[0])
	d.widths = d.widths[1:]
	if d.width > 64 {
		return fmt.Errorf("encoding: delta miniblock at byte %d with values of %d bits", d.pos, d.width)
	}
	need := min(d.size, d.left)
	room := len(d.data) - d.pos
	if (need*int(d.width)+7)/8 > room {
		return fmt.Errorf("encoding: delta miniblock at byte %d is cut short", d.pos)
	}
	d.bit, d.mini = d.pos*8, need
	d.pos += min(d.size*int(d.width)/8, room)
	return nil
}

// Skip passes over n values.
func (d *Delta[T]) Skip(n int) error {
	var scratch [256]T
	for n > 0 {
		k := min(n, len(scratch))
		if err := d.Decode(scratch[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}
