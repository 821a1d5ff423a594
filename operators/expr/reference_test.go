package expr

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/colagg/colagg/internal/sql"
)

var errNoColumn = errors.New("no such column")

// reference computes expressions row by row, as the text says, over fractions.
type reference struct{ row map[string]any }

// truth3 is true, false or nil.
func (r reference) eval(e *sql.Expr) any {
	a := func(i int) any { return r.eval(e.Args[i]) }
	flip := func(x any) any {
		if b, ok := x.(bool); ok && e.Not {
			return !b
		}
		return x
	}
	switch e.Op {
	case sql.ColumnOp:
		return r.row[e.Column.String()]
	case sql.NumberOp:
		if strings.ContainsAny(e.Text, "e") {
			f, _ := new(big.Rat).SetString(e.Text)
			x, _ := f.Float64()
			return x
		}
		x, _ := new(big.Rat).SetString(e.Text)
		return x
	case sql.StringOp:
		return e.Text
	case sql.DateOp, sql.TimestampOp:
		return seconds(e.Text)
	case sql.TrueOp, sql.FalseOp:
		return e.Op == sql.TrueOp
	case sql.NullOp:
		return nil
	case sql.NotOp:
		if b, ok := a(0).(bool); ok {
			return !b
		}
		return nil
	case sql.AndOp, sql.OrOp:
		return r.connect(e)
	case sql.IsNullOp:
		return flip(a(0) == nil)
	case sql.IsTrueOp:
		return flip(a(0) == true)
	case sql.IsFalseOp:
		return flip(a(0) == false)
	case sql.DistinctOp:
		x, y := a(0), a(1)
		if x == nil || y == nil {
			return flip((x == nil) != (y == nil))
		}
		return flip(compareAny(x, y) != 0)
	case sql.InOp:
		var out any = false
		for i := range e.Args[1:] {
			switch relate(sql.EqualOp, a(0), a(i+1)) {
			case true:
				return flip(true)
			case nil:
				out = nil
			}
		}
		return flip(out)
	case sql.BetweenOp:
		return flip(and(relate(sql.GreaterEqualOp, a(0), a(1)), relate(sql.LessEqualOp, a(0), a(2))))
	case sql.LikeOp, sql.ILikeOp:
		x, y := a(0), a(1)
		if x == nil || y == nil {
			return nil
		}
		return flip(likeRegexp(y.(string), e.Op == sql.ILikeOp).MatchString(x.(string)))
	case sql.EqualOp, sql.NotEqualOp, sql.LessOp, sql.LessEqualOp, sql.GreaterOp, sql.GreaterEqualOp:
		return relate(e.Op, a(0), a(1))
	}
	return r.arithmetic(e)
}

func and(x, y any) any {
	switch {
	case x == false || y == false:
		return false
	case x == nil || y == nil:
		return nil
	}
	return true
}

func (r reference) connect(e *sql.Expr) any {
	dominant := e.Op == sql.OrOp
	var out any = !dominant
	for _, arg := range e.Args {
		switch r.eval(arg) {
		case dominant:
			return dominant
		case nil:
			out = nil
		}
	}
	return out
}

func relate(op sql.Op, x, y any) any {
	if x == nil || y == nil {
		return nil
	}
	c := compareAny(x, y)
	switch op {
	case sql.EqualOp:
		return c == 0
	case sql.NotEqualOp:
		return c != 0
	case sql.LessOp:
		return c < 0
	case sql.LessEqualOp:
		return c <= 0
	case sql.GreaterOp:
		return c > 0
	}
	return c >= 0
}

func float(x any) float64 {
	if r, ok := x.(*big.Rat); ok {
		f, _ := r.Float64()
		return f
	}
	return x.(float64)
}

func compareAny(x, y any) int {
	switch a := x.(type) {
	case string:
		return strings.Compare(a, y.(string))
	case bool:
		b := y.(bool)
		switch {
		case a == b:
			return 0
		case b:
			return -1
		}
		return 1
	case *big.Rat:
		if b, ok := y.(*big.Rat); ok {
			return a.Cmp(b)
		}
	}
	a, b := float(x), float(y)
	switch {
	case math.IsNaN(a) && math.IsNaN(b), a == b:
		return 0
	case math.IsNaN(a), a > b:
		return 1
	}
	return -1
}

func (r reference) arithmetic(e *sql.Expr) any {
	x := r.eval(e.Args[0])
	y := r.eval(e.Args[len(e.Args)-1])
	if x == nil || y == nil {
		return nil
	}
	a, exact := x.(*big.Rat)
	b, also := y.(*big.Rat)
	if exact && also {
		out := new(big.Rat)
		switch e.Op {
		case sql.AddOp:
			return out.Add(a, b)
		case sql.SubOp:
			return out.Sub(a, b)
		case sql.MulOp:
			return out.Mul(a, b)
		case sql.NegOp:
			return out.Neg(a)
		case sql.DivOp:
			return out.SetInt(new(big.Int).Quo(a.Num(), b.Num()))
		}
		return out.SetInt(new(big.Int).Rem(a.Num(), b.Num()))
	}
	f, g := float(x), float(y)
	switch e.Op {
	case sql.AddOp:
		return f + g
	case sql.SubOp:
		return f - g
	case sql.MulOp:
		return f * g
	case sql.NegOp:
		return -f
	case sql.DivOp:
		return f / g
	}
	return math.Mod(f, g)
}

func seconds(text string) *big.Rat {
	for _, layout := range []string{time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			x := new(big.Rat).SetInt64(t.Unix())
			return x.Add(x, big.NewRat(int64(t.Nanosecond()), 1e9))
		}
	}
	panic("BUG: a time that the reference cannot read: " + text)
}

func likeRegexp(pattern string, fold bool) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?s)^")
	if fold {
		b.WriteString("(?i)")
	}
	for _, r := range pattern {
		switch r {
		case '%':
			b.WriteString(".*")
		case '_':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return regexp.MustCompile(b.String() + "$")
}
