package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/colagg/colagg/cmd/colagg/internal/render"
	"golang.org/x/term"
)

// environ is what a command sees of the world around it.
type environ struct {
	stdout, stderr io.Writer
	stdoutTerminal bool
	stderrTerminal bool
	columns        int // character cells in a line of stdout's terminal; 0 if unknown
	getenv         func(name string) string
	pending        outputs // the output files that are being written
}

func systemEnviron() *environ {
	env := &environ{
		stdout:         os.Stdout,
		stderr:         os.Stderr,
		stdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		stderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		getenv:         os.Getenv,
	}
	if env.stdoutTerminal {
		env.columns, _, _ = term.GetSize(int(os.Stdout.Fd()))
		if env.columns <= 0 {
			env.columns, _ = strconv.Atoi(os.Getenv("COLUMNS"))
		}
		env.columns = max(0, env.columns)
	}
	return env
}

// tableRows is the most rows of a table on a terminal.
const tableRows = 40

// screen says how a table on standard output is fitted to it.
func (env *environ) screen() render.Screen {
	if !env.stdoutTerminal {
		return render.Screen{}
	}
	s := render.Screen{Rows: tableRows, Columns: env.columns}
	if env.getenv("NO_COLOR") == "" && env.getenv("TERM") != "dumb" {
		s.Faint, s.Reset = "\x1b[2m", "\x1b[0m"
	}
	return s
}

// complain writes err to standard error as one line.
func (env *environ) complain(err error) {
	_, _ = fmt.Fprintf(env.stderr, "colagg: %s\n", message(err))
}

// create begins an output file at path, which discardOutput removes unless it
// is finished by then.
func (env *environ) create(path string) (*output, error) {
	o, err := createOutput(path)
	if err != nil {
		return nil, err
	}
	env.pending.add(o)
	return o, nil
}

// discardOutput removes output files that are not finished.
func (env *environ) discardOutput() { env.pending.discard() }
