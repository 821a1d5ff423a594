package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// plan is what `bench run` was asked to do.
type plan struct {
	dir       string
	questions []question
	engines   []string
	runs      int
	threads   int
	strategy  string // colagg's
	timeout   time.Duration
	check     bool
}

// errDisagree makes `bench run` fail after it has printed everything.
var errDisagree = errors.New("run: the engines' answers differ")

// runCommand is `bench run`.
func runCommand(ctx context.Context, args []string, out io.Writer) error {
	var p plan
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.StringVar(&p.dir, "data", "data", "folder with the generated files")
	only := fs.String("only", "", "questions, separated by commas, name* for a prefix (default: all whose file is there)")
	engines := fs.String("engines", "", "engines, separated by commas (default: all that are installed)")
	fs.IntVar(&p.runs, "runs", 5, "timed runs of each question")
	fs.IntVar(&p.threads, "threads", 2, "threads that each engine may use")
	fs.StringVar(&p.strategy, "strategy", "", "colagg's way of aggregation (default: its choice)")
	fs.DurationVar(&p.timeout, "timeout", 5*time.Minute, "most time for one run")
	fs.BoolVar(&p.check, "check", true, "compare the answers")
	jsonFile := fs.String("json", "", "file to write all figures to")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if p.runs < 1 || p.threads < 1 {
		return fmt.Errorf("run: -runs and -threads must be at least 1")
	}
	var err error
	if p.engines, err = pick(engineNames, *engines, func(s string) string { return s }); err != nil {
		return fmt.Errorf("run: -engines: %w", err)
	}
	if p.questions, err = pick(questions(), *only, func(q question) string { return q.name }); err != nil {
		return fmt.Errorf("run: -only: %w", err)
	}
	rep, err := p.run(ctx, os.Stderr)
	if err != nil {
		return err
	}
	rep.print(out)
	if *jsonFile != "" {
		text, err := json.MarshalIndent(rep, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(*jsonFile, append(text, '\n'), 0o666); err != nil {
			return fmt.Errorf("run: %w", err)
		}
	}
	if !rep.agree() {
		return errDisagree
	}
	return nil
}

// run answers the plan's questions one after the other and tells notes how far
// it is.
func (p plan) run(ctx context.Context, notes io.Writer) (*report, error) {
	rep := newReport(p)
	missing := map[string]bool{}
	for _, q := range p.questions {
		file, err := filepath.Abs(filepath.Join(p.dir, q.data+".parquet"))
		if err != nil {
			return nil, err
		}
		st, err := os.Stat(file)
		if err != nil {
			fmt.Fprintf(notes, "%s: left out: %v\n", q.name, err)
			continue
		}
		fmt.Fprintf(notes, "%s ...\n", q.name)
		o := &outcome{Question: q.name, Data: q.data, SQL: q.sql(q.data), FileBytes: st.Size(), Results: map[string]*result{}}
		if err := p.measure(ctx, q, file, o, rep, missing, notes); err != nil {
			return nil, err
		}
		rep.Outcomes = append(rep.Outcomes, o)
	}
	if len(rep.Outcomes) == 0 {
		return nil, fmt.Errorf("run: no data in %s: run gen first", p.dir)
	}
	return rep, nil
}

// measure fills the outcome of one question: fresh workers, a warm-up each,
// then the runs in turn, then memory, then the answers.
func (p plan) measure(ctx context.Context, q question, file string, o *outcome, rep *report, missing map[string]bool, notes io.Writer) error {
	j := job{File: file, SQL: q.sql(quote(file)), Table: q.sql("input"), Keys: q.keys, Aggs: q.aggs, Threads: p.threads, Strategy: p.strategy}
	var workers []*child
	defer func() {
		for _, c := range workers {
			c.stop()
		}
	}()
	for _, name := range p.engines {
		if missing[name] {
			continue
		}
		c, err := startChild(ctx, name, j, p.timeout)
		if errors.Is(err, errMissing) {
			missing[name] = true
			fmt.Fprintf(notes, "%s: left out: %v\n", name, err)
			continue
		}
		o.Results[name] = &result{}
		if err != nil {
			o.Results[name].Error = err.Error()
			continue
		}
		rep.Versions[name] = c.version
		workers = append(workers, c)
	}
	for run := -1; run < p.runs; run++ { // run -1 warms up
		for _, c := range workers {
			r := o.Results[c.name]
			if r.Error != "" {
				continue
			}
			got, err := c.say(request{Do: "run"})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				r.Error = err.Error()
			case run >= 0:
				r.Seconds = append(r.Seconds, got.Seconds)
			}
		}
	}
	for _, c := range workers {
		r := o.Results[c.name]
		r.PeakBytes, r.BaseBytes = c.peak(), c.base
		r.Median = median(r.Seconds)
	}
	if !p.check {
		return nil
	}
	return p.compare(ctx, q, workers, o)
}

// compare lets every worker write its answer and compares them with the first
// engine's that is not colagg.
func (p plan) compare(ctx context.Context, q question, workers []*child, o *outcome) error {
	dir, err := os.MkdirTemp("", "colagg-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var answers []string // engine names; the first is the reference
	for _, c := range workers {
		r := o.Results[c.name]
		if r.Error != "" || c.name == "floor" || c.name == "scan" {
			continue
		}
		if _, err := c.say(request{Do: "answer", Path: filepath.Join(dir, c.name+".parquet")}); err != nil {
			r.Error = err.Error()
			continue
		}
		answers = append(answers, c.name)
	}
	for _, c := range workers {
		c.close() // lets it end and give its memory back
	}
	if i := slices.IndexFunc(answers, func(s string) bool { return s != "colagg" }); i > 0 {
		answers[0], answers[i] = answers[i], answers[0]
	}
	if len(answers) == 0 {
		return nil
	}
	cmp, err := newComparison(ctx, q, dir, answers[0])
	if err != nil {
		return fmt.Errorf("run: %s: %w", q.name, err)
	}
	defer cmp.close()
	o.Groups, o.Reference = cmp.groups, answers[0]
	for _, name := range answers[1:] {
		diff, err := cmp.with(ctx, name)
		if err != nil {
			return fmt.Errorf("run: %s: comparing %s with %s: %w", q.name, name, answers[0], err)
		}
		if o.Results[name].Compared = "agrees"; diff != "" {
			o.Results[name].Compared = diff
		}
	}
	return nil
}

// listCommand is `bench list`.
func listCommand(out io.Writer) {
	for _, d := range datasets() {
		fmt.Fprintf(out, "%-10s %s\n", d.name, d.about)
		for _, q := range questions() {
			if q.data == d.name {
				fmt.Fprintf(out, "    %-16s %s\n", q.name, strings.ReplaceAll(q.sql(q.data), "\n", " "))
			}
		}
	}
	fmt.Fprintf(out, "engines: %s\n", strings.Join(engineNames, ", "))
}
