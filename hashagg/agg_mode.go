package hashagg

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// tally is what mode, top_k and entropy have in common: they ask how often a
// group has each of its values.
type tally struct {
	keeper
	typ arrow.DataType
}

// tallied is one of a group's different values: its head where heads are whole,
// else a row that has it; and how many rows have it.
type tallied struct {
	value uint64
	n     int
}

// bindTally returns the aggregate whose accumulators finish makes.
func bindTally(name string, t arrow.DataType, result arrow.DataType, finish func(tally) Accumulator, of func(Accumulator) *tally) (*Aggregate, error) {
	if err := refuseLists(name, t); err != nil {
		return nil, err
	}
	keep := kept{types: []arrow.DataType{t}, needs: 1}
	return &Aggregate{
		Result: result,
		State:  keep.state(),
		Take:   func(to, from Accumulator) { of(to).log.take(of(from).log) },
		New:    func(*Slab, int) Accumulator { return finish(tally{keep.keeper(), t}) },
	}, nil
}

// eachGroup calls do with the values of each group from lo up to hi, least
// first, and a function that appends one of them to a builder. Both are valid
// until do returns.
func (a *tally) eachGroup(lo, hi int, do func(values []tallied, put func(*vector.Builder, tallied) error) error) error {
	var values []tallied
	if !isWord(a.typ) {
		var rows []headedRow
		return a.eachWindow(lo, hi, func(_ int, w *logWindow) error {
			h := headsOf(w.cols[0])
			put := func(b *vector.Builder, v tallied) error { return b.AppendBytes(h.v.Bytes(int(v.value))) }
			for g := range len(w.starts) - 1 {
				rows = h.rows(rows, w.starts[g], w.starts[g+1])
				slices.SortFunc(rows, h.compareHeaded)
				values = values[:0]
				for i, r := range rows {
					if i > 0 && h.compareHeaded(rows[i-1], r) == 0 {
						values[len(values)-1].n++
						continue
					}
					values = append(values, tallied{uint64(r.row), 1})
				}
				if err := do(values, put); err != nil {
					return err
				}
			}
			return nil
		})
	}
	one := vector.New(a.typ, 1)
	put := func(b *vector.Builder, v tallied) error {
		clear(one.Data)
		putWord(one, 0, headWord(a.typ, v.value))
		return b.AppendBytes(one.Data)
	}
	return a.eachWindow(lo, hi, func(_ int, w *logWindow) error {
		h := headsOf(w.cols[0])
		for g := range len(w.starts) - 1 {
			s := h.words[w.starts[g]:w.starts[g+1]]
			slices.Sort(s)
			values = values[:0]
			for i, x := range s {
				if i > 0 && s[i-1] == x {
					values[len(values)-1].n++
					continue
				}
				values = append(values, tallied{x, 1})
			}
			if err := do(values, put); err != nil {
				return err
			}
		}
		return nil
	})
}

// rows returns rows lo up to hi with their heads, in the memory of scratch.
func (h heads) rows(scratch []headedRow, lo, hi int32) []headedRow {
	scratch = vector.Resize(scratch, int(hi-lo))
	for i := range scratch {
		row := uint32(lo) + uint32(i)
		scratch[i] = headedRow{h.words[row], row}
	}
	return scratch
}

// compareHeaded orders rows by value.
func (h heads) compareHeaded(x, y headedRow) int {
	if x.head != y.head {
		return cmp.Compare(x.head, y.head)
	}
	return h.compare(x.row, y.row)
}

// mode is the value that a group has most often; of several, the least, so
// that neither the order of rows nor the number of workers shows.
type mode struct{ tally }

func bindMode(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	t := args[0]
	switch {
	case t.ID() == arrow.NULL:
		return bindNull(t), nil
	case m.Distinct: // each comes once
		return bindExtreme(t, smallest), refuseLists(name, t)
	}
	return bindTally(name, t, t, func(t tally) Accumulator { return &mode{t} }, func(a Accumulator) *tally { return &a.(*mode).tally })
}

// Final returns the values, NULL where a group has none.
func (a *mode) Final(lo, hi int) (*vector.Vector, error) {
	b := vector.NewBuilder(a.typ)
	err := a.eachGroup(lo, hi, func(values []tallied, put func(*vector.Builder, tallied) error) error {
		if len(values) == 0 {
			b.AppendNull()
			return nil
		}
		best := values[0]
		for _, v := range values[1:] {
			if v.n > best.n {
				best = v
			}
		}
		return put(b, best)
	})
	return b.Vector(), err
}

// topK is top_k: the n values that a group has most often, most frequent first;
// of equally frequent ones the lesser are before the greater.
type topK struct {
	tally
	n int
}

func bindTopK(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	n, err := numberOf(name, m)
	if err != nil {
		return nil, err
	}
	t := args[0]
	return bindTally(name, t, arrow.ListOf(t), func(t tally) Accumulator { return &topK{t, n} }, func(a Accumulator) *tally { return &a.(*topK).tally })
}

// Final returns the lists, NULL where a group has no value.
func (a *topK) Final(lo, hi int) (*vector.Vector, error) {
	b, starts := vector.NewBuilder(a.typ), []int32{0}
	err := a.eachGroup(lo, hi, func(values []tallied, put func(*vector.Builder, tallied) error) error {
		slices.SortStableFunc(values, func(x, y tallied) int { return cmp.Compare(y.n, x.n) })
		for _, v := range values[:min(a.n, len(values))] {
			if err := put(b, v); err != nil {
				return err
			}
		}
		if b.Len() > vector.MaxBytes {
			return fmt.Errorf("%d values of %d groups: %w", b.Len(), hi-lo, vector.ErrTooLong)
		}
		starts = append(starts, int32(b.Len()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	v := vector.NewList(starts, b.Vector())
	for i := range v.Len {
		if starts[i] == starts[i+1] {
			setNull(v, i)
		}
	}
	return v, nil
}

// entropy is Shannon's, in bits, of how often a group has its values.
type entropy struct{ tally }

func bindEntropy(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	agg, err := bindTally(name, args[0], arrow.PrimitiveTypes.Float64,
		func(t tally) Accumulator { return &entropy{t} }, func(a Accumulator) *tally { return &a.(*entropy).tally })
	if err == nil {
		agg.NotNull = true
	}
	return agg, err
}

// Final returns the results: log2 n − Σ k·log2 k / n of n rows, of which k have a
// value; 0 where there are none.
func (a *entropy) Final(lo, hi int) (*vector.Vector, error) {
	v := vector.New(arrow.PrimitiveTypes.Float64, hi-lo)
	out, t := vector.Values[float64](v), 0
	err := a.eachGroup(lo, hi, func(values []tallied, _ func(*vector.Builder, tallied) error) error {
		var n int
		var high, low float64 // of the sum
		for _, v := range values {
			n += v.n
			k := float64(v.n)
			high, low = addDouble(high, low, k*math.Log2(k), 0)
		}
		if len(values) > 1 {
			out[t] = max(0, math.Log2(float64(n))-(high+low)/float64(n))
		}
		t++
		return nil
	})
	return v, err
}
