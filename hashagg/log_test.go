package hashagg

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// TestLog fills logs of many chunks, exports them in windows on several
// goroutines, merges them, and compares with lists kept in a map.
func TestLog(t *testing.T) {
	for _, typ := range []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Boolean, arrow.BinaryTypes.String,
		&arrow.FixedSizeBinaryType{ByteWidth: 5}, arrow.Null,
	} {
		for _, groups := range []int{1, 300, 40_000} {
			for _, far := range []uint64{0, 3 << 32} {
				if typ.ID() != arrow.INT64 && far > 0 || testing.Short() && groups > 300 {
					continue
				}
				t.Run(fmt.Sprintf("%s of %d groups, %d apart", typ, groups, far), func(t *testing.T) { testLog(t, typ, groups, far) })
			}
		}
	}
}

func testLog(t *testing.T, typ arrow.DataType, groups int, far uint64) {
	r := rand.New(rand.NewPCG(uint64(groups), far))
	agg, err := Bind("array_agg", []arrow.DataType{typ}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	want := make([][]cell, groups)
	logs := []*harness{newHarness(t, agg), newHarness(t, agg)}
	for batch := range 12 {
		cells, tickets := make([]cell, 8000), make([]uint32, 8000)
		for i := range cells {
			tickets[i] = uint32(r.IntN(groups))
			if typ.ID() != arrow.NULL && (batch > 5 || r.IntN(9) > 0) {
				cells[i] = randomCell(r, typ, extreme)
			}
			if typ.ID() == arrow.STRING && r.IntN(1000) == 0 {
				cells[i] = slices.Repeat([]byte("x"), 1<<r.IntN(13))
			}
		}
		if typ.ID() == arrow.STRING && batch == 3 {
			cells[1], cells[2] = slices.Repeat([]byte("y"), 1<<20-1), slices.Repeat([]byte("z"), 2<<20)
		}
		v := makeVector(t, r, typ, cells, form(batch%2)) // flat and coded
		for i, c := range cells {
			want[tickets[i]] = append(want[tickets[i]], c)
		}
		h := logs[r.IntN(2)]
		h.grow(groups)
		if err := h.acc.Update(tickets, []*vector.Vector{v}, Ordinals{First: uint64(batch) * (10_000 + far)}); err != nil {
			t.Fatal(err)
		}
	}
	total := newHarness(t, agg)
	total.grow(groups)
	for _, k := range r.Perm(2) {
		exportTogether(t, logs[k], groups, total)
	}
	for lo := 0; lo < groups; lo += 7001 {
		hi := min(groups, lo+7001)
		v, err := total.acc.Final(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		for g := lo; g < hi; g++ {
			got := "NULL"
			if c := readCell(v, g-lo); c != nil {
				got = cellText(c)
			}
			if exp := cellText(want[g]); got != exp && len(want[g])+len(got) != len("NULL") {
				t.Fatalf("group %d:\n got %.300s\nwant %.300s", g, got, exp)
			}
		}
	}
}

// exportTogether merges from into to; several goroutines export it at once.
func exportTogether(t *testing.T, from *harness, groups int, to *harness) {
	from.grow(groups)
	const width = 1024
	windows := make([][]*vector.Vector, (groups+width-1)/width)
	var wg sync.WaitGroup
	for k := range windows {
		wg.Go(func() {
			var err error
			if windows[k], err = from.acc.State(k*width, min(groups, (k+1)*width)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for k, w := range windows {
		tickets := make([]uint32, w[0].Len)
		for i := range tickets {
			tickets[i] = uint32(k*width + i)
		}
		if err := to.acc.Merge(tickets, w); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogSizes keeps to the memory that a value may take: 1.3 times its size and
// 8 bytes.
func TestLogSizes(t *testing.T) {
	agg, err := Bind("array_agg", []arrow.DataType{arrow.PrimitiveTypes.Int64}, Modifiers{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ groups, each int }{{1_000_000, 1}, {100_000, 16}, {100_000, 64}, {10_000, 1024}, {16_000, 1}} {
		if testing.Short() && c.groups*c.each > 2_000_000 {
			continue
		}
		h := newHarness(t, agg)
		h.slab.Stride = 0
		h.acc.Grow(c.groups)
		n, most := c.groups*c.each, int64(0)
		v := vector.New(arrow.PrimitiveTypes.Int64, 8192)
		tickets := make([]uint32, 8192)
		for lo := 0; lo < n; lo += 8192 {
			k := min(8192, n-lo)
			for i := range k {
				tickets[i] = uint32(uint64(lo+i) * 7919 % uint64(c.groups))
			}
			if err := h.acc.Update(tickets[:k], []*vector.Vector{v}, Ordinals{First: uint64(lo)}); err != nil {
				t.Fatal(err)
			}
			most = max(most, h.acc.Bytes())
		}
		if _, err := h.acc.Final(0, min(8192, c.groups)); err != nil {
			t.Fatal(err)
		}
		most = max(most, h.acc.Bytes())
		if limit := int64(n*8*13/10 + n*8); most > limit {
			t.Errorf("%d groups of %d: %d bytes, %.2f a value", c.groups, c.each, most, float64(most)/float64(n))
		}
	}
}

// TestDistinctValuesAreThinned has so many rows that values which come again
// are dropped before the end, and values that do not.
func TestDistinctValuesAreThinned(t *testing.T) {
	for _, different := range []int{7, 1 << 30} {
		agg, err := Bind("array_agg", []arrow.DataType{arrow.PrimitiveTypes.Int64}, Modifiers{Distinct: true})
		if err != nil {
			t.Fatal(err)
		}
		parts := []*harness{newHarness(t, agg), newHarness(t, agg)}
		const groups, batches, rows = 3, 90, 8192
		v, tickets := vector.New(arrow.PrimitiveTypes.Int64, rows), make([]uint32, rows)
		var want [groups][]cell
		seen := map[[2]int]bool{}
		for b := range batches {
			for i := range rows {
				n := b*rows + i
				value := n / 2 * 5 % different
				tickets[i] = uint32(n % groups)
				vector.Values[int64](v)[i] = int64(value)
				if key := [2]int{n % groups, value}; !seen[key] {
					seen[key] = true
					want[n%groups] = append(want[n%groups], value)
				}
			}
			h := parts[b/10%2]
			h.grow(groups)
			if err := h.acc.Update(tickets, []*vector.Vector{v}, Ordinals{First: uint64(b * rows)}); err != nil {
				t.Fatal(err)
			}
		}
		if held := parts[0].acc.Bytes(); different == 7 && held > 20*firstThinning {
			t.Errorf("%d bytes are held of %d values", held, len(seen))
		}
		exportTogether(t, parts[1], groups, parts[0])
		for g := range groups {
			if got := parts[0].result(g); got != cellText(want[g]) {
				t.Errorf("group %d of %d different values: %.200s, not %.200s", g, different, got, cellText(want[g]))
			}
		}
	}
}

// TestResultsTooLong has strings that no vector can hold together.
func TestResultsTooLong(t *testing.T) {
	separator := Constant{TextConstant, strings.Repeat(", ", 1<<20)}
	agg, err := Bind("string_agg", []arrow.DataType{arrow.BinaryTypes.String}, Modifiers{Constants: []Constant{separator}})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, agg)
	h.grow(1)
	if err := h.acc.Update(make([]uint32, 1200), []*vector.Vector{vector.New(arrow.BinaryTypes.String, 1200)}, Ordinals{}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.acc.Final(0, 1); !errors.Is(err, vector.ErrTooLong) || !strings.Contains(err.Error(), "string_agg") {
		t.Errorf("error %v", err)
	}
}
