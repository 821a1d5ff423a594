package parquetio

import (
	"errors"
	"fmt"
	"io"

	"github.com/colagg/colagg/operators"
)

const (
	// windowSize is what is read of a chunk at once: large enough that a call
	// costs nothing beside the bytes, small enough that many columns can have
	// one each.
	windowSize = 1 << 20
	// headerSize is what is read where only a page's header is wanted.
	headerSize = 4 << 10
	// maxHeader bounds a page header, which holds statistics of any length.
	maxHeader = 16 << 20
	// slack is how much longer than its size in the footer a chunk may be:
	// some writers left the dictionary page's header out of the sum.
	slack = 128
)

// window reads the bytes of one chunk in runs, forwards. Bytes got from it are
// valid until the next call.
type window struct {
	src   io.ReaderAt
	mem   *spender
	work  *columnWork
	at    int64 // position of the next byte
	end   int64 // where the chunk ends
	stop  int64 // up to where it is read ahead; 0: to the end
	limit int64 // where reading must stop: end and slack, within the pages' part of the file

	buf   []byte // what was read
	start int64  // position of buf[0]
}

// reset starts on the chunk at start of size bytes, in a file whose pages lie
// before fileEnd.
func (w *window) reset(src io.ReaderAt, start, size, fileEnd int64) error {
	if start < int64(len(magic)) || size < 0 || start > fileEnd || size > fileEnd-start {
		return fmt.Errorf("the pages (%d bytes at %d) lie outside the file's %d bytes", size, start, fileEnd)
	}
	w.src, w.at, w.end, w.limit = src, start, start+size, min(start+size+slack, fileEnd)
	w.buf, w.start, w.stop = w.buf[:0], start, 0
	return nil
}

// peek returns the next n bytes, or as many as there are, and does not pass
// over them. About ahead bytes are read if the file has to be touched.
func (w *window) peek(n, ahead int) ([]byte, error) {
	n = int(min(int64(n), w.limit-w.at))
	off := w.at - w.start
	if off < 0 || off > int64(len(w.buf)) {
		w.buf, w.start, off = w.buf[:0], w.at, 0
	}
	have := w.buf[off:]
	if len(have) >= n {
		return have[:n], nil
	}
	if w.stop > 0 {
		ahead = int(min(int64(ahead), max(0, w.stop-w.at)))
	}
	size := int(min(int64(max(n, ahead)), w.limit-w.at))
	rest := len(have)
	b, err := w.mem.grow(w.buf, size)
	if err != nil && n < size {
		// Where memory is short, what is needed now must do.
		size = max(n, min(size, cap(w.buf)))
		b, err = w.mem.grow(w.buf, size)
	}
	if err != nil {
		return nil, err
	}
	copy(b, have)
	w.buf = b
	w.start = w.at
	start := operators.Now()
	err = readFull(w.src, w.buf[rest:], w.at+int64(rest))
	w.work.read += operators.Now() - start
	w.work.bytes += int64(size - rest)
	if err != nil {
		w.buf = w.buf[:0]
		return nil, err
	}
	return w.buf[:n], nil
}

// take returns the next n bytes and passes over them.
func (w *window) take(n int) ([]byte, error) {
	if int64(n) > w.limit-w.at {
		return nil, fmt.Errorf("%w: a page of %d bytes, and %d are left in the chunk", errPage, n, w.limit-w.at)
	}
	b, err := w.peek(n, windowSize)
	if err != nil {
		return nil, err
	}
	w.at += int64(n)
	return b, nil
}

// skip passes over n bytes.
func (w *window) skip(n int) error {
	if int64(n) > w.limit-w.at {
		return fmt.Errorf("%w: a page of %d bytes, and %d are left in the chunk", errPage, n, w.limit-w.at)
	}
	w.at += int64(n)
	return nil
}

// header reads the next page's header and passes over it. About ahead bytes
// are read if the file has to be touched. The error is an errPage if it is the
// bytes that are no header.
func (w *window) header(ahead int) (pageHeader, error) {
	for n := 256; ; n *= 4 {
		b, err := w.peek(n, ahead)
		if err != nil {
			return pageHeader{}, err
		}
		h, size, err := parsePageHeader(b)
		if err == errThriftShort && len(b) == n && n < maxHeader {
			continue
		}
		if err != nil && !errors.Is(err, errPage) {
			err = fmt.Errorf("%w: %w", errPage, err)
		}
		w.at += int64(size)
		return h, err
	}
}
