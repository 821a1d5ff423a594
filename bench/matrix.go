package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg"
)

// cell is one query over one input of the strategy matrix.
type cell struct {
	Groups int64  `json:"groups"`
	Dist   string `json:"dist"`
	Keys   string `json:"keys"`
	Aggs   int    `json:"aggs"`
	Width  string `json:"width"`
}

func (c cell) String() string {
	return fmt.Sprintf("%d groups, %s, %s keys, %d %s", c.Groups, c.Dist, c.Keys, c.Aggs, c.Width)
}

// calls are the cell's aggregates: sums of integers, or least strings.
func (c cell) calls() []string {
	fn := "sum"
	if c.Width == "variable" {
		fn = "min"
	}
	var out []string
	for j := range c.Aggs {
		out = append(out, fn+"("+valueName(c.Width, j)+")")
	}
	return out
}

// matrixPlan is what `bench matrix` was asked to do.
type matrixPlan struct {
	groups     []int64
	dists      []string
	keys       []string
	aggs       []int
	widths     []string
	strategies []string // auto is not one of them
	rows       int64
	runs       int
	threads    int
	stat       string // min or median
	limit      time.Duration
}

// matrixGroups, matrixAggs are the whole matrix's; the largest number of groups
// is measured only where there are as many rows.
var (
	matrixGroups = []int64{10, 1000, 100_000, 1_000_000, 20_000_000}
	matrixAggs   = []int{1, 4, 12, 32}
)

// errMatrix makes `bench matrix` fail after it has printed everything.
var errMatrix = errors.New("matrix: strategies failed or their answers differ")

// matrixCommand is `bench matrix`.
func matrixCommand(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("matrix", flag.ContinueOnError)
	csvFile := fs.String("csv", "", "file to write a line per cell and strategy to")
	jsonFile := fs.String("json", "", "file to write every single time to")
	p, err := parseMatrix(fs, args)
	if err != nil {
		return err
	}
	rep := newMatrixReport(p)
	stopped := p.run(ctx, rep, os.Stderr) // what was measured until then is worth showing
	rep.print(out)
	if *csvFile != "" {
		if err := writeFile(*csvFile, rep.writeCSV); err != nil {
			return fmt.Errorf("matrix: %w", err)
		}
	}
	if *jsonFile != "" {
		if err := writeFile(*jsonFile, jsonOf(struct {
			*matrixReport
			Summary matrixSummary `json:"summary"`
		}{rep, rep.summary()})); err != nil {
			return fmt.Errorf("matrix: %w", err)
		}
	}
	if len(rep.failures()) > 0 {
		return errors.Join(stopped, errMatrix)
	}
	return stopped
}

