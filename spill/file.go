package spill

import (
	"fmt"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/cespare/xxhash/v2"
	"github.com/colagg/colagg/vector"
)

// Extent describes batches that were written together. It is a value of some
// 64 bytes that the caller keeps beside whatever the batches belong to, and
// means something to the Dir that wrote it only. The zero value has no rows.
type Extent struct {
	Rows    int64 // rows in all batches
	Batches int   // batches that have rows
	Bytes   int64 // length of the stream
	// Size is what the batches take in memory, flat. A Reader needs Bytes and
	// the size of the largest of them, both rounded up by as much as a fourth.
	Size int64

	segment *segment
	offset  int64
	sum     uint64 // xxHash64 of the stream
}

// File is what one worker appends to. One goroutine at a time may use it.
type File struct {
	dir      *Dir
	at       int        // index of the directory that is written to
	segments []*segment // for each directory, once there is one

	mu     sync.Mutex // against Dir.Close
	closed bool
	mem    buffers
	// encoders are those of the schemas that were written last, since making
	// one costs as much as encoding some KiB.
	encoders []*encoder
}

// maxEncoders is more schemas than one worker has use for: rows and states of
// groups, say.
const maxEncoders = 4

// Append writes batches as one extent and returns its description; without
// rows it writes nothing. The batches must have no Sel, and columns of the
// types in schema; coded and constant columns are written flat. They are not
// needed afterwards.
//
// The whole stream is made in memory first, in buffers of about twice the
// batches' size at worst that stay with the File for its next Append; so
// callers bound what they append at once, to 1 MiB, say. Errors are *Error, or
// *memory.LimitError if the budget refuses the buffers; nothing of a failed
// Append stays.
func (f *File) Append(schema *arrow.Schema, batches ...*vector.Batch) (Extent, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return Extent{}, f.dir.failed("write", f.dir.dirs[f.at], 0, ErrClosed)
	}
	enc := f.encoder(schema)
	e, out, err := enc.encode(batches)
	if err != nil {
		f.forget() // Arrow's writer is in no state to go on
		return Extent{}, err
	}
	defer enc.done()
	if e.Batches == 0 {
		return Extent{}, nil
	}
	e.sum = xxhash.Sum64(out)
	if err := f.write(&e, out); err != nil {
		return Extent{}, err
	}
	f.dir.written.Add(e.Bytes)
	f.dir.extents.Add(1)
	return e, nil
}

// encoder returns the encoder for schema.
func (f *File) encoder(schema *arrow.Schema) *encoder {
	for _, e := range f.encoders {
		if e.schema == schema {
			return e
		}
	}
	if len(f.encoders) == maxEncoders {
		f.encoders = append(f.encoders[:0], f.encoders[1:]...)
	}
	e := newEncoder(schema, &f.mem)
	f.encoders = append(f.encoders, e)
	return e
}

// write finds a place for out: in the directory that was written to last, or in
// the next that is not full.
func (f *File) write(e *Extent, out []byte) error {
	var tried []string
	var causes []error
	for {
		err := f.writeHere(e, out)
		if err == nil {
			return nil
		}
		tried, causes = append(tried, f.dir.dirs[f.at]), append(causes, err)
		if !full(err) || len(tried) == len(f.dir.dirs) {
			return f.failed(len(out), tried, causes)
		}
		f.at = (f.at + 1) % len(f.dir.dirs)
	}
}

// writeHere writes out in the current directory.
func (f *File) writeHere(e *Extent, out []byte) error {
	s := f.segments[f.at]
	if s == nil {
		var err error
		if s, err = f.dir.create(f.at); err != nil {
			return err
		}
		f.segments[f.at] = s
	}
	off, err := s.write(out)
	if err == nil {
		e.segment, e.offset = s, off
	}
	return err
}

// failed is the error of a write for which each of the directories tried had
// one of the causes.
func (f *File) failed(bytes int, tried []string, causes []error) error {
	last := causes[len(causes)-1]
	if e, ok := last.(*Error); ok && len(tried) == 1 {
		return e
	}
	err := bare(last)
	for _, c := range causes[:len(causes)-1] {
		if c = bare(c); c.Error() != bare(last).Error() {
			err = fmt.Errorf("%w, and %w", c, err)
		}
	}
	return f.dir.failed("write", strings.Join(tried, ", "), int64(bytes), err)
}

// Reserve takes the memory now that an Append of batches of up to n bytes
// together needs, so that it does not fail for lack of memory when memory is
// short. The File keeps it until Trim or the end of the Dir.
func (f *File) Reserve(n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return fmt.Errorf("spill: reserving memory: %w", ErrClosed)
	}
	return f.mem.reserve(n)
}

// Trim gives back the memory that the File keeps for its next Append.
func (f *File) Trim() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.encoders = nil
	f.mem.close()
}

// forget drops the encoders and their buffers.
func (f *File) forget() {
	f.encoders = nil
	f.mem.reset()
}

func (f *File) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.encoders = nil
	f.mem.close()
}
