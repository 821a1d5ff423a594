package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/colagg/colagg"
	"github.com/colagg/colagg/cmd/colagg/internal/render"
)

// Exit statuses.
const (
	statusOK          = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInterrupted = 128 + 2
	statusBrokenPipe  = 128 + 13 // what a shell reports of a command that SIGPIPE ended
)

// usageError is a command line that is wrong.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// status returns the exit status for err, and whether there is something to
// tell the user.
func status(err error) (code int, tell bool) {
	var (
		usage *usageError
		query *colagg.Error
	)
	switch {
	case err == nil:
		return statusOK, false
	case errors.Is(err, context.Canceled):
		return statusInterrupted, true
	case errors.Is(err, syscall.EPIPE):
		return statusBrokenPipe, false
	case errors.As(err, &usage):
		return statusUsage, true
	case errors.As(err, &query) && query.Kind == colagg.BadQuery:
		return statusUsage, true
	}
	return statusFailed, true
}

// message returns err as one line without control characters.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := err.Error()
	var e *colagg.Error
	if errors.As(err, &e) && e.Hint != "" {
		told := *e
		told.Hint = commandWords.Replace(e.Hint)
		text = strings.Replace(text, e.Error(), told.Error(), 1)
	}
	return render.Visible(strings.TrimPrefix(strings.TrimRight(text, "\n"), "colagg: "))
}

// fieldFlags are the flags that fields of a query come from.
var fieldFlags = map[string]string{"Where": "--where", "Having": "--having", "GroupBy": "--group-by", "Aggs": "--agg", "Select": "--select", "OrderBy": "--order-by", "SQL": "line"}

// Of a long line, at most so many characters before the place that an error is
// about are shown, and behind it.
const (
	shownBefore = 60
	shownBehind = 30
)

// place shows where in a flag or a statement an error is: the line, and a caret
// below; empty if it is in none.
func place(err error) string {
	var e *colagg.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(e.Source) || fieldFlags[e.Field] == "" {
		return ""
	}
	from := strings.LastIndex(e.Source[:e.Offset], "\n") + 1
	before, behind := []rune(e.Source[from:e.Offset]), e.Source[e.Offset:]
	behind, _, _ = strings.Cut(behind, "\n")
	head := "  " + fieldFlags[e.Field] + " "
	if e.Field == "SQL" {
		head += fmt.Sprintf("%d: ", 1+strings.Count(e.Source[:from], "\n"))
	}
	if len(before) > shownBefore {
		before = append([]rune("…"), before[len(before)-shownBefore:]...)
	}
	if rest := []rune(behind); len(rest) > shownBehind {
		behind = string(rest[:shownBehind]) + "…"
	}
	first := render.Visible(strings.ReplaceAll(head+string(before), "\t", " "))
	return first + render.Visible(strings.TrimRight(behind, "\r")) + "\n" + strings.Repeat(" ", len([]rune(first))) + "^\n"
}

// commandWords puts into hints what the command has for names of the package.
var commandWords = strings.NewReplacer(
	"Options.MemoryLimit", "--memory",
	"Options.MaxTemp", "--max-temp",
	"Options.TempDirs", "--temp-dir",
	"Options.SkipChecksums", "--no-checksums",
	"Query.Select", "--select",
	"Engine.Describe lists them", "'colagg schema FILE' lists them",
)
