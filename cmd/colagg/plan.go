package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colagg/colagg"
)

// planForm is how a plan is written.
type planForm string

// The values of --explain and --analyze. planAuto is the flag without a value:
// the form is that of the ending of the output file, else text.
const (
	planAuto planForm = "auto"
	planText planForm = "text"
	planJSON planForm = "json"
	planHTML planForm = "html"
)

var planForms = []string{string(planText), string(planJSON), string(planHTML)}

// planJob says that the plan of a query is wanted instead of its result, and
// how to get it.
type planJob struct {
	get  func(ctx context.Context, eng *colagg.Engine, q colagg.Query) (*colagg.Plan, error)
	form planForm
}

// planJob returns what --explain and --analyze ask for; nil is the result.
func (f *runFlags) planJob(files []string) (*planJob, error) {
	name, value, j := "explain", f.explain, &planJob{get: explain}
	switch {
	case f.explain == "" && f.analyze == "":
		return nil, nil
	case f.explain != "" && f.analyze != "":
		return nil, usagef("--explain and --analyze exclude each other; --analyze shows the estimates too")
	case f.analyze != "":
		name, value, j.get = "analyze", f.analyze, analyze
	}
	if f.format != "" {
		return nil, usagef("--format is for results; a plan's form is the flag's value, as in --%s=json", name)
	}
	j.form = planForm(strings.ToLower(value))
	if j.form == planAuto {
		for _, file := range files {
			if _, err := os.Stat(file); err != nil && slices.Contains(planForms, file) {
				return nil, usagef("there is no file %s; did you mean --%s=%s?", file, name, file)
			}
		}
		j.form = formOf(f.output)
	}
	if !slices.Contains(planForms, string(j.form)) {
		return nil, usagef("unknown form %q of a plan; the forms are %s", value, strings.Join(planForms, ", "))
	}
	return j, nil
}

// formOf returns the form that the ending of a file's name tells.
func formOf(path string) planForm {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return planJSON
	case ".html", ".htm":
		return planHTML
	}
	return planText
}

func explain(ctx context.Context, eng *colagg.Engine, q colagg.Query) (*colagg.Plan, error) {
	return eng.Explain(ctx, q)
}

// analyze runs q to its end, drops the result and returns the plan.
func analyze(ctx context.Context, eng *colagg.Engine, q colagg.Query) (*colagg.Plan, error) {
	res, err := eng.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	defer res.Release()
	for res.Next() {
	}
	return res.Plan(), res.Err()
}

// write writes p to w.
func (j *planJob) write(w io.Writer, p *colagg.Plan) error {
	switch j.form {
	case planJSON:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(p)
	case planHTML:
		return p.WriteHTML(w)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// runPlan writes the plan to out, or to standard output if that is nil.
func (j *job) runPlan(ctx context.Context, eng *colagg.Engine, out *output) error {
	p, err := j.plan.get(ctx, eng, j.query)
	j.progress.stop()
	if err != nil {
		return err
	}
	if out == nil {
		return j.plan.write(j.env.stdout, p)
	}
	if err := j.plan.write(out, p); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return out.commit(func(string) error { return nil })
}
