package colagg

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/parquetio"
)

// Source is where a query's rows come from: Files, FS, Inputs or Records. It
// may be used by several queries, at once too, except one of Records.
type Source interface {
	// open finds the inputs and learns their columns.
	open(ctx context.Context) (table, error)
}

// Files returns the Parquet files that each of paths names: a file; a
// directory, which stands for every file below it whose name ends in .parquet,
// .parq or .pq (names that begin with a dot or an underscore are skipped, links
// are followed, and one of such a name that leads nowhere is an error); or a
// pattern with *, ?, [a-z], {this,that} and ** for any depth, which skips such
// names too unless it has their first character. A path that exists
// is taken as it is, whatever characters it has. The files of one path are in
// the order of their names, and a file that is named twice is read twice. A path
// that gives no file is an error.
//
// All files must have the columns that the query needs, with the same types.
func Files(paths ...string) Source { return filesSource(paths) }

// Inputs returns the given Parquet files as one source, for bytes that are
// elsewhere than in local files. The columns that a query needs must have the
// same types in all of them.
func Inputs(in ...Input) Source { return inputsSource(in) }

// Records returns the rows of rr, which is read to its end by the one query
// that uses the source; the caller releases rr afterwards. Dictionary arrays
// count as arrays of their values, and large strings and binaries as ordinary
// ones; fields of structs are addressed as in files.
func Records(rr array.RecordReader) Source { return recordsSource{rr} }

// table is an opened source.
type table interface {
	// columns lists the leaves.
	columns() []column
	// rows returns the number of rows, or -1 if it is not known.
	rows() int64
	// title names the table for people.
	title() string
	// scan returns the columns cols under the given names, of the rows that
	// opt.where chooses.
	scan(cols []int, names []string, opt scanOptions) (scan, error)
}

// scan is a source of batches that also says how much there is.
type scan interface {
	operators.Source
	// Rows returns the number of input rows; it is right after the last batch.
	Rows() int64
	// Prepare finds out, before the first stream, what need not be read.
	Prepare(context.Context) error
	// Left returns how many of them have to be looked at, or notKnown.
	Left() int64
	// Bytes returns the compressed size of what is to be read.
	Bytes() int64
	// Memory returns about what each stream takes of the budget.
	Memory() int64
	// Range returns bounds of the values of column k, as a hint.
	Range(k int) (lo, hi int64, ok bool)
	// Distinct returns how many different values are among so many of column
	// k, as a hint.
	Distinct(k int) (values, of int64, ok bool)
	// Report returns what is and was read, per column; without files, there
	// is nothing but the number of columns.
	Report() parquetio.ScanReport
}

type scanOptions struct {
	batchRows int
	workers   int
	unchecked bool // checksums of pages are not compared
	budget    *memory.Budget
	progress  func(delta int64)
	where     *where // nil: all rows
	kept      int    // how many columns come out, the first ones
}

// filtered puts the filter, if there is one, behind a scan that cannot apply it
// itself.
func (o scanOptions) filtered(s scan) scan {
	if o.where == nil {
		return s
	}
	return filteredScan{s, o.where.filter.Source(s, o.kept)}
}

// filteredScan is a scan with a filter behind it.
type filteredScan struct {
	scan
	out operators.Source
}

// Schema returns the columns that come out.
func (s filteredScan) Schema() *arrow.Schema { return s.out.Schema() }

// Stream opens a stream of the rows that are chosen.
func (s filteredScan) Stream() (operators.Stream, error) { return s.out.Stream() }

// column is one leaf of a table.
type column struct {
	path     []string
	typ      arrow.DataType // nil if it cannot be queried
	problem  string         // why typ is nil
	file     string         // the file that it is in, or empty
	repeated bool
	// container is "list" or "map" if repeated: the outermost, to which the
	// first depth names of path lead.
	container string
	depth     int
}

type inputsSource []Input

func (s inputsSource) open(ctx context.Context) (table, error) {
	if len(s) == 0 {
		return nil, badQuery("no input files")
	}
	for i, in := range s {
		if in == nil {
			return nil, badQuery("input %d is nil", i)
		}
	}
	return openFiles(ctx, s)
}
