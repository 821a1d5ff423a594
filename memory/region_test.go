package memory

import "testing"

func TestRegionGrowsAndKeepsItsBytes(t *testing.T) {
	var r Region
	at := 0
	for _, n := range []int{0, 1, 1000, mapFrom - 1, mapFrom, 3 * mapFrom, reserveFirst + 1, reserveFirst + mapFrom} {
		b := r.Grow(n)
		if len(b) != n || r.Len() != n {
			t.Fatalf("Grow(%d) gave %d bytes", n, len(b))
		}
		for i := 0; i < at; i += 997 {
			if b[i] != byte(i%251)+1 {
				t.Fatalf("byte %d of %d was lost", i, n)
			}
		}
		for i := at; i < n; i += 4096 {
			if b[i] != 0 {
				t.Fatalf("new byte %d of %d is not zero", i, n)
			}
		}
		if n > 8*mapFrom {
			continue // enough pages touched
		}
		for i := range b {
			b[i] = byte(i%251) + 1
		}
		at = n
	}
	if b := r.Grow(5); len(b) != r.Len() {
		t.Errorf("a region shrank to %d", len(b))
	}
	r.Free()
	if r.Len() != 0 || len(r.Grow(10)) != 10 {
		t.Error("a freed region is not empty and usable")
	}
}

func TestRegionFixed(t *testing.T) {
	for _, n := range []int{0, 10, 2 * mapFrom} {
		var r Region
		b := r.Fixed(n)
		if len(b) != n {
			t.Fatalf("Fixed(%d) gave %d bytes", n, len(b))
		}
		for i := range b {
			b[i]++
		}
		r.Free()
	}
}

// TestMapped counts what regions have in mappings, where there are any.
func TestMapped(t *testing.T) {
	before := Mapped()
	var fixed, grown, small Region
	fixed.Fixed(3 * mapFrom)
	grown.Grow(mapFrom)
	grown.Grow(5 * mapFrom)
	grown.Grow(2 * mapFrom)
	small.Fixed(10)
	want := int64(0)
	for _, r := range []*Region{&fixed, &grown, &small} {
		if r.mapped {
			want += int64(r.Len())
		}
	}
	if got := Mapped() - before; got != want {
		t.Errorf("%d bytes are mapped, not %d", got, want)
	}
	for _, r := range []*Region{&fixed, &grown, &small} {
		r.Free()
	}
	if got := Mapped(); got != before {
		t.Errorf("%d bytes are mapped, not %d, when all are free", got, before)
	}
}