// parseMatrix adds the plan's flags to fs and reads them. Without flags it is
// a part of the matrix that takes some ten minutes on two processors.
func parseMatrix(fs *flag.FlagSet, args []string) (matrixPlan, error) {
	var p matrixPlan
	all := fs.Bool("all", false, "the whole matrix: flags that are not given mean everything; takes hours")
	groups := fs.String("groups", "10,1e3,1e5,1e6", "numbers of groups")
	dists := fs.String("dist", "uniform,zipf1.0,hh95,80-20,sorted,waves", "distributions of "+strings.Join(distributions, ","))
	keys := fs.String("keys", "sparse", "types of key of "+strings.Join(keyTypes, ","))
	aggs := fs.String("aggs", "1,4", "numbers of aggregates")
	width := fs.String("width", "fixed,variable", "fixed (sums of integers), variable (least strings)")
	strategies := fs.String("strategies", "", "strategies beside auto (default: all)")
	rows := fs.String("rows", "4194304", "rows of each input, rounded up to whole records of "+strconv.Itoa(recordRows))
	fs.IntVar(&p.runs, "runs", 3, "timed runs of each strategy in each cell; doubtful cells get up to three times as many")
	fs.IntVar(&p.threads, "threads", 2, "threads, which auto is compared with 1 of")
	fs.StringVar(&p.stat, "stat", "min", "what counts of the runs: min or median")
	fs.DurationVar(&p.limit, "time-limit", 10*time.Minute, "start no further cell after this time; 0 is none, as with -all")
	if err := fs.Parse(args); err != nil {
		return p, err
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if *all {
		for f, name := range map[*string]string{groups: "groups", dists: "dist", keys: "keys", aggs: "aggs", width: "width"} {
			if !given[name] {
				*f = ""
			}
		}
		if !given["time-limit"] {
			p.limit = 0
		}
	}
	count, err := numbers[int64](*rows, nil)
	if err != nil || len(count) != 1 || count[0] < 1 {
		return p, fmt.Errorf("matrix: -rows %s is no number of rows", *rows)
	}
	p.rows = wholeRecords(count[0])
	if p.runs < 1 || p.threads < 1 || p.stat != "min" && p.stat != "median" {
		return p, fmt.Errorf("matrix: -runs and -threads must be at least 1, -stat min or median")
	}
	fixed := slices.DeleteFunc(colagg.Strategies(), func(s string) bool { return s == "auto" })
	name := func(s string) string { return s }
	var errs [6]error
	p.groups, errs[0] = numbers(*groups, matrixGroups)
	p.dists, errs[1] = pick(distributions, *dists, name)
	p.keys, errs[2] = pick(keyTypes, *keys, name)
	p.aggs, errs[3] = numbers(*aggs, matrixAggs)
	p.widths, errs[4] = pick(widths, *width, name)
	p.strategies, errs[5] = pick(fixed, *strategies, name)
	if err := errors.Join(errs[:]...); err != nil {
		return p, fmt.Errorf("matrix: %w", err)
	}
	if slices.Min(p.groups) < 10 || slices.Min(p.aggs) < 1 {
		return p, fmt.Errorf("matrix: the least numbers are 10 groups and 1 aggregate")
	}
	return p, nil
}

// numbers reads a list such as 10,1e6; empty means all.
func numbers[T int | int64](list string, all []T) ([]T, error) {
	if list == "" {
		return all, nil
	}
	var out []T
	for s := range strings.SplitSeq(list, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || f < 0 || f > 1e12 || f != float64(int64(f)) {
			return nil, fmt.Errorf("%q is no whole number", s)
		}
		out = append(out, T(f))
	}
	return out, nil
}

// inputs are the plan's different inputs in a random order that is always the
// same, so that what a time limit leaves is a sample of the matrix.
func (p matrixPlan) inputs() []keySpec {
	var list []keySpec
	for _, g := range p.groups {
		for _, d := range p.dists {
			for _, k := range p.keys {
				if g <= p.rows {
					list = append(list, keySpec{rows: p.rows, groups: g, dist: d, keys: k})
				}
			}
		}
	}
	order := newPCG(13, 1).shuffled(int64(len(list)))
	out := make([]keySpec, len(list))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}

// run measures the cells into rep and tells notes how far it is.
func (p matrixPlan) run(ctx context.Context, rep *matrixReport, notes io.Writer) error {
	specs := p.inputs()
	perInput := len(p.aggs) * len(p.widths)
	rep.Cells, rep.TooFewRows = len(specs)*perInput, (len(p.groups)*len(p.dists)*len(p.keys)-len(specs))*perInput
	values := &valueColumns{rows: p.rows}
	start, done := time.Now(), 0
	for _, s := range specs {
		in, err := newInput(s, values, p.widths, slices.Max(p.aggs))
		if err != nil {
			return fmt.Errorf("matrix: %w", err)
		}
		for _, width := range p.widths {
			for _, aggs := range p.aggs {
				if p.limit > 0 && time.Since(start) > p.limit {
					return nil
				}
				c := &cellResult{cell: cell{Groups: s.groups, Dist: s.dist, Keys: s.keys, Aggs: aggs, Width: width}}
				if err := p.measure(ctx, in, c); err != nil {
					return err
				}
				rep.Results = append(rep.Results, c)
				done++
				left := time.Duration(float64(time.Since(start)) / float64(done) * float64(rep.Cells-done))
				fmt.Fprintf(notes, "[%d/%d, %s left] %s\n", done, rep.Cells, left.Round(time.Second), c.line())
			}
		}
	}
	return nil
}

// cellTime ends the rounds of a cell whose strategies are all slow; each is
// measured once in any case.
const cellTime = time.Minute

// measure fills one cell. A first round warms up and compares the answers; then
// the strategies take turns, each round beginning with another one, so that a
// slow minute of the machine hits all of them. A cell that misses one of the
// targets is measured up to three times as often; strategies that take twice
// the best one's time are left out of that.
func (p matrixPlan) measure(ctx context.Context, in *input, c *cellResult) error {
	c.Samples = append(c.Samples, &sample{Strategy: "auto", Threads: p.threads}, &sample{Strategy: "auto", Threads: 1})
	for _, s := range p.strategies {
		c.Samples = append(c.Samples, &sample{Strategy: s, Threads: p.threads})
	}
	for _, s := range c.Samples {
		if err := c.warmUp(ctx, in, s); err != nil {
			return err
		}
	}
	start := time.Now()
	for round := 0; ; round++ {
		for i := range c.Samples {
			s := c.Samples[(i+round)%len(c.Samples)]
			if s.Error != "" || round >= p.runs && s.Strategy != "auto" && s.Time > 2*c.best().Time {
				continue
			}
			t, err := in.ask(ctx, s.Threads, s.Strategy, []string{"k"}, c.calls(), nil)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				s.Error = err.Error()
			default:
				s.Seconds = append(s.Seconds, t.total)
				s.Chose, s.KeyForm = t.stats.Strategy, t.stats.KeyForm
			}
		}
		for _, s := range c.Samples {
			s.Time = statistic(p.stat, s.Seconds)
		}
		enough := round+1 >= p.runs && !c.doubtful() || round+1 >= 3*p.runs
		if enough || time.Since(start) > cellTime {
			return nil
		}
	}
}

// warmUp runs a strategy once and compares its answer with the first one.
func (c *cellResult) warmUp(ctx context.Context, in *input, s *sample) error {
	var a answer
	_, err := in.ask(ctx, s.Threads, s.Strategy, []string{"k"}, c.calls(), func(records []arrow.Record) (err error) {
		a, err = answerOf(records)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, colagg.ErrMemoryLimit):
		s.Error, s.OverMemory = err.Error(), true
	case err != nil:
		s.Error = err.Error()
	case c.reference == nil:
		c.reference, c.Found = &a, a.groups
	case a != *c.reference:
		s.Error = fmt.Sprintf("the answer differs from the first strategy's: %d groups and %d, checksums %x and %x",
			a.groups, c.reference.groups, a.checksum, c.reference.checksum)
	}
	return nil
}

// statistic is the least or the middle one of the times, 0 if there are none.
func statistic(stat string, seconds []float64) float64 {
	if stat == "min" && len(seconds) > 0 {
		return slices.Min(seconds)
	}
	return median(seconds)
}

// writeFile creates a file and lets write fill it.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// jsonOf writes v, indented.
func jsonOf(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
}

// byDescending compares by a number, the largest first.
func byDescending[T any](number func(T) float64) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(number(b), number(a)) }
}
