package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// memoryPlan is what `bench memory` was asked to do.
type memoryPlan struct {
	dir      string
	mode     string
	cases    []memoryCase
	engines  []string
	budgets  []budget
	runs     int
	threads  int
	settings []string // of DuckDB
	timeout  time.Duration
	check    bool
	colagg   string // the binary
	temp     string
}

// budget is a memory limit; bytes is 0 for the engine's default.
type budget struct {
	name  string
	bytes int64
}

// memoryModes are what the budgets are: sizes, or parts of what each case
// needs in memory.
var memoryModes = []string{"budgets", "graceful"}

// parts are the budgets of the mode graceful, and how many times the time in
// memory a query may take there.
var parts = []struct {
	name    string
	divisor int64
	times   float64
}{{"1/2", 2, 1.5}, {"1/4", 4, 2}, {"1/10", 10, 3}}

// inMemory is the budget that is none.
var inMemory = budget{name: "none"}

// errMemory makes `bench memory` fail after it has printed everything.
var errMemory = errors.New("memory: answers are not what they should be")

// memoryCommand is `bench memory`.
func memoryCommand(ctx context.Context, args []string, out io.Writer) (err error) {
	p, jsonFile, err := parseMemory(args)
	if err != nil {
		return err
	}
	if p.temp, err = os.MkdirTemp(p.dir, "memory-"); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.temp)) }()
	if p.temp, err = filepath.Abs(p.temp); err != nil {
		return err
	}
	if p.colagg == "" && slices.Contains(p.engines, "colagg") {
		if p.colagg, err = buildColagg(ctx, p.temp); err != nil {
			return fmt.Errorf("memory: %w", err)
		}
	}
	rep := &memoryReport{Head: machine(), Mode: p.mode, Threads: p.threads, Engines: p.engines, Versions: map[string]string{}}
	stopped := p.run(ctx, rep, os.Stderr) // what was measured until then is worth showing
	rep.print(out)
	if jsonFile != "" {
		if err := writeFile(jsonFile, jsonOf(rep)); err != nil {
			return fmt.Errorf("memory: %w", err)
		}
	}
	if rep.differing() > 0 {
		return errors.Join(stopped, errMemory)
	}
	return stopped
}

func parseMemory(args []string) (p memoryPlan, jsonFile string, err error) {
	fs := flag.NewFlagSet("memory", flag.ContinueOnError)
	fs.StringVar(&p.dir, "data", "data", "folder with the generated files, and for temporary ones")
	fs.StringVar(&p.mode, "mode", "budgets", "budgets, or graceful: a half, a quarter and a tenth of what each case needs in memory")
	only := fs.String("only", "", "cases, separated by commas, name* for a prefix (default: all)")
	budgets := fs.String("budgets", "64MB,256MB,1GB", "memory limits")
	engines := fs.String("engines", "", "engines of "+strings.Join(limitedEngines, ",")+" (default: all)")
	settings := fs.String("duckdb-set", "", "further settings of DuckDB, such as 'preserve_insertion_order = false', with ; between")
	fs.IntVar(&p.runs, "runs", 1, "runs, of whose times the median counts")
	fs.IntVar(&p.threads, "threads", 2, "threads that each engine may use")
	fs.DurationVar(&p.timeout, "timeout", 10*time.Minute, "most time for one run")
	fs.BoolVar(&p.check, "check", true, "compare the answers with those of DuckDB's Go module without a limit")
	fs.StringVar(&p.colagg, "colagg", "", "the command to measure (default: built from this checkout)")
	fs.StringVar(&jsonFile, "json", "", "file to write all figures to")
	if err := fs.Parse(args); err != nil {
		return p, "", err
	}
	if *settings != "" {
		p.settings = strings.Split(*settings, ";")
	}
	var errs [3]error
	p.cases, errs[0] = pick(memoryCases(), *only, func(c memoryCase) string { return c.name })
	p.engines, errs[1] = pick(limitedEngines, *engines, func(s string) string { return s })
	p.budgets, errs[2] = parseBudgets(*budgets)
	if err := errors.Join(errs[:]...); err != nil {
		return p, "", fmt.Errorf("memory: %w", err)
	}
	switch {
	case p.runs < 1 || p.threads < 1:
		return p, "", fmt.Errorf("memory: -runs and -threads must be at least 1")
	case !slices.Contains(memoryModes, p.mode):
		return p, "", fmt.Errorf("memory: -mode is one of %s", strings.Join(memoryModes, ", "))
	case p.mode == "graceful" && !slices.Contains(p.engines, "colagg"):
		return p, "", fmt.Errorf("memory: graceful needs colagg")
	}
	return p, jsonFile, nil
}

