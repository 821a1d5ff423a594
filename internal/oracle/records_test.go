package oracle_test

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg"
	"github.com/colagg/colagg/internal/oracle"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/parquetio"
	"github.com/colagg/colagg/vector"
)

// load reads the flat columns of Parquet files, the fields of structs under
// their joined names, in records of at most rows rows.
func load(paths []string, rows int) ([]arrow.Record, error) {
	var files []*parquetio.File
	var cols [][]int
	var names []string
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		f, err := parquetio.ReadFooter(context.Background(), fileBytes(data))
		if err != nil {
			return nil, err
		}
		var leaves []int
		names = names[:0]
		for i, c := range f.Columns() {
			if !c.Repeated && c.Type != nil {
				leaves, names = append(leaves, i), append(names, c.Name())
			}
		}
		files, cols = append(files, f), append(cols, leaves)
	}
	scan, err := parquetio.NewScan(files, cols, names, parquetio.ScanOptions{BatchRows: rows, Workers: 1, Budget: memory.NewBudget(0)})
	if err != nil {
		return nil, err
	}
	stream, err := scan.Stream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	recs := []arrow.Record{array.NewRecord(scan.Schema(), emptyColumns(scan.Schema()), 0)}
	for {
		b, err := stream.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return recs, nil
		}
		if err != nil {
			return nil, err
		}
		rec, err := copied(scan.Schema(), b)
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
}

func emptyColumns(s *arrow.Schema) []arrow.Array {
	cols := make([]arrow.Array, s.NumFields())
	for i, f := range s.Fields() {
		cols[i], _ = vector.ToArrow(vector.New(f.Type, 0))
	}
	return cols
}

// copied returns a batch as a record that stays valid.
func copied(s *arrow.Schema, b *vector.Batch) (arrow.Record, error) {
	own := &vector.Batch{Len: b.Len}
	for _, v := range b.Cols {
		c := vector.NewBuilder(v.Type)
		if err := c.Append(v, nil); err != nil {
			return nil, err
		}
		own.Cols = append(own.Cols, c.Vector())
	}
	return vector.ToRecord(s, own)
}

// files returns the files of a block, or nil if it names folders or patterns.
func (b *block) files() []string {
	if slices.ContainsFunc(b.from, func(p string) bool { return !strings.HasSuffix(p, ".parquet") }) {
		return nil
	}
	return b.from
}

// TestScriptsOverRecords runs the blocks of the scripts over Arrow records, of
// which several workers take their share even where they are few.
func TestScriptsOverRecords(t *testing.T) {
	sizes := []int{1000, 7, 1}
	for name, blocks := range scripts(t) {
		for _, b := range blocks {
			if b.files() == nil || b.words != nil {
				continue
			}
			t.Run(name+"/"+b.title, func(t *testing.T) {
				t.Parallel()
				for i, size := range sizes {
					recs, err := load(b.files(), size)
					if err != nil {
						t.Fatal(err)
					}
					b.checkRecords(t, recs, []int{64, 3, 8192}[i])
					if len(recs) > 5 && size == sizes[0] {
						break // the short records are for short inputs
					}
				}
			})
		}
	}
}

// checkRecords runs the block over records with every strategy.
func (b *block) checkRecords(t *testing.T, recs []arrow.Record, batchRows int) {
	t.Helper()
	for _, s := range colagg.Strategies() {
		v := variant{s, 5, batchRows}
		src, err := array.NewRecordReader(recs[0].Schema(), recs)
		if err != nil {
			t.Fatal(err)
		}
		got, stats, err := v.run(colagg.Query{From: colagg.Records(src), GroupBy: b.by, Aggs: b.aggs})
		if err != nil {
			t.Fatalf("%s:%d: %s: %v", b.file, b.line, v, err)
		}
		if d := differ(b.want, got, b.keys(), b.moments); d != "" {
			t.Fatalf("%s:%d: %s over %d records (was %s, %s): %s", b.file, b.line, v, len(recs), stats.Strategy, stats.KeyForm, d)
		}
	}
}

// TestOracle compares the oracle itself with the answers of the scripts whose
// names it can look up.
func TestOracle(t *testing.T) {
	checked := 0
	for _, blocks := range scripts(t) {
		for _, b := range blocks {
			if b.files() == nil || b.words != nil || b.want.digest != "" {
				continue
			}
			recs, err := load(b.files(), 1000)
			if err != nil {
				t.Fatal(err)
			}
			keys, calls, ok := b.lookUp(recs[0].Schema())
			if !ok {
				continue
			}
			checked++
			got := answer{names: b.want.names, types: b.want.types, rows: oracle.Aggregate(recs, keys, calls)}
			if d := differ(b.want, got, len(keys), func(string) bool { return false }); d != "" {
				t.Errorf("%s:%d: %s", b.file, b.line, d)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d blocks were checked", checked)
	}
}

// oracleFunctions are those that the oracle knows.
var oracleFunctions = []string{"count", "sum", "avg", "min", "max", "first", "last", "any_value", "bool_and", "bool_or",
	"var_samp", "var_pop", "stddev_samp", "stddev_pop"}

// lookUp returns the keys and calls of a block by the columns of a schema.
func (b *block) lookUp(s *arrow.Schema) (keys []int, calls []oracle.Call, ok bool) {
	for _, k := range b.by {
		at := s.FieldIndices(k)
		if len(at) != 1 {
			return nil, nil, false
		}
		keys = append(keys, at[0])
	}
	if len(b.aggs) == 0 || b.calls() != len(b.aggs) {
		return nil, nil, false
	}
	for _, agg := range b.aggs {
		f, rest, _ := strings.Cut(agg, "(")
		arg, _, _ := strings.Cut(rest, ")")
		arg, distinct := strings.CutPrefix(arg, "distinct ")
		if f == "median" {
			return nil, nil, false // the oracle has none
		}
		c := oracle.Call{Func: f, Arg: -1, Distinct: distinct}
		if f == "approx_count_distinct" { // exact for groups as small as these
			c.Func, c.Distinct = "count", true
		}
		if !slices.Contains(oracleFunctions, c.Func) {
			return nil, nil, false
		}
		if arg != "*" {
			at := s.FieldIndices(arg)
			if len(at) != 1 {
				return nil, nil, false
			}
			c.Arg = at[0]
		}
		calls = append(calls, c)
	}
	return keys, calls, true
}
