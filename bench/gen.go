package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// genCommand is `bench gen`: it writes the wanted files, each under a
// temporary name first.
func genCommand(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("gen", flag.ContinueOnError)
	dir := fs.String("dir", "data", "folder to write to")
	only := fs.String("only", "", "data sets to write, separated by commas (default: all)")
	scale := fs.Float64("scale", 1, "factor on the number of rows")
	if err := fs.Parse(args); err != nil {
		return err
	}
	wanted, err := pick(datasets(), *only, func(d dataset) string { return d.name })
	if err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	for _, d := range wanted {
		start := time.Now()
		size, err := generate(ctx, d, *dir, *scale)
		if err != nil {
			return fmt.Errorf("gen: writing %s: %w", d.name, err)
		}
		fmt.Fprintf(out, "%-10s %10d rows %8.1f MB %6.1f s\n", d.name, d.scaled(*scale), float64(size)/1e6, time.Since(start).Seconds())
	}
	return nil
}

// generate writes one data set and returns the size of its file.
func generate(ctx context.Context, d dataset, dir string, scale float64) (size int64, err error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := duckdb.RegisterTableUDF(conn, "raw_rows", rawTable(d, d.scaled(scale))); err != nil {
		return 0, err
	}
	path := filepath.Join(dir, d.file())
	tmp := path + ".tmp"
	defer os.Remove(tmp)
	copying := fmt.Sprintf("COPY (SELECT %s FROM raw_rows()) TO %s (FORMAT parquet, COMPRESSION snappy)", d.shape, quote(tmp))
	if _, err := conn.ExecContext(ctx, copying); err != nil {
		return 0, err
	}
	st, err := os.Stat(tmp)
	if err != nil {
		return 0, err
	}
	return st.Size(), os.Rename(tmp, path)
}

// rawTable wraps a data set's filler as a table function without arguments.
func rawTable(d dataset, rows int64) duckdb.ChunkTableFunction {
	return duckdb.ChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ChunkTableSource, error) {
			t, err := duckdb.NewTypeInfo(duckdb.TYPE_BIGINT)
			if err != nil {
				return nil, err
			}
			src := &rawSource{rows: rows, fill: d.fill(rows), row: make([]int64, len(d.raw))}
			for _, name := range d.raw {
				src.columns = append(src.columns, duckdb.ColumnInfo{Name: name, T: t})
			}
			return src, nil
		},
	}
}

// rawSource gives a filler's rows to DuckDB, one chunk at a time and in order.
type rawSource struct {
	columns    []duckdb.ColumnInfo
	rows, done int64
	fill       func(i int64, dst []int64)
	row        []int64
}

// ColumnInfos names the columns, all BIGINT.
func (s *rawSource) ColumnInfos() []duckdb.ColumnInfo { return s.columns }

// Cardinality is the exact number of rows.
func (s *rawSource) Cardinality() *duckdb.CardinalityInfo {
	return &duckdb.CardinalityInfo{Cardinality: uint(s.rows), Exact: true}
}

// Init has nothing to do: all state is made when the function is bound.
func (s *rawSource) Init() {}

// FillChunk writes the next rows; an empty chunk ends the table.
func (s *rawSource) FillChunk(chunk duckdb.DataChunk) error {
	n := int(min(s.rows-s.done, int64(duckdb.GetDataChunkCapacity())))
	for i := range n {
		s.fill(s.done+int64(i), s.row)
		for c, v := range s.row {
			if err := duckdb.SetChunkValue(chunk, c, i, v); err != nil {
				return err
			}
		}
	}
	s.done += int64(n)
	return chunk.SetSize(n)
}

// quote makes an SQL string literal.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// pick returns the elements of list whose names stand in the comma-separated
// names, in list's order; all of them if names is empty. A name that ends in *
// is a prefix. An unknown name is an error.
func pick[T any](list []T, names string, name func(T) string) ([]T, error) {
	if names == "" {
		return list, nil
	}
	chosen := make([]bool, len(list))
	for want := range strings.SplitSeq(names, ",") {
		want = strings.TrimSpace(want)
		found := false
		for i, e := range list {
			prefix, open := strings.CutSuffix(want, "*")
			if name(e) == want || open && strings.HasPrefix(name(e), prefix) {
				chosen[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("nothing is named %q", want)
		}
	}
	var out []T
	for i, e := range list {
		if chosen[i] {
			out = append(out, e)
		}
	}
	return out, nil
}
