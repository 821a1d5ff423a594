package hashagg

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Modifiers are what a call of an aggregate function says beside its columns.
// The zero value is a call with columns only.
type Modifiers struct {
	Distinct  bool        // each distinct combination of the column arguments counts once
	Order     []Direction // of the ORDER BY columns, whose types end the list of types
	Constants []Constant  // in the order of the call's text, where they follow the columns
}

// Direction is how one column orders rows. The zero value is ascending with
// NULLs last. NaN is greater than every number.
type Direction struct{ Desc, NullsFirst bool }

// ConstantKind says what a Constant is.
type ConstantKind uint8

// The kinds of constants.
const (
	NullConstant ConstantKind = iota
	NumberConstant
	TextConstant
)

// Constant is an argument that is the same for all rows. The zero value is
// NULL.
type Constant struct {
	Kind ConstantKind
	// Text is a string's value, or a number as it is written, such as -0.5 or
	// 1e3: an optional sign, digits with an optional point, an optional
	// exponent.
	Text string
}

// Float64 returns the nearest float64 of a number; ok is false for other
// constants and where the number is out of range.
func (c Constant) Float64() (f float64, ok bool) {
	if c.Kind != NumberConstant {
		return 0, false
	}
	f, err := strconv.ParseFloat(c.Text, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// Int64 returns a number that is written as an integer; ok is false for all
// else.
func (c Constant) Int64() (n int64, ok bool) {
	if c.Kind != NumberConstant {
		return 0, false
	}
	n, err := strconv.ParseInt(c.Text, 10, 64)
	return n, err == nil
}

// String spells the constant as SQL does.
func (c Constant) String() string {
	switch c.Kind {
	case NumberConstant:
		return c.Text
	case TextConstant:
		return "'" + strings.ReplaceAll(c.Text, "'", "''") + "'"
	}
	return "null"
}

// use says what a function makes of a modifier.
type use uint8

const (
	refused use = iota
	dropped     // the result is the same without it
	taken
)

// bounds are the least and the most of something.
type bounds struct{ min, max int }

func (b bounds) hold(n int) bool { return b.min <= n && n <= b.max }

// accept returns the modifiers that f has to take, or why it cannot take m.
func (f function) accept(m Modifiers) (Modifiers, error) {
	if m.Distinct && f.distinct == refused {
		return m, &BindError{Function: f.name, Problem: "does not take DISTINCT", Hint: "write " + usage(f), Part: PartDistinct}
	}
	if len(m.Order) > 0 && f.order == refused {
		return m, &BindError{Function: f.name, Problem: "does not take ORDER BY", Hint: "write " + usage(f), Part: PartOrder}
	}
	m.Distinct = m.Distinct && f.distinct == taken
	if f.order == dropped {
		m.Order = nil
	}
	return m, nil
}

// counts checks the numbers of columns and constants.
func (f function) counts(columns, constants int) error {
	e := &BindError{Function: f.name, Hint: "write " + usage(f)}
	switch {
	case f.constants.max == 0 && !f.columns.hold(columns+constants):
		e.Problem = fmt.Sprintf("takes %s, not %d", numbered(f.columns, "argument"), columns+constants)
	case !f.columns.hold(columns):
		e.Problem = fmt.Sprintf("takes %s, not %d", numbered(f.columns, "column"), columns)
	case f.constants.hold(constants):
		return nil
	case f.constants.max == 0:
		e.Problem, e.Part = "takes columns, not constants", PartConstant
	default:
		e.Problem = fmt.Sprintf("takes %s, not %d", numbered(f.constants, "constant"), constants)
	}
	if constants > f.constants.max {
		e.Part, e.Index = PartConstant, f.constants.max
	}
	return e
}

func numbered(b bounds, what string) string {
	switch {
	case b.min == b.max && b.min == 1:
		return "one " + what
	case b.min == b.max:
		return fmt.Sprintf("%d %ss", b.min, what)
	case b.max-b.min > 1:
		return fmt.Sprintf("%d to %d %ss", b.min, b.max, what)
	}
	return fmt.Sprintf("%d or %d %ss", b.min, b.max, what)
}

// usage spells a call that makes sense.
func usage(f function) string {
	if f.usage != "" {
		return f.usage
	}
	one := f.name + "(" + strings.TrimSuffix(strings.Repeat("column, ", max(1, f.columns.min)), ", ") + ")"
	if f.columns.min == 0 {
		return f.name + "(*) or " + one
	}
	return one
}
