// Package vector is colagg's data: columns and batches in Arrow's memory
// layout.
//
// Terms:
//
//   - A Vector is one column of a batch. It is flat (Data, and Offsets for
//     byte strings; Offsets and Child for lists), dictionary-coded (Codes into
//     Dict), or constant (Dict with one entry and nil Codes).
//   - A Bitmap is an Arrow validity bitmap: bit i (least significant first) is
//     set when row i has a value. A nil Bitmap means that every row has one.
//   - A Batch is a set of vectors of one length. It belongs to its producer
//     and is valid until the producer's next step; who keeps data copies it.
//
// Invariants:
//
//   - Values of NULL rows are unspecified, but memory for them is there:
//     Data has Len elements and Offsets has Len+1 entries whatever Valid says.
//   - Codes of rows that are not NULL are below Dict.Len; codes of NULL rows
//     are 0. A Dict is flat, and so is a Child. A dictionary entry may itself
//     be NULL, and so may an element of a list.
//   - Data need not be aligned: typed views rely on element types without
//     pointers, for which Go permits that.
//
// Logical types are arrow.DataType. Fixed-width types hold Width bytes per
// row, booleans one bit, String and Binary bytes with 32-bit offsets. A list
// has 32-bit offsets into the vector of the elements of all rows, which are of
// any type but lists. The type arrow.Null has no Data; all of its rows are NULL.
package vector
