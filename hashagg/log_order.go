package hashagg

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// arrangement says in which order the values of a group come in a result: by
// columns, in these directions, and then by position in the input. If distinct,
// of equal values the first is left.
type arrangement struct {
	order    []Direction
	from     int // the first column of order; others follow it
	distinct bool
	limit    int // only so many are left, of those that there are; 0: all
}

// arranged returns the first column of the rows of tickets lo up to hi, and
// where each group's begin in it.
func (l *valueLog) arranged(lo, hi int, a arrangement) (starts []int32, v *vector.Vector, err error) {
	parts := valuesOnly
	if l.mixed {
		parts = withPositions
	}
	w, err := l.window(lo, hi, parts)
	if err != nil {
		return nil, nil, err
	}
	sel := w.arrange(a)
	if sel == nil {
		return w.starts, w.cols[0], nil
	}
	v, err = vector.Gather(nil, w.cols[0], sel)
	return w.starts, v, err
}

// arrange returns the rows of each group in their order, nil if they are in it.
func (w *logWindow) arrange(a arrangement) (sel []uint32) {
	if len(a.order) > 0 {
		sel = w.byColumns(a)
	} else if w.positions != nil {
		sel = w.byPosition()
	}
	if a.distinct {
		sel = w.firsts(sel)
	}
	if a.limit > 0 {
		sel = w.limited(sel, a.limit)
	}
	return sel
}

// limited returns the first rows of each group, as firsts does.
func (w *logWindow) limited(sel []uint32, limit int) []uint32 {
	kept, from := sel[:0], w.starts[0]
	for g := range len(w.starts) - 1 {
		rows := sel[from:w.starts[g+1]]
		from = w.starts[g+1]
		kept = append(kept, rows[:min(limit, len(rows))]...)
		w.starts[g+1] = int32(len(kept))
	}
	return kept
}

// without returns a log with the rows of l's tickets below n that an arrangement
// leaves.
func (l *valueLog) without(a arrangement, n int) (*valueLog, error) {
	types := make([]arrow.DataType, len(l.columns))
	for k := range types {
		types[k] = l.columns[k].typ
	}
	out := newValueLog(types, l.ordered)
	step := max(1, int(windowValues*int64(n)/int64(l.n)))
	var tickets []uint32
	for lo := 0; lo < n; lo += step {
		hi := min(n, lo+step)
		w, err := l.window(lo, hi, withPositions)
		if err != nil {
			return nil, err
		}
		sel := w.arrange(a)
		for k, v := range w.cols {
			if w.cols[k], err = vector.Gather(nil, v, sel); err != nil {
				return nil, err
			}
		}
		if w.positions != nil {
			positions := make([]uint64, len(sel))
			for i, row := range sel {
				positions[i] = w.positions[row]
			}
			w.positions = positions
		}
		tickets = tickets[:0]
		for t := lo; t < hi; t++ {
			tickets = append(tickets, uint32(t))
		}
		out.merge(tickets, w.states())
	}
	return out, nil
}

// byPosition returns the rows of each group in the order of their positions, or
// nil if they are in it.
func (w *logWindow) byPosition() (sel []uint32) {
	var m runMerger
	for g := range len(w.starts) - 1 {
		lo, hi := w.starts[g], w.starts[g+1]
		if slices.IsSorted(w.positions[lo:hi]) {
			continue
		}
		if sel == nil {
			sel = identity(len(w.positions))
		}
		m.sort(sel[lo:hi], w.positions)
	}
	return sel
}

// runMerger sorts by merging what is in order already: the rows of a group are
// runs, one from each worker or each merged state.
type runMerger struct {
	other []uint32
	ends  []int // of the runs
}

// sort puts rows in the order of their keys.
func (m *runMerger) sort(rows []uint32, keys []uint64) {
	m.ends = m.ends[:0]
	for i := 1; i < len(rows); i++ {
		if keys[rows[i]] < keys[rows[i-1]] {
			m.ends = append(m.ends, i)
		}
	}
	m.ends = append(m.ends, len(rows))
	m.other = vector.Resize(m.other, len(rows))
	from, to := rows, m.other
	for len(m.ends) > 1 {
		lo, runs := 0, m.ends
		m.ends = m.ends[:0]
		for k := 0; k < len(runs); k += 2 {
			mid := runs[k]
			hi := runs[min(k+1, len(runs)-1)]
			merge(to[lo:hi], from[lo:mid], from[mid:hi], keys)
			m.ends = append(m.ends, hi)
			lo = hi
		}
		from, to = to, from
	}
	copy(rows, from)
}

