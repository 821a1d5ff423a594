package expr

import (
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
	"github.com/colagg/colagg/vector"
)

// failure is the error of an operation.
func (c *compiler) failure(v *value, zero bool) *Error {
	return &Error{Expr: c.text[v.node.Start:v.node.End], Offset: v.node.Start, Zero: zero, Type: v.name}
}

// ints makes v's integers: those of its class, in its unit.
func (c *compiler) ints(v *value) vec[int64] {
	switch {
	case v.constant():
		return &same[int64]{value: v.lit.exact.Int64()}
	case v.col >= 0:
		return &column[int64]{col: v.col, load: loadInts}
	case v.made.ints != nil:
		return v.made.ints(c)
	case v.made.build != nil:
		return made1[[]int64](c, v)
	case v.node.Op == sql.NegOp:
		return &mapped[int64, int64]{of: c.ints(v.args[0]), loop: negateInts(c.failure(v, false))}
	}
	p := &paired[int64]{left: c.ints(v.args[0]), right: c.ints(v.args[1])}
	over, zero := c.failure(v, false), c.failure(v, true)
	switch v.node.Op {
	case sql.AddOp:
		p.loop = addInts(over)
	case sql.SubOp:
		p.loop = subtractInts(over)
	case sql.MulOp:
		p.loop = multiplyInts(over)
	case sql.DivOp:
		p.loop = divideInts(over, zero)
	case sql.ModOp:
		p.loop = remainInts(zero)
	}
	return p
}

// decimals makes v with so many digits behind the point. Where a product of an
// operand with a power of ten is too large, rescale decides.
func (c *compiler) decimals(v *value, scale int, rescale func(v *value, by int128) func(dst, src []int128, rows []uint32) error) vec[int128] {
	if v.constant() {
		num, _ := v.unit()
		x := num.Mul(num.Mul(num, v.lit.exact), pow10(scale-v.scale))
		out, ok := toInt128(x)
		if !ok {
			if out = most; x.Sign() < 0 {
				out = most.neg()
			}
		}
		return &same[int128]{value: out}
	}
	out := c.unscaled(v)
	by := tens[scale-v.scale]
	if v.class == dateClass {
		by, _ = by.mul(wide(secondsPerDay))
	}
	if by == tens[0] {
		return out
	}
	return &mapped[int128, int128]{of: out, loop: rescale(v, by)}
}

// unscaled makes v with the digits that it has.
func (c *compiler) unscaled(v *value) vec[int128] {
	switch {
	case v.constant() && v.class == decClass:
		return c.decimals(v, v.scale, c.checked)
	case v.class == intervalClass:
		return &mapped[calendar.Interval, int128]{of: c.spans(v), loop: spanned}
	case v.made.wide != nil:
		return v.made.wide(c)
	case v.class == decClass && v.made.build != nil:
		return made1[[]int128](c, v)
	case v.class != decClass || v.made.ints != nil:
		return &mapped[int64, int128]{of: c.ints(v), loop: widen}
	case v.col >= 0 && v.typ.ID() == arrow.DECIMAL256:
		return c.loadDecimals256(v)
	case v.col >= 0:
		return &column[int128]{col: v.col, load: loadDecimals}
	case v.node.Op == sql.NegOp:
		return &mapped[int128, int128]{of: c.unscaled(v.args[0]), loop: negateDecimals}
	}
	l, r := v.args[0], v.args[1]
	over := c.failure(v, false)
	if v.node.Op == sql.MulOp {
		return &paired[int128]{left: c.decimals(l, l.scale, c.checked), right: c.decimals(r, r.scale, c.checked), loop: multiplyDecimals(over)}
	}
	p := &paired[int128]{left: c.decimals(l, v.scale, c.checked), right: c.decimals(r, v.scale, c.checked), loop: addDecimals(over)}
	switch v.node.Op {
	case sql.SubOp:
		p.loop = subtractDecimals(over)
	case sql.DivOp:
		p.loop = divideDecimals(c.failure(v, true))
	case sql.ModOp:
		p.loop = remainDecimals(c.failure(v, true))
	}
	return p
}

// checked multiplies an operand and fails where it does not fit.
func (c *compiler) checked(v *value, by int128) func(dst, src []int128, rows []uint32) error {
	over := c.failure(v, false)
	over.Type = "decimal(38)"
	return scaleDecimals(by, over)
}

// saturated multiplies an operand of a comparison, which does not fail: what
// does not fit is beyond whatever it is compared with.
func (c *compiler) saturated(_ *value, by int128) func(dst, src []int128, rows []uint32) error {
	return saturateDecimals(by)
}

