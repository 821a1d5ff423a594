// Package calendar computes with dates, timestamps and intervals, as loops over
// columns.
//
// Terms:
//
//   - Ticks are a column's integers: days or parts of days since 1970-01-01. A
//     Resolution says how many of them are a day.
//   - The calendar is the proleptic Gregorian one, and days have 86,400 seconds.
//     Year 0 is the one before year 1; fields of years before it are as
//     PostgreSQL counts them, where 0 is -1.
//   - A Loop computes the rows asked for; others are left alone.
//   - An Interval is months, days and nanoseconds, which are kept apart, as a
//     month has no fixed length.
//
// What does not fit is ErrRange; nothing wraps around, and there are no
// infinities.
package calendar
