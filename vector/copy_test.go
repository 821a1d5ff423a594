package vector

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

// TestCopyIsApart changes what was copied.
func TestCopyIsApart(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean, arrow.Null} {
		b := NewBuilder(typ)
		for i := range 40 {
			if typ.ID() == arrow.NULL || i%5 == 0 {
				b.AppendNull()
			} else if err := b.AppendBytes([]byte{byte(i & 1), 2, 3, 4, 5, 6, 7, 8}[:max(1, Width(typ))]); err != nil {
				t.Fatal(err)
			}
		}
		flat := b.Vector()
		coded := &Vector{Type: typ, Len: 3, Codes: []uint32{7, 1, 0}, Dict: flat}
		var cut Vector
		Slice(&cut, flat, 8, 20)
		for _, v := range []*Vector{flat, coded, &cut} {
			got, err := Copy(v)
			if err != nil || !got.Flat() || got.Len != v.Len {
				t.Fatalf("%s, %v", got, err)
			}
			want := make([]string, v.Len)
			for i := range want {
				if want[i] = "NULL"; !v.IsNull(i) {
					want[i] = string(v.Bytes(i))
				}
			}
			before := string(flat.Data)
			clear(flat.Data)
			for i := range want {
				if is := got.IsNull(i); is != (want[i] == "NULL") || !is && string(got.Bytes(i)) != want[i] {
					t.Errorf("%s: row %d differs", v, i)
				}
			}
			copy(flat.Data, before)
		}
	}
}
