package hashagg

import (
	"bytes"
	"cmp"
	"context"
	"io"
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
	b, err := g.collect(ctx)
	if err != nil {
		return nil, err
	}
	order := sortedOrder(b.Cols[:keys], b.Len)
	for i, c := range b.Cols {
		if b.Cols[i], err = vector.Gather(nil, c, order); err != nil {
			return nil, err
		}
	}
	return &sortedSource{groups: g, batch: b}, nil
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

// collect returns all groups as one batch.
func (g *groups) collect(ctx context.Context) (*vector.Batch, error) {
	builders := make([]*vector.Builder, g.sink.out.NumFields())
	for i := range builders {
		builders[i] = vector.NewBuilder(g.sink.out.Field(i).Type)
	}
	out := &vector.Batch{}
	for _, w := range g.windows {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b, err := g.sink.batch(w)
		if err != nil {
			return nil, err
		}
		if b == nil {
			continue
		}
		for i, c := range b.Cols {
			if err := builders[i].Append(c, nil); err != nil {
				return nil, err
			}
		}
		out.Len += b.Len
	}
	for _, b := range builders {
		out.Cols = append(out.Cols, b.Vector())
	}
	return out, nil
}

// sortedSource gives one batch, in pieces.
type sortedSource struct {
	groups *groups
	batch  *vector.Batch
	next   atomic.Uint64
}

func (s *sortedSource) Schema() *arrow.Schema { return s.groups.Schema() }

func (s *sortedSource) Stream() (operators.Stream, error) { return &sortedStream{source: s}, nil }

type sortedStream struct{ source *sortedSource }

func (s *sortedStream) Close() error { return nil }

// Next gives the next rows to whichever stream asks.
func (s *sortedStream) Next(ctx context.Context) (*vector.Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	all, g := s.source.batch, s.source.groups
	n := uint64(g.sink.cfg.BatchRows)
	lo := s.source.next.Add(n) - n
	if lo >= uint64(all.Len) {
		return nil, io.EOF
	}
	if lo == 0 && n >= uint64(all.Len) {
		return all, nil
	}
	sel := make([]uint32, min(n, uint64(all.Len)-lo))
	for i := range sel {
		sel[i] = uint32(lo) + uint32(i)
	}
	out := &vector.Batch{Len: len(sel), Row: lo, Cols: make([]*vector.Vector, len(all.Cols))}
	for i, c := range all.Cols {
		var err error
		if out.Cols[i], err = vector.Gather(nil, c, sel); err != nil {
			return nil, err
		}
	}
	return out, nil
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
