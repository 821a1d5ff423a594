package vector

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// picks returns selections of n rows: none, all, backwards, and a random one
// with repeats.
func picks(n int) [][]uint32 {
	all := upTo(n)
	back := make([]uint32, n)
	some := make([]uint32, 2*n)
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range all {
		back[n-1-i] = uint32(i)
		some[2*i], some[2*i+1] = uint32(rnd.IntN(n)), uint32(rnd.IntN(n))
	}
	return [][]uint32{{}, all, back, some}
}

// TestGather reuses one vector for all types and forms.
func TestGather(t *testing.T) {
	var dst *Vector
	eachArray(t, func(t *testing.T, a arrow.Array) {
		v := fromArrow(t, a)
		v.ID = NextID()
		for _, p := range picks(a.Len()) {
			var err error
			if dst, err = Gather(dst, v, p); err != nil {
				t.Fatal(err)
			}
			if dst.ID != 0 {
				t.Fatal("other contents have the same ID")
			}
			same(t, dst, a, p)
		}
	})
}

func TestGatherCoded(t *testing.T) {
	var dst *Vector
	for _, l := range literals[:len(literals)-1] {
		coded, plain := dictionary(t, arrow.PrimitiveTypes.Int32, l.typ, l.values)
		a, want := array.NewSlice(coded, 3, 38), array.NewSlice(plain, 3, 38)
		v := fromArrow(t, a)
		for _, p := range picks(v.Len) {
			var err error
			if dst, err = Gather(dst, v, p); err != nil {
				t.Fatal(err)
			}
			if dst.Dict != v.Dict {
				t.Fatal("the dictionary was not kept")
			}
			same(t, dst, want, p)
			if dst, err = Gather(dst, fromArrow(t, want), p); err != nil { // flat again
				t.Fatal(err)
			}
			same(t, dst, want, p)
		}
	}
}

func TestFlatten(t *testing.T) {
	for _, l := range literals[:len(literals)-1] {
		coded, plain := dictionary(t, arrow.PrimitiveTypes.Int32, l.typ, l.values)
		v := fromArrow(t, coded)
		f, err := Flatten(v)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Flat() || f.ID != 0 {
			t.Fatalf("%s with ID %d", f, f.ID)
		}
		same(t, f, plain, upTo(plain.Len()))
		if again, err := Flatten(f); again != f || err != nil {
			t.Errorf("a flat vector was copied, error %v", err)
		}
	}
}

func TestConstant(t *testing.T) {
	for _, l := range literals {
		a := filled(t, l.typ, l.values, 2, 2) // NULL, then a value
		for k := range uint32(2) {
			one, err := Gather(nil, fromArrow(t, a), []uint32{k})
			if err != nil {
				t.Fatal(err)
			}
			v := &Vector{Type: l.typ, Len: 9, Dict: one}
			same(t, v, a, []uint32{k, k, k, k, k, k, k, k, k})
			g, err := Gather(nil, v, []uint32{8, 0})
			if err != nil || g.Codes != nil {
				t.Fatalf("%s, error %v", g, err)
			}
			same(t, g, a, []uint32{k, k})
			v.Valid = NewBitmap(9)
			v.Valid.Set(4)
			same(t, v, a, []uint32{0, 0, 0, 0, k, 0, 0, 0, 0})
		}
	}
}

// TestFlattenWithoutEntries has rows that are all NULL, and so need no
// dictionary entry.
func TestFlattenWithoutEntries(t *testing.T) {
	for _, l := range literals {
		v := &Vector{Type: l.typ, Len: 3, Codes: make([]uint32, 3), Dict: New(l.typ, 0), Valid: NewBitmap(3)}
		f, err := Flatten(v)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f, filled(t, l.typ, l.values, 1, 1), []uint32{0, 0, 0})
	}
}

func TestGatherTooLong(t *testing.T) {
	b := NewBuilder(arrow.BinaryTypes.String)
	if err := b.AppendBytes(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if _, err := Gather(nil, b.Vector(), make([]uint32, 2048)); !errors.Is(err, ErrTooLong) {
		t.Errorf("Gather: %v", err)
	}
	if _, err := Flatten(&Vector{Type: b.v.Type, Len: 2048, Dict: b.Vector()}); !errors.Is(err, ErrTooLong) {
		t.Errorf("Flatten: %v", err)
	}
}