// units of memory; MB is a million bytes, as for colagg and DuckDB.
var memoryUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}

// parseBudgets reads a list such as 64MB,1GB; none is a budget too.
func parseBudgets(list string) ([]budget, error) {
	var out []budget
	for s := range strings.SplitSeq(list, ",") {
		s = strings.TrimSpace(s)
		if s == inMemory.name {
			out = append(out, inMemory)
			continue
		}
		b := budget{name: s}
		for _, u := range memoryUnits {
			number, ok := strings.CutSuffix(s, u.name)
			if !ok {
				continue
			}
			if n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32); err == nil && n > 0 {
				b.bytes = n * u.bytes
			}
			break
		}
		if b.bytes == 0 {
			return nil, fmt.Errorf("%q is no memory limit such as 64MB", s)
		}
		out = append(out, b)
	}
	return out, nil
}

// run measures the cases one after the other into rep and tells notes how far
// it is.
func (p memoryPlan) run(ctx context.Context, rep *memoryReport, notes io.Writer) error {
	for _, c := range p.cases {
		file, err := filepath.Abs(filepath.Join(p.dir, c.data+".parquet"))
		if err != nil {
			return err
		}
		if _, err := os.Stat(file); err != nil {
			fmt.Fprintf(notes, "%s: left out: %v\n", c.name, err)
			continue
		}
		if err := p.measure(ctx, c, file, rep, notes); err != nil {
			return fmt.Errorf("memory: %s: %w", c.name, err)
		}
	}
	if len(rep.Results) == 0 {
		return fmt.Errorf("memory: nothing was measured in %s; run gen -only 'memory-*,wide' first", p.dir)
	}
	return nil
}

// measure runs one case: at each budget the engines take turns.
func (p memoryPlan) measure(ctx context.Context, c memoryCase, file string, rep *memoryReport, notes io.Writer) error {
	var want *fingerprint
	if p.check {
		f, err := fingerprintOf(ctx, c.expected(file))
		if err != nil {
			return err
		}
		want = &f
	}
	budgets := p.budgets
	if p.mode == "graceful" {
		need, err := p.need(ctx, task{memoryCase: c, engine: "colagg", file: file, dir: p.temp})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintf(notes, "%s: left out: %v\n", c.name, err)
			return nil
		}
		budgets = []budget{inMemory}
		for _, part := range parts {
			budgets = append(budgets, budget{part.name, need / part.divisor})
		}
	}
	for _, b := range budgets {
		results := map[string]*memoryResult{}
		for run := range p.runs {
			for _, e := range p.engines {
				if rep.missing(e) {
					continue
				}
				if run == 0 {
					results[e] = &memoryResult{Case: c.name, Budget: b.name, Bytes: b.bytes, Engine: e, Spilled: -1}
				}
				r := results[e]
				if r == nil || r.Error != "" {
					continue
				}
				t := task{memoryCase: c, engine: e, file: file, budget: b.bytes, dir: p.temp}
				if err := p.once(ctx, t, want, r, rep); err != nil {
					return err
				}
			}
		}
		for _, e := range p.engines {
			if r := results[e]; r != nil && !rep.missing(e) {
				rep.Results = append(rep.Results, r)
				fmt.Fprintln(notes, r)
			}
		}
	}
	return nil
}

// once runs a task, adds its figures to r and compares the answer with what it
// should be, if that is known. Whatever the process leaves is removed.
func (p memoryPlan) once(ctx context.Context, t task, want *fingerprint, r *memoryResult, rep *memoryReport) (err error) {
	if t.dir, err = os.MkdirTemp(p.temp, t.engine+"-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	u, failed := p.do(ctx, t)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(failed, errMissing):
		rep.leaveOut(t.engine, failed)
		return nil
	}
	if u.version != "" {
		rep.Versions[t.engine] = u.version
	}
	r.add(u)
	if failed != nil {
		r.Error = failed.Error()
		return nil
	}
	if want == nil {
		return nil
	}
	got, err := fingerprintOf(ctx, t.found(t.answer()))
	if err != nil {
		return err
	}
	if diff := got.differs(*want); r.Differs == "" {
		r.Differs, r.Rows = diff, got.Rows
	}
	return nil
}
