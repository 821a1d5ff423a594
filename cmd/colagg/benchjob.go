package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/colagg/colagg"
	"github.com/colagg/colagg/cmd/colagg/internal/bench"
	"github.com/colagg/colagg/cmd/colagg/internal/render"
	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
)

const (
	rowsPerGroup = 20 // by default
	maxBenchRows = 1_000_000_000
	maxRuns      = 1000
)

// benchJob is a measurement and where its figures go.
type benchJob struct {
	env      *environ
	kind     benchKind
	options  bench.Options
	figures  []*bench.Figure
	dir      string
	progress *progress // nil for none
}

// job checks the flags and makes a job of them.
func (f *benchFlags) job(env *environ, kind benchKind) (*benchJob, error) {
	o := bench.Options{Rows: f.rows, Groups: f.groups, Threads: f.threads, Runs: f.runs, Seed: f.seed}
	switch {
	case f.rows < 1 || f.rows > maxBenchRows:
		return nil, usagef("--rows must be between 1 and %d, not %d", maxBenchRows, f.rows)
	case f.groups < 1 || f.groups > f.rows:
		return nil, usagef("--groups must be between 1 and the number of rows, which is %d; not %d", f.rows, f.groups)
	case f.threads < 1 || f.threads > maxThreads:
		return nil, usagef("--threads must be between 1 and %d, not %d", maxThreads, f.threads)
	case f.runs < 1 || f.runs > maxRuns:
		return nil, usagef("--runs must be between 1 and %d, not %d", maxRuns, f.runs)
	}
	st, err := os.Stat(f.output)
	if err != nil || !st.IsDir() {
		return nil, usagef("output %s is no directory", f.output)
	}
	if o.Strategies, err = parseStrategies(f.strategies); err != nil {
		return nil, err
	}
	j := &benchJob{env: env, kind: kind, options: o, figures: kind.figures(o), dir: f.output}
	if need, most := o.Bytes(j.figures), colagg.AvailableMemory(); need > most/2 {
		return nil, usagef("%d rows take %s, more than half of the memory, %s; give fewer with --rows", f.rows, size(need), size(most))
	}
	if j.progress, err = newProgress(env, f.progress); err == nil && j.progress != nil {
		j.progress.units = []progressbar.Option{progressbar.OptionShowCount()}
	}
	return j, err
}

// parseStrategies splits a list at its commas. What is named twice counts once.
func parseStrategies(list string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(colagg.Strategies(), name) {
			return nil, usagef("there is no strategy %q; the strategies are %s", name, strings.Join(colagg.Strategies(), ", "))
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// run measures and writes both files and the table.
func (j *benchJob) run(ctx context.Context) error {
	// Both begin now, so that a directory that takes no files is found before
	// the minute is spent.
	paths := []string{filepath.Join(j.dir, j.kind.name+".csv"), filepath.Join(j.dir, j.kind.name+".svg")}
	var files []*output
	for _, path := range paths {
		file, err := j.env.create(path)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	err := bench.Run(ctx, j.options, j.figures, j.tell)
	j.progress.stop()
	if err != nil {
		return err
	}
	if err := bench.WriteCSV(files[0], j.options, j.figures); err != nil {
		return err
	}
	if _, err := bench.Page(j.kind.title, j.describe(), j.options, j.figures).WriteTo(files[1]); err != nil {
		return err
	}
	for _, file := range files {
		if err := file.commit(func(string) error { return nil }); err != nil {
			return err
		}
	}
	return j.print(paths)
}

func (j *benchJob) tell(done, total int64, figure string) {
	if j.progress != nil {
		j.progress.describe(figure)
		j.progress.report(done, total)
	}
}

// describe says how the figures came about.
func (j *benchJob) describe() string {
	o := j.options
	return fmt.Sprintf("%s rows over %s groups, at most %s, median of %s. colagg %s, on a machine with %s, %s.",
		humanize.Comma(o.Rows), humanize.Comma(o.Groups), plural(int64(o.Threads), "worker"), plural(int64(o.Runs), "run"),
		buildVersion(), plural(int64(runtime.NumCPU()), "processor"), time.Now().UTC().Format("2006-01-02"))
}

// print writes a table for each figure to standard output, and says where the
// files are.
func (j *benchJob) print(paths []string) error {
	var text strings.Builder
	for _, f := range j.figures {
		header, rows := f.Speeds(j.options)
		grid := render.Grid{Header: header, Rows: rows, Right: make([]bool, len(header)), Cut: make([]bool, len(header)), Columns: j.env.columns}
		for k := range header {
			grid.Right[k], grid.Cut[k] = k > 0, k > 0
		}
		fmt.Fprintf(&text, "%s; million rows per second\n%s", f.Title, grid.String())
	}
	for i := range paths {
		paths[i] = render.Visible(paths[i])
	}
	fmt.Fprintf(&text, "written to %s\n", strings.Join(paths, " and "))
	_, err := io.WriteString(j.env.stdout, text.String())
	return err
}
