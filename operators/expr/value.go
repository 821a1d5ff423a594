package expr

import (
	"math"
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/operators/expr/calendar"
)

// class is how values are computed.
type class uint8

const (
	otherClass class = iota // only IS NULL works
	nullClass               // NULL
	boolClass
	intClass      // int64
	decClass      // int128 with digits behind the point
	floatClass    // float64
	textClass     // bytes
	dateClass     // days, int64
	stampClass    // int64 in units of 10^-scale seconds
	timeClass     // the same, of a day
	durationClass // the same, of a length of time
	intervalClass // months, days and nanoseconds; 128 bits of nanoseconds in comparisons
)

// value is an expression of a type that is no boolean: a column, a constant, or
// an operation.
type value struct {
	class class
	scale int    // of decimals and timestamps: digits behind the point
	zoned bool   // a timestamp that is an instant
	name  string // of the type, for messages
	node  *sql.Expr

	col        int            // the position of the column, or -1
	typ        arrow.DataType // of the column
	lit        *literal       // of a constant, else nil
	args       []*value       // of an operation
	made       made           // of a function
	logic      logic          // of a condition
	conditions []logic        // of CASE
}

// literal is the value of a constant.
type literal struct {
	exact *big.Int // integers; decimals, days and timestamps in their unit
	float float64
	text  string
	span  calendar.Interval // of intervals, beside its length in exact
}

func (v *value) constant() bool { return v.lit != nil }

// settled reports whether the value is known before there are rows; NULL is.
func (v *value) settled() bool {
	_, known := v.logic.(truth)
	return v.lit != nil || known || v.class == nullClass && v.col < 0
}

// exact reports whether values are integers of some unit.
func (c class) exact() bool { return c == intClass || c == decClass || c >= dateClass }

func (c class) number() bool { return c == intClass || c == decClass || c == floatClass }

func (c class) temporal() bool { return c == dateClass || c == stampClass }

// columnValue is a column of type t.
func columnValue(node *sql.Expr, col int, t arrow.DataType) *value {
	v := &value{node: node, col: col, typ: t, name: t.String()}
	switch t.ID() {
	case arrow.NULL:
		v.class = nullClass
	case arrow.BOOL:
		v.class = boolClass
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32:
		v.class = intClass
	case arrow.UINT64:
		v.class = decClass
	case arrow.DECIMAL128, arrow.DECIMAL256:
		v.class, v.scale = decClass, int(t.(arrow.DecimalType).GetScale())
		if v.scale < 0 || v.scale > 38 {
			v.class = otherClass
		}
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		v.class = floatClass
	case arrow.STRING, arrow.BINARY:
		v.class = textClass
	case arrow.DATE32:
		v.class = dateClass
	case arrow.DATE64:
		v.class, v.scale = stampClass, 3
	case arrow.TIME32:
		v.class, v.scale = timeClass, 3*int(t.(*arrow.Time32Type).Unit)
	case arrow.TIME64:
		v.class, v.scale = timeClass, 3*int(t.(*arrow.Time64Type).Unit)
	case arrow.DURATION:
		v.class, v.scale = durationClass, 3*int(t.(*arrow.DurationType).Unit)
	case arrow.INTERVAL_MONTH_DAY_NANO:
		v.class, v.scale = intervalClass, 9
	case arrow.TIMESTAMP:
		ts := t.(*arrow.TimestampType)
		v.class, v.scale, v.zoned = stampClass, 3*int(ts.Unit), ts.TimeZone != ""
	}
	return v
}

// exactValue is the constant x of class c.
func exactValue(node *sql.Expr, c class, x *big.Int, scale int) *value {
	v := &value{class: c, scale: scale, node: node, col: -1, lit: &literal{exact: x}}
	switch c {
	case intClass:
		v.name = "int64"
	case decClass:
		v.name = decimalName(v.arrowType().(*arrow.Decimal128Type))
	case dateClass:
		v.name = "date"
	case stampClass:
		v.name = "timestamp"
	case timeClass:
		v.name = "time"
	case durationClass:
		v.name = "duration"
	case intervalClass:
		v.name = "interval"
	}
	return v
}

// wholeValue is an integer: an int64 if it fits, else a decimal.
func wholeValue(node *sql.Expr, x *big.Int) *value {
	if x.IsInt64() {
		return exactValue(node, intClass, x, 0)
	}
	return exactValue(node, decClass, x, 0)
}

func floatValue(node *sql.Expr, f float64) *value {
	return &value{class: floatClass, node: node, col: -1, name: "float64", lit: &literal{float: f}}
}

func textValue(node *sql.Expr, s string) *value {
	return &value{class: textClass, node: node, col: -1, name: "string", lit: &literal{text: s}}
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// secondsPerDay is the unit of dates where they meet timestamps.
const secondsPerDay = 86400

// unit returns what one of v's integers stands for, as a fraction.
func (v *value) unit() (num, den *big.Int) {
	num = big.NewInt(1)
	if v.class == dateClass {
		num = big.NewInt(secondsPerDay)
	}
	return num, pow10(v.scale)
}

// floor returns the constant c in units of v, rounded down, and whether that is
// exact.
func (v *value) floor(c *value) (q *big.Int, exact bool) {
	num, den := c.unit()
	n, d := v.unit()
	top := num.Mul(num.Mul(num, c.lit.exact), d)
	q, r := new(big.Int).DivMod(top, den.Mul(den, n), new(big.Int))
	return q, r.Sign() == 0
}

// asFloat returns the constant as the nearest float64.
func (v *value) asFloat() float64 {
	if v.class == floatClass {
		return v.lit.float
	}
	f, _ := new(big.Rat).SetFrac(v.lit.exact, pow10(v.scale)).Float64()
	return f
}

// columns adds the columns of v to list, each once.
func (v *value) columns(list []int) []int {
	if v.col >= 0 {
		list = addColumn(list, v.col)
	}
	for _, a := range v.args {
		list = a.columns(list)
	}
	for _, l := range v.conditions {
		list = l.columns(list)
	}
	if v.logic != nil {
		list = v.logic.columns(list)
	}
	return list
}

func addColumn(list []int, col int) []int {
	for _, c := range list {
		if c == col {
			return list
		}
	}
	return append(list, col)
}

// orderedFloat maps floats to integers of the same order: zeros are one, NaNs
// are one and above all.
func orderedFloat(f float64) int64 {
	switch {
	case f != f:
		return math.MaxInt64
	case f == 0:
		return 0
	}
	b := int64(math.Float64bits(f))
	return b ^ int64(uint64(b>>63)>>1)
}
