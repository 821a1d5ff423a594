// Package oracle is a second answer to compare the engine with: the simplest
// aggregation that can be written, over a Go map and big numbers, and a way to
// write values of any type as text. Only tests import it.
//
// A cell is a value as text: NULL, true, 42, 1.50 with a decimal's digits, "text"
// as in JSON, x'00ff' for bytes and for text that is not UTF-8, 2024-04-01,
// 2024-04-01 12:00:00.5 with a Z behind it if the column has a zone, 12:00:00.
// A list is its cells: [1, NULL].
// NaN is one cell and so is zero, whatever its sign.
package oracle
