package expr

import "fmt"

// BindError says which part of an expression does not fit, and why.
type BindError struct {
	Offset  int // in bytes, of the expression's text
	Message string
	Hint    string // what to write instead, or empty
}

// Error returns the message with its position.
func (e *BindError) Error() string {
	return fmt.Sprintf("expr: %s at position %d", e.Message, e.Offset+1)
}

// Error says that the value of a part of an expression cannot be computed for
// some row.
type Error struct {
	Expr   string // the part as it was written
	Offset int    // where it stands in the whole, in bytes
	Zero   bool   // it divides by zero; otherwise its value does not fit its type
	Type   string // that type
	Text   string // the value, where it is a text that is none of that type
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Text != "" {
		return fmt.Sprintf("%s: %s is no %s", e.Expr, e.Text, e.Type)
	}
	if e.Zero {
		return fmt.Sprintf("%s: division by zero", e.Expr)
	}
	return fmt.Sprintf("%s: a value does not fit %s", e.Expr, e.Type)
}
