package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	arrowmemory "github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/cespare/xxhash/v2"
	"github.com/colagg/colagg/vector"
)

// errShort is a file that ends before its extents do.
var errShort = fmt.Errorf("%w: the file is too short", ErrDamaged)

// Reader gives the batches of extents. One goroutine may use it.
type Reader struct {
	dir     *Dir
	schema  *arrow.Schema
	extents []Extent
	mem     buffers
	done    error // what Next answers from now on

	raw     []byte // the stream of extents[0]
	rest    []byte // of raw, what has not been read
	head    []byte // the message of the schema
	stream  *ipc.Reader
	left    Extent // batches and rows of extents[0] that are to come
	started bool   // extents[0] is in raw
	batch   vector.Batch
}

// Next returns the next batch, flat, which is valid until the next Next, or
// io.EOF. Its memory is held by an account of the Dir's budget. Errors are
// *Error, in which errors.Is finds ErrDamaged where what was read is not what
// was written, *memory.LimitError, or ctx's; after one it stays.
func (r *Reader) Next(ctx context.Context) (*vector.Batch, error) {
	if r.done != nil {
		return nil, r.done
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b, err := r.next()
	if err != nil {
		r.done = err
		r.forget()
		return nil, err
	}
	return b, nil
}

// Close gives the memory back. It may be called again, and returns nil.
func (r *Reader) Close() error {
	if r.done == nil {
		r.done = ErrClosed
	}
	r.forget()
	return nil
}

func (r *Reader) forget() {
	r.stream, r.raw, r.rest, r.head, r.extents = nil, nil, nil, nil, nil
	r.mem.close()
}

func (r *Reader) next() (*vector.Batch, error) {
	for !r.started || r.left.Batches == 0 {
		if r.started {
			if err := r.finish(); err != nil {
				return nil, err
			}
		}
		for len(r.extents) > 0 && r.extents[0].Batches == 0 {
			r.extents = r.extents[1:]
		}
		if len(r.extents) == 0 {
			return nil, io.EOF
		}
		if err := r.open(); err != nil {
			return nil, err
		}
	}
	b, err := r.decode()
	if r.mem.err != nil {
		return nil, r.mem.err
	}
	if err != nil {
		return nil, r.damaged(err)
	}
	r.left.Batches--
	r.left.Rows -= int64(b.Len)
	return b, nil
}

// open reads the first extent and compares its sum.
func (r *Reader) open() error {
	e := r.extents[0]
	if e.segment == nil || e.segment.dir != r.dir {
		panic("BUG: an extent of another spill.Dir")
	}
	if e.Bytes > math.MaxInt32 && math.MaxInt == math.MaxInt32 {
		return r.damaged(errShort)
	}
	if int(e.Bytes) > cap(r.raw) {
		r.mem.give(r.raw)
		if r.raw = r.mem.take(int(e.Bytes)); r.raw == nil {
			return r.mem.err
		}
	}
	r.raw = r.raw[:e.Bytes]
	if err := readAt(e.segment.handle, r.raw, e.offset); err != nil {
		return r.failed(err)
	}
	if xxhash.Sum64(r.raw) != e.sum {
		return r.damaged(errSum)
	}
	r.dir.read.Add(e.Bytes)
	r.rest, r.left, r.started = r.raw, e, true
	if err := r.begin(); err != nil {
		return r.damaged(err)
	}
	return nil
}

// begin reads the message of the schema. All streams of a schema begin with the
// same bytes, so that one ipc.Reader can go on from one to the next; and only
// bytes that are known are parsed, since Arrow's parser of schemas believes any
// number of fields.
func (r *Reader) begin() (err error) {
	defer recovered(&err)
	if r.stream == nil {
		if r.head, err = schemaMessage(r.schema); err != nil {
			return err
		}
	}
	if !bytes.HasPrefix(r.rest, r.head) {
		return errSchema
	}
	if r.stream != nil {
		r.rest = r.rest[len(r.head):]
		return nil
	}
	r.stream, err = ipc.NewReaderFromMessageReader(messages{r}, ipc.WithSchema(r.schema), ipc.WithAllocator(&r.mem))
	return err
}

// decode gives the next batch.
func (r *Reader) decode() (b *vector.Batch, err error) {
	defer recovered(&err)
	rec, err := r.stream.Read()
	if err != nil {
		return nil, err
	}
	if rec.NumRows() < 1 || rec.NumRows() > r.left.Rows {
		return nil, errRows
	}
	r.batch.Len = int(rec.NumRows())
	r.batch.Cols = r.batch.Cols[:0]
	for i, col := range rec.Columns() {
		if col.Len() != r.batch.Len {
			return nil, errRows
		}
		v, err := vector.FromArrow(col)
		if err != nil {
			return nil, err
		}
		if v.Len != r.batch.Len || !arrow.TypeEqual(v.Type, r.schema.Field(i).Type) {
			return nil, errSchema
		}
		r.batch.Cols = append(r.batch.Cols, v)
	}
	return &r.batch, nil
}

// finish compares what the first extent has given with what it should have,
// and steps to the next.
func (r *Reader) finish() error {
	if r.left.Rows != 0 || len(r.rest) != 8 || binary.LittleEndian.Uint64(r.rest) != continuation {
		return r.damaged(errRows)
	}
	r.extents, r.started = r.extents[1:], false
	return nil
}

var (
	errSum     = errors.New("its checksum differs")
	errSchema  = errors.New("its schema differs")
	errRows    = errors.New("its batches or rows differ")
	errMessage = errors.New("its messages are not whole")
)

func (r *Reader) damaged(err error) error {
	if !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return r.failed(err)
}

func (r *Reader) failed(err error) error {
	e := r.extents[0]
	return r.dir.failed("read", e.segment.path, e.Bytes, err)
}

// messages gives an ipc.Reader the messages in a Reader's stream without
// copying them.
type messages struct{ r *Reader }

// Retain is part of ipc.MessageReader.
func (messages) Retain() {}

// Release is part of ipc.MessageReader.
func (messages) Release() {}

// Message is part of ipc.MessageReader.
func (m messages) Message() (*ipc.Message, error) {
	p := m.r.rest
	n, err := messageBytes(p)
	if err != nil {
		return nil, err
	}
	m.r.rest = p[n:]
	meta := 8 + int(binary.LittleEndian.Uint32(p[4:]))
	return ipc.NewMessage(arrowmemory.NewBufferBytes(p[8:meta]), arrowmemory.NewBufferBytes(p[meta:n])), nil
}

// messageBytes returns the length of the message at the start of p.
func messageBytes(p []byte) (int, error) {
	if len(p) < 8 || binary.LittleEndian.Uint32(p) != continuation {
		return 0, errMessage
	}
	meta := int64(binary.LittleEndian.Uint32(p[4:]))
	if meta == 0 || meta > int64(len(p)-8) {
		return 0, errMessage
	}
	head := arrowmemory.NewBufferBytes(p[8 : 8+meta])
	body := ipc.NewMessage(head, arrowmemory.NewBufferBytes(nil)).BodyLen()
	if body < 0 || body > int64(len(p))-8-meta {
		return 0, errMessage
	}
	return int(8 + meta + body), nil
}
