package parquetio

import (
	"context"
	"io"
)

// Input is one Parquet file's bytes. Open may be called several times, also at
// once; each reader got from it is used by one goroutine and closed.
type Input interface {
	// Name identifies the file in messages.
	Name() string
	Open(ctx context.Context) (ReaderAt, error)
}

// ReaderAt gives random access to bytes whose number is known.
type ReaderAt interface {
	io.ReaderAt
	io.Closer
	// Size returns the number of bytes, which does not change.
	Size() int64
}
