package parquetio

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// le returns the little-endian bytes of a fixed-width value.
func le(v any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// flatOf returns a flat vector of the values given as stored; nil is NULL.
func flatOf(t testing.TB, typ arrow.DataType, values ...[]byte) *vector.Vector {
	t.Helper()
	b := vector.NewBuilder(typ)
	for _, v := range values {
		if v == nil {
			b.AppendNull()
		} else if err := b.AppendBytes(v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Vector()
}

// codedOf returns v dictionary-coded, with the entries in reverse order, one
// unused entry and one NULL entry, which every other NULL row points to.
func codedOf(t testing.TB, v *vector.Vector) *vector.Vector {
	t.Helper()
	dict := vector.NewBuilder(v.Type)
	for i := v.Len - 1; i >= 0; i-- {
		if !v.IsNull(i) {
			if err := dict.AppendBytes(v.Bytes(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	dict.AppendNull()
	out := &vector.Vector{Type: v.Type, Len: v.Len, Codes: make([]uint32, v.Len), Dict: dict.Vector()}
	out.Valid = vector.NewBitmap(v.Len)
	code, nulls := dict.Len()-2, 0
	for i := range v.Len {
		switch {
		case !v.IsNull(i):
			out.Valid.Set(i)
			out.Codes[i] = uint32(code)
			code--
		case nulls%2 == 0:
			out.Valid.Set(i)
			out.Codes[i] = uint32(dict.Len() - 1)
			nulls++
		default:
			nulls++
		}
	}
	return out
}

// written returns the file that a Writer makes of the batches.
func written(t testing.TB, s *arrow.Schema, batches ...*vector.Batch) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := NewWriter(&buf, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Bytes() != int64(buf.Len()) {
		t.Fatalf("Bytes() = %d for a file of %d bytes", w.Bytes(), buf.Len())
	}
	return buf.Bytes()
}

func batchOf(cols ...*vector.Vector) *vector.Batch {
	return &vector.Batch{Cols: cols, Len: cols[0].Len}
}
