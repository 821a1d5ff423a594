package vector

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// TestBuilder appends selections of vectors one after another and fills each
// builder twice.
func TestBuilder(t *testing.T) {
	eachArray(t, func(t *testing.T, a arrow.Array) {
		v := fromArrow(t, a)
		b := NewBuilder(v.Type)
		for range 2 {
			var all []uint32
			for _, p := range picks(v.Len) {
				if err := b.Append(v, p); err != nil {
					t.Fatal(err)
				}
				all = append(all, p...)
				same(t, b.Vector(), a, all)
			}
			if err := b.Append(v, nil); err != nil {
				t.Fatal(err)
			}
			same(t, b.Vector(), a, append(all, upTo(v.Len)...))
			if b.Len() != len(all)+v.Len {
				t.Fatalf("Len is %d", b.Len())
			}
			b.Reset()
			same(t, b.Vector(), a, nil)
		}
	})
}

func TestBuilderCoded(t *testing.T) {
	for _, l := range literals[:len(literals)-1] {
		coded, plain := dictionary(t, arrow.PrimitiveTypes.Int32, l.typ, l.values)
		v := fromArrow(t, array.NewSlice(coded, 3, 38))
		b := NewBuilder(l.typ)
		b.AppendNull()
		b.Reset()
		if err := b.Append(fromArrow(t, filled(t, l.typ, l.values, 9, 0)), nil); err != nil {
			t.Fatal(err)
		}
		if b.Vector().MayHaveNulls() {
			t.Error("a NULL from before the Reset shines through")
		}
		for _, p := range picks(v.Len) {
			b.Reset()
			if err := b.Append(v, p); err != nil {
				t.Fatal(err)
			}
			same(t, b.Vector(), array.NewSlice(plain, 3, 38), p)
		}
	}
}
