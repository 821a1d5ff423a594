package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/parquetio"
)

// colaggEngine is colagg through its Go package, with default options but for
// the number of workers.
type colaggEngine struct {
	engine *colagg.Engine
	query  colagg.Query
}

func (e *colaggEngine) open(_ context.Context, j job) (string, error) {
	e.query = colagg.Query{From: colagg.Files(j.File), GroupBy: j.Keys, Strategy: j.Strategy}
	for _, a := range j.Aggs {
		e.query.Aggs = append(e.query.Aggs, a.call()+" as "+a.As)
	}
	var err error
	e.engine, err = colagg.New(colagg.Options{Workers: j.Threads})
	return "this checkout", err
}

// run keeps all records, as other engines' results are kept whole.
func (e *colaggEngine) run(ctx context.Context) (int64, func(), error) {
	res, err := e.engine.Query(ctx, e.query)
	if err != nil {
		return 0, nil, err
	}
	var kept []arrow.Record
	release := func() {
		for _, r := range kept {
			r.Release()
		}
		res.Release()
	}
	for rec, err := range res.Batches() {
		if err != nil {
			release()
			return 0, nil, err
		}
		rec.Retain()
		kept = append(kept, rec)
	}
	return res.Stats().Groups, release, nil
}

func (e *colaggEngine) answer(ctx context.Context, path string) error {
	res, err := e.engine.Query(ctx, e.query)
	if err != nil {
		return err
	}
	defer res.Release()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(res.WriteParquet(f), f.Close())
}

func (e *colaggEngine) close() error { return e.engine.Close() }

// scanEngine answers nothing: it drains colagg's scan of the columns that the
// question needs, so what it takes beyond the floor is decoding.
type scanEngine struct{ job job }

func (e *scanEngine) open(_ context.Context, j job) (string, error) {
	e.job = j
	return "this checkout", nil
}

func (e *scanEngine) run(ctx context.Context) (int64, func(), error) {
	f, err := parquetio.ReadFooter(ctx, localFile(e.job.File))
	if err != nil {
		return 0, nil, err
	}
	leaf := map[string]int{}
	for i, c := range f.Columns() {
		leaf[c.Name()] = i
	}
	names := question{keys: e.job.Keys, aggs: e.job.Aggs}.columns()
	var cols []int
	for _, n := range names {
		cols = append(cols, leaf[n])
	}
	scan, err := parquetio.NewScan([]*parquetio.File{f}, [][]int{cols}, names,
		parquetio.ScanOptions{BatchRows: 8192, Workers: e.job.Threads, Budget: memory.NewBudget(0)})
	if err != nil {
		return 0, nil, err
	}
	err = operators.Parallel(ctx, e.job.Threads, func(ctx context.Context, _ int) error {
		in, err := scan.Stream()
		if err != nil {
			return err
		}
		for err == nil {
			_, err = in.Next(ctx)
		}
		if err == io.EOF {
			err = nil
		}
		return errors.Join(err, in.Close())
	})
	return -1, func() {}, err
}

func (e *scanEngine) answer(context.Context, string) error { return errNoAnswer }

func (e *scanEngine) close() error { return nil }

// localFile is a path as an input of parquetio.
type localFile string

// Name is the path.
func (f localFile) Name() string { return string(f) }

// Open opens the file.
func (f localFile) Open(context.Context) (parquetio.ReaderAt, error) {
	file, err := os.Open(string(f))
	if err != nil {
		return nil, err
	}
	st, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return openFile{file, st.Size()}, nil
}

type openFile struct {
	*os.File
	size int64
}

// Size is the size that the file had when it was opened.
func (f openFile) Size() int64 { return f.size }
