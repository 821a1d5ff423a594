package expr

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// build chooses the loops by the types: a column with a constant in its own
// type, strings, and else computed values of one class.
func (c compared) build(k *compiler) test {
	l, r := c.left, c.right
	switch {
	case l.class == textClass && r.constant():
		return &oneTest[*texts]{of: k.texts(l), keep: compareText(c.rel, []byte(r.lit.text))}
	case l.class == textClass:
		return &pairTest[*texts]{rel: c.rel, left: k.texts(l), right: k.texts(r), loop: compareTexts}
	case l.class == floatClass || r.class == floatClass:
		return c.buildFloats(k)
	case r.constant() && l.col >= 0 && l.class != intervalClass:
		return c.buildExact(k)
	case l.class != decClass && l.class != intervalClass && l.class == r.class && l.scale == r.scale:
		if r.constant() && !r.lit.exact.IsInt64() {
			return beyond(c.rel, r.lit.exact.Sign()).build(k, l)
		}
		return &pairTest[[]int64]{rel: c.rel, left: k.ints(l), right: k.ints(r), loop: comparePairs[int64]}
	}
	scale := max(l.scale, r.scale)
	return &pairTest[[]int128]{rel: c.rel, left: k.decimals(l, scale, k.saturated), right: k.decimals(r, scale, k.saturated), loop: compareWide}
}

// beyond is the outcome of a comparison with a constant that is above all values
// of the type (sign above 0) or below them.
func beyond(rel relation, sign int) outcome { return outcome(rel.of(-sign)) }

type outcome bool

func (o outcome) build(k *compiler, v *value) test { return always(v, bool(o)).build(k) }

func (c compared) buildFloats(k *compiler) test {
	l, r := c.left, c.right
	if r.constant() && l.col >= 0 {
		f := r.asFloat()
		switch {
		case f != f:
		case l.typ.ID() == arrow.FLOAT64:
			return constant[float64](l.col, c.rel, f)
		case l.typ.ID() == arrow.FLOAT32 && float64(float32(f)) == f:
			return constant[float32](l.col, c.rel, float32(f))
		}
	}
	return &pairTest[[]int64]{rel: c.rel, left: k.ordered(l), right: k.ordered(r), loop: comparePairs[int64]}
}

// buildExact compares a column with a constant in the column's unit.
func (c compared) buildExact(k *compiler) test {
	x := c.right.lit.exact
	switch id := c.left.typ.ID(); id {
	case arrow.INT8:
		return buildConst[int8](c, k, math.MinInt8, math.MaxInt8)
	case arrow.INT16:
		return buildConst[int16](c, k, math.MinInt16, math.MaxInt16)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return buildConst[int32](c, k, math.MinInt32, math.MaxInt32)
	case arrow.UINT8:
		return buildConst[uint8](c, k, 0, math.MaxUint8)
	case arrow.UINT16:
		return buildConst[uint16](c, k, 0, math.MaxUint16)
	case arrow.UINT32:
		return buildConst[uint32](c, k, 0, math.MaxUint32)
	case arrow.UINT64:
		if x.Sign() < 0 || !x.IsUint64() {
			return beyond(c.rel, x.Sign()).build(k, c.left)
		}
		return constant[uint64](c.left.col, c.rel, x.Uint64())
	case arrow.DECIMAL128, arrow.DECIMAL256:
		w, ok := toInt128(x)
		switch {
		case !ok && id == arrow.DECIMAL128:
			return beyond(c.rel, x.Sign()).build(k, c.left)
		case !ok: // values are still to be read: they may be errors
			w = most
			if x.Sign() < 0 {
				w = most.neg()
			}
		}
		return &oneTest[[]int128]{of: k.unscaled(c.left), keep: func(dst []uint32, v []int128, rows []uint32) []uint32 {
			return compareWideConst(c.rel, dst, v, w, rows)
		}}
	}
	return buildConst[int64](c, k, math.MinInt64, math.MaxInt64)
}

func buildConst[T integer](c compared, k *compiler, lo, hi int64) test {
	x := c.right.lit.exact
	if x.Cmp(big.NewInt(lo)) < 0 || x.Cmp(big.NewInt(hi)) > 0 {
		return beyond(c.rel, x.Sign()).build(k, c.left)
	}
	return constant[T](c.left.col, c.rel, T(x.Int64()))
}

