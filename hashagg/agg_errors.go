package hashagg

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
)

// BindError says why a call of an aggregate function makes no sense. Hint says
// what would, or is empty.
type BindError struct {
	Function string
	Problem  string
	Hint     string
	Part     Part // what of the call it is about
	Index    int  // the number of the constant, from 0, of PartConstant
}

// Part names a part of a call.
type Part uint8

// The parts of a call.
const (
	PartCall Part = iota // the whole
	PartDistinct
	PartOrder
	PartConstant
)

// Error returns the function and the problem, without the hint.
func (e *BindError) Error() string {
	if e.Function == "" {
		return e.Problem
	}
	return e.Function + ": " + e.Problem
}

// OverflowError says that the result of an aggregate function does not fit its
// type.
type OverflowError struct {
	Column   string         // output column; empty until the Sink has set it
	Function string         // canonical name of the function
	Value    string         // the exact result, or empty if squares that it needs do not fit
	Type     arrow.DataType // the type of the result
}

// Error names the column, or the function if the column is not known.
func (e *OverflowError) Error() string {
	name := e.Column
	if name == "" {
		name = e.Function
	}
	if e.Value == "" {
		return fmt.Sprintf("%s: squares of the values exceed the range of %s", name, typeName(e.Type))
	}
	return fmt.Sprintf("%s: the result %s does not fit %s", name, e.Value, typeName(e.Type))
}

// rangeError says that a stored value breaks the promise of its column's
// type, which only a damaged file does.
func rangeError(function string, t arrow.DataType) error {
	return fmt.Errorf("hashagg: computing %s: a value does not fit its column's type %s", function, typeName(t))
}
