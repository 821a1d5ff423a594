package parquetio

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// ErrChecksum is the cause in a *CorruptError where a page's bytes are not
// those of its checksum.
var ErrChecksum = errors.New("a page's checksum is wrong: its bytes have changed since they were written")

// CorruptError says that a file is damaged or not Parquet at all.
type CorruptError struct {
	File     string
	RowGroup int    // counted from 0; -1 when the footer is at fault
	Column   string // dotted path; "" when no single column is at fault
	Err      error  // what is wrong
}

// Error gives the place, from the file down to the column, and the cause.
func (e *CorruptError) Error() string {
	return place(e.File, e.RowGroup, e.Column) + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// UnsupportedError says that a file uses something that colagg cannot read.
type UnsupportedError struct {
	File     string
	RowGroup int    // counted from 0; -1 when it is not about one row group
	Column   string // dotted path; "" when it is about the whole file
	What     string // what is not supported
	Hint     string // what to do about it; may be empty
}

// Error gives the place and what is not supported.
func (e *UnsupportedError) Error() string {
	return place(e.File, e.RowGroup, e.Column) + e.What
}

func place(file string, rowGroup int, column string) string {
	var b strings.Builder
	b.WriteString(SpellName(file))
	sep := ": "
	if rowGroup >= 0 {
		fmt.Fprintf(&b, "%srow group %d", sep, rowGroup)
		sep = ", "
	}
	if column != "" {
		fmt.Fprintf(&b, "%scolumn %q", sep, column)
	}
	b.WriteString(": ")
	return b.String()
}

// SpellName returns the name of a file as messages have it: in quotes, with
// escapes, if a control character in it would make two lines of the message.
func SpellName(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}
