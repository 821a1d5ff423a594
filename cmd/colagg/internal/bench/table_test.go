package bench

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

func makeTable(t *testing.T, m *maker, s Shape, state State, values int) *table {
	t.Helper()
	tab, err := m.table(context.Background(), s, state, values)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func TestNumbers(t *testing.T) {
	const rows = 5*chunkRows + 7
	m := &maker{rows: rows, groups: 10, seed: 1}
	tab := makeTable(t, m, Uniform(), Fixed, 3)
	if got := tab.schema.String(); tab.schema.NumFields() != 4 || tab.schema.Field(0).Name != "k" || tab.schema.Field(3).Name != "v2" {
		t.Error(got)
	}
	var n int64
	sums, differ := make([]int64, 3), 0
	for _, rec := range tab.records {
		n += rec.NumRows()
		var first []int64
		for k := range sums {
			v := rec.Column(1 + k).(*array.Int64).Int64Values()
			for i, x := range v {
				sums[k] += x
				if k > 0 && x != first[i] {
					differ++
				}
			}
			if k == 0 {
				first = v
			}
		}
	}
	if n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}
	// The columns have the same values, in other rows.
	if sums[0] != sums[1] || sums[0] != sums[2] || differ < rows {
		t.Errorf("sums %d, %d values differ", sums, differ)
	}
	if mean := float64(sums[0]) / rows; math.Abs(mean-499.5) > 3 {
		t.Errorf("the mean is %.2f", mean)
	}
	if again := makeTable(t, &maker{rows: rows, groups: 10, seed: 1}, Uniform(), Fixed, 3); !sameRecords(again, tab) {
		t.Error("the same seed gives other rows")
	}
	if other := makeTable(t, &maker{rows: rows, groups: 10, seed: 2}, Uniform(), Fixed, 3); sameRecords(other, tab) {
		t.Error("another seed gives the same rows")
	}
}

func sameRecords(a, b *table) bool {
	for i, rec := range a.records {
		if !array.RecordEqual(rec, b.records[i]) {
			return false
		}
	}
	return len(a.records) == len(b.records)
}

func TestTexts(t *testing.T) {
	tab := makeTable(t, &maker{rows: 50_000, groups: 10, seed: 1}, Uniform(), Variable, 1)
	lengths, first := map[int]int{}, map[byte]int{}
	distinct := map[string]bool{}
	for _, rec := range tab.records {
		if rec.Column(1).DataType().ID() != arrow.STRING {
			t.Fatal(rec.Schema())
		}
		c := rec.Column(1).(*array.String)
		for i := range c.Len() {
			s := c.Value(i)
			lengths[len(s)]++
			first[s[0]]++
			distinct[s] = true
			for _, b := range []byte(s) {
				if b < 'a' || b > 'z' {
					t.Fatalf("%q", s)
				}
			}
		}
	}
	if len(lengths) != maxText-minText+1 || lengths[minText] < 2000 || lengths[maxText] < 2000 || len(first) != 26 || len(distinct) < 49_990 {
		t.Errorf("lengths %v, first bytes %v, %d distinct", lengths, first, len(distinct))
	}
}

func TestTableIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &maker{rows: 10, groups: 1}
	cancel()
	for range 2 { // without and with the columns of values
		if _, err := m.table(ctx, Uniform(), Fixed, 1); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		makeTable(t, m, Uniform(), Fixed, 1)
	}
}
