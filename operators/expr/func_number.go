package expr

import (
	"math"
	"math/bits"

	"github.com/colagg/colagg/internal/sql"
)

// symbols are functions that are written between operands.
var symbols = map[string]function{
	"^":  {least: 2, most: 2, bind: overloads(floats2(math.Pow))},
	"||": {least: 2, most: 2, bind: bindConcat},
	"&": {least: 2, most: 2, bind: overloads(overload{takes: []kind{whole, whole}, result: intClass, build: of2(func(dst, a, b []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i] = a[i] & b[i]
		}
		return nil
	})})},
	"|": {least: 2, most: 2, bind: overloads(overload{takes: []kind{whole, whole}, result: intClass, build: of2(func(dst, a, b []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i] = a[i] | b[i]
		}
		return nil
	})})},
	"#": {least: 2, most: 2, bind: overloads(overload{takes: []kind{whole, whole}, result: intClass, build: of2(xorInts)})},
	"~": {least: 1, most: 1, bind: overloads(overload{takes: []kind{whole}, result: intClass, build: of1(func(dst, a []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i] = ^a[i]
		}
		return nil
	})})},
	"<<": {least: 2, most: 2, bind: overloads(overload{takes: []kind{whole, whole}, result: intClass, build: of2(func(dst, a, b []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i] = a[i] << (b[i] & 63)
		}
		return nil
	})})},
	">>": {least: 2, most: 2, bind: overloads(overload{takes: []kind{whole, whole}, result: intClass, build: of2(func(dst, a, b []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i] = a[i] >> (b[i] & 63)
		}
		return nil
	})})},
}

func xorInts(dst, a, b []int64, rows []uint32) error {
	for _, i := range rows {
		dst[i] = a[i] ^ b[i]
	}
	return nil
}

