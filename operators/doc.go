// Package operators is how data moves: four interfaces and one driver.
//
// A pipeline is a Source, whose Streams are read by workers, and a Sink, whose
// Writers take what they read: pull inside a worker, push only into the sink.
// A sink that breaks the pipeline (it needs all input before it can answer)
// gives, by Finish, the Source of the next pipeline.
//
// A Source or Sink is immutable configuration and is safe for concurrent use;
// what changes belongs to one Stream or Writer, and each of these to one
// goroutine.
package operators

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// Source gives batches to several workers. Its streams share the work between
// them: each batch comes out of exactly one.
type Source interface {
	Schema() *arrow.Schema
	Stream() (Stream, error)
}

// Stream yields the batches of one worker. Next returns io.EOF after the last.
// A batch is valid until the next call of Next or Close.
type Stream interface {
	Next(context.Context) (*vector.Batch, error)
	Close() error
}

// Sink takes batches from several workers. Writer is called for one worker after
// the other, in their order, before the first batch. Finish is called once, after
// every Writer has been closed without an error.
type Sink interface {
	Writer() (Writer, error)
	Finish(context.Context) (Source, error)
}

// Writer takes the batches of one worker. Write must not keep the batch.
// Close hands what the writer holds to its Sink.
type Writer interface {
	Write(context.Context, *vector.Batch) error
	Close() error
}
