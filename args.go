package colagg

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/colagg/colagg/internal/sql"
)

// bindArgument makes the node of a parameter one of a value. A Source stays a
// parameter, which only FROM takes.
func bindArgument(p *sql.Expr, arg any) error {
	literal := func(op sql.Op, text string) error {
		p.Op, p.Text = op, text
		return nil
	}
	switch v := arg.(type) {
	case nil:
		return literal(sql.NullOp, "")
	case Source:
		return nil
	case time.Time:
		return literal(sql.TimestampOp, v.UTC().Format("2006-01-02 15:04:05.999999999"))
	case []byte:
		return fmt.Errorf("a value of type %T cannot be written in SQL", arg)
	}
	switch v := reflect.ValueOf(arg); v.Kind() {
	case reflect.Bool:
		return literal(map[bool]sql.Op{true: sql.TrueOp, false: sql.FalseOp}[v.Bool()], "")
	case reflect.String:
		return literal(sql.StringOp, v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return bindNumber(p, strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return bindNumber(p, strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%v is no number", f)
		}
		return bindNumber(p, strconv.FormatFloat(v.Float(), 'e', -1, v.Type().Bits()))
	}
	return fmt.Errorf("a value of type %T cannot be written in SQL", arg)
}

// bindNumber makes p a number, behind a sign where it has one.
func bindNumber(p *sql.Expr, text string) error {
	digits := strings.TrimPrefix(text, "-")
	number := sql.Expr{Op: sql.NumberOp, Text: digits, At: p.At, Span: p.Span}
	if *p = number; digits != text {
		*p = sql.Expr{Op: sql.NegOp, Args: []*sql.Expr{&number}, At: number.At, Span: number.Span}
	}
	return nil
}