// numberFunctions are about numbers.
var numberFunctions = []function{
	{name: "abs", args: "x", about: "the value without its sign", least: 1, most: 1, bind: overloads(
		overload{takes: []kind{whole}, result: intClass, build: fail1(absInts)},
		overload{takes: []kind{decimal}, result: decClass, typed: sameScale, build: of1(func(dst, a []int128, rows []uint32) error {
			for _, i := range rows {
				dst[i] = a[i].abs()
			}
			return nil
		})},
		overload{takes: []kind{numeric}, result: floatClass, build: of1(func(dst, a []float64, rows []uint32) error {
			for _, i := range rows {
				dst[i] = math.Abs(a[i])
			}
			return nil
		})})},
	{name: "sign", args: "x", about: "-1, 0 or 1", least: 1, most: 1, bind: overloads(
		overload{takes: []kind{decimal}, result: intClass, build: of1(func(dst []int64, a []int128, rows []uint32) error {
			for _, i := range rows {
				dst[i] = int64(a[i].compare(int128{}))
			}
			return nil
		})},
		floats1(func(x float64) float64 {
			if x > 0 {
				return 1
			} else if x < 0 {
				return -1
			}
			return x
		}))},
	{name: "ceil, ceiling", args: "x", about: "the next whole number above", least: 1, most: 1, bind: rounding(math.Ceil, 1)},
	{name: "floor", args: "x", about: "the next whole number below", least: 1, most: 1, bind: rounding(math.Floor, -1)},
	{name: "trunc", args: "x[, digits]", about: "without what is behind so many digits", least: 1, most: 2, bind: bindRound(math.Trunc, cut)},
	{name: "round", args: "x[, digits]", about: "rounded: halves away from 0, of floats to even", least: 1, most: 2, bind: bindRound(math.RoundToEven, nearest)},
	{name: "mod", args: "x, y", about: "the remainder of x / y, with the sign of x", least: 2, most: 2, bind: func(b *binder, e *sql.Expr, _ []*value) (*value, error) {
		rest := *e
		rest.Op, rest.Call = sql.ModOp, nil
		return b.arithmetic(&rest)
	}},
	{name: "power, pow", args: "x, y", about: "x to the power of y", least: 2, most: 2, bind: overloads(floats2(math.Pow))},
	{name: "sqrt", args: "x", about: "the square root", least: 1, most: 1, bind: overloads(floats1(math.Sqrt))},
	{name: "cbrt", args: "x", about: "the cube root", least: 1, most: 1, bind: overloads(floats1(math.Cbrt))},
	{name: "exp", args: "x", about: "e to the power of x", least: 1, most: 1, bind: overloads(floats1(math.Exp))},
	{name: "ln", args: "x", about: "the natural logarithm", least: 1, most: 1, bind: overloads(floats1(logarithm(math.Log)))},
	{name: "log10", args: "x", about: "the logarithm to base 10", least: 1, most: 1, bind: overloads(floats1(logarithm(math.Log10)))},
	{name: "log2", args: "x", about: "the logarithm to base 2", least: 1, most: 1, bind: overloads(floats1(logarithm(math.Log2)))},
	{name: "log", args: "[base, ]x", about: "the logarithm, to base 10 unless one is given", least: 1, most: 2, bind: overloads(floats1(logarithm(math.Log10)),
		floats2(func(base, x float64) float64 { return logarithm(math.Log)(x) / logarithm(math.Log)(base) }))},
	{name: "pi", about: "3.141592653589793", bind: func(_ *binder, e *sql.Expr, _ []*value) (*value, error) { return floatValue(e, math.Pi), nil }},
	{name: "sin", args: "x", about: "the sine of x in radians", least: 1, most: 1, bind: overloads(floats1(math.Sin))},
	{name: "cos", args: "x", about: "the cosine", least: 1, most: 1, bind: overloads(floats1(math.Cos))},
	{name: "tan", args: "x", about: "the tangent", least: 1, most: 1, bind: overloads(floats1(math.Tan))},
	{name: "asin", args: "x", about: "the inverse of the sine", least: 1, most: 1, bind: overloads(floats1(math.Asin))},
	{name: "acos", args: "x", about: "the inverse of the cosine", least: 1, most: 1, bind: overloads(floats1(math.Acos))},
	{name: "atan", args: "x", about: "the inverse of the tangent", least: 1, most: 1, bind: overloads(floats1(math.Atan))},
	{name: "atan2", args: "y, x", about: "the angle of the point (x, y)", least: 2, most: 2, bind: overloads(floats2(math.Atan2))},
	{name: "degrees", args: "x", about: "radians as degrees", least: 1, most: 1, bind: overloads(floats1(func(x float64) float64 { return x * (180 / math.Pi) }))},
	{name: "radians", args: "x", about: "degrees as radians", least: 1, most: 1, bind: overloads(floats1(func(x float64) float64 { return x * (math.Pi / 180) }))},
	{name: "xor", args: "x, y", about: "the bits that are set in one of them", least: 2, most: 2, bind: overloads(overload{takes: []kind{whole, whole}, result: intClass, build: of2(xorInts)})},
	{name: "bit_count", args: "x", about: "the number of bits that are set, of 64", least: 1, most: 1, bind: overloads(overload{takes: []kind{whole}, result: intClass, build: of1(func(dst, a []int64, rows []uint32) error {
		for _, i := range rows {
			dst[i] = int64(bits.OnesCount64(uint64(a[i])))
		}
		return nil
	})})},
}

// logarithm is NaN of 0 too, which makes it an error.
func logarithm(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if x == 0 {
			return math.NaN()
		}
		return f(x)
	}
}

// floats1 is a function of floats; what is NaN or infinite of what is not is an
// error.
func floats1(f func(float64) float64) overload {
	return overload{takes: []kind{numeric}, result: floatClass, build: fail1(func(over *Error) func(dst, a []float64, rows []uint32) error {
		return func(dst, a []float64, rows []uint32) error {
			for _, i := range rows {
				x := f(a[i])
				if dst[i] = x; x-x != 0 && a[i]-a[i] == 0 {
					return over
				}
			}
			return nil
		}
	})}
}

func floats2(f func(x, y float64) float64) overload {
	return overload{takes: []kind{numeric, numeric}, result: floatClass, build: fail2(func(over *Error) func(dst, a, b []float64, rows []uint32) error {
		return func(dst, a, b []float64, rows []uint32) error {
			for _, i := range rows {
				x := f(a[i], b[i])
				if dst[i] = x; x-x != 0 && a[i]-a[i] == 0 && b[i]-b[i] == 0 {
					return over
				}
			}
			return nil
		}
	})}
}

func absInts(over *Error) func(dst, a []int64, rows []uint32) error {
	return func(dst, a []int64, rows []uint32) error {
		lowest := false
		for _, i := range rows {
			x := a[i]
			lowest = lowest || x == math.MinInt64
			dst[i] = max(x, -x)
		}
		return failed(lowest, over)
	}
}

func sameScale(v *value) error { v.asDecimal(v.args[0].precision(), v.args[0].scale); return nil }

