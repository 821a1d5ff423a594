// Package render writes records as text.
//
// A value has one text form, which all formats share:
//
//   - integers and decimals with all their digits, decimals with all digits
//     of their scale;
//   - floating-point numbers as the shortest digits that give the same number
//     back, always with a point or an exponent (2.0, 1e+16); NaN, inf, -inf;
//   - booleans true and false; dates 2024-01-02; times 03:04:05.5;
//   - timestamps 2024-01-02 03:04:05.5, with a Z behind if their instants are
//     in UTC, whatever the zone of the machine is;
//   - durations as hours, minutes and seconds; intervals as in 1 year 2 mons
//     3 days 04:05:06.5, each part with its sign;
//   - strings as they are; binary as ASCII with the other bytes, quotes and
//     backslashes as \xFF; fixed-size binary in hexadecimal digits.
//
// The formats differ in how they frame it:
//
//   - CSV (RFC 4180, with line feeds): NULL is an empty field and the empty
//     string is "". In a result of one column NULL is the word NULL and the
//     string NULL is quoted, since readers drop empty lines. Bytes that are
//     no UTF-8 stay as they are.
//   - TSV: NULL is \N; tabs, line feeds, carriage returns and backslashes
//     inside of values are \t, \n, \r and \\.
//   - JSON, an array of objects, and NDJSON, an object a line: numbers of all
//     types are JSON numbers with all their digits, NaN and infinities are
//     null, bytes that are no UTF-8 are \ufffd.
//   - Markdown: a pipe table.
//   - Table: for people. It is the one format that holds back its rows, as it
//     has to know the widest; on a screen it leaves out rows in the middle and
//     shortens wide values, elsewhere it refuses to have more than 100,000
//     rows.
package render
