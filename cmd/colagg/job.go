package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/colagg/colagg"
	"github.com/colagg/colagg/cmd/colagg/internal/render"
)

// job is a query and where its result goes.
type job struct {
	env      *environ
	options  colagg.Options
	query    colagg.Query
	format   render.Format
	path     string    // output file, or empty for standard output
	progress *progress // nil for none
	plan     *planJob  // nil for the result
}

// run answers the query, or shows its plan.
func (j *job) run(ctx context.Context) error {
	eng, err := colagg.New(j.options)
	if err != nil {
		return err
	}
	defer func() { _ = eng.Close() }()
	j.env.limitHeap(eng.MemoryLimit())
	out, err := j.open(ctx, eng)
	if err != nil {
		return err
	}
	if j.progress != nil {
		j.query.Progress = j.progress.report
	}
	if j.plan != nil {
		return j.runPlan(ctx, eng, out)
	}
	res, err := eng.Query(ctx, j.query)
	j.progress.stop()
	if err != nil {
		return err
	}
	defer res.Release()
	if out == nil {
		return j.write(res, j.env.stdout, j.env.screen())
	}
	if err := j.write(res, out, render.Screen{}); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	rows := res.Stats().RowsOut
	return out.commit(func(path string) error { return j.check(ctx, eng, path, rows) })
}

// open begins the output file; nil means standard output.
func (j *job) open(ctx context.Context, eng *colagg.Engine) (*output, error) {
	if j.path == "" {
		return nil, nil
	}
	if st, err := os.Stat(j.path); err == nil && st.Mode().IsRegular() {
		if err := j.notInput(ctx, eng, st); err != nil {
			return nil, err
		}
	}
	return j.env.create(j.path)
}

// notInput refuses an output file that is an input.
func (j *job) notInput(ctx context.Context, eng *colagg.Engine, out os.FileInfo) error {
	sources, err := j.query.Sources()
	if err != nil {
		return err
	}
	for _, src := range sources {
		inputs, err := eng.Describe(ctx, src)
		if err != nil {
			return err
		}
		for _, in := range inputs {
			if other, err := os.Stat(in.Name); err == nil && os.SameFile(out, other) {
				return usagef("output %s is the input %s; choose another name", j.path, in.Name)
			}
		}
	}
	return nil
}

// write writes the rows of res in the job's format.
func (j *job) write(res *colagg.Result, w io.Writer, screen render.Screen) error {
	switch j.format {
	case formatParquet:
		return res.WriteParquet(w)
	case formatArrow:
		return res.WriteArrow(w)
	}
	rows, err := render.New(j.format, w, res.Schema(), screen)
	if err != nil {
		return err
	}
	for rec, err := range res.Batches() {
		if err != nil {
			return err
		}
		if err := rows.Write(rec); err != nil {
			return err
		}
	}
	return rows.Close()
}

// check reads a finished file in a binary format again, and compares the
// number of its rows with what the query gave.
func (j *job) check(ctx context.Context, eng *colagg.Engine, path string, want int64) error {
	var got int64
	var err error
	switch j.format {
	case formatParquet:
		got, err = parquetRows(ctx, eng, path)
	case formatArrow:
		got, err = arrowRows(path)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the file has %d rows where the result has %d", got, want)
	}
	return nil
}