// rounding is to whole numbers, up or down.
func rounding(ofFloat func(float64) float64, side int) bindFunc {
	return overloads(
		overload{takes: []kind{whole}, result: intClass, build: func(c *compiler, v *value) any { return c.ints(v.args[0]) }},
		overload{takes: []kind{decimal}, result: decClass, typed: func(v *value) error {
			v.asDecimal(v.args[0].wholeDigits()+1, 0)
			return nil
		}, build: func(c *compiler, v *value) any {
			by := tens[v.args[0].scale]
			return &mapped[int128, int128]{of: c.unscaled(v.args[0]), loop: func(dst, a []int128, rows []uint32) error {
				for _, i := range rows {
					q, r := a[i].quoRem(by)
					if r.compare(int128{}) == side {
						q, _ = q.add(wide(int64(side)))
					}
					dst[i] = q
				}
				return nil
			}}
		}},
		overload{takes: []kind{numeric}, result: floatClass, build: of1(func(dst, a []float64, rows []uint32) error {
			for _, i := range rows {
				dst[i] = ofFloat(a[i])
			}
			return nil
		})})
}

func cut(x, by int128) int128     { q, _ := x.quoRem(by); return q }
func nearest(x, by int128) int128 { return x.roundedBy(by) }

// bindRound rounds to a constant number of digits behind the point, or before it.
func bindRound(ofFloat func(float64) float64, exact func(x, by int128) int128) bindFunc {
	return func(b *binder, e *sql.Expr, args []*value) (*value, error) {
		x, digits := args[0], 0
		if !x.class.number() {
			return nil, bad(x.node, "", "%s is a %s and no number", b.spell(x.node), x.name)
		}
		if len(args) == 2 {
			n := args[1]
			if n.class != intClass || !n.constant() {
				return nil, bad(n.node, "as in round(x, 2)", "the number of digits %s must be a constant integer", b.spell(n.node))
			}
			digits = int(max(-400, min(400, n.lit.exact.Int64())))
		}
		v := &value{class: x.class, node: e, col: -1, args: []*value{x}}
		switch x.class {
		case floatClass:
			v.made.build = func(c *compiler) any {
				return &mapped[float64, float64]{of: c.floats(x), loop: roundFloats(ofFloat, digits)}
			}
		case decClass:
			scale := max(0, min(digits, x.scale))
			v.asDecimal(x.wholeDigits()+1+scale, scale)
			v.made.build = func(c *compiler) any {
				return &mapped[int128, int128]{of: c.unscaled(x), loop: roundDecimals(exact, x.scale-digits, x.scale-v.scale, c.failure(v, false))}
			}
		default:
			v.made.build = func(c *compiler) any {
				over := c.failure(v, false)
				of := &mapped[int128, int128]{of: c.unscaled(x), loop: roundDecimals(exact, -digits, 0, over)}
				return &mapped[int128, int64]{of: of, loop: narrowed(over)}
			}
		}
		v.name = v.arrowType().String()
		return v, nil
	}
}

func roundFloats(f func(float64) float64, digits int) func(dst, a []float64, rows []uint32) error {
	by := math.Pow(10, math.Abs(float64(digits)))
	return func(dst, a []float64, rows []uint32) error {
		for _, i := range rows {
			x := a[i]
			switch {
			case digits == 0:
				x = f(x)
			case digits > 0:
				if y := f(x*by) / by; y-y == 0 {
					x = y
				}
			default:
				if x = f(x/by) * by; x != x {
					x = 0
				}
			}
			dst[i] = x
		}
		return nil
	}
}

// roundDecimals rounds off so many digits, and leaves out dropped of them.
func roundDecimals(exact func(x, by int128) int128, off, dropped int, over *Error) func(dst, a []int128, rows []uint32) error {
	return func(dst, a []int128, rows []uint32) error {
		if off > 38 {
			for _, i := range rows {
				dst[i] = int128{}
			}
			return nil
		}
		by, back := tens[max(0, off)], tens[max(0, off-dropped)]
		for _, i := range rows {
			x := a[i]
			if off > 0 {
				x = exact(x, by)
			}
			x, ok := x.mul(back)
			if !ok || !x.fits() {
				return over
			}
			dst[i] = x
		}
		return nil
	}
}

// narrowed makes int64 of what must fit.
func narrowed(over *Error) func(dst []int64, a []int128, rows []uint32) error {
	return func(dst []int64, a []int128, rows []uint32) error {
		for _, i := range rows {
			if a[i] != wide(int64(a[i][0])) {
				return over
			}
			dst[i] = int64(a[i][0])
		}
		return nil
	}
}
