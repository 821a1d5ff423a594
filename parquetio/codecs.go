package parquetio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// codecs decompresses pages for one stream. Its parts are made when first
// needed and are reused.
type codecs struct {
	mem    *spender // of the column whose page is decompressed
	zstd   *zstd.Decoder
	gzip   *gzip.Reader
	brotli *brotli.Reader
	lz4    *lz4.Reader
	src    bytes.Reader
}

// The most bytes that one compressed byte can stand for. A page that claims
// more is refused before memory is allocated for it.
const (
	ratioSnappy = 32  // a copy of 64 bytes takes 3
	ratioLZ4    = 256 // a length byte adds 255
)

// firstGuess is what is allocated at first for a page whose size its header
// tells and its compressed size does not make likely.
const firstGuess = 1 << 20

var (
	errRatio = errors.New("a page claims more bytes than its compressed size can hold")
	errSize  = errors.New("a page's decompressed size is not what its header says")
)

// unpack decompresses src, which must give n bytes exactly, into dst's memory
// if that is large enough; else mem allocates. The result of codecNone is src
// itself.
func (c *codecs) unpack(mem *spender, codec int8, dst, src []byte, n int) ([]byte, error) {
	c.mem = mem
	if codec == codecNone {
		if len(src) != n {
			return nil, errSize
		}
		return src, nil
	}
	if n == 0 {
		return dst[:0], nil
	}
	out, err := c.decode(codec, dst, src, n)
	if err == nil && len(out) != n {
		err = errSize
	}
	if err != nil {
		return nil, fmt.Errorf("decompressing a page (%s): %w", codecName(codec), err)
	}
	return out, nil
}

func (c *codecs) decode(codec int8, dst, src []byte, n int) ([]byte, error) {
	switch codec {
	case codecSnappy:
		return c.unpackSnappy(dst, src, n)
	case codecGzip:
		return c.unpackGzip(dst, src, n)
	case codecBrotli:
		c.src.Reset(src)
		if c.brotli == nil {
			c.brotli = brotli.NewReader(&c.src)
		} else if err := c.brotli.Reset(&c.src); err != nil {
			return nil, err
		}
		return c.readAll(dst, c.brotli, n, len(src))
	case codecZstd:
		return c.unpackZstd(dst, src, n)
	case codecLZ4Raw:
		return c.unpackLZ4Block(dst, src, n)
	case codecLZ4:
		return c.unpackLZ4(dst, src, n)
	}
	return nil, errors.New("not supported")
}

// unpackSnappy uses golang/snappy: on pages of 64-bit integers it gave 1.82 and
// 4.10 GB/s (hard and easy to compress) where klauspost/compress/s2 gave 1.79
// and 3.72.
func (c *codecs) unpackSnappy(dst, src []byte, n int) ([]byte, error) {
	if n > ratioSnappy*len(src) {
		return nil, errRatio
	}
	size, err := snappy.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	if size != n {
		return nil, errSize
	}
	if dst, err = c.mem.grow(dst, n); err != nil {
		return nil, err
	}
	return snappy.Decode(dst, src)
}

// unpackGzip reads all members of src: some writers concatenate several.
func (c *codecs) unpackGzip(dst, src []byte, n int) (_ []byte, err error) {
	c.src.Reset(src)
	if c.gzip == nil {
		c.gzip, err = gzip.NewReader(&c.src)
	} else {
		err = c.gzip.Reset(&c.src)
	}
	if err != nil {
		c.gzip = nil
		return nil, err
	}
	return c.readAll(dst, c.gzip, n, len(src))
}

// readAll reads n bytes, after which r must be at its end. The buffer grows
// with what really comes out.
func (c *codecs) readAll(dst []byte, r io.Reader, n, packed int) (_ []byte, err error) {
	size := min(n, max(firstGuess, 64*packed))
	if dst, err = c.mem.grow(dst, size); err != nil {
		return nil, err
	}
	for at := 0; ; {
		k, err := io.ReadFull(r, dst[at:])
		if at += k; err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, errSize
		}
		if err != nil {
			return nil, err
		}
		if at == n {
			break
		}
		if dst, err = c.mem.extend(dst, min(n, max(2*len(dst), cap(dst)))); err != nil {
			return nil, err
		}
	}
	var one [1]byte
	if k, err := r.Read(one[:]); k > 0 {
		return nil, errSize
	} else if err != nil && err != io.EOF {
		return nil, err
	}
	return dst, nil
}

func (c *codecs) unpackZstd(dst, src []byte, n int) (_ []byte, err error) {
	if c.zstd == nil {
		c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
	}
	for size := min(n, max(firstGuess, 256*len(src))); ; size = min(n, 8*size) {
		if dst, err = c.mem.grow(dst, size); err != nil {
			return nil, err
		}
		out, err := c.zstd.DecodeAll(src, dst[:0:size])
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) && size < n {
			continue
		}
		return out, err
	}
}

func (c *codecs) unpackLZ4Block(dst, src []byte, n int) (_ []byte, err error) {
	if n > ratioLZ4*len(src) {
		return nil, errRatio
	}
	if dst, err = c.mem.grow(dst, n); err != nil {
		return nil, err
	}
	k, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return nil, err
	}
	return dst[:k], nil
}

// lz4FrameMagic begins a frame of the LZ4 frame format.
const lz4FrameMagic = 0x184D2204

// unpackLZ4 reads what codec LZ4, which the format never defined, holds in
// practice: Hadoop's blocks, a bare block, or a frame.
func (c *codecs) unpackLZ4(dst, src []byte, n int) ([]byte, error) {
	if len(src) >= 4 && leUint32(src) == lz4FrameMagic {
		c.src.Reset(src)
		if c.lz4 == nil {
			c.lz4 = lz4.NewReader(&c.src)
		} else {
			c.lz4.Reset(&c.src)
		}
		return c.readAll(dst, c.lz4, n, len(src))
	}
	if n > ratioLZ4*len(src) {
		return nil, errRatio
	}
	dst, err := c.mem.grow(dst, n)
	if err != nil {
		return nil, err
	}
	if hadoopLZ4(dst, src) {
		return dst, nil
	}
	return c.unpackLZ4Block(dst, src, n)
}

// hadoopLZ4 reads Hadoop's framing: for each block its size, and then pieces
// with their compressed size until the block is full; sizes are big-endian.
func hadoopLZ4(dst, src []byte) bool {
	at := 0
	for len(src) > 0 {
		if len(src) < 4 {
			return false
		}
		block := uint64(binary.BigEndian.Uint32(src))
		src = src[4:]
		if block > uint64(len(dst)-at) {
			return false
		}
		for end := at + int(block); at < end; {
			if len(src) < 4 {
				return false
			}
			size := uint64(binary.BigEndian.Uint32(src))
			src = src[4:]
			if size == 0 || size > uint64(len(src)) {
				return false
			}
			k, err := lz4.UncompressBlock(src[:size], dst[at:end])
			if err != nil || k == 0 {
				return false
			}
			at, src = at+k, src[size:]
		}
	}
	return at == len(dst)
}

// close gives up the decompressors.
func (c *codecs) close() {
	if c.zstd != nil {
		c.zstd.Close()
		c.zstd = nil
	}
}