// merge sets dst to the rows of a and b in the order of their keys; of equal
// ones, those of a come first.
func merge(dst, a, b []uint32, keys []uint64) {
	k := 0
	for len(a) > 0 && len(b) > 0 {
		if keys[b[0]] < keys[a[0]] {
			dst[k], b = b[0], b[1:]
		} else {
			dst[k], a = a[0], a[1:]
		}
		k++
	}
	copy(dst[k:], a)
	copy(dst[k+len(a):], b)
}

func identity(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

// headedRow is a row with a number that does not contradict its order.
type headedRow struct {
	head uint64
	row  uint32
}

// byColumns returns the rows of each group in the order of columns. Where a limit
// leaves the first only, others may be missing.
func (w *logWindow) byColumns(a arrangement) []uint32 {
	order := a.order
	by := make([]heads, len(order))
	for c := range order {
		by[c] = headsOf(w.cols[a.from+c])
	}
	compare := func(x, y headedRow) int {
		if x.head != y.head {
			return cmp.Compare(x.head, y.head)
		}
		for c, d := range order {
			if r := by[c].directed(d, x.row, y.row); r != 0 {
				return r
			}
		}
		if w.positions != nil {
			return cmp.Compare(w.positions[x.row], w.positions[y.row])
		}
		return cmp.Compare(x.row, y.row)
	}
	sel := make([]uint32, w.cols[0].Len)
	var rows []headedRow
	for g := range len(w.starts) - 1 {
		lo, hi := w.starts[g], w.starts[g+1]
		rows = vector.Resize(rows, int(hi-lo))
		for i := range rows {
			row := uint32(lo) + uint32(i)
			rows[i] = headedRow{by[0].head(order[0], row), row}
		}
		if a.limit > 0 && a.limit < len(rows) && !a.distinct {
			selectRow(rows, a.limit, compare)
			rows = rows[:a.limit]
		}
		slices.SortFunc(rows, compare)
		for i, r := range rows {
			sel[int(lo)+i] = r.row
		}
	}
	return sel
}

// null reports whether row i is NULL.
func (h heads) null(i uint32) bool { return h.words[i] == nullHead && h.v.IsNull(int(i)) }

// head returns the head of row i in a direction.
func (h heads) head(d Direction, i uint32) uint64 {
	switch {
	case h.null(i) && d.NullsFirst:
		return 0
	case h.null(i):
		return nullHead
	case d.Desc:
		return ^h.words[i]
	}
	return h.words[i]
}

// directed orders rows i and j in a direction.
func (h heads) directed(d Direction, i, j uint32) int {
	a, b := h.null(i), h.null(j)
	switch {
	case a && b:
		return 0
	case a == d.NullsFirst && a != b, b && !d.NullsFirst:
		return -1
	case a || b:
		return 1
	case d.Desc:
		return h.compare(j, i)
	}
	return h.compare(i, j)
}

// firsts returns the rows of each group, in the order of sel if it is not nil,
// without those whose value in the first column has come before, and sets starts
// accordingly. NULL is a value.
func (w *logWindow) firsts(sel []uint32) []uint32 {
	if sel == nil {
		sel = identity(w.cols[0].Len)
	}
	h := headsOf(w.cols[0])
	kept, from := sel[:0], w.starts[0]
	var ranks []headedRow
	var again []bool
	for g := range len(w.starts) - 1 {
		rows := sel[from:w.starts[g+1]]
		from = w.starts[g+1]
		ranks, again = vector.Resize(ranks, len(rows)), vector.Resize(again, len(rows))
		for i, row := range rows {
			ranks[i], again[i] = headedRow{h.words[row], uint32(i)}, false
		}
		slices.SortFunc(ranks, func(x, y headedRow) int {
			if x.head != y.head {
				return cmp.Compare(x.head, y.head)
			}
			if c := h.compare(rows[x.row], rows[y.row]); c != 0 {
				return c
			}
			return cmp.Compare(x.row, y.row)
		})
		for i := 1; i < len(ranks); i++ {
			again[ranks[i].row] = h.compare(rows[ranks[i-1].row], rows[ranks[i].row]) == 0
		}
		for i, row := range rows {
			if !again[i] {
				kept = append(kept, row)
			}
		}
		w.starts[g+1] = int32(len(kept))
	}
	return kept
}
