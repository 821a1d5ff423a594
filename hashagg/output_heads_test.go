package hashagg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

func TestHeadsKeepOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	check := func(v *vector.Vector) {
		t.Helper()
		h := headsOf(v)
		for i := range v.Len {
			for j := range v.Len {
				if got, want := h.compare(uint32(i), uint32(j)), compareRows(v, i, j); got != want {
					t.Fatalf("%s: %q against %q: %d, want %d", v.Type, v.Bytes(i), v.Bytes(j), got, want)
				}
			}
		}
	}
	for _, typ := range append(testTypes, arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Uint32) {
		check(column(r, typ, 200, 60, true))
	}
	texts := vector.NewBuilder(arrow.BinaryTypes.Binary)
	for _, s := range []string{"", "\x00", "a", "a\x00", "abcdefg", "abcdefg\x00", "abcdefgh", "abcdefgi", "abcdefghi", "\xff\xff\xff\xff\xff\xff\xff\xff"} {
		if err := texts.AppendBytes([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	texts.AppendNull()
	check(texts.Vector())
	wide := vector.NewBuilder(&arrow.Decimal128Type{Precision: 38})
	for _, n := range [][2]uint64{{0, 0}, {1, 0}, {math.MaxUint64, 0}, {5, 1}, {0, 1}, {math.MaxUint64, math.MaxUint64}, {0, math.MaxUint64}, {1 << 63, math.MaxUint64}, {1 << 63, 0}} {
		if err := wide.AppendBytes(vector.AsBytes(n[:])); err != nil {
			t.Fatal(err)
		}
	}
	wide.AppendNull()
	check(wide.Vector())
	ends := vector.NewBuilder(arrow.PrimitiveTypes.Int64)
	for _, n := range []int64{math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, 0, -1} {
		if err := ends.AppendBytes(vector.AsBytes([]int64{n})); err != nil {
			t.Fatal(err)
		}
	}
	ends.AppendNull()
	check(ends.Vector())
}
