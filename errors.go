package colagg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"

	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/internal/sql"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/parquetio"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// Kind says what sort of thing went wrong, for callers that decide on it.
type Kind uint8

// The kinds of errors.
const (
	Internal    Kind = iota // a fault of colagg itself
	BadQuery                // the query or an option is wrong: syntax, unknown or ambiguous names, types that do not fit
	NotFound                // an input file does not exist, or a pattern matches none
	Corrupt                 // an input file is damaged; errors.As finds a *CorruptError
	Unsupported             // an input uses what colagg cannot read; errors.As may find an *UnsupportedError
	Overflow                // a result does not fit its type
	Memory                  // the memory limit was reached; errors.Is finds ErrMemoryLimit
	IO                      // reading an input or writing an output failed
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case BadQuery:
		return "bad query"
	case NotFound:
		return "not found"
	case Corrupt:
		return "corrupt file"
	case Unsupported:
		return "not supported"
	case Overflow:
		return "overflow"
	case Memory:
		return "memory limit"
	case IO:
		return "input/output"
	}
	return "internal error"
}

// ErrMemoryLimit is what errors.Is finds in the error of a query that would
// have needed more than the engine's memory limit.
var ErrMemoryLimit = memory.ErrLimit

// ErrChecksum is what errors.Is finds in the error of a query that read a page
// whose bytes are not those of its checksum.
var ErrChecksum = parquetio.ErrChecksum

// ErrTempLimit is what errors.Is finds in the error of a query that would have
// needed more than Options.MaxTemp on disk.
var ErrTempLimit = spill.ErrQuota

// CorruptError says which file, row group and column is damaged.
type CorruptError = parquetio.CorruptError

// UnsupportedError says which file, row group and column uses what colagg
// cannot read.
type UnsupportedError = parquetio.UnsupportedError

// Error is the error of every operation in this package, save that a cancelled
// or timed-out context gives the context's own error. It unwraps to the cause.
type Error struct {
	Kind Kind
	// Source is the text that Offset counts in: an entry of Query.GroupBy, Aggs,
	// Select or OrderBy, or Query.Where, Having or SQL. Where Offset is -1, it is
	// the input file or empty.
	Source string
	// Field is the field of Query that Source is of, such as "GroupBy"; or empty.
	Field string
	// Offset is a position in Source in bytes, or -1.
	Offset int
	// Hint says what to do about it, or is empty.
	Hint string
	// Err is the cause; it is never nil.
	Err error
}

// maxQuoted is the most bytes of a text that an error has in its line.
const maxQuoted = 120

// Error returns one line without control characters, which it escapes: the
// cause, the position and the hint. Of a fault in
// colagg itself it has the first line and not the stack, which Err has.
func (e *Error) Error() string {
	msg := e.Err.Error()
	if e.Kind == Internal {
		msg, _, _ = strings.Cut(msg, "\n")
	}
	switch {
	case e.Offset < 0:
	case len(e.Source) <= maxQuoted && !strings.Contains(e.Source, "\n"):
		msg += fmt.Sprintf(" (at position %d of '%s')", e.Offset+1, e.Source)
	default:
		before := e.Source[:min(e.Offset, len(e.Source))]
		msg += fmt.Sprintf(" (at line %d, position %d)", 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n"))
	}
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return spellControls(msg)
}

// spellControls escapes control characters, such as those in the name of a
// column.
func spellControls(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// badQuery returns an error without a position.
func badQuery(format string, args ...any) *Error {
	return &Error{Kind: BadQuery, Offset: -1, Err: fmt.Errorf("colagg: "+format, args...)}
}

// badFragment returns an error at a position of a fragment.
func badFragment(in fragment, offset int, hint, format string, args ...any) *Error {
	return &Error{Kind: BadQuery, Source: in.text, Field: in.field, Offset: offset, Hint: hint, Err: fmt.Errorf(format, args...)}
}

func syntaxError(in fragment, err error) error {
	var s *sql.Error
	if errors.As(err, &s) {
		return badFragment(in, s.Offset, s.Hint, "%s", s.Message)
	}
	return err
}

// failure is the error for what went wrong under ctx: that of ctx, with its
// cause, once ctx has ended, whatever else failed because of it.
func failure(ctx context.Context, err error) error {
	ended := ctx.Err()
	if ended == nil {
		return classify(err)
	}
	if cause := context.Cause(ctx); cause != ended {
		return fmt.Errorf("%w: %w", ended, cause)
	}
	return ended
}

// classify turns err into an *Error, or leaves it where it is one or is a
// context's.
func classify(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var (
		known       *Error
		corrupt     *CorruptError
		unsupported *UnsupportedError
		overflow    *hashagg.OverflowError
		group       *hashagg.GroupSizeError
		limit       *memory.LimitError
		temp        *spill.Error
	)
	if errors.As(err, &known) {
		return known // it names the place; what is around it says no more
	}
	out := &Error{Offset: -1, Err: err}
	switch {
	case errors.As(err, &corrupt):
		out.Kind, out.Source = Corrupt, corrupt.File
		if errors.Is(err, ErrChecksum) {
			out.Hint = "Options.SkipChecksums reads it as it is"
		}
	case errors.As(err, &unsupported):
		out.Kind, out.Source, out.Hint = Unsupported, unsupported.File, unsupported.Hint
	case errors.As(err, &overflow):
		out.Kind, out.Hint = Overflow, overflowHint(overflow)
	case errors.As(err, &group):
		out.Err = group
		out.Kind, out.Hint = Memory, "give more with Options.MemoryLimit; the memory has to hold one group as a whole"
	case errors.As(err, &limit):
		out.Err = limit // whatever asked for the memory, it is the query's
		out.Kind, out.Hint = Memory, "give more with Options.MemoryLimit, or group by fewer or shorter columns"
	case errors.As(err, &temp):
		out.Kind, out.Hint = IO, tempHint(temp)
	case errors.Is(err, vector.ErrTooLong):
		out.Kind = Unsupported
	case errors.Is(err, fs.ErrNotExist):
		out.Kind = NotFound
	default:
		var path *fs.PathError
		if errors.As(err, &path) {
			out.Kind = IO
		}
	}
	return out
}

// tempHint says where more room may come from.
func tempHint(e *spill.Error) string {
	switch {
	case errors.Is(e, ErrTempLimit):
		return "give more with Options.MaxTemp, or more memory with Options.MemoryLimit"
	case e.Op == "create" || e.Full():
		return "name another directory with Options.TempDirs"
	}
	return ""
}

func overflowHint(e *hashagg.OverflowError) string {
	if e.Function == "sum" {
		return "avg has no such limit"
	}
	return ""
}
