// Package combine puts the rows of several sources together, and gives rows more
// than once or not at all.
//
// Terms:
//
//   - A Part is one of several sources whose rows a Concat gives, one after the
//     other, with the same columns.
//   - Copies of a row are how often a set operation wants it, by how often it is
//     on either side.
//   - A Window is a range of the rows of a stream, by their number in it.
//
// None of these keeps rows: each passes on what its source gives.
package combine
