package colagg

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/colagg/colagg/parquetio"
)

// FileInfo is what a Parquet file's footer says.
type FileInfo struct {
	Name      string
	Size      int64 // bytes
	Rows      int64
	CreatedBy string // the program that wrote it, as far as it told
	Columns   []ColumnInfo
	RowGroups []RowGroupInfo
}

// ColumnInfo describes a leaf column, summed up over the row groups.
type ColumnInfo struct {
	// Name is how a query spells the column: in quotes where it needs them,
	// fields of structs behind a dot.
	Name     string
	Physical string // Parquet's physical type, such as "INT64"
	Logical  string // Parquet's logical type, such as "DECIMAL(10,2)", or empty
	Arrow    string // the Arrow type in results, or empty if it cannot be read
	Nullable bool
	Repeated bool   // part of a list or a map: cannot be queried yet
	Problem  string // why it cannot be queried, as far as the footer tells, or empty
	// Encodings and Codecs are those that occur, in the order of their first
	// use.
	Encodings, Codecs        []string
	Compressed, Uncompressed int64 // bytes
	Values                   int64 // NULLs count
}

// RowGroupInfo describes a row group: its rows, and the bytes of all columns.
type RowGroupInfo struct{ Rows, Compressed, Uncompressed int64 }

// Describe reads the footers of the files of src. A source of Records is a
// BadQuery error; other errors are as for Query.
func (e *Engine) Describe(ctx context.Context, src Source) ([]FileInfo, error) {
	if e.closed.Load() {
		return nil, badQuery("the engine is closed")
	}
	if src == nil {
		return nil, badQuery("there is no source")
	}
	t, err := src.open(ctx)
	if err != nil {
		return nil, failure(ctx, err)
	}
	files, ok := t.(*fileTable)
	if !ok {
		return nil, badQuery("only files can be described")
	}
	out := make([]FileInfo, len(files.files))
	for i, f := range files.files {
		out[i] = describe(f)
	}
	return out, nil
}

func describe(f *parquetio.File) FileInfo {
	info := FileInfo{Name: f.Name(), Size: f.Size(), Rows: f.NumRows(), CreatedBy: f.CreatedBy()}
	names := spellings(leaves(f))
	for i, c := range f.Columns() {
		ci := ColumnInfo{Name: names[i], Physical: c.Physical, Logical: c.Logical,
			Nullable: c.Nullable, Repeated: c.Repeated, Problem: problem(f, i)}
		if c.Type != nil {
			ci.Arrow = c.Type.String()
		}
		info.Columns = append(info.Columns, ci)
	}
	for _, g := range f.RowGroups() {
		rg := RowGroupInfo{Rows: g.Rows}
		for k, c := range g.Columns {
			rg.Compressed += c.Compressed
			rg.Uncompressed += c.Uncompressed
			info.Columns[k].add(c)
		}
		info.RowGroups = append(info.RowGroups, rg)
	}
	return info
}

// problem says why a column cannot be queried, or nothing.
func problem(f *parquetio.File, leaf int) string {
	err := f.Usable(leaf)
	var (
		corrupt     *CorruptError
		unsupported *UnsupportedError
	)
	switch {
	case errors.As(err, &corrupt):
		return fmt.Sprintf("row group %d: %v", corrupt.RowGroup, corrupt.Err)
	case errors.As(err, &unsupported) && unsupported.RowGroup >= 0:
		return fmt.Sprintf("row group %d: %s", unsupported.RowGroup, unsupported.What)
	case errors.As(err, &unsupported):
		return unsupported.What
	}
	return ""
}

func (c *ColumnInfo) add(chunk parquetio.Chunk) {
	for _, e := range chunk.Encodings {
		if !slices.Contains(c.Encodings, e) {
			c.Encodings = append(c.Encodings, e)
		}
	}
	if !slices.Contains(c.Codecs, chunk.Codec) {
		c.Codecs = append(c.Codecs, chunk.Codec)
	}
	c.Compressed += chunk.Compressed
	c.Uncompressed += chunk.Uncompressed
	c.Values += chunk.Values
}
