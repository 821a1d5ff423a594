package parquetio

import (
	"fmt"
	"io"
)

// sink passes bytes on to w and remembers the first failure for ever: a writer
// that fails once and then recovers would leave a hole in the file. It counts
// a short write as a failure even where w reports no error.
type sink struct {
	w   io.Writer
	n   int64 // bytes that w has taken
	err error
}

// Write implements io.Writer.
func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if n < 0 || n > len(p) {
		n, err = 0, fmt.Errorf("the output claims to have taken %d of %d bytes", n, len(p))
	}
	s.n += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	s.err = err
	return n, err
}
