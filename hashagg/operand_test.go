package hashagg

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/colagg/colagg/vector"
)

func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		f := halfToFloat(uint16(h))
		if back := floatToHalf(f); back != uint16(h) {
			t.Fatalf("%#04x is %g and back %#04x", h, f, back)
		}
		want := float16.FromBits(uint16(h)).Float32()
		if h&0x7c00 == 0 { // arrow's own conversion loses subnormal numbers
			want = float32(math.Copysign(float64(h&0x3ff)*0x1p-24, float64(1-h>>14)))
		}
		if f != want && want == want {
			t.Fatalf("%#04x is %g, not %g", h, f, want)
		}
	}
}

func TestValidWord(t *testing.T) {
	valid := vector.NewBitmap(150)
	valid.SetRange(3, 140)
	valid.Clear(64)
	for n := 1; n <= 150; n++ {
		for base := 0; base < n; base += 64 {
			w := validWord(valid, base, n)
			for i := range 64 {
				want := base+i < n && valid.Get(base+i)
				if got := w>>i&1 != 0; got != want {
					t.Fatalf("row %d of %d is %v", base+i, n, got)
				}
			}
		}
	}
}

// TestDictionaryKept holds that what is kept per dictionary entry is thrown
// away with the dictionary.
func TestDictionaryKept(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Float16, arrow.BinaryTypes.String} {
		agg, err := Bind("max", []arrow.DataType{typ}, Modifiers{})
		if err != nil {
			t.Fatal(err)
		}
		h := newHarness(t, agg)
		h.grow(3)
		entries := map[arrow.Type][2]cell{
			arrow.BOOL: {false, true}, arrow.FLOAT16: {1.0, 2.0}, arrow.STRING: {[]byte("a"), []byte("b")},
		}[typ.ID()]
		var dicts [2]*vector.Vector
		for k := range dicts {
			b := vector.NewBuilder(typ)
			appendCell(t, b, typ, entries[k])
			dicts[k] = b.Vector()
			dicts[k].ID = vector.NextID()
		}
		for ticket, k := range []int{0, 1, 0} {
			v := &vector.Vector{Type: typ, Len: 1, Codes: []uint32{0}, Dict: dicts[k]}
			if err := h.acc.Update([]uint32{uint32(ticket)}, []*vector.Vector{v}, Ordinals{}); err != nil {
				t.Fatal(err)
			}
			if got, want := h.result(ticket), cellText(entries[k]); got != want {
				t.Errorf("max of %s is %s, not %s", typ, got, want)
			}
		}
	}
}
