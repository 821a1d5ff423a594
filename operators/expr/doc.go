// Package expr computes conditions over batches: which rows a filter keeps.
//
// Terms:
//
//   - A Condition is a boolean expression whose names and types are bound: Bind
//     makes it of a parsed one, or says what does not fit. It is immutable.
//   - Rows are a rising list of row numbers of a batch (a selection vector).
//   - The true set of a condition among some rows are those for which it is
//     true; not those for which it is false or NULL.
//   - A test computes a true set; it belongs to one stream and owns its buffers.
//   - A vec computes values of one element type, at the row numbers asked for.
//
// SQL's logic has three values, but only true sets are ever computed. NOT is
// pushed down at bind time, where it is exact: De Morgan's laws hold in that
// logic, the negation of a comparison is the opposite comparison, and both are
// NULL for the same rows. So AND takes the rows that its operands leave, one
// after the other, and OR hands to each operand the rows that none before it
// took. What asks whether something is NULL (IS NULL, IS DISTINCT FROM) is a
// difference of true sets.
//
// Arithmetic is NULL where a column in it is; so a comparison first drops the
// rows in which a column of its is NULL, and its loops know no NULLs. Operands of
// AND are computed for the rows that those before it left: n <> 0 AND 6 / n > 1
// never divides by zero.
//
// A part of a condition that is about one column is computed once per entry
// of the dictionary where that column is dictionary-coded, and kept as long as
// the dictionary stays the same; should an entry that no row has make it fail,
// the rows are computed instead.
//
// Values: integers are computed in 64 bits and decimals in 128 (38 digits), and
// what does not fit is an *Error, as is a division by zero; uint64 is a decimal
// without fraction there. A comparison with a constant is done in the column's
// own type, the constant being rounded down exactly to it; so are comparisons of
// dates and timestamps of different units. A float is compared with anything
// as a float64; NaN is equal to itself and above all numbers, and -0.0 is 0.0.
// Strings and binaries are compared byte by byte.
package expr
