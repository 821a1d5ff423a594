package bench

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// chunkRows is how many rows a record has: enough for two dozen batches, so
// that workers rarely wait for each other's turn at the reader.
const chunkRows = 1 << 17

// State says what kind of state an aggregate keeps for a group.
type State int

// The kinds of state.
const (
	Fixed    State = iota // sum of an int64
	Variable              // min of a string
)

// String returns how figures call the state.
func (s State) String() string {
	if s == Variable {
		return "variable"
	}
	return "fixed"
}

// streams of random numbers, by what they are for.
const (
	groupStream = iota
	numberStream
	textStream
)

// maker makes tables of a size. Columns of values are made once, since they do
// not depend on the shape.
type maker struct {
	rows, groups int64
	seed         uint64
	numbers      []arrow.Array // chunks
	texts        []arrow.Array
}

// table is a key column and columns of values, in records.
type table struct {
	schema  *arrow.Schema
	records []arrow.Record
}

// reader returns a reader of the rows from the first to the last.
func (t *table) reader() (array.RecordReader, error) {
	return array.NewRecordReader(t.schema, t.records)
}

// table makes the rows of a question: the key k and the values v0, v1, ….
func (m *maker) table(ctx context.Context, shape Shape, state State, values int) (*table, error) {
	chunks, typ := m.numbers, arrow.DataType(arrow.PrimitiveTypes.Int64)
	if state == Variable {
		chunks, typ = m.texts, arrow.BinaryTypes.String
	}
	if chunks == nil {
		var err error
		if chunks, err = m.values(ctx, state); err != nil {
			return nil, err
		}
	}
	fields := []arrow.Field{{Name: "k", Type: arrow.PrimitiveTypes.Int64}}
	for k := range values {
		fields = append(fields, arrow.Field{Name: valueName(k), Type: typ})
	}
	t := &table{schema: arrow.NewSchema(fields, nil)}
	group := shape.groups(m.groups, m.rows, newSource(m.seed, groupStream))
	for c, chunk := range chunks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := chunk.Len()
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = group(int64(c)*chunkRows + int64(i))
		}
		cols := []arrow.Array{int64Array(keys)}
		for k := range values {
			cols = append(cols, m.turned(chunks, c, k, n))
		}
		t.records = append(t.records, array.NewRecord(t.schema, cols, int64(n)))
	}
	return t, nil
}

func valueName(k int) string { return fmt.Sprintf("v%d", k) }

// turned returns chunk c of value column k. The columns share their memory, or
// 32 of them would not fit small machines: each has the chunks in another order.
func (m *maker) turned(chunks []arrow.Array, c, k, n int) arrow.Array {
	whole := int(m.rows / chunkRows)
	if n < chunkRows || whole == 0 {
		return chunks[c] // the last one, which is short
	}
	return chunks[(c+k)%whole]
}

// values makes the chunks of a column of values.
func (m *maker) values(ctx context.Context, state State) ([]arrow.Array, error) {
	var chunks []arrow.Array
	numbers, texts := newSource(m.seed, numberStream), newSource(m.seed, textStream)
	for at := int64(0); at < m.rows; at += chunkRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := int(min(chunkRows, m.rows-at))
		if state == Variable {
			chunks = append(chunks, textArray(n, texts))
			continue
		}
		v := make([]int64, n)
		for i := range v {
			v[i] = numbers.below(1000)
		}
		chunks = append(chunks, int64Array(v))
	}
	if state == Variable {
		m.texts = chunks
	} else {
		m.numbers = chunks
	}
	return chunks, nil
}

func int64Array(v []int64) arrow.Array {
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(v))}
	data := array.NewData(arrow.PrimitiveTypes.Int64, len(v), buffers, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// Lengths of texts: some fit the 15 bytes that a state may hold in itself.
const minText, maxText = 8, 24

// textArray makes n random texts of lower-case letters.
func textArray(n int, s source) arrow.Array {
	offsets := make([]int32, n+1)
	var text []byte
	for i := range n {
		bits := s.pcg.Uint64()
		length := minText + int(bits%(maxText-minText+1))
		bits = s.pcg.Uint64()
		for k := range length {
			if k == 12 {
				bits = s.pcg.Uint64()
			}
			text = append(text, 'a'+byte(bits&31)%26)
			bits >>= 5
		}
		offsets[i+1] = int32(len(text))
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(text)}
	data := array.NewData(arrow.BinaryTypes.String, n, buffers, nil, 0, 0)
	defer data.Release()
	return array.MakeFromData(data)
}
