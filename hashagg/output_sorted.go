package hashagg

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// sortedGroups is the number of groups up to which a result is sorted by its
// keys, so that it reads well and is the same on every run. Sorting this many
// by two text columns takes 3 ms.
const sortedGroups = 10_000

// ordered returns g, or if it is small its groups sorted by key: NULL last, and
// NaN before it.
func (g *groups) ordered(ctx context.Context) (operators.Source, error) {
	keys := len(g.sink.cfg.Keys)
	if keys == 0 || g.sink.groups.Load() > sortedGroups {
		return g, nil
	}
	out := &sortedSource{groups: g}
	if err := g.makeSorted(ctx, out); err != nil {
		return nil, err
	}
	out.order = sortedOrder(out.short[:keys], out.n)
	for i, c := range out.short {
		var err error
		if c == nil {
			continue
		}
		if out.short[i], err = vector.Gather(nil, c, out.order); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sortedOrder returns the order of n rows by their keys. Each row carries the
// heads of its first two columns, which nearly always decide, so that comparing
// reads no other memory.
func sortedOrder(cols []*vector.Vector, n int) []uint32 {
	by := make([]heads, len(cols))
	for c, v := range cols {
		by[c] = headsOf(v)
	}
	type headed struct {
		first, second uint64
		row           uint32
	}
	rows := make([]headed, n)
	for i := range rows {
		rows[i] = headed{first: by[0].words[i], row: uint32(i)}
		if len(by) > 1 {
			rows[i].second = by[1].words[i]
		}
	}
	whole := func(a uint64) bool { return a != nullHead && by[0].whole(a) }
	slices.SortFunc(rows, func(x, y headed) int {
		if x.first != y.first {
			return cmp.Compare(x.first, y.first)
		}
		if x.second != y.second && whole(x.first) {
			return cmp.Compare(x.second, y.second)
		}
		for c := range by {
			if r := by[c].compare(x.row, y.row); r != 0 {
				return r
			}
		}
		return 0
	})
	order := make([]uint32, n)
	for i := range rows {
		order[i] = rows[i].row
	}
	return order
}

// makeSorted makes all groups, those of a window after another or, where results
// are long, in parallel.
func (g *groups) makeSorted(ctx context.Context, out *sortedSource) error {
	schema, workers := g.sink.out, 1
	builders := make([]*vector.Builder, schema.NumFields())
	out.short = make([]*vector.Vector, len(builders))
	for i := range builders {
		if t := schema.Field(i).Type; i >= len(g.sink.cfg.Keys) && (vector.IsList(t) || vector.IsBytes(t)) {
			workers = g.sink.Workers()
			continue
		}
		builders[i] = vector.NewBuilder(schema.Field(i).Type)
	}
	made := make([]*vector.Batch, len(g.windows))
	var next atomic.Int64
	err := operators.Parallel(ctx, min(workers, len(g.windows)), func(ctx context.Context, _ int) (err error) {
		for k := int(next.Add(1)) - 1; k < len(g.windows) && err == nil; k = int(next.Add(1)) - 1 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			made[k], err = g.sink.batch(g.windows[k])
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, b := range made {
		if b == nil {
			continue
		}
		for i, c := range b.Cols {
			if builders[i] == nil {
				continue
			}
			if err := builders[i].Append(c, nil); err != nil {
				return err
			}
		}
		out.n += b.Len
		out.made, out.ends = append(out.made, b), append(out.ends, out.n)
	}
	for i, b := range builders {
		if b != nil {
			out.short[i] = b.Vector()
		}
	}
	return nil
}

// sortedSource gives groups in order. Columns of long results stay as they were
// made, and are put in order a batch at a time.
type sortedSource struct {
	groups *groups
	short  []*vector.Vector // columns, in order; nil for a long one
	n      int
	order  []uint32 // numbers of groups as they were made
	made   []*vector.Batch
	ends   []int // of the numbers of groups in made
	given  atomic.Bool
}

func (s *sortedSource) Schema() *arrow.Schema { return s.groups.Schema() }

// Stream returns a stream of all groups; a further one has none.
func (s *sortedSource) Stream() (operators.Stream, error) {
	rows, workers := s.groups.sink.cfg.BatchRows, 1
	if len(s.made) > 1 && slices.Contains(s.short, nil) {
		rows, workers = max(1, min(rows, s.n/len(s.made))), s.groups.sink.Workers()
	}
	pieces := (s.n + rows - 1) / rows
	if s.given.Swap(true) {
		pieces = 0
	}
	return operators.Ahead(pieces, workers, func(k int) (*vector.Batch, error) {
		return s.piece(k*rows, min(s.n, (k+1)*rows))
	}), nil
}

// piece returns groups lo up to hi.
func (s *sortedSource) piece(lo, hi int) (*vector.Batch, error) {
	out := &vector.Batch{Len: hi - lo, Row: uint64(lo), Cols: make([]*vector.Vector, len(s.short))}
	sel := make([]uint32, hi-lo)
	for i := range sel {
		sel[i] = uint32(lo + i)
	}
	for i, c := range s.short {
		var err error
		switch {
		case c == nil:
			out.Cols[i], err = s.long(i, s.order[lo:hi])
		case len(sel) == s.n:
			out.Cols[i] = c
		default:
			out.Cols[i], err = vector.Gather(nil, c, sel)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// long returns the groups of a column that order lists.
func (s *sortedSource) long(column int, order []uint32) (*vector.Vector, error) {
	b := vector.NewBuilder(s.groups.sink.out.Field(column).Type)
	one := make([]uint32, 1)
	for _, row := range order {
		k, _ := slices.BinarySearch(s.ends, int(row)+1)
		one[0] = row
		if k > 0 {
			one[0] -= uint32(s.ends[k-1])
		}
		if err := b.Append(s.made[k].Cols[column], one); err != nil {
			return nil, err
		}
	}
	return b.Vector(), nil
}

// compareRows orders rows i and j of a flat vector.
func compareRows(v *vector.Vector, i, j int) int {
	if a, b := v.IsNull(i), v.IsNull(j); a || b {
		switch {
		case a && b:
			return 0
		case a:
			return 1
		}
		return -1
	}
	switch t := v.Type; {
	case vector.IsBytes(t) || t.ID() == arrow.FIXED_SIZE_BINARY:
		return bytes.Compare(v.Bytes(i), v.Bytes(j))
	case t.ID() == arrow.DECIMAL128 || t.ID() == arrow.DECIMAL256:
		return compareSigned(vector.View[uint64](v.Bytes(i)), vector.View[uint64](v.Bytes(j)))
	}
	var w [2]uint64
	one := vector.Vector{Type: v.Type, Len: 1}
	for k, r := range [2]int{i, j} {
		one.Data = v.Bytes(r)
		words(w[k:k+1], &one)
	}
	switch {
	case v.Type.ID() == arrow.FLOAT64:
		return compareFloats(math.Float64frombits(w[0]), math.Float64frombits(w[1]))
	case v.Type.ID() == arrow.FLOAT32:
		return compareFloats(float64(math.Float32frombits(uint32(w[0]))), float64(math.Float32frombits(uint32(w[1]))))
	case v.Type.ID() == arrow.FLOAT16:
		return cmp.Compare(orderedHalf(w[0]), orderedHalf(w[1]))
	case signed(v.Type):
		return cmp.Compare(int64(w[0]), int64(w[1]))
	}
	return cmp.Compare(w[0], w[1])
}

// compareSigned orders two's complement numbers of the same length, lowest
// word first.
func compareSigned(a, b []uint64) int {
	top := len(a) - 1
	if c := cmp.Compare(int64(a[top]), int64(b[top])); c != 0 {
		return c
	}
	for k := top - 1; k >= 0; k-- {
		if c := cmp.Compare(a[k], b[k]); c != 0 {
			return c
		}
	}
	return 0
}

// compareFloats puts NaN last.
func compareFloats(a, b float64) int {
	if a != a || b != b {
		return -cmp.Compare(a, b) // cmp puts NaN first
	}
	return cmp.Compare(a, b)
}

// orderedHalf maps the bits of a canonical float16 to integers in its order,
// NaN last.
func orderedHalf(b uint64) int {
	if b&0x8000 != 0 {
		return -int(b &^ 0x8000)
	}
	return int(b)
}
