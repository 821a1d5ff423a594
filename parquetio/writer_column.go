package parquetio

import (
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/colagg/colagg/vector"
)

const (
	// dictionarySample is how many rows of the first batch decide whether a
	// column of strings gets dictionaries: at most half of them may differ.
	// A dictionary that does not pay makes a file 20 to 30 % larger.
	dictionarySample = 4096
	// dictionaryBytes is where the library gives up a chunk's dictionary.
	dictionaryBytes = 1 << 20
)

// createdBy names colagg's release and the library that writes for it. It has
// the form in which readers look for known bugs: those on the JVM do not trust
// the statistics of a writer whose build is not told.
const createdBy = "colagg version 0.1.0 (build arrow-go-17.0.0)"

// outColumn writes one column; its slices are scratch memory.
type outColumn struct {
	field  arrow.Field
	encode encodeFunc
	at     []uint32
	levels levelPair
}

var errNull = errors.New("a NULL in a column that is not nullable")

// write adds the listed rows of v to cw.
func (c *outColumn) write(cw file.ColumnChunkWriter, v *vector.Vector, rows []uint32) error {
	if vector.IsList(v.Type) {
		return c.writeLists(cw, v, rows)
	}
	c.at, c.levels.def = c.at[:0], c.levels.def[:0]
	nulls := v.MayHaveNulls()
	for _, r := range rows {
		i := int(r)
		if nulls && v.IsNull(i) {
			c.levels.def = append(c.levels.def, 0)
			continue
		}
		c.levels.def = append(c.levels.def, 1)
		if v.Dict != nil {
			i = v.Code(i)
		}
		c.at = append(c.at, uint32(i))
	}
	flat := v
	if v.Dict != nil {
		flat = v.Dict
	}
	if isOptional(c.field) {
		return c.encode(cw, flat, c.at, c.levels)
	}
	if len(c.at) < len(rows) {
		return errNull
	}
	return c.encode(cw, flat, c.at, levelPair{})
}

// piece appends to rows the rows of b from the next-th that counts on: at most
// room of them, and so few that their values hold no more than pieceBytes, or
// one. It returns these bytes too.
func piece(rows []uint32, b *vector.Batch, next, room int) ([]uint32, int) {
	fixed, long := 0, []*vector.Vector(nil)
	for _, v := range b.Cols {
		if vector.IsBytes(v.Type) || vector.IsList(v.Type) {
			long = append(long, v)
		} else {
			fixed += max(1, vector.Width(v.Type))
		}
	}
	total := 0
	for ; next < b.Rows() && len(rows) < min(room, pieceRows); next++ {
		r := next
		if b.Sel != nil {
			r = int(b.Sel[next])
		}
		size := fixed
		for _, v := range long {
			if vector.IsList(v.Type) {
				size += listSize(v, r)
			} else if !v.IsNull(r) {
				size += len(v.Bytes(r))
			}
		}
		if len(rows) > 0 && total+size > pieceBytes {
			break
		}
		rows, total = append(rows, uint32(r)), total+size
	}
	return rows, total
}

// newFile starts the file by writing its magic number. first, if not nil, is
// its first batch, by which columns are chosen for dictionaries.
func newFile(s *sink, root *schema.GroupNode, cols []outColumn, first *vector.Batch) *file.Writer {
	props := []parquet.WriterProperty{
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Snappy),
		parquet.WithCreatedBy(createdBy),
		parquet.WithBatchSize(pieceRows),
		parquet.WithDictionaryDefault(false),
		parquet.WithDictionaryPageSizeLimit(dictionaryBytes),
	}
	for i, c := range cols {
		switch t := c.field.Type; {
		case vector.IsList(t):
			props = append(props, parquet.WithStatsPath(elementPath(c.field.Name), !arrow.IsFloating(vector.Elem(t).ID())))
		case arrow.IsFloating(t.ID()):
			props = append(props, parquet.WithStatsFor(c.field.Name, false))
		case first != nil && (vector.IsBytes(t) || t.ID() == arrow.FIXED_SIZE_BINARY):
			if repeats(first.Cols[i], first.Sel) {
				props = append(props, parquet.WithDictionaryFor(c.field.Name, true))
			}
		}
	}
	return file.NewParquetWriter(s, root, file.WithWriterProps(parquet.NewWriterProperties(props...)))
}

// repeats reports whether at most half of the values in a sample of v differ.
func repeats(v *vector.Vector, sel []uint32) bool {
	n := v.Len
	if sel != nil {
		n = len(sel)
	}
	n = min(n, dictionarySample)
	seen := make(map[string]struct{})
	values := 0
	for k := range n {
		i := k
		if sel != nil {
			i = int(sel[k])
		}
		if !v.IsNull(i) {
			values++
			seen[string(v.Bytes(i))] = struct{}{}
		}
	}
	return values > 0 && 2*len(seen) <= values
}
