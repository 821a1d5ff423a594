package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // registers the driver
)

// duckEngine is DuckDB through its Go module, in memory, with its default
// settings but for the number of threads.
type duckEngine struct {
	db   *sql.DB
	conn *sql.Conn
	job  job
}

func (e *duckEngine) open(ctx context.Context, j job) (version string, err error) {
	e.job = j
	if e.db, err = sql.Open("duckdb", ""); err != nil {
		return "", err
	}
	if e.conn, err = e.db.Conn(ctx); err != nil {
		return "", err
	}
	if _, err = e.conn.ExecContext(ctx, fmt.Sprintf("SET threads = %d", j.Threads)); err != nil {
		return "", err
	}
	return version, e.conn.QueryRowContext(ctx, "SELECT version()").Scan(&version)
}

// run relies on the driver not streaming: QueryContext returns when the whole
// result is in DuckDB's memory. Not a row is fetched, which would be slow in a
// way that is not DuckDB's.
func (e *duckEngine) run(ctx context.Context) (int64, func(), error) {
	rows, err := e.conn.QueryContext(ctx, e.job.SQL)
	if err != nil {
		return 0, nil, err
	}
	return -1, func() { rows.Close() }, nil
}

// answer writes sums of integers, which are HUGEINT in DuckDB and would become
// DOUBLE in a Parquet file, as decimals.
func (e *duckEngine) answer(ctx context.Context, path string) error {
	types, err := describe(ctx, e.conn, "("+e.job.SQL+")")
	if err != nil {
		return err
	}
	var list []string
	for _, c := range types {
		if strings.HasSuffix(c.typ, "HUGEINT") {
			list = append(list, fmt.Sprintf("%s::DECIMAL(38,0) AS %s", c.name, c.name))
		} else {
			list = append(list, c.name)
		}
	}
	_, err = e.conn.ExecContext(ctx, fmt.Sprintf("COPY (SELECT %s FROM (%s)) TO %s (FORMAT parquet)",
		strings.Join(list, ", "), e.job.SQL, quote(path)))
	return err
}

func (e *duckEngine) close() error {
	e.conn.Close()
	return e.db.Close()
}

type columnType struct{ name, typ string }

// describe returns the columns of a table expression.
func describe(ctx context.Context, conn *sql.Conn, from string) ([]columnType, error) {
	rows, err := conn.QueryContext(ctx, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM "+from+")")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []columnType
	for rows.Next() {
		var c columnType
		if err := rows.Scan(&c.name, &c.typ); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}
