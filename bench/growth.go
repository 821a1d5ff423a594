package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/colagg/colagg"
)

// growthPlan is what `bench growth` was asked to do.
type growthPlan struct {
	rows       []int64 // a tenth and all
	groups     []int64
	keys       string
	strategies []string
	runs       int
	workers    []int // that the model is checked with, beyond 2
}

// modelWorkers are the numbers of workers that are predicted.
var modelWorkers = []int{4, 8, 16, 32, 64}

// growthCommand is `bench growth`.
func growthCommand(ctx context.Context, args []string, out io.Writer) error {
	p, jsonFile, err := parseGrowth(args)
	if err != nil {
		return err
	}
	rep, err := p.run(ctx, os.Stderr)
	if err != nil {
		return err
	}
	rep.print(out)
	if jsonFile != "" {
		if err := writeFile(jsonFile, jsonOf(rep)); err != nil {
			return fmt.Errorf("growth: %w", err)
		}
	}
	return nil
}

func parseGrowth(args []string) (p growthPlan, jsonFile string, err error) {
	fs := flag.NewFlagSet("growth", flag.ContinueOnError)
	rows := fs.String("rows", "4194304", "rows; a tenth of them is measured too")
	groups := fs.String("groups", "1e3,1e4,1e5,1e6", "numbers of groups, drawn uniformly")
	strategies := fs.String("strategies", "", "strategies (default: all)")
	check := fs.String("check", "4,16,64", "numbers of workers whose processor time the model is compared with")
	fs.StringVar(&p.keys, "keys", "sparse", "type of key: dense, sparse or string")
	fs.IntVar(&p.runs, "runs", 5, "timed runs of each strategy, of which the least time counts")
	fs.StringVar(&jsonFile, "json", "", "file to write all figures to")
	if err := fs.Parse(args); err != nil {
		return p, "", err
	}
	var errs [4]error
	p.rows, errs[0] = numbers[int64](*rows, nil)
	p.groups, errs[1] = numbers(*groups, matrixGroups[:4])
	p.workers, errs[2] = numbers[int](*check, nil)
	p.strategies, errs[3] = pick(colagg.Strategies(), *strategies, func(s string) string { return s })
	if err := errors.Join(errs[:]...); err != nil {
		return p, "", fmt.Errorf("growth: %w", err)
	}
	slices.Sort(p.groups)
	switch {
	case len(p.rows) != 1 || p.rows[0] < 1000 || p.runs < 1 || p.groups[0] < 10:
		return p, "", fmt.Errorf("growth: -rows is one number of at least 1000, -groups at least 10, -runs at least 1")
	case !slices.Contains(keyTypes, p.keys):
		return p, "", fmt.Errorf("growth: unknown type of key %q", p.keys)
	case len(p.workers) > 0 && slices.Min(p.workers) < 2:
		return p, "", fmt.Errorf("growth: -check is for 2 workers and more")
	}
	p.rows = []int64{wholeRecords(p.rows[0] / 10), wholeRecords(p.rows[0])}
	return p, jsonFile, nil
}

// point is one strategy over one input with some workers.
type point struct {
	Strategy string    `json:"strategy"`
	Rows     int64     `json:"rows"`
	Groups   int64     `json:"groups"`
	Workers  int       `json:"workers"` // that were allowed
	Used     int       `json:"used"`    // that there were
	Chose    string    `json:"chose"`
	Seconds  []float64 `json:"seconds"` // in order of the runs
	Time     float64   `json:"time"`    // the least
	Output   float64   `json:"output"`  // its part in which the result is handed out
	CPU      float64   `json:"cpu"`     // the least processor time, 0 if unknown
}

// growthReport is everything that was found; it is what -json writes.
type growthReport struct {
	Head        string       `json:"head"`
	Rows        []int64      `json:"rows"`
	Groups      []int64      `json:"groups"`
	Strategies  []string     `json:"strategies"`
	Points      []*point     `json:"points"`
	Checks      []*point     `json:"checks"` // with more workers than the machine may have processors
	Model       string       `json:"model"`
	Fits        []fit        `json:"fits"`
	Predictions []prediction `json:"predictions"`
}

// prediction is the model's time with more workers.
type prediction struct {
	Strategy string  `json:"strategy"`
	Groups   int64   `json:"groups"`
	Workers  int     `json:"workers"`
	Least    float64 `json:"least"`
	Most     float64 `json:"most"`
}

// startRows is the number of rows of the query whose time is the start's: one
// short batch.
const startRows = 1000

