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

	segment *segment
	offset  int64
	sum     uint64 // xxHash64 of the stream
}

// File is what one worker appends to. One goroutine at a time may use it.
type File struct {
	dir      *Dir
	at       int        // index of the directory that is written to
	segments []*segment // for each directory, once there is one

	mu      sync.Mutex // against Dir.Close
	closed  bool
	mem     buffers
	encoder *encoder
}

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
	if f.encoder == nil || f.encoder.schema != schema {
		f.forget()
		f.encoder = newEncoder(schema, &f.mem)
	}
	out, count, rows, err := f.encoder.encode(batches)
	if err != nil {
		f.forget()
		f.mem.reset()
		return Extent{}, err
	}
	if count == 0 {
		return Extent{}, nil
	}
	e := Extent{Rows: rows, Batches: count, Bytes: int64(len(out)), sum: xxhash.Sum64(out)}
	if err := f.write(&e, out); err != nil {
		return Extent{}, err
	}
	f.dir.written.Add(e.Bytes)
	f.dir.extents.Add(1)
	return e, nil
}

// write finds a place for out: in the directory that was written to last, or in
// the next that is not full.
func (f *File) write(e *Extent, out []byte) error {
	var tried []string
	for {
		s := f.segments[f.at]
		if s == nil {
			var err error
			if s, err = f.dir.create(f.at); err != nil && !f.next(err, &tried) {
				return f.failed(err, len(out), tried)
			} else if err != nil {
				continue
			}
			f.segments[f.at] = s
		}
		off, err := s.write(out)
		if err == nil {
			e.segment, e.offset = s, off
			return nil
		}
		if !f.next(err, &tried) {
			return f.failed(err, len(out), tried)
		}
	}
}

// next moves on to another directory if err is that of a full one; it reports
// whether there is one that was not tried.
func (f *File) next(err error, tried *[]string) bool {
	*tried = append(*tried, f.dir.dirs[f.at])
	if !full(err) || len(*tried) == len(f.dir.dirs) {
		return false
	}
	f.at = (f.at + 1) % len(f.dir.dirs)
	return true
}

func (f *File) failed(err error, bytes int, tried []string) error {
	if e, ok := err.(*Error); ok && len(tried) == 1 {
		return e
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
	f.forget()
	f.mem.close()
}

// forget drops the encoder, whose stream goes back to the buffers.
func (f *File) forget() {
	if f.encoder != nil {
		f.mem.give(f.encoder.out)
		f.encoder = nil
	}
}

func (f *File) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.encoder = nil
	f.mem.close()
}
