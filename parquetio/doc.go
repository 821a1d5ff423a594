// Package parquetio is where data comes from and goes to: it reads and writes
// Parquet files as vectors. It is the only package that imports a Parquet
// library or a codec.
//
// Terms, in the format's own words (https://parquet.apache.org/docs/):
//
//   - A leaf is a column of the file that holds values; fields of structs are
//     leaves too. Its definition level says how many of the optional fields on
//     its path are there: below the maximum means NULL.
//   - A chunk is the part of a leaf that lies in one row group. It is a row of
//     pages: at most one dictionary page, then data pages.
//   - A morsel is what one stream takes at a time: a row group, or a range of
//     rows of a large one.
//
// Invariants:
//
//   - Rows decoded are rows promised: the values of a chunk's pages, the
//     chunk's own count and the row group's rows are equal, or the scan fails;
//     of chunks that are read to their end.
//   - Nothing in a file is believed before it is checked against the sizes of
//     what holds it: the file, the chunk, the page. Memory is allocated for
//     bytes that are there, not for bytes that are announced.
//   - Statistics are hints, and no answer is made from them; but a filter does
//     not read what they exclude, where they can be trusted (File.trusted).
//   - Files are read by ranges, opened when a stream first needs them and
//     closed when it moves on, so that a stream holds one file at most.
//
// Damage is reported as *CorruptError, what colagg cannot read as
// *UnsupportedError; both say where. Panics of third-party code become errors.
package parquetio