// run measures all points and fits the model.
func (p growthPlan) run(ctx context.Context, notes io.Writer) (*growthReport, error) {
	rep := &growthReport{Head: machine(), Rows: p.rows, Groups: p.groups, Strategies: p.strategies, Model: modelText}
	for _, rows := range p.rows {
		values := &valueColumns{rows: rows}
		for _, groups := range p.groups {
			fmt.Fprintf(notes, "%d rows, %d groups ...\n", rows, groups)
			in, err := newInput(keySpec{rows: rows, groups: groups, dist: "uniform", keys: p.keys}, values, widths[:1], 1)
			if err != nil {
				return nil, err
			}
			list, err := p.measure(ctx, in, []string{"k"}, rows, groups, []int{1, 2})
			if err != nil {
				return nil, err
			}
			rep.Points = append(rep.Points, list...)
			if rows == p.rows[1] && groups == rep.anchor() {
				if rep.Checks, err = p.measure(ctx, in, []string{"k"}, rows, groups, p.workers); err != nil {
					return nil, err
				}
			}
		}
	}
	small, err := newInput(keySpec{rows: startRows, groups: 10, dist: "uniform", keys: p.keys}, &valueColumns{rows: startRows}, widths[:1], 1)
	if err != nil {
		return nil, err
	}
	starts, err := p.measure(ctx, small, []string{"k"}, startRows, 10, []int{1, 2})
	if err != nil {
		return nil, err
	}
	scan, err := p.scan(ctx)
	if err != nil {
		return nil, err
	}
	return rep, rep.predict(starts, scan)
}

// anchor is the number of groups at which the model's Create and Merge are
// fitted and its processor times checked.
func (r *growthReport) anchor() int64 {
	return anchorGroups(r.Groups, r.Rows[0])
}

// scan measures what a row costs without keys.
func (p growthPlan) scan(ctx context.Context) (float64, error) {
	rows := p.rows[1]
	in, err := newInput(keySpec{rows: rows, groups: 10, dist: "uniform", keys: p.keys}, &valueColumns{rows: rows}, widths[:1], 1)
	if err != nil {
		return 0, err
	}
	p.strategies = []string{"serial"}
	list, err := p.measure(ctx, in, nil, rows, 1, []int{1})
	if err != nil {
		return 0, err
	}
	return list[0].Time / float64(rows), nil
}

// measure times all strategies with all numbers of workers over an input, in
// turns, after a run each to warm up.
func (p growthPlan) measure(ctx context.Context, in *input, keys []string, rows, groups int64, workers []int) ([]*point, error) {
	var list []*point
	for _, s := range p.strategies {
		for _, w := range workers {
			list = append(list, &point{Strategy: s, Rows: rows, Groups: groups, Workers: w})
		}
	}
	for run := -1; run < p.runs; run++ {
		for _, pt := range list {
			t, err := in.ask(ctx, pt.Workers, pt.Strategy, keys, []string{"sum(f00)"}, nil)
			if err != nil {
				return nil, fmt.Errorf("growth: %s, %d rows, %d groups, %d workers: %w", pt.Strategy, rows, groups, pt.Workers, err)
			}
			if run < 0 {
				continue
			}
			if pt.Seconds = append(pt.Seconds, t.total); t.total == slices.Min(pt.Seconds) {
				pt.Time, pt.Output = t.total, t.output
			}
			if pt.Used, pt.Chose = t.stats.Workers, t.stats.Strategy; run == 0 || t.cpu < pt.CPU {
				pt.CPU = t.cpu
			}
		}
	}
	return list, nil
}

// predict fits the model for every strategy that uses a second worker and is
// always the same one.
func (r *growthReport) predict(starts []*point, scan float64) error {
	for _, s := range r.Strategies {
		f := fit{Strategy: s, Scan: scan}
		for _, pt := range starts {
			if pt.Strategy == s && pt.Workers == 1 {
				f.Start1 = pt.Time
			} else if pt.Strategy == s {
				f.Start2 = pt.Time
			}
		}
		var ps points
		parallel := s != "auto"
		for _, pt := range r.Points {
			if pt.Strategy == s {
				ps = append(ps, measurement{pt.Rows, pt.Groups, pt.Workers, pt.Time, pt.Output})
				parallel = parallel && pt.Used == pt.Workers
			}
		}
		if !parallel {
			continue
		}
		f, err := fitModel(f, ps, r.Rows[0], r.Rows[1], r.Groups)
		if err != nil {
			return err
		}
		r.Fits = append(r.Fits, f)
		for i, at := range f.At {
			for _, w := range modelWorkers {
				least, most := f.predict(i, r.Rows[1], w)
				r.Predictions = append(r.Predictions, prediction{s, at.Groups, w, least, most})
			}
		}
	}
	return nil
}
