package spill

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// continuation begins each message of an Arrow stream; with a length of 0 it
// ends the stream.
const continuation = 0xFFFFFFFF

// worthCompressing is the share that LZ4 must save of a buffer for it to be
// stored compressed: hashes and the like are read back at the speed of a copy.
const worthCompressing = 0.05

// encoder makes Arrow streams of batches of one schema. It keeps one ipc.Writer
// for all of them, and puts the message of the schema before each itself: a
// writer for each stream would make its compressor and its schema message anew.
type encoder struct {
	schema *arrow.Schema
	writer *ipc.Writer
	head   []byte // the message of the schema
	out    []byte // the stream so far
	mem    *buffers
}

func newEncoder(schema *arrow.Schema, mem *buffers) *encoder {
	e := &encoder{schema: schema, mem: mem}
	e.writer = ipc.NewWriterWithPayloadWriter(payloads{e}, ipc.WithSchema(schema), ipc.WithAllocator(mem),
		ipc.WithLZ4(), ipc.WithMinSpaceSavings(worthCompressing))
	return e
}

// schemaMessage returns what every stream of a schema begins with.
func schemaMessage(schema *arrow.Schema) ([]byte, error) {
	e := newEncoder(schema, &buffers{account: memory.NewBudget(0).Account("a schema")})
	err := e.writer.Close()
	return e.head, err
}

// encode returns the stream of batches, which is valid until done, and what an
// Extent says of it; batches without rows are left out. After an error the
// encoder is not to be used again.
func (e *encoder) encode(batches []*vector.Batch) (x Extent, out []byte, err error) {
	if err := e.append(e.head); err != nil {
		return Extent{}, nil, err
	}
	for _, b := range batches {
		if b.Sel != nil {
			panic("BUG: a batch with a selection cannot be spilled")
		}
		if b.Len == 0 {
			continue
		}
		size, err := e.write(b)
		if err != nil {
			return Extent{}, nil, err
		}
		x.Batches++
		x.Rows += int64(b.Len)
		x.Size += size
	}
	if err := e.append(binary.LittleEndian.AppendUint64(nil, continuation)); err != nil {
		return Extent{}, nil, err
	}
	x.Bytes = int64(len(e.out))
	return x, e.out, nil
}

// done gives the memory of the stream back.
func (e *encoder) done() {
	e.mem.give(e.out)
	e.out = nil
}

// write appends a batch and returns its size in memory.
func (e *encoder) write(b *vector.Batch) (size int64, err error) {
	defer recovered(&err)
	flat := flatBytes(b)
	if err := e.mem.resize(e.mem.held + flat); err != nil {
		e.mem.drop()
		if err = e.mem.resize(e.mem.held + flat); err != nil {
			return 0, err
		}
	}
	e.mem.held += flat
	defer func() { e.mem.held -= flat }()
	rec, err := vector.ToRecord(e.schema, b)
	if err != nil {
		return 0, err
	}
	defer rec.Release()
	for _, c := range rec.Columns() {
		size += arrayBytes(c.Data())
	}
	err = e.writer.Write(rec)
	if e.mem.err != nil { // what Arrow makes of it does not say so
		return 0, e.mem.err
	}
	if err != nil {
		return 0, fmt.Errorf("spill: encoding a batch: %w", err)
	}
	return size, nil
}

// arrayBytes returns the bytes of an array's buffers and those of its children.
func arrayBytes(d arrow.ArrayData) int64 {
	var n int64
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += arrayBytes(c)
	}
	return n
}

// flatBytes returns the memory that b's coded columns take once they are flat.
func flatBytes(b *vector.Batch) int64 {
	var n int64
	for _, v := range b.Cols {
		if v.Flat() {
			continue
		}
		n += int64(v.Len)*int64(vector.Width(v.Type)+4) + int64(v.Len)/4
		if o := v.Dict.Offsets; len(o) > v.Dict.Len {
			for i := range v.Len {
				if c := v.Code(i); c < v.Dict.Len {
					n += int64(o[c+1] - o[c])
				}
			}
		}
	}
	return n
}

func (e *encoder) append(p []byte) error {
	_, err := e.Write(p)
	return err
}

// Write appends p to the stream.
func (e *encoder) Write(p []byte) (int, error) {
	if len(e.out)+len(p) > cap(e.out) {
		var err error
		if e.out, err = e.mem.grow(e.out, len(e.out)+len(p)); err != nil {
			return 0, err
		}
	}
	e.out = append(e.out, p...)
	return len(p), nil
}

// payloads receives the messages of an encoder's ipc.Writer.
type payloads struct{ e *encoder }

// Start is part of ipc.PayloadWriter.
func (payloads) Start() error { return nil }

// Close is part of ipc.PayloadWriter.
func (payloads) Close() error { return nil }

// WritePayload is part of ipc.PayloadWriter. It frames a message as the
// streaming format wants it: continuation, length, metadata to a multiple of 8
// bytes, body.
func (w payloads) WritePayload(p ipc.Payload) error {
	e := w.e
	meta := p.Meta()
	defer meta.Release()
	padded := (meta.Len() + 7) &^ 7
	var body counter
	if err := p.SerializeBody(&body); err != nil {
		return err
	}
	var err error
	start, end := len(e.out), len(e.out)+8+padded+int(body)+8 // and the end of the stream
	if e.out, err = e.mem.grow(e.out, end); err != nil {
		return err
	}
	e.out = binary.LittleEndian.AppendUint32(e.out, continuation)
	e.out = binary.LittleEndian.AppendUint32(e.out, uint32(padded))
	e.out = append(e.out, meta.Bytes()...)
	e.out = append(e.out, make([]byte, padded-meta.Len())...)
	if e.head == nil {
		e.head = append([]byte(nil), e.out[start:]...)
	}
	return p.SerializeBody(e)
}

// counter counts the bytes written to it.
type counter int

// Write is part of io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

var errPanic = errors.New("spill: the Arrow library failed")

// recovered turns a panic of the Arrow library into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %v", errPanic, p)
	}
}