// floats makes v as float64.
func (c *compiler) floats(v *value) vec[float64] {
	switch {
	case v.constant():
		return &same[float64]{value: v.asFloat()}
	case v.class == intClass:
		return &mapped[int64, float64]{of: c.ints(v), loop: floatsOfInts}
	case v.class == decClass:
		return &mapped[int128, float64]{of: c.unscaled(v), loop: floatsOfDecimals(v.scale)}
	case v.col >= 0:
		return &column[float64]{col: v.col, load: loadFloats}
	case v.made.build != nil:
		return made1[[]float64](c, v)
	case v.node.Op == sql.NegOp:
		return &mapped[float64, float64]{of: c.floats(v.args[0]), loop: negateFloats}
	}
	p := &paired[float64]{left: c.floats(v.args[0]), right: c.floats(v.args[1])}
	zero := c.failure(v, true)
	switch v.node.Op {
	case sql.AddOp:
		p.loop = addFloats
	case sql.SubOp:
		p.loop = subtractFloats
	case sql.MulOp:
		p.loop = multiplyFloats
	case sql.DivOp:
		p.loop = divideFloats(zero)
	case sql.ModOp:
		p.loop = remainFloats(zero)
	}
	return p
}

// texts makes v's byte strings.
func (c *compiler) texts(v *value) source[*texts] {
	switch {
	case v.constant():
		return &sameText{text: v.lit.text}
	case v.col >= 0:
		return &textColumn{col: v.col, width: vector.Width(v.typ)}
	}
	return made1[*texts](c, v)
}

// truths makes v's booleans.
func (c *compiler) truths(v *value) vec[bool] {
	switch {
	case v.logic == isTrue || v.logic == isFalse:
		return &same[bool]{value: v.logic == isTrue}
	case v.logic != nil:
		return &decided{yes: compile(c, v.logic), no: compile(c, v.logic.negate())}
	case v.col >= 0:
		return &column[bool]{col: v.col, load: loadTruths}
	}
	return made1[[]bool](c, v)
}

// decided is true where a condition is, and false where its negation is.
type decided struct {
	yes, no   test
	marks     marks
	buf       []bool
	rest, out []uint32
}

func (d *decided) values(f *frame, rows []uint32) ([]bool, []uint32, error) {
	d.buf = grow(f, d.buf, f.n)
	d.marks.begin(f)
	found, err := d.yes.rows(f, rows)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range found {
		d.buf[i] = true
	}
	d.marks.set(found)
	d.rest = grow(f, d.rest, len(rows))
	if found, err = d.no.rows(f, d.marks.without(d.rest, rows)); err != nil {
		return nil, nil, err
	}
	for _, i := range found {
		d.buf[i] = false
	}
	d.marks.set(found)
	d.out = grow(f, d.out, len(rows))
	return d.buf, d.marks.with(d.out, rows), nil
}

func loadTruths(dst []bool, v *vector.Vector, rows []uint32) []bool {
	for _, i := range rows {
		dst[i] = v.Data[i>>3]>>(i&7)&1 != 0
	}
	return dst
}

// made1 makes what a function computes.
func made1[S any](c *compiler, v *value) source[S] { return v.made.build(c).(source[S]) }

// sourceOf makes v as containers of type S.
func sourceOf[S any](c *compiler, v *value) source[S] {
	var out any
	switch any(*new(S)).(type) {
	case []int64:
		out = c.ints(v)
	case []int128:
		out = c.unscaled(v)
	case []float64:
		out = c.floats(v)
	case []bool:
		out = c.truths(v)
	case []calendar.Interval:
		out = c.spans(v)
	default:
		out = c.texts(v)
	}
	return out.(source[S])
}

// evaluation computes v for its errors and the rows that have a value.
func (c *compiler) evaluation(v *value) func(*frame, []uint32) ([]uint32, error) {
	switch v.class {
	case boolClass:
		return discard(c.truths(v))
	case decClass:
		return discard(c.unscaled(v))
	case floatClass:
		return discard(c.floats(v))
	case intervalClass:
		return discard(c.spans(v))
	case textClass:
		return discard(c.texts(v))
	}
	return discard(c.ints(v))
}

func discard[S any](v source[S]) func(*frame, []uint32) ([]uint32, error) {
	return func(f *frame, rows []uint32) ([]uint32, error) {
		_, rows, err := v.values(f, rows)
		return rows, err
	}
}

func (a int128) big() *big.Int {
	m := a.abs()
	x := new(big.Int).SetUint64(m[1])
	x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(m[0]))
	if a.negative() {
		x.Neg(x)
	}
	return x
}
