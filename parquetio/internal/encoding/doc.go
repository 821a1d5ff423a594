// Package encoding decodes the bodies of Parquet pages: from the bytes of an
// uncompressed page into the memory layout of package vector.
//
// A decoder is Reset on the bytes of a page and then asked for values, some
// thousands at a time, or told to Skip some. It reads the page's bytes where
// they are and keeps them until the next Reset. The zero value of each decoder
// is ready for Reset, and a decoder belongs to one goroutine.
//
// Values are dense: NULLs have no place in a page's values. The caller decodes
// the levels first, asks for as many values as there are valid rows, and puts
// them in their rows with Spread, SpreadOffsets or SpreadBits. After an error
// a decoder, and what it was to fill, are in no particular state.
//
// Pages are untrusted: whatever the bytes, a decoder ends with values or with
// an error that says what is wrong at which byte of what it was Reset on. It
// allocates no more than the output that was asked for, which for byte strings
// is bounded by Strings.Limit. It never gives fewer values than it was asked
// for.
//
// Sections named in comments are those of the Parquet format's Encodings.md.
// The machine is taken to be little-endian, as package vector does.
package encoding
