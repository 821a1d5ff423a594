package parquetio

import "github.com/colagg/colagg/memory"

// spender allocates the buffers of one column and keeps its account, which it
// shares with the other columns of a stream.
type spender struct {
	account *memory.Account
	used    int64
}

// spend changes what is in use by delta bytes, or fails with a
// *memory.LimitError.
func (s *spender) spend(delta int64) error {
	if delta == 0 {
		return nil
	}
	if err := s.account.Resize(s.account.Size() + delta); err != nil {
		return err
	}
	s.used += delta
	return nil
}

// free gives back what is in use; the buffers must not be used any more.
func (s *spender) free() error { return s.spend(-s.used) }

// grow returns a buffer of n bytes with unspecified contents, in b's memory
// when that is large enough.
func (s *spender) grow(b []byte, n int) ([]byte, error) {
	if n <= cap(b) {
		return b[:n], nil
	}
	// A little more than asked, as the next page is often a little larger.
	size := n + n/8 + 64
	if err := s.spend(int64(size - cap(b))); err != nil {
		return nil, err
	}
	return make([]byte, n, size), nil
}

// extend is grow for a buffer whose contents are kept.
func (s *spender) extend(b []byte, n int) ([]byte, error) {
	if n <= cap(b) {
		return b[:n], nil
	}
	if err := s.spend(int64(n - cap(b))); err != nil {
		return nil, err
	}
	out := make([]byte, n)
	copy(out, b)
	return out, nil
}

// words returns a slice of n codes with unspecified contents, in w's memory
// when that is large enough.
func (s *spender) words(w []uint32, n int) ([]uint32, error) {
	if n <= cap(w) {
		return w[:n], nil
	}
	if err := s.spend(4 * int64(n-cap(w))); err != nil {
		return nil, err
	}
	return make([]uint32, n), nil
}
