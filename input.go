package colagg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/colagg/colagg/parquetio"
)

// Input is one Parquet file: a name for messages and a way to its bytes. A
// query opens it to read the footer and again to read columns, and closes it
// each time. It must be safe for concurrent use.
type Input = parquetio.Input

// ReaderAt is an opened Input: bytes at any position, and how many there are.
// ReadAt must be safe for concurrent use.
type ReaderAt = parquetio.ReaderAt

// checkedInput marks what fails in an Input as an input error with the name of
// the file, so that it is not taken for a damaged file.
type checkedInput struct{ Input }

func (in checkedInput) Open(ctx context.Context) (ReaderAt, error) {
	r, err := in.Input.Open(ctx)
	if err != nil {
		return nil, inputError(in.Name(), err)
	}
	return checkedReader{r, in.Name()}, nil
}

type checkedReader struct {
	ReaderAt
	name string
}

func (r checkedReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = inputError(r.name, err)
	}
	return n, err
}

func inputError(name string, err error) error {
	var known *Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &Error{Kind: IO, Source: name, Offset: -1}
	if errors.Is(err, fs.ErrNotExist) {
		e.Kind = NotFound
	}
	// A path error says the path itself.
	var path *fs.PathError
	if errors.As(err, &path) {
		if err = path.Err; e.Kind == IO {
			err = fmt.Errorf("%s: %w", path.Op, path.Err)
		}
	}
	e.Err = fmt.Errorf("%s: %w", parquetio.SpellName(name), err)
	return e
}
