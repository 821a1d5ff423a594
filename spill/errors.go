package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// ErrQuota is what errors.Is finds in the error of a write that would have put
// more on disk than Config.MaxBytes.
var ErrQuota = errors.New("limit on temporary disk space reached")

// ErrDamaged is what errors.Is finds in the error of a read that did not give
// what had been written.
var ErrDamaged = errors.New("temporary data is not as it was written")

// ErrClosed is what errors.Is finds in the error of every use of a closed Dir.
var ErrClosed = errors.New("temporary space is closed")

// errNoPunch is for systems that cannot give back parts of a file.
var errNoPunch = errors.ErrUnsupported

// Error says what could not be done in which directory, and how much was
// there.
type Error struct {
	Op     string // "create", "write", "read" or "remove"
	Dir    string // the directory, or those that were tried, separated by ", "
	Bytes  int64  // what was to be written or read
	OnDisk int64  // what the Dir had on disk
	Free   int64  // what was free in the last directory tried, or -1
	Quota  int64  // Config.MaxBytes; 0 is none
	Err    error  // the cause; never nil
}

// Error returns one sentence with the directory, the cause and the bytes.
func (e *Error) Error() string {
	var b strings.Builder
	switch e.Op {
	case "write":
		fmt.Fprintf(&b, "spill: writing %s of temporary data in %s", size(e.Bytes), e.Dir)
	case "read":
		fmt.Fprintf(&b, "spill: reading %s of temporary data back in %s", size(e.Bytes), e.Dir)
	case "create":
		fmt.Fprintf(&b, "spill: making a temporary file in %s", e.Dir)
	default:
		fmt.Fprintf(&b, "spill: removing a temporary file in %s", e.Dir)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.OnDisk == 0 && e.Op != "write" {
		return b.String()
	}
	fmt.Fprintf(&b, " (%s on disk", size(e.OnDisk))
	if e.Quota > 0 {
		fmt.Fprintf(&b, " of at most %s", size(e.Quota))
	}
	if e.Free >= 0 {
		fmt.Fprintf(&b, ", %s free", size(e.Free))
	}
	b.WriteByte(')')
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Full reports whether more space would have helped: another directory, or a
// higher limit.
func (e *Error) Full() bool { return errors.Is(e.Err, ErrQuota) || full(e.Err) }

// full reports whether err is that of a file system, or of a user's share of
// one, without space.
func full(err error) bool {
	for _, e := range fullErrors {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// transient reports whether the same call may succeed when it is made again.
func transient(err error) bool {
	return errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.EAGAIN)
}

// bare takes the name of the file off an error: the file mostly has none.
func bare(err error) error {
	var path *fs.PathError
	var known *Error
	switch {
	case errors.As(err, &known):
		return known.Err
	case errors.As(err, &path):
		err = path.Err
	}
	if errors.Is(err, os.ErrClosed) {
		return ErrClosed
	}
	return err
}

// size writes a number of bytes for people.
func size(n int64) string {
	units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, unit := float64(n), 0
	for ; f >= 1023.5 && unit < len(units)-1; unit++ {
		f /= 1024
	}
	if unit == 0 || f >= 9.95 {
		return fmt.Sprintf("%.0f %s", f, units[unit])
	}
	return fmt.Sprintf("%.1f %s", f, units[unit])
}
