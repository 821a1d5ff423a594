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
	"strings"
	"text/tabwriter"
	"time"

	"github.com/colagg/colagg"
)

// pgPlan is what `bench postgres` was asked to do.
type pgPlan struct {
	data          string
	server        string // psql's connection string, "" for a temporary cluster
	bin           string
	temp          string
	patterns      []string // folders of PostgreSQL's programs
	runs          int
	threads       int
	workers       []int
	workMem       []string
	sharedBuffers string
	timeout       time.Duration
}

// pgRow is a line of the table: one system with one setting.
type pgRow struct {
	System  string    `json:"system"`
	Setting string    `json:"setting"`
	Before  []string  `json:"before,omitempty"` // statements before the query, in PostgreSQL
	Seconds []float64 `json:"seconds"`          // in order of the runs
	Median  float64   `json:"median"`
	Plan    string    `json:"plan,omitempty"`
	Memory  int64     `json:"memory"` // bytes: PostgreSQL's hash tables, of one process for each node; other engines' process
	Disk    int64     `json:"disk"`   // bytes spilled, likewise
}

// pgReport is everything that was found; it is what -json writes.
type pgReport struct {
	Head    string   `json:"head"`
	Version string   `json:"version"`
	SQL     string   `json:"sql"`
	Rows    int64    `json:"rows"`
	Groups  int64    `json:"groups"`
	Load    float64  `json:"load_seconds"`
	Lines   []*pgRow `json:"lines"`
	Differs []string `json:"differs"`
}

// postgresCommand is `bench postgres`.
func postgresCommand(ctx context.Context, args []string, out io.Writer) (err error) {
	p := pgPlan{patterns: pgFolders}
	fs := flag.NewFlagSet("postgres", flag.ContinueOnError)
	fs.StringVar(&p.data, "data", "data", "folder with the generated files, of which wide is used")
	fs.StringVar(&p.server, "server", "", "connection string of a server to load the table into; it is dropped afterwards (default: a temporary server)")
	fs.StringVar(&p.bin, "bin", "", "folder of initdb, pg_ctl and psql (default: PATH and the usual folders)")
	fs.StringVar(&p.temp, "temp", "", "folder for the temporary server and files, which need about three times the data as text")
	fs.IntVar(&p.runs, "runs", 3, "timed runs")
	fs.IntVar(&p.threads, "threads", 2, "threads of colagg and DuckDB")
	workers := fs.String("workers", "1,2", "numbers of PostgreSQL's parallel workers, beside the leader, which works too")
	mem := fs.String("work-mem", "4GB,4MB", "values of work_mem")
	fs.StringVar(&p.sharedBuffers, "shared-buffers", "2GB", "the temporary server's cache")
	fs.DurationVar(&p.timeout, "timeout", 5*time.Minute, "most time for one run of colagg and DuckDB")
	jsonFile := fs.String("json", "", "file to write all figures to")
	if err := fs.Parse(args); err != nil {
		return err
	}
	p.workMem = strings.Split(*mem, ",")
	if p.workers, err = numbers[int](*workers, nil); err != nil || p.runs < 1 || p.threads < 1 {
		return fmt.Errorf("postgres: -workers is a list of numbers, -runs and -threads are at least 1")
	}
	rep, err := p.run(ctx, os.Stderr)
	if err != nil {
		return err
	}
	rep.print(out)
	if *jsonFile != "" {
		if err := writeFile(*jsonFile, jsonOf(rep)); err != nil {
			return fmt.Errorf("postgres: %w", err)
		}
	}
	if len(rep.Differs) > 0 {
		return errors.New("postgres: the answers differ")
	}
	return nil
}

// reach connects to the server that was named, or starts a temporary one; the
// caller calls stop.
func (p pgPlan) reach(ctx context.Context) (s *pgServer, stop func() error, err error) {
	if p.server == "" {
		c, err := startCluster(ctx, p.temp, p.bin, p.patterns, p.sharedBuffers)
		if err != nil {
			return nil, nil, err
		}
		return &c.pgServer, func() error { return c.stop(ctx) }, nil
	}
	s = &pgServer{to: []string{"-d", p.server}}
	if s.psql, err = findProgram("psql", p.bin, p.patterns); err != nil {
		return nil, nil, err
	}
	if _, err := s.text(ctx, "SELECT 1"); err != nil {
		return nil, nil, fmt.Errorf("postgres: the server cannot be reached: %w", err)
	}
	return s, func() error {
		_, err := s.text(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+pgTable)
		return err
	}, nil
}

// pgTable is the table's name on the server.
const pgTable = "colagg_bench_wide"

