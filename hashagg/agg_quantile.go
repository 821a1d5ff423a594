package hashagg

import (
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// quantile is the value below which a part of a group's values lies, NaN above
// all other numbers: quantile_disc is the least value that has so many at or
// below it, one of the group's; quantile_cont lies between two of them, in
// proportion (SQL:2003's percentile_disc and percentile_cont). median is the
// continuous one of a half, and the discrete one of what has no middle.
type quantile struct {
	keeper
	part   fraction
	typ    arrow.DataType
	middle func() middle // nil: discrete
	result arrow.DataType
	name   string
}

func bindQuantileDisc(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	p, err := fractionOf(name, m)
	if err != nil {
		return nil, err
	}
	return bindDiscrete(name, args, m, p)
}

func bindDiscrete(name string, args []arrow.DataType, m Modifiers, p fraction) (*Aggregate, error) {
	if args[0].ID() == arrow.NULL {
		return bindNull(args[0]), nil
	}
	if err := refuseLists(name, args[0]); err != nil {
		return nil, err
	}
	return quantile{part: p, typ: args[0], result: args[0], name: name}.aggregate(args, m), nil
}

func bindQuantileCont(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	p, err := fractionOf(name, m)
	if err != nil {
		return nil, err
	}
	t := args[0]
	if t.ID() == arrow.NULL {
		return bindNull(arrow.PrimitiveTypes.Float64), nil
	}
	b, result := middleOf(t)
	if b == nil {
		return nil, refuse(name, t, "put between two others", "quantile_disc takes every type")
	}
	return quantile{part: p, typ: t, middle: b, result: result, name: name}.aggregate(args, m), nil
}

func bindMedian(name string, args []arrow.DataType, m Modifiers) (*Aggregate, error) {
	m.Constants = []Constant{{Kind: NumberConstant, Text: "0.5"}}
	if b, _ := middleOf(args[0]); b != nil || args[0].ID() == arrow.NULL {
		return bindQuantileCont(name, args, m)
	}
	return bindQuantileDisc(name, args, m)
}

func (q quantile) aggregate(args []arrow.DataType, m Modifiers) *Aggregate {
	keep := kept{types: args, needs: 1, arrangement: arrangement{distinct: m.Distinct}}
	return &Aggregate{
		Result: q.result,
		State:  keep.state(),
		Take:   func(to, from Accumulator) { to.(*quantile).log.take(from.(*quantile).log) },
		New: func(*Slab, int) Accumulator {
			a := q
			a.keeper = keep.keeper()
			return &a
		},
	}
}

// Final returns the quantiles, NULL where a group has no values.
func (q *quantile) Final(lo, hi int) (*vector.Vector, error) {
	out := quantiles{b: vector.NewBuilder(q.result), quantile: q}
	if q.middle != nil {
		out.mid = q.middle()
	}
	err := q.eachWindow(lo, hi, func(_ int, w *logWindow) error {
		out.heads = headsOf(w.cols[0])
		for g := range len(w.starts) - 1 {
			if err := out.add(w.starts[g], w.starts[g+1]); err != nil {
				return err
			}
		}
		return nil
	})
	return out.b.Vector(), err
}

// quantiles are results in the making.
type quantiles struct {
	*quantile
	b     *vector.Builder
	mid   middle
	heads heads
	rows  []headedRow
	one   vector.Vector // a value
	two   vector.Vector
}

// add adds the result of the group that has rows lo up to hi.
func (q *quantiles) add(lo, hi int32) error {
	if lo == hi {
		q.b.AppendNull()
		return nil
	}
	if isWord(q.typ) {
		return q.addWords(q.heads.words[lo:hi])
	}
	rows, compare := q.heads.rows(q.rows, lo, hi), q.heads.compareHeaded
	q.rows = rows
	if q.distinct {
		slices.SortFunc(rows, compare)
		rows = slices.CompactFunc(rows, func(x, y headedRow) bool { return compare(x, y) == 0 })
	}
	k, rest := q.place(len(rows))
	selectRow(rows, k, compare)
	low := q.heads.v.Bytes(int(rows[k].row))
	if rest == 0 {
		return q.value(low, low, 0)
	}
	next := slices.MinFunc(rows[k+1:], compare)
	return q.value(low, q.heads.v.Bytes(int(next.row)), rest)
}

// addWords is add where the heads are whole, and may be changed.
func (q *quantiles) addWords(s []uint64) error {
	if q.distinct {
		slices.Sort(s)
		s = slices.Compact(s)
	}
	k, rest := q.place(len(s))
	selectWord(s, k)
	low := q.wordBytes(&q.one, s[k])
	if rest == 0 {
		return q.value(low, low, 0)
	}
	return q.value(low, q.wordBytes(&q.two, slices.Min(s[k+1:])), rest)
}

// wordBytes returns the value that has a head.
func (q *quantiles) wordBytes(v *vector.Vector, head uint64) []byte {
	if v.Type == nil {
		*v = *vector.New(q.typ, 1)
	}
	if q.typ.ID() == arrow.BOOL {
		return []byte{byte(head)}
	}
	putWord(v, 0, headWord(q.typ, head))
	return v.Data
}

// place returns which of n values the result is, in their order from 0, or
// after which it lies, and how far towards the next in parts of part.of.
func (q *quantiles) place(n int) (k int, rest uint64) {
	if q.middle == nil {
		return q.part.discrete(n), 0
	}
	return q.part.continuous(n)
}

// value adds a value, or what is rest parts of the way between two.
func (q *quantiles) value(low, high []byte, rest uint64) error {
	if q.middle == nil {
		return q.b.AppendBytes(low)
	}
	v, err := q.mid(low, high, rest, q.part.of)
	if over, ok := err.(*OverflowError); ok {
		over.Function = q.name
	}
	if err != nil {
		return err
	}
	return q.b.AppendBytes(v)
}
