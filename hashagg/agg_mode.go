package hashagg

import (
	"cmp"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// mode is the value that a group has most often; of several, the least, so
// that neither the order of rows nor the number of workers shows.
type mode struct {
	keeper
	typ arrow.DataType
}

func bindMode(name string, args []arrow.DataType, _ Modifiers) (*Aggregate, error) {
	t := args[0]
	if t.ID() == arrow.NULL {
		return bindNull(t), nil
	}
	if err := refuseLists(name, t); err != nil {
		return nil, err
	}
	keep := kept{types: args}
	return &Aggregate{
		Result: t,
		State:  keep.state(),
		Take:   func(to, from Accumulator) { to.(*mode).log.take(from.(*mode).log) },
		New:    func(*Slab, int) Accumulator { return &mode{keep.keeper(), t} },
	}, nil
}

// Final returns the values, NULL where a group has none.
func (a *mode) Final(lo, hi int) (*vector.Vector, error) {
	if isWord(a.typ) {
		return a.words(lo, hi)
	}
	b := vector.NewBuilder(a.typ)
	err := a.eachWindow(lo, hi, func(_ int, w *logWindow) error {
		h := headsOf(w.cols[0])
		var rows []headedRow
		for g := range len(w.starts) - 1 {
			rows = h.rows(rows, w.starts[g], w.starts[g+1])
			if len(rows) == 0 {
				b.AppendNull()
				continue
			}
			slices.SortFunc(rows, h.compareHeaded)
			best, most := rows[0], 0
			for i := 0; i < len(rows); {
				k := i + 1
				for k < len(rows) && h.compareHeaded(rows[i], rows[k]) == 0 {
					k++
				}
				if k-i > most {
					best, most = rows[i], k-i
				}
				i = k
			}
			if err := b.AppendBytes(h.v.Bytes(int(best.row))); err != nil {
				return err
			}
		}
		return nil
	})
	return b.Vector(), err
}

// words is Final for values whose heads are whole.
func (a *mode) words(lo, hi int) (*vector.Vector, error) {
	v := vector.New(a.typ, hi-lo)
	err := a.eachWindow(lo, hi, func(at int, w *logWindow) error {
		h := headsOf(w.cols[0])
		for g := range len(w.starts) - 1 {
			s := h.words[w.starts[g]:w.starts[g+1]]
			if len(s) == 0 {
				setNull(v, at-lo+g)
				continue
			}
			slices.Sort(s)
			best, most := s[0], 0
			for i := 0; i < len(s); {
				k := i + 1
				for k < len(s) && s[k] == s[i] {
					k++
				}
				if k-i > most {
					best, most = s[i], k-i
				}
				i = k
			}
			putWord(v, at-lo+g, headWord(a.typ, best))
		}
		return nil
	})
	return v, err
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
