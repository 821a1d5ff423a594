package encoding

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ByteStreamSplit decodes fixed-width values in Byte Stream Split
// (BYTE_STREAM_SPLIT = 9): the first bytes of all values, then the second
// bytes, and so on.
type ByteStreamSplit struct {
	data  []byte
	width int
	total int // values in the page
	at    int
}

// Reset starts on data, values of width bytes. Its length must be a multiple
// of width.
func (p *ByteStreamSplit) Reset(data []byte, width int) error {
	if width < 1 || len(data)%width != 0 {
		return fmt.Errorf("encoding: %d bytes of split values of %d bytes", len(data), width)
	}
	*p = ByteStreamSplit{data: data, width: width, total: len(data) / width}
	return nil
}

// Len returns how many values are left.
func (p *ByteStreamSplit) Len() int { return p.total - p.at }

// Decode fills dst with the next len(dst)/width values, or fails.
func (p *ByteStreamSplit) Decode(dst []byte) error {
	at, n := p.at, len(dst)/p.width
	if err := p.Skip(n); err != nil {
		return err
	}
	switch p.width {
	case 4:
		p.join4(dst, at, n)
	case 8:
		p.join8(dst, at, n)
	default:
		p.join(dst, at, 0, n)
	}
	return nil
}

// stream returns n bytes of the stream of the values' s-th bytes.
func (p *ByteStreamSplit) stream(s, at, n int) []byte { return p.data[s*p.total+at:][:n] }

// join writes values first to n of those that begin at position at. It does
// so in parts that stay in the cache while all their streams are read.
func (p *ByteStreamSplit) join(dst []byte, at, first, n int) {
	const part = 512
	for ; first < n; first += part {
		k := min(part, n-first)
		for s := range p.width {
			out := first*p.width + s
			for _, b := range p.stream(s, at+first, k) {
				dst[out] = b
				out += p.width
			}
		}
	}
}

// Masks of the bytes and byte pairs that swap leaves where they are.
const (
	oddBytes = 0x00ff00ff00ff00ff
	oddPairs = 0x0000ffff0000ffff
)

// swap exchanges the fields of a outside mask with those of b inside it, which
// lie shift bits lower.
func swap(a, b uint64, shift uint, mask uint64) (uint64, uint64) {
	t := (a>>(shift&63) ^ b) & mask
	return a ^ t<<(shift&63), b ^ t
}

// join4 transposes four streams of eight bytes at a time.
func (p *ByteStreamSplit) join4(dst []byte, at, n int) {
	s0, s1, s2, s3 := p.stream(0, at, n), p.stream(1, at, n), p.stream(2, at, n), p.stream(3, at, n)
	i := 0
	for ; i+8 <= n; i += 8 {
		a, b, c, d := load64(s0, i), load64(s1, i), load64(s2, i), load64(s3, i)
		a, b = swap(a, b, 8, oddBytes)
		c, d = swap(c, d, 8, oddBytes)
		a, c = swap(a, c, 16, oddPairs)
		b, d = swap(b, d, 16, oddPairs)
		o := (*[32]byte)(dst[i*4:])
		binary.LittleEndian.PutUint64(o[0:], a&math.MaxUint32|b<<32)
		binary.LittleEndian.PutUint64(o[8:], c&math.MaxUint32|d<<32)
		binary.LittleEndian.PutUint64(o[16:], a>>32|b&^math.MaxUint32)
		binary.LittleEndian.PutUint64(o[24:], c>>32|d&^math.MaxUint32)
	}
	p.join(dst, at, i, n)
}

// join8 transposes eight streams of eight bytes at a time.
func (p *ByteStreamSplit) join8(dst []byte, at, n int) {
	var s [8][]byte
	for k := range s {
		s[k] = p.stream(k, at, n)
	}
	i := 0
	for ; i+8 <= n; i += 8 {
		a, b, c, d := load64(s[0], i), load64(s[1], i), load64(s[2], i), load64(s[3], i)
		e, f, g, h := load64(s[4], i), load64(s[5], i), load64(s[6], i), load64(s[7], i)
		a, b = swap(a, b, 8, oddBytes)
		c, d = swap(c, d, 8, oddBytes)
		e, f = swap(e, f, 8, oddBytes)
		g, h = swap(g, h, 8, oddBytes)
		a, c = swap(a, c, 16, oddPairs)
		b, d = swap(b, d, 16, oddPairs)
		e, g = swap(e, g, 16, oddPairs)
		f, h = swap(f, h, 16, oddPairs)
		o := (*[64]byte)(dst[i*8:])
		binary.LittleEndian.PutUint64(o[0:], a&math.MaxUint32|e<<32)
		binary.LittleEndian.PutUint64(o[8:], b&math.MaxUint32|f<<32)
		binary.LittleEndian.PutUint64(o[16:], c&math.MaxUint32|g<<32)
		binary.LittleEndian.PutUint64(o[24:], d&math.MaxUint32|h<<32)
		binary.LittleEndian.PutUint64(o[32:], a>>32|e&^math.MaxUint32)
		binary.LittleEndian.PutUint64(o[40:], b>>32|f&^math.MaxUint32)
		binary.LittleEndian.PutUint64(o[48:], c>>32|g&^math.MaxUint32)
		binary.LittleEndian.PutUint64(o[56:], d>>32|h&^math.MaxUint32)
	}
	p.join(dst, at, i, n)
}

// Skip passes over n values.
func (p *ByteStreamSplit) Skip(n int) error {
	if n > p.Len() {
		return fmt.Errorf("encoding: %d more split values of %d bytes after %d of %d", n, p.width, p.at, p.total)
	}
	p.at += n
	return nil
}
