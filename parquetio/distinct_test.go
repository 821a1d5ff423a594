package parquetio

import (
	"slices"
	"strings"
	"testing"
)

// TestDistinct compares hints with the numbers that pyarrow counts in the row
// group of a file that has the most.
func TestDistinct(t *testing.T) {
	f := mustFooter(t, diskFile("../testdata/trips.parquet"))
	var leaves []int
	var names []string
	for i, c := range f.Columns() {
		if !c.Repeated {
			leaves, names = append(leaves, i), append(names, strings.Join(c.Path, "."))
		}
	}
	s, err := NewScan([]*File{f}, [][]int{leaves}, names, ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{"city": 8, "vendor": 3, "day": 9, "passengers": 6, "payment.method": 3, "payment.card_last4": 194} {
		got, of, ok := s.Distinct(slices.Index(names, name))
		if !ok || of != 1300 || got < want/2 || got > 2*want+1 {
			t.Errorf("%s: %d of %d, %v; pyarrow has %d of 1300", name, got, of, ok, want)
		}
	}
}

// TestDistinctOfChunks has chunks of which the footer tells something, and others.
func TestDistinctOfChunks(t *testing.T) {
	whole := chunkMeta{physical: physicalInt64, values: 100_000, dictAt: 4, dataAt: 4 + pageHeaderBytes + 8000, packed: 140_000, unpacked: 140_000}
	with := func(change func(*chunkMeta)) chunkMeta {
		m := whole
		change(&m)
		return m
	}
	for _, c := range []struct {
		what string
		m    chunkMeta
		want int64
	}{
		{"1000 entries of 8 bytes", whole, 1000},
		{"compressed to half", with(func(m *chunkMeta) { m.unpacked, m.dataAt, m.packed = 140_000, 4+pageHeaderBytes+4000, 70_000 }), 1000},
		{"4 bytes", with(func(m *chunkMeta) { m.physical = physicalFloat }), 2000},
		{"no dictionary", with(func(m *chunkMeta) { m.dictAt = 0 }), 0},
		{"behind the data", with(func(m *chunkMeta) { m.dictAt = m.dataAt + 1 }), 0},
		{"larger than the chunk", with(func(m *chunkMeta) { m.dataAt = 1 << 40 }), 0},
		{"no size", with(func(m *chunkMeta) { m.packed = 0 }), 0},
		{"values beside it", with(func(m *chunkMeta) { m.packed, m.unpacked = 700_000, 700_000 }), 0},
		{"texts without statistics", with(func(m *chunkMeta) { m.physical = physicalByteArray }), 0},
		{"texts of 12 bytes", with(func(m *chunkMeta) { m.physical, m.textBytes = physicalByteArray, 24 }), 500},
		{"much beside nothing", with(func(m *chunkMeta) { m.dataAt = 10 }), 0},
		{"one entry", with(func(m *chunkMeta) { m.dataAt, m.packed, m.unpacked = 10, 100, 100 }), 1},
	} {
		if got := c.m.dictionaryEntries(0); got != c.want {
			t.Errorf("%s: %d entries, want %d", c.what, got, c.want)
		}
	}
	if got := with(func(m *chunkMeta) { m.physical = physicalFixed }); got.dictionaryEntries(16) != 500 {
		t.Errorf("16 bytes: %d entries", got.dictionaryEntries(16))
	}
}