// constant compares a column with a constant of its type; a float is no NaN.
func constant[T number64](col int, rel relation, with T) test {
	of := &column[T]{col: col, load: func(_ []T, v *vector.Vector, _ []uint32) []T { return vector.View[T](v.Data)[:v.Len] }}
	return &oneTest[[]T]{of: of, keep: func(dst []uint32, v []T, rows []uint32) []uint32 { return compareConst(rel, dst, v, with, rows) }}
}

// compareConst puts the rows where v rel c into dst. What is not below is at or
// above, so that a NaN in v is above c.
func compareConst[T number64](rel relation, dst []uint32, v []T, c T, rows []uint32) []uint32 {
	n := 0
	switch rel {
	case equal:
		for _, i := range rows {
			dst[n] = i
			if v[i] == c {
				n++
			}
		}
	case notEqual:
		for _, i := range rows {
			dst[n] = i
			if v[i] != c {
				n++
			}
		}
	case less:
		for _, i := range rows {
			dst[n] = i
			if v[i] < c {
				n++
			}
		}
	case lessEqual:
		for _, i := range rows {
			dst[n] = i
			if v[i] <= c {
				n++
			}
		}
	case greaterEqual:
		for _, i := range rows {
			dst[n] = i
			if !(v[i] < c) {
				n++
			}
		}
	case greater:
		for _, i := range rows {
			dst[n] = i
			if !(v[i] <= c) {
				n++
			}
		}
	}
	return dst[:n]
}

// pairTest compares computed values.
type pairTest[T any] struct {
	rel         relation
	left, right source[T]
	loop        func(rel relation, dst []uint32, a, b T, rows []uint32) []uint32
	out         []uint32
}

func (t *pairTest[T]) rows(f *frame, rows []uint32) ([]uint32, error) {
	a, rows, err := t.left.values(f, rows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	b, rows, err := t.right.values(f, rows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	return t.loop(t.rel, t.out, a, b, rows), nil
}

// oneTest is about the values of one source; keep puts the rows that are wanted
// into dst.
type oneTest[S any] struct {
	of   source[S]
	keep func(dst []uint32, v S, rows []uint32) []uint32
	out  []uint32
}

func (t *oneTest[S]) rows(f *frame, rows []uint32) ([]uint32, error) {
	v, rows, err := t.of.values(f, rows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	return t.keep(t.out, v, rows), nil
}

func comparePairs[T integer](rel relation, dst []uint32, a, b []T, rows []uint32) []uint32 {
	n := 0
	switch rel {
	case greater, greaterEqual:
		rel, a, b = rel.swap(), b, a
	}
	switch rel {
	case equal:
		for _, i := range rows {
			dst[n] = i
			if a[i] == b[i] {
				n++
			}
		}
	case notEqual:
		for _, i := range rows {
			dst[n] = i
			if a[i] != b[i] {
				n++
			}
		}
	case less:
		for _, i := range rows {
			dst[n] = i
			if a[i] < b[i] {
				n++
			}
		}
	case lessEqual:
		for _, i := range rows {
			dst[n] = i
			if a[i] <= b[i] {
				n++
			}
		}
	}
	return dst[:n]
}

// compare returns -1, 0 or 1.
func (a int128) compare(b int128) int {
	switch {
	case a.less(b):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// keeps returns the relation as bits for what compares as -1, 0 and 1.
func (r relation) keeps() (bits uint) {
	for c := -1; c <= 1; c++ {
		if r.of(c) {
			bits |= 1 << (c + 1)
		}
	}
	return bits
}

func compareWide(rel relation, dst []uint32, a, b []int128, rows []uint32) []uint32 {
	n, keeps := 0, rel.keeps()
	for _, i := range rows {
		dst[n] = i
		n += int(keeps >> (a[i].compare(b[i]) + 1) & 1)
	}
	return dst[:n]
}

func compareWideConst(rel relation, dst []uint32, a []int128, b int128, rows []uint32) []uint32 {
	n, keeps := 0, rel.keeps()
	for _, i := range rows {
		dst[n] = i
		n += int(keeps >> (a[i].compare(b) + 1) & 1)
	}
	return dst[:n]
}

// ordered makes a number as the integer of the same order among floats.
func (c *compiler) ordered(v *value) vec[int64] {
	return &mapped[float64, int64]{of: c.floats(v), loop: orderFloats}
}
