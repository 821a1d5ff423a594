package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// File is what the footer of a Parquet file says. It is immutable and holds no
// open file.
type File struct {
	in      Input
	size    int64
	end     int64 // where the footer begins and pages must end
	meta    *fileMeta
	columns []Column
}

// RowGroup describes a row group; Columns has a chunk for each leaf of the
// file.
type RowGroup struct {
	Rows    int64
	Columns []Chunk
}

// Chunk describes the part of a leaf that is in one row group.
type Chunk struct {
	Encodings    []string // as the format names them
	Codec        string
	Compressed   int64 // bytes
	Uncompressed int64 // bytes
	Values       int64 // NULLs count
}

// Name returns the name of the input.
func (f *File) Name() string { return f.in.Name() }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.size }

// NumRows returns the number of rows, which is the sum over the row groups.
func (f *File) NumRows() int64 { return f.meta.rows }

// CreatedBy names the program that wrote the file, as far as it told.
func (f *File) CreatedBy() string { return f.meta.createdBy }

// legacyV2 reports whether the file is of a writer that marked compressed data
// pages of version 2 as not compressed: parquet-cpp before its version 2.
func (f *File) legacyV2() bool { return strings.HasPrefix(f.meta.createdBy, "parquet-cpp version 1.") }

// Columns returns the leaves in the order of the file. The caller must not
// change them.
func (f *File) Columns() []Column { return f.columns }

// RowGroups describes the row groups in the order of the file.
func (f *File) RowGroups() []RowGroup {
	out := make([]RowGroup, len(f.meta.groups))
	for i, g := range f.meta.groups {
		out[i].Rows = g.rows
		out[i].Columns = make([]Chunk, len(g.chunks))
		for k, c := range g.chunks {
			out[i].Columns[k] = Chunk{
				Encodings: encodingList(c.encodings), Codec: codecName(c.codec),
				Compressed: c.packed, Uncompressed: c.unpacked, Values: c.values,
			}
		}
	}
	return out
}

const (
	magic          = "PAR1"
	magicEncrypted = "PARE"
	tailSize       = 8 // length of the footer, 4 bytes, and the magic
	// firstRead is what is read from the end of a file at once: all of most
	// footers, and few enough bytes for a remote store.
	firstRead = 64 << 10
)

var (
	errShortFile = errors.New("not a Parquet file: it is shorter than the smallest one")
	errNoMagic   = errors.New("not a Parquet file: it does not end with PAR1")
	errCut       = errors.New("the file is cut short: it begins like Parquet, and its footer is missing")
	errFooterLen = errors.New("the footer's length does not fit the file")
	errEncrypted = errors.New("file is encrypted")
)

// ReadFooter opens in, reads its footer and closes it. What is wrong with the
// file itself is a *CorruptError or an *UnsupportedError; errors of Open and of
// reading are wrapped.
func ReadFooter(ctx context.Context, in Input) (*File, error) {
	r, err := in.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("parquetio: opening %s: %w", SpellName(in.Name()), err)
	}
	f, err := readFooter(in, r)
	if cerr := r.Close(); err == nil && cerr != nil {
		err = ioError{cerr}
	}
	switch {
	case err == nil:
		return f, nil
	case errors.Is(err, errEncrypted):
		return nil, &UnsupportedError{File: in.Name(), RowGroup: -1, What: err.Error(), Hint: "decrypt it with the program that wrote it"}
	case errors.As(err, new(ioError)):
		return nil, fmt.Errorf("parquetio: reading %s: %w", SpellName(in.Name()), err)
	}
	return nil, &CorruptError{File: in.Name(), RowGroup: -1, Err: err}
}

func readFooter(in Input, r ReaderAt) (*File, error) {
	f := &File{in: in, size: r.Size()}
	if f.size < int64(len(magic)+tailSize) {
		return nil, errShortFile
	}
	tail := make([]byte, min(f.size, firstRead))
	if err := readFull(r, tail, f.size-int64(len(tail))); err != nil {
		return nil, err
	}
	end := tail[len(tail)-tailSize:]
	switch string(end[4:]) {
	case magic:
	case magicEncrypted:
		return nil, errEncrypted
	default:
		return nil, missingMagic(r)
	}
	length := int64(leUint32(end))
	f.end = f.size - tailSize - length
	if f.end < int64(len(magic)) {
		return nil, errFooterLen
	}
	footer := tail[:len(tail)-tailSize]
	if length <= int64(len(footer)) {
		footer = footer[int64(len(footer))-length:]
	} else {
		footer = make([]byte, length)
		if err := readFull(r, footer, f.end); err != nil {
			return nil, err
		}
	}
	return f, f.parse(footer)
}

func (f *File) parse(footer []byte) (err error) {
	if f.meta, err = parseFileMeta(footer); err != nil {
		return fmt.Errorf("reading the footer: %w", err)
	}
	if f.columns, err = leaves(f.meta.schema); err != nil {
		return fmt.Errorf("reading the schema: %w", err)
	}
	f.meta.schema = nil
	return f.meta.check(len(f.columns))
}

// missingMagic tells files that were cut off from those that never were
// Parquet.
func missingMagic(r ReaderAt) error {
	var head [len(magic)]byte
	if err := readFull(r, head[:], 0); err != nil {
		return err
	}
	switch string(head[:]) {
	case magic:
		return errCut
	case magicEncrypted:
		return errEncrypted
	}
	return errNoMagic
}

// ioError marks errors of the medium, which say nothing about the file.
type ioError struct{ error }

func (e ioError) Unwrap() error { return e.error }

// errShrunk says that a file has fewer bytes than its Size told.
var errShrunk = errors.New("the file ends before its size says; it may have been changed while it was read")

// readFull fills b from position at.
func readFull(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF || err == nil:
		return errShrunk
	}
	return ioError{err}
}
