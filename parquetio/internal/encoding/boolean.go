package encoding

import (
	"fmt"

	"github.com/colagg/colagg/vector"
)

// PlainBools decodes BOOLEAN values in encoding PLAIN (0): one bit each, least
// significant first.
type PlainBools struct {
	data []byte
	bit  int
}

// Reset starts on data. It never fails.
func (p *PlainBools) Reset(data []byte) error {
	p.data, p.bit = data, 0
	return nil
}

// Decode sets bits at to at+n of dst to the next n values, or fails. Other
// bits of dst stay.
func (p *PlainBools) Decode(dst vector.Bitmap, at, n int) error {
	from := p.bit
	if err := p.Skip(n); err != nil {
		return err
	}
	copyBits(dst, at, p.data, from, n)
	return nil
}

// Skip passes over n values.
func (p *PlainBools) Skip(n int) error {
	if left := len(p.data)*8 - p.bit; n > left {
		return fmt.Errorf("encoding: %d more booleans at byte %d of %d", n, p.bit/8, len(p.data))
	}
	p.bit += n
	return nil
}

// RLEBools decodes BOOLEAN values in encoding RLE (3).
type RLEBools struct{ levels Levels }

// Reset starts on data, the runs with the four bytes of their length before
// them. Empty data is a page without values.
func (p *RLEBools) Reset(data []byte) error {
	if len(data) == 0 {
		return p.levels.Reset(nil, 1)
	}
	runs, _, err := CutPrefixed(data)
	if err != nil {
		return err
	}
	return p.levels.Reset(runs, 1)
}

// Decode sets bits at to at+n of dst to the next n values, or fails. Other
// bits of dst stay.
func (p *RLEBools) Decode(dst vector.Bitmap, at, n int) error {
	_, err := p.levels.Decode(dst, at, n)
	return err
}

// Skip passes over n values.
func (p *RLEBools) Skip(n int) error { return p.levels.runs.skip(n) }
