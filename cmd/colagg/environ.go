package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/colagg/colagg"
	"github.com/colagg/colagg/cmd/colagg/internal/render"
	"golang.org/x/term"
)

// environ is what a command sees of the world around it.
type environ struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	stdoutTerminal bool
	stderrTerminal bool
	columns        int // character cells in a line of stdout's terminal; 0 if unknown
	getenv         func(name string) string
	pending        outputs // the output files that are being written
	// limitHeap tells the Go runtime how much memory queries may hold.
	limitHeap func(bytes int64)
}

func systemEnviron() *environ {
	env := &environ{
		stdin:          os.Stdin,
		stdout:         os.Stdout,
		stderr:         os.Stderr,
		stdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		stderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		getenv:         os.Getenv,
		limitHeap:      limitHeap,
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

// heapSlack is what the Go runtime may have beside what queries count: stacks,
// pools of codecs, the program's own data, garbage.
const heapSlack = 24 << 20

// Up to smallMemory the Go runtime may have garbage of less than a third of what
// is in use: there is little of it that is not counted, and what there is has no
// pointers, so that collecting costs nothing to speak of. 20M groups in 64 MB: 90 MB
// in all instead of 130, in the same time.
const (
	smallMemory    = 1 << 30
	garbagePercent = 30
)

// limitHeap makes the Go runtime collect more often when it has as much memory
// as queries may hold, and a little. GOMEMLIMIT and GOGC stand if they are set.
func limitHeap(bytes int64) {
	if bytes <= smallMemory && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 && bytes < math.MaxInt64-heapSlack {
		debug.SetMemoryLimit(bytes + heapSlack)
		if bytes <= smallMemory {
			go followMappings(bytes + heapSlack)
		}
	}
}

// mappingsEvery is how often followMappings looks, and mappingsStep the least change
// that it acts on: each costs a moment in which all stops.
const (
	mappingsEvery = 20 * time.Millisecond
	mappingsStep  = 2 << 20
)

// followMappings takes what tables have outside of the heap off its limit, for as long
// as the program runs.
func followMappings(limit int64) {
	last := int64(0)
	for range time.Tick(mappingsEvery) {
		if now := colagg.MappedMemory(); now-last >= mappingsStep || last-now >= mappingsStep {
			last = now
			debug.SetMemoryLimit(heapLimit(limit, now))
		}
	}
}

// heapLimit is the limit of the heap where it and what is mapped may take limit bytes
// together; never so low that the runtime does nothing but collect.
func heapLimit(limit, mapped int64) int64 { return max(limit-mapped, limit/4, heapSlack) }

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

// complain writes err to standard error as one line, and the place that it is
// about below.
func (env *environ) complain(err error) {
	_, _ = fmt.Fprintf(env.stderr, "colagg: %s\n%s", message(err), place(err))
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
