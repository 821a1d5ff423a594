// Package expr computes expressions over batches: which rows a filter keeps, and
// columns of values.
//
// Terms:
//
//   - A Condition is a boolean expression whose names and types are bound: Bind
//     makes it of a parsed one, or says what does not fit. It is immutable.
//   - Rows are a rising list of row numbers of a batch (a selection vector).
//   - The true set of a condition among some rows are those for which it is
//     true; not those for which it is false or NULL.
//   - A test computes a true set; it belongs to one stream and owns its buffers.
//   - A Value is any expression, bound by BindValue; Project is an operator that
//     gives columns of them.
//   - A source computes values of one type at the row numbers asked for, and says
//     which of these rows have one: the others are NULL. A vec is a source of
//     values of fixed width, and texts are byte strings.
//   - A function is a row in a table (func_*.go): its name, what it is for the
//     documents, and overloads, each with the kinds of its arguments and a loop.
//
// SQL's logic has three values, but only true sets are ever computed. NOT is
// pushed down at bind time, where it is exact: De Morgan's laws hold in that
// logic, the negation of a comparison is the opposite comparison, and both are
// NULL for the same rows. So AND takes the rows that its operands leave, one
// after the other, and OR hands to each operand the rows that none before it
// took. What asks whether something is NULL (IS NULL, IS DISTINCT FROM) is a
// difference of true sets.
//
// NULLs are dropped on the way: a function hands to each argument the rows that
// those before it have a value in, and its loop is over what is left, so that
// loops know no NULLs. CASE and COALESCE hand to each branch the rows that are its
// own. Operands of AND are computed for the rows that those before it left:
// n <> 0 AND 6 / n > 1 never divides by zero.
//
// A part of a condition and a value that is about one column is computed once per
// entry of the dictionary where that column is dictionary-coded, and kept as long
// as the dictionary stays the same; should an entry that no row has make it fail,
// the rows are computed instead. Such a value is dictionary-coded too.
//
// Values: integers are computed in 64 bits and decimals in 128 (38 digits), and
// what does not fit is an *Error, as is a division by zero; uint64 is a decimal
// without fraction there. A comparison with a constant is done in the column's
// own type, the constant being rounded down exactly to it; so are comparisons of
// dates and timestamps of different units. A float is compared with anything
// as a float64; NaN is equal to itself and above all numbers, and -0.0 is 0.0.
// Strings and binaries are compared byte by byte.
package expr
