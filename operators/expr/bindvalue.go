package expr

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
)

// value binds any expression, each node once.
func (b *binder) value(e *sql.Expr) (*value, error) {
	if known, ok := b.values[e]; ok {
		return known.v, known.err
	}
	v, err := b.bindValue(e)
	b.values[e] = boundValue{v, err}
	return v, err
}

type boundValue struct {
	v   *value
	err error
}

func (b *binder) bindValue(e *sql.Expr) (*value, error) {
	switch e.Op {
	case sql.ColumnOp:
		col, t, err := b.scope(*e.Column)
		if err != nil {
			return nil, err
		}
		return columnValue(e, col, t), nil
	case sql.NumberOp:
		return number(e)
	case sql.StringOp:
		return textValue(e, e.Text), nil
	case sql.DateOp:
		return date(e)
	case sql.TimestampOp:
		return stamp(e)
	case sql.TimeOp:
		return clock(e)
	case sql.InstantOp:
		v, err := stamp(e)
		if err == nil {
			v.zoned = true // the zone of a text without one is UTC
		}
		return v, err
	case sql.IntervalOp:
		return interval(e)
	case sql.CallOp:
		return b.call(e)
	case sql.ExtractOp:
		return b.form(e, functions["extract"], &sql.Expr{Op: sql.StringOp, Text: e.Text, Span: e.Span}, e.Args[0])
	case sql.AtZoneOp:
		return b.form(e, functions["timezone"], e.Args[1], e.Args[0])
	case sql.NullOp:
		return nullValue(e), nil
	case sql.AddOp, sql.SubOp, sql.MulOp, sql.DivOp, sql.ModOp, sql.NegOp:
		return b.arithmetic(e)
	}
	if name, ok := operatorFunctions[e.Op]; ok {
		return b.form(e, functions[name], e.Args...)
	}
	switch e.Op {
	case sql.CaseOp, sql.SwitchOp:
		return b.cases(e)
	case sql.CastOp, sql.TryCastOp:
		return b.castTo(e)
	}
	if b.other(e) {
		return nil, bad(e, "", "%s is not supported yet", b.spell(e))
	}
	l, err := b.condition(e)
	if err != nil {
		return nil, err
	}
	return truthValue(e, l), nil
}

// truthValue is a condition as a value.
func truthValue(e *sql.Expr, l logic) *value {
	if l == isNull {
		v := nullValue(e)
		v.typ = arrow.FixedWidthTypes.Boolean
		return v
	}
	return &value{class: boolClass, node: e, col: -1, name: "bool", logic: l}
}

// truth is a boolean value as a condition.
func (v *value) truth() logic {
	switch {
	case v.class == nullClass:
		return isNull
	case v.logic != nil:
		return v.logic
	case v.col >= 0:
		return boolColumn{v.col, true}
	}
	return computed{v, true}
}

func nullValue(e *sql.Expr) *value {
	return &value{class: nullClass, node: e, col: -1, name: "NULL"}
}

func (b *binder) arithmetic(e *sql.Expr) (*value, error) {
	args := make([]*value, len(e.Args))
	null, times := false, false
	for i, arg := range e.Args {
		v, err := b.value(arg)
		if err != nil {
			return nil, err
		}
		switch {
		case v.class == nullClass:
			null = true
		case v.moment() || v.lasting() || v.class == timeClass:
			times = true
		case !v.class.number():
			return nil, bad(arg, "arithmetic is of numbers", "%s is a %s", b.spell(arg), v.name)
		}
		args[i] = v
	}
	if null {
		return nullValue(e), nil
	}
	if times {
		return b.temporal(e, args)
	}
	v := &value{node: e, col: -1, args: args}
	if err := b.resultType(v); err != nil {
		return nil, err
	}
	for _, a := range args {
		if !a.constant() {
			return v, nil
		}
	}
	return b.fold(v)
}

// resultType sets the type of an operation on numbers. A quotient of which one
// is a decimal is a float64.
func (b *binder) resultType(v *value) error {
	l, r := v.args[0], v.args[len(v.args)-1]
	switch {
	case l.class == floatClass || r.class == floatClass:
		v.class, v.name = floatClass, "float64"
	case l.class == intClass && r.class == intClass:
		v.class, v.name = intClass, "int64"
	case v.node.Op == sql.DivOp && (l.scale > 0 || r.scale > 0):
		v.class, v.name = floatClass, "float64"
	case v.node.Op == sql.MulOp:
		if l.scale+r.scale > maxDigits {
			return bad(v.node, "", "the product of a %s and a %s has more than 38 digits behind the point", l.name, r.name)
		}
		v.asDecimal(l.precision()+r.precision(), l.scale+r.scale)
	case v.node.Op == sql.NegOp:
		v.asDecimal(l.precision(), l.scale)
	default:
		scale := max(l.scale, r.scale)
		digits := max(l.wholeDigits(), r.wholeDigits()) + scale
		if v.node.Op == sql.AddOp || v.node.Op == sql.SubOp {
			digits++
		}
		v.asDecimal(digits, scale)
	}
	return nil
}

// fold computes an operation on constants.
func (b *binder) fold(v *value) (*value, error) {
	l, r := v.args[0], v.args[len(v.args)-1]
	op := v.node.Op
	if v.class == floatClass {
		x, y := l.asFloat(), r.asFloat()
		if (op == sql.DivOp || op == sql.ModOp) && y == 0 {
			return nil, b.divided(v)
		}
		return floatValue(v.node, map[sql.Op]float64{sql.AddOp: x + y, sql.SubOp: x - y, sql.MulOp: x * y, sql.DivOp: x / y, sql.ModOp: math.Mod(x, y), sql.NegOp: -x}[op]), nil
	}
	x, y := new(big.Int).Set(l.lit.exact), new(big.Int).Set(r.lit.exact)
	if op != sql.MulOp && op != sql.NegOp {
		x.Mul(x, pow10(v.scale-l.scale))
		y.Mul(y, pow10(v.scale-r.scale))
	}
	switch op {
	case sql.AddOp:
		x.Add(x, y)
	case sql.SubOp:
		x.Sub(x, y)
	case sql.MulOp:
		x.Mul(x, y)
	case sql.NegOp:
		x.Neg(x)
	default:
		if y.Sign() == 0 {
			return nil, b.divided(v)
		}
		if op == sql.DivOp {
			x.Quo(x, y)
		} else {
			x.Rem(x, y)
		}
	}
	if v.class == intClass && !x.IsInt64() || x.CmpAbs(pow10(38)) >= 0 {
		return nil, bad(v.node, "", "%s: the value does not fit %s", b.spell(v.node), v.name)
	}
	if v.scale == 0 && op == sql.NegOp {
		return wholeValue(v.node, x), nil // -9223372036854775808 is an int64
	}
	return exactValue(v.node, v.class, x, v.scale), nil
}

func (b *binder) divided(v *value) error {
	return bad(v.node, "", "%s: division by zero", b.spell(v.node))
}
