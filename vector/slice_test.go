package vector

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

func TestSliceHasTheRowsOfItsRange(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String,
		arrow.PrimitiveTypes.Int16, &arrow.Decimal128Type{Precision: 30}, arrow.Null} {
		b := NewBuilder(typ)
		for range 100 {
			p := make([]byte, max(1, Width(typ)))
			p[0] = byte(r.IntN(2))
			if typ.ID() == arrow.NULL || r.IntN(4) == 0 {
				b.AppendNull()
			} else if err := b.AppendBytes(p); err != nil {
				t.Fatal(err)
			}
		}
		flat := b.Vector()
		codes := make([]uint32, 100)
		for i := range codes {
			codes[i] = uint32(r.IntN(100))
		}
		for _, v := range []*Vector{flat, {Type: typ, Len: 100, Dict: flat, Codes: codes}} {
			for _, cut := range [][2]int{{0, 100}, {8, 9}, {16, 16}, {40, 99}, {96, 100}} {
				var s Vector
				Slice(&s, v, cut[0], cut[1])
				if s.Len != cut[1]-cut[0] {
					t.Fatalf("%s: %d rows of %v", v, s.Len, cut)
				}
				for i := range s.Len {
					j := cut[0] + i
					if s.IsNull(i) != v.IsNull(j) || !s.IsNull(i) && string(s.Bytes(i)) != string(v.Bytes(j)) {
						t.Errorf("%s: row %d of %v differs", v, i, cut)
					}
				}
			}
		}
	}
}
