// Package order sorts: a sink that takes batches from several workers and
// gives them back in the order of keys.
//
// Terms:
//
//   - A key is a column and a direction. NaN is greater than every number,
//     -0.0 is 0.0, byte strings are compared byte by byte, false is below true.
//     Where NULL goes is said by the key.
//   - The position of a row is where it stood in the input (Batch.Row). Rows
//     whose keys are all equal keep the order of their positions, so that the
//     result does not depend on how many workers there were.
//   - A word is 64 bits of a value that order as the value does. A value is a
//     sequence of them: one for numbers of up to 64 bits, more for decimals and
//     byte strings. The first word of the first key is the head of a row; NULL
//     has the least or the greatest one, which a value may have too.
//   - An entry stands for a row while it is sorted: a head and where the row
//     is. Rows themselves do not move; none is an object.
//   - A run is sorted rows of one worker: entries in memory, or batches on
//     disk. Every row of a run on disk has its position in one column more.
//
// A worker collects rows until its share of the budget is used, sorts them and
// writes them as a run; the last ones stay in memory. With a limit of n rows it
// keeps n: from time to time it cuts what it has to its least n rows, and drops
// rows that come after the last of those.
//
// Runs in memory are merged in parallel, in windows between rows that are the
// bounds in all runs; runs on disk by a tournament of losers (Knuth, The Art of
// Computer Programming 3, 5.4.1), of a bounded number at a time.
package order
