package colagg

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/parquetio"
)

// openFooters bounds the files that are open at once while footers are read.
const openFooters = 16

// fileTable is a set of Parquet files of which the footers are known.
type fileTable struct{ files []*parquetio.File }

func openFiles(ctx context.Context, inputs []Input) (*fileTable, error) {
	t := &fileTable{files: make([]*parquetio.File, len(inputs))}
	var next atomic.Int64
	err := operators.Parallel(ctx, min(openFooters, len(inputs)), func(ctx context.Context, _ int) error {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(inputs) {
				return nil
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			f, err := parquetio.ReadFooter(ctx, checkedInput{inputs[i]})
			if err != nil {
				return err
			}
			t.files[i] = f
		}
	})
	return t, err
}

func (t *fileTable) columns() []column { return leaves(t.files[0]) }

func leaves(f *parquetio.File) []column {
	cols := f.Columns()
	out := make([]column, len(cols))
	for i, c := range cols {
		out[i] = column{path: c.Path, typ: c.Type, problem: c.Problem, file: f.Name(), repeated: c.Repeated, container: c.Container, depth: c.Depth}
	}
	return out
}

func (t *fileTable) rows() int64 {
	var n int64
	for _, f := range t.files {
		n += f.NumRows()
	}
	return n
}

func (t *fileTable) title() string {
	first := parquetio.SpellName(t.files[0].Name())
	if n := len(t.files); n > 1 {
		return fmt.Sprintf("%d files from %s to %s", n, first, parquetio.SpellName(t.files[n-1].Name()))
	}
	return first
}

func (t *fileTable) scan(cols []int, names []string, opt scanOptions) (scan, error) {
	all := make([][]int, len(t.files))
	for f := range t.files {
		var err error
		if all[f], err = t.match(f, cols); err != nil {
			return nil, err
		}
	}
	return parquetio.NewScan(t.files, all, names, parquetio.ScanOptions{
		Where:         opt.choice(),
		BatchRows:     opt.batchRows,
		Workers:       opt.workers,
		Budget:        opt.budget,
		Progress:      opt.progress,
		SkipChecksums: opt.unchecked,
	})
}

// choice is the filter of rows for a scan of files; nil without one.
func (o *scanOptions) choice() *parquetio.Where {
	if o.where == nil {
		return nil
	}
	w := &parquetio.Where{Keep: o.kept, Columns: o.where.condition.Columns(), Selector: o.where.filter.Selector}
	var possible bool
	w.Domains, possible = o.where.condition.Domains()
	w.Never = !possible
	return w
}

// match returns where file f has the columns that are cols in the first file.
func (t *fileTable) match(f int, cols []int) ([]int, error) {
	if f == 0 {
		return cols, nil
	}
	first, this := t.files[0].Columns(), t.files[f].Columns()
	name, before := parquetio.SpellName(t.files[f].Name()), parquetio.SpellName(t.files[0].Name())
	out := make([]int, len(cols))
	for k, want := range cols {
		c := first[want]
		at, more := -1, false
		for i := range this {
			if slices.Equal(this[i].Path, c.Path) {
				at, more = i, at >= 0
			}
		}
		switch {
		case at < 0:
			return nil, t.mismatch(f, fmt.Errorf("%s: there is no column %s, which %s has", name, spellPath(c.Path), before))
		case more:
			return nil, t.mismatch(f, fmt.Errorf("%s: there are several columns %s", name, spellPath(c.Path)))
		}
		o := this[at]
		if o.Type == nil && !o.Repeated {
			return nil, unreadable(t.files[f].Name(), o.Path, o.Problem)
		}
		if o.Type == nil || o.Repeated || !arrow.TypeEqual(o.Type, c.Type) {
			return nil, t.mismatch(f, fmt.Errorf("%s: column %s has type %s, but %s in %s",
				name, spellPath(c.Path), typeName(o), typeName(c), before))
		}
		out[k] = at
	}
	return out, nil
}

func (t *fileTable) mismatch(f int, err error) error {
	return &Error{Kind: BadQuery, Source: t.files[f].Name(), Offset: -1, Err: err,
		Hint: "the files of one query must have the same columns and types"}
}

func typeName(c parquetio.Column) string {
	switch {
	case c.Repeated:
		return c.Container
	case c.Type == nil:
		return c.Physical + " " + c.Logical
	}
	return c.Type.String()
}
