package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// job is the first line that a worker reads: the question it will answer.
type job struct {
	File    string   `json:"file"`
	SQL     string   `json:"sql"`       // over the file itself, as DuckDB allows
	Table   string   `json:"table_sql"` // the same over a table named input
	Keys    []string `json:"keys"`
	Aggs    []agg    `json:"aggs"`
	Threads int      `json:"threads"`
	// Strategy is colagg's, "" for its choice.
	Strategy string `json:"strategy,omitempty"`
}

// request is every further line. Do is "run" (answer the question, keep the
// result in memory until it is told, then drop it) or "answer" (answer once
// more and write the result to Path as Parquet).
type request struct {
	Do   string `json:"do"`
	Path string `json:"path,omitempty"`
}

// reply is what a worker writes per line that it reads. Seconds covers the
// question from its text to the whole result in the engine's columns in
// memory; Groups is -1 if the engine does not tell it for free.
type reply struct {
	Version string  `json:"version,omitempty"`
	Missing string  `json:"missing,omitempty"` // why the engine cannot be used here
	Error   string  `json:"error,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Groups  int64   `json:"groups,omitempty"`
}

// engine is one way to answer a job inside a worker.
type engine interface {
	// open prepares for the job and returns the engine's version. It reads
	// nothing of the file that a fresh query would have to read.
	open(ctx context.Context, j job) (version string, err error)
	// run answers the question; the result stays in memory until release.
	run(ctx context.Context) (groups int64, release func(), err error)
	// answer writes the result to path as a Parquet file.
	answer(ctx context.Context, path string) error
	close() error
}

// errNoAnswer is returned by engines that measure something else than a query.
var errNoAnswer = errors.New("this engine gives no answer")

// goEngines are the engines that workers of this binary have.
func goEngines() map[string]func() engine {
	return map[string]func() engine{
		"colagg": func() engine { return &colaggEngine{} },
		"duckdb": func() engine { return &duckEngine{} },
		"floor":  func() engine { return &floorEngine{} },
		"scan":   func() engine { return &scanEngine{} },
	}
}

// workerCommand is `bench worker ENGINE`: JSON lines in, JSON lines out.
func workerCommand(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 || goEngines()[args[0]] == nil {
		return fmt.Errorf("worker: unknown engine in %q", args)
	}
	e := goEngines()[args[0]]()
	lines, answers := json.NewDecoder(in), json.NewEncoder(out)
	var j job
	if err := lines.Decode(&j); err != nil {
		return fmt.Errorf("worker: reading the job: %w", err)
	}
	version, err := e.open(ctx, j)
	if err != nil {
		return answers.Encode(reply{Error: err.Error()})
	}
	defer e.close()
	if err := answers.Encode(reply{Version: version}); err != nil {
		return err
	}
	for {
		var r request
		if err := lines.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("worker: reading a request: %w", err)
		}
		if err := answers.Encode(serve(ctx, e, r)); err != nil {
			return err
		}
	}
}

func serve(ctx context.Context, e engine, r request) reply {
	switch r.Do {
	case "run":
		start := time.Now()
		groups, release, err := e.run(ctx)
		took := time.Since(start).Seconds()
		if err != nil {
			return reply{Error: err.Error()}
		}
		release()
		return reply{Seconds: took, Groups: groups}
	case "answer":
		if err := e.answer(ctx, r.Path); err != nil {
			return reply{Error: err.Error()}
		}
		return reply{}
	}
	return reply{Error: fmt.Sprintf("unknown request %q", r.Do)}
}
