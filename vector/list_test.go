package vector

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// TestListsCoded has lists as the entries of dictionaries and as constants.
func TestListsCoded(t *testing.T) {
	for _, l := range lists {
		a := filled(t, l.typ, l.values, 5, 3)
		entries := fromArrow(t, a)
		codes := []uint32{4, 0, 2, 1, 1, 0, 3, 2}
		v := &Vector{Type: l.typ, Len: len(codes), Codes: codes, Dict: entries}
		same(t, v, a, codes)
		b := NewBuilder(l.typ)
		for range 2 {
			b.Reset()
			if err := errors.Join(b.Append(v, nil), b.Append(v, []uint32{7, 6})); err != nil {
				t.Fatal(err)
			}
			same(t, b.Vector(), a, append(slices.Clone(codes), 2, 3))
		}
		one, err := Gather(nil, entries, []uint32{1})
		if err != nil {
			t.Fatal(err)
		}
		same(t, &Vector{Type: l.typ, Len: 3, Dict: one}, a, []uint32{1, 1, 1})
		var s Vector
		long := fromArrow(t, filled(t, l.typ, l.values, 40, 3))
		Slice(&s, long, 16, 31)
		same(t, &s, array.NewSlice(filled(t, l.typ, l.values, 40, 3), 16, 31), upTo(15))
	}
}

// TestListsThroughIPC has lists whose first offset is not 0, and more elements
// than they name.
func TestListsThroughIPC(t *testing.T) {
	for _, l := range lists {
		whole := filled(t, l.typ, l.values, 60, 4)
		for _, cut := range [][2]int64{{0, 60}, {0, 21}, {17, 33}, {40, 40}} {
			a := array.NewSlice(whole, cut[0], cut[1])
			v := fromArrow(t, a)
			schema := arrow.NewSchema([]arrow.Field{{Name: "l", Type: v.Type, Nullable: true}}, nil)
			rec, err := ToRecord(schema, &Batch{Cols: []*Vector{v}, Len: v.Len})
			if err != nil {
				t.Fatal(err)
			}
			var buf bytes.Buffer
			w := ipc.NewWriter(&buf, ipc.WithSchema(schema), ipc.WithLZ4())
			if err := errors.Join(w.Write(rec), w.Close()); err != nil {
				t.Fatal(err)
			}
			r, err := ipc.NewReader(&buf)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Next() || !array.Equal(r.Record().Column(0), a) {
				t.Errorf("%s %v: error %v, record %v, want %v", l.typ, cut, r.Err(), r.Record(), a)
			}
			same(t, fromArrow(t, r.Record().Column(0)), a, upTo(a.Len()))
			r.Release()
			rec.Release()
		}
	}
}

func TestListsNotWhole(t *testing.T) {
	elems := filled(t, arrow.PrimitiveTypes.Int64, []string{"1"}, 5, 0)
	for _, offsets := range [][]int32{{0, 6}, {0, 3, 2}, {-1, 2}, {3, 9, 4}} {
		d := array.NewData(arrow.ListOf(arrow.PrimitiveTypes.Int64), len(offsets)-1,
			[]*memory.Buffer{nil, memory.NewBufferBytes(AsBytes(offsets))}, []arrow.ArrayData{elems.Data()}, 0, 0)
		if v, err := FromArrow(array.MakeFromData(d)); err == nil {
			t.Errorf("offsets %v give %s", offsets, v)
		}
	}
	short := array.NewData(arrow.ListOf(arrow.PrimitiveTypes.Int64), 2,
		[]*memory.Buffer{nil, memory.NewBufferBytes(AsBytes([]int32{0, 1}))}, []arrow.ArrayData{elems.Data()}, 0, 0)
	if _, err := FromArrow(array.MakeFromData(short)); !errors.Is(err, errShort) {
		t.Errorf("error %v of offsets that are too few", err)
	}
	for _, typ := range []arrow.DataType{arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int64)), arrow.ListOf(arrow.StructOf())} {
		if _, err := VectorType(typ); err == nil || Supported(typ) {
			t.Errorf("%s is said to be supported", typ)
		}
	}
	large := arrow.ListOf(arrow.BinaryTypes.LargeString)
	if typ, err := VectorType(large); err != nil || !arrow.TypeEqual(typ, arrow.ListOf(arrow.BinaryTypes.String)) {
		t.Errorf("lists of large strings become %v, error %v", typ, err)
	}
}

func TestListsTooLong(t *testing.T) {
	child := New(arrow.Null, 1<<20)
	v := NewList([]int32{0, 1 << 20}, child)
	if _, err := Gather(nil, v, make([]uint32, 2048)); !errors.Is(err, ErrTooLong) {
		t.Errorf("Gather: %v", err)
	}
}