// run loads the table, measures PostgreSQL, then the others, and compares.
func (p pgPlan) run(ctx context.Context, notes io.Writer) (rep *pgReport, err error) {
	file, err := filepath.Abs(filepath.Join(p.data, "wide.parquet"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("postgres: %w: run gen -only wide first", err)
	}
	list, err := pick(questions(), "wide", func(q question) string { return q.name })
	if err != nil {
		return nil, err
	}
	q := list[0]
	s, stop, err := p.reach(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	dir, err := os.MkdirTemp(p.temp, "colagg-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	rep = &pgReport{Head: machine(), SQL: q.sql(pgTable)}
	if rep.Version, err = s.text(ctx, "SHOW server_version"); err != nil {
		return nil, err
	}
	fmt.Fprintf(notes, "PostgreSQL %s: loading ...\n", rep.Version)
	start := time.Now()
	if err := p.load(ctx, s, q, file, dir, rep); err != nil {
		return nil, err
	}
	rep.Load = time.Since(start).Seconds()
	if err := p.measureServer(ctx, s, q, rep, notes); err != nil {
		return nil, err
	}
	fmt.Fprintln(notes, "fetching the answer ...")
	if err := s.answer(ctx, q, rep, dir); err != nil {
		return nil, err
	}
	return rep, p.measureOthers(ctx, q, file, dir, rep, notes)
}

// load copies the file's rows into the server, by way of a text file.
func (p pgPlan) load(ctx context.Context, s *pgServer, q question, file, dir string, rep *pgReport) error {
	d := &duckEngine{}
	if _, err := d.open(ctx, job{Threads: p.threads}); err != nil {
		return err
	}
	defer d.close()
	text := filepath.Join(dir, "wide.csv")
	defer os.Remove(text)
	list := strings.Join(q.columns(), ", ")
	_, err := d.conn.ExecContext(ctx, fmt.Sprintf("COPY (SELECT %s FROM read_parquet(%s)) TO %s (FORMAT csv, HEADER false)", list, quote(file), quote(text)))
	if err != nil {
		return fmt.Errorf("postgres: writing the rows as text: %w", err)
	}
	var columns []string
	for _, c := range q.columns() {
		if slices.Contains(q.keys, c) {
			columns = append(columns, c+" text")
		} else {
			columns = append(columns, c+" numeric(18,2)")
		}
	}
	in, err := os.Open(text)
	if err != nil {
		return fmt.Errorf("postgres: %w", err)
	}
	defer in.Close()
	err = s.say(ctx, in, io.Discard, "DROP TABLE IF EXISTS "+pgTable, "CREATE UNLOGGED TABLE "+pgTable+" ("+strings.Join(columns, ", ")+")",
		"COPY "+pgTable+" ("+list+") FROM STDIN (FORMAT csv)", "VACUUM ANALYZE "+pgTable)
	if err != nil {
		return err
	}
	count, err := s.text(ctx, "SELECT count(*) FROM "+pgTable)
	if err != nil {
		return err
	}
	_, err = fmt.Sscan(count, &rep.Rows)
	return err
}

// measureServer measures the serial and the parallel plans with each work_mem,
// in turns.
func (p pgPlan) measureServer(ctx context.Context, s *pgServer, q question, rep *pgReport, notes io.Writer) error {
	for _, mem := range p.workMem {
		for _, w := range append([]int{0}, p.workers...) {
			mem = strings.TrimSpace(mem)
			line := &pgRow{System: "PostgreSQL", Setting: "serial, " + mem,
				Before: []string{fmt.Sprintf("SET max_parallel_workers_per_gather = %d", w), "SET work_mem = " + quote(mem)}}
			if w > 0 {
				var resort string
				var err error
				if line.Before, resort, err = s.forced(ctx, line.Before, q, rep.Rows); err != nil {
					return err
				}
				line.Setting = workersText(w) + " and the leader, " + mem + resort
			}
			rep.Lines = append(rep.Lines, line)
		}
	}
	for run := range p.runs {
		for _, line := range rep.Lines {
			fmt.Fprintf(notes, "run %d of %d, %s ...\n", run+1, p.runs, line.Setting)
			e, err := s.explain(ctx, line.Before, pgAnalyze+rep.SQL)
			if err != nil {
				return err
			}
			line.Seconds = append(line.Seconds, (e.Planning+e.Execution)/1e3)
			line.Plan, rep.Groups = e.Plan.String(), int64(e.Plan.Rows)
			line.Memory, line.Disk = e.Plan.space()
		}
	}
	return nil
}

// answer writes the server's answer as a Parquet file, for the comparison.
func (s *pgServer) answer(ctx context.Context, q question, rep *pgReport, dir string) error {
	text := filepath.Join(dir, "postgres.csv")
	defer os.Remove(text)
	err := writeFile(text, func(w io.Writer) error {
		return s.say(ctx, nil, w, append(slices.Clone(rep.Lines[0].Before), "COPY ("+rep.SQL+") TO STDOUT (FORMAT csv)")...)
	})
	if err != nil {
		return err
	}
	var columns []string
	for _, k := range q.keys {
		columns = append(columns, quote(k)+": 'VARCHAR'")
	}
	for _, a := range q.aggs {
		columns = append(columns, quote(a.As)+": 'DECIMAL(38,2)'")
	}
	d := &duckEngine{}
	if _, err := d.open(ctx, job{Threads: 1}); err != nil {
		return err
	}
	defer d.close()
	_, err = d.conn.ExecContext(ctx, fmt.Sprintf("COPY (SELECT * FROM read_csv(%s, header = false, auto_detect = false, columns = {%s})) TO %s (FORMAT parquet)",
		quote(text), strings.Join(columns, ", "), quote(filepath.Join(dir, "postgres.parquet"))))
	if err != nil {
		return fmt.Errorf("postgres: reading the answer: %w", err)
	}
	return nil
}

// measureOthers measures DuckDB and colagg's strategies over the file, in turns
// and each in a process of its own, and compares all answers with DuckDB's.
func (p pgPlan) measureOthers(ctx context.Context, q question, file, dir string, rep *pgReport, notes io.Writer) error {
	names := append([]string{"duckdb"}, colagg.Strategies()...)
	var children []*child
	defer func() {
		for _, c := range children {
			c.stop()
		}
	}()
	var lines []*pgRow
	for _, name := range names {
		engine, line := "colagg", &pgRow{System: "colagg", Setting: name}
		j := job{File: file, SQL: q.sql(quote(file)), Table: q.sql("input"), Keys: q.keys, Aggs: q.aggs, Threads: p.threads, Strategy: name}
		if name == "duckdb" {
			engine, line.System, j.Strategy = "duckdb", "DuckDB", ""
		}
		c, err := startChild(ctx, engine, j, p.timeout)
		if err != nil {
			return err
		}
		if name == "duckdb" {
			line.Setting = c.version
		}
		children, lines = append(children, c), append(lines, line)
	}
	for run := -1; run < p.runs; run++ { // run -1 warms up
		for i, c := range children {
			fmt.Fprintf(notes, "%s ...\n", names[i])
			got, err := c.say(request{Do: "run"})
			if err != nil {
				return err
			}
			if run >= 0 {
				lines[i].Seconds = append(lines[i].Seconds, got.Seconds)
			}
		}
	}
	for i, c := range children {
		lines[i].Memory = c.peak()
		if _, err := c.say(request{Do: "answer", Path: filepath.Join(dir, names[i]+".parquet")}); err != nil {
			return err
		}
	}
	rep.Lines = append(rep.Lines, lines...)
	return rep.compare(ctx, q, dir, append([]string{"postgres"}, names[1:]...))
}

// compare compares answers with DuckDB's.
func (r *pgReport) compare(ctx context.Context, q question, dir string, names []string) error {
	cmp, err := newComparison(ctx, q, dir, "duckdb")
	if err != nil {
		return err
	}
	defer cmp.close()
	for _, name := range names {
		diff, err := cmp.with(ctx, name)
		if err != nil {
			return err
		}
		if diff != "" {
			r.Differs = append(r.Differs, name+": "+diff)
		}
	}
	return nil
}

// print writes the table; ratios are to colagg's auto.
func (r *pgReport) print(out io.Writer) {
	base := 0.0
	for _, line := range r.Lines {
		if line.Median = median(line.Seconds); line.System == "colagg" && line.Setting == "auto" {
			base = line.Median
		}
	}
	fmt.Fprintf(out, "%s; PostgreSQL %s, loaded in %.0f s\n%d rows, %d groups: %s\n\n", r.Head, r.Version, r.Load, r.Rows, r.Groups, r.SQL)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "system\tsetting, work_mem\tms\ttimes auto\tmemory MB\tdisk MB\tplan")
	for _, line := range r.Lines {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%.0f\t%.0f\t%s\n", line.System, line.Setting, milliseconds(line.Median), line.Median/base,
			float64(line.Memory)/1e6, float64(line.Disk)/1e6, line.Plan)
	}
	w.Flush()
	fmt.Fprintln(out, "\nPostgreSQL's time is EXPLAIN ANALYZE's without the clock in each node: the result is made and dropped. Its memory is that of")
	fmt.Fprintln(out, "hash tables as the leader reports them, one process a node; the other engines' is the whole process's, at its peak.")
	for _, d := range r.Differs {
		fmt.Fprintln(out, "DIFFERS", d)
	}
}
