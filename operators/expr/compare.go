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
	cols := c.columns(nil)
	switch {
	case l.class == textClass && r.constant():
		return &textTest{cols: cols, col: l.col, rel: c.rel, with: []byte(r.lit.text)}
	case l.class == textClass:
		return &textsTest{cols: cols, left: l.col, right: r.col, rel: c.rel}
	case l.class == floatClass || r.class == floatClass:
		return c.buildFloats(k, cols)
	case r.constant() && l.col >= 0 && l.class != intervalClass:
		return c.buildExact(k, cols)
	case l.class != decClass && l.class != intervalClass && l.class == r.class && l.scale == r.scale:
		if r.constant() && !r.lit.exact.IsInt64() {
			return beyond(c.rel, r.lit.exact.Sign()).build(k, l)
		}
		return &pairTest[int64]{cols: cols, rel: c.rel, left: k.ints(l), right: k.ints(r), loop: comparePairs[int64]}
	}
	scale := max(l.scale, r.scale)
	return &pairTest[int128]{cols: cols, rel: c.rel, left: k.decimals(l, scale, k.saturated), right: k.decimals(r, scale, k.saturated), loop: compareWide}
}

// beyond is the outcome of a comparison with a constant that is above all values
// of the type (sign above 0) or below them.
func beyond(rel relation, sign int) outcome { return outcome(rel.of(-sign)) }

type outcome bool

func (o outcome) build(k *compiler, v *value) test { return always(v, bool(o)).build(k) }

func (c compared) buildFloats(k *compiler, cols []int) test {
	l, r := c.left, c.right
	if r.constant() && l.col >= 0 {
		f := r.asFloat()
		switch {
		case f != f:
		case l.typ.ID() == arrow.FLOAT64:
			return &constTest[float64]{cols: cols, col: l.col, rel: c.rel, with: f}
		case l.typ.ID() == arrow.FLOAT32 && float64(float32(f)) == f:
			return &constTest[float32]{cols: cols, col: l.col, rel: c.rel, with: float32(f)}
		}
	}
	order := func(v *value) vec[int64] { return &mapped[float64, int64]{of: k.floats(v), loop: orderFloats} }
	return &pairTest[int64]{cols: cols, rel: c.rel, left: order(l), right: order(r), loop: comparePairs[int64]}
}

// buildExact compares a column with a constant in the column's unit.
func (c compared) buildExact(k *compiler, cols []int) test {
	x := c.right.lit.exact
	switch id := c.left.typ.ID(); id {
	case arrow.INT8:
		return buildConst[int8](c, k, cols, math.MinInt8, math.MaxInt8)
	case arrow.INT16:
		return buildConst[int16](c, k, cols, math.MinInt16, math.MaxInt16)
	case arrow.INT32, arrow.DATE32, arrow.TIME32:
		return buildConst[int32](c, k, cols, math.MinInt32, math.MaxInt32)
	case arrow.UINT8:
		return buildConst[uint8](c, k, cols, 0, math.MaxUint8)
	case arrow.UINT16:
		return buildConst[uint16](c, k, cols, 0, math.MaxUint16)
	case arrow.UINT32:
		return buildConst[uint32](c, k, cols, 0, math.MaxUint32)
	case arrow.UINT64:
		if x.Sign() < 0 || !x.IsUint64() {
			return beyond(c.rel, x.Sign()).build(k, c.left)
		}
		return &constTest[uint64]{cols: cols, col: c.left.col, rel: c.rel, with: x.Uint64()}
	case arrow.DECIMAL128:
		w, ok := toInt128(x)
		if !ok {
			return beyond(c.rel, x.Sign()).build(k, c.left)
		}
		return &wideTest{cols: cols, col: c.left.col, rel: c.rel, with: w}
	}
	return buildConst[int64](c, k, cols, math.MinInt64, math.MaxInt64)
}

func buildConst[T integer](c compared, k *compiler, cols []int, lo, hi int64) test {
	x := c.right.lit.exact
	if x.Cmp(big.NewInt(lo)) < 0 || x.Cmp(big.NewInt(hi)) > 0 {
		return beyond(c.rel, x.Sign()).build(k, c.left)
	}
	return &constTest[T]{cols: cols, col: c.left.col, rel: c.rel, with: T(x.Int64())}
}

// constTest compares a column with a constant of its type; a float is no NaN.
type constTest[T number64] struct {
	cols     []int
	col      int
	rel      relation
	with     T
	buf, out []uint32
}

func (t *constTest[T]) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.cols, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	v, err := f.flat(t.col)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	return compareConst(t.rel, t.out, values[T](v), t.with, rows), nil
}

func values[T number64](v *vector.Vector) []T { return vector.View[T](v.Data)[:v.Len] }

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
	cols        []int
	rel         relation
	left, right vec[T]
	loop        func(rel relation, dst []uint32, a, b []T, rows []uint32) []uint32
	buf, out    []uint32
}

func (t *pairTest[T]) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.cols, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	a, err := t.left.values(f, rows)
	if err != nil {
		return nil, err
	}
	b, err := t.right.values(f, rows)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	return t.loop(t.rel, t.out, a, b, rows), nil
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

// wideTest compares a column of decimals with a constant.
type wideTest struct {
	cols     []int
	col      int
	rel      relation
	with     int128
	buf, out []uint32
}

func (t *wideTest) rows(f *frame, rows []uint32) ([]uint32, error) {
	rows, err := f.present(t.cols, rows, &t.buf)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	v, err := f.flat(t.col)
	if err != nil {
		return nil, err
	}
	t.out = grow(f, t.out, len(rows))
	n, keeps, x := 0, t.rel.keeps(), vector.Values[int128](v)
	for _, i := range rows {
		t.out[n] = i
		n += int(keeps >> (x[i].compare(t.with) + 1) & 1)
	}
	return t.out[:n], nil
}
