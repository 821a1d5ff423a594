package colagg

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/parquetio"
	"github.com/colagg/colagg/vector"
)

// oneRow is what a SELECT without FROM reads: a row without columns.
type oneRow struct{}

func (oneRow) columns() []column { return nil }
func (oneRow) rows() int64       { return 1 }
func (oneRow) title() string     { return "one row" }

func (oneRow) scan(_ []int, _ []string, opt scanOptions) (scan, error) {
	return opt.filtered(&oneRowScan{}), nil
}

type oneRowScan struct{ given atomic.Bool }

func (s *oneRowScan) Schema() *arrow.Schema               { return arrow.NewSchema(nil, nil) }
func (s *oneRowScan) Stream() (operators.Stream, error)   { return s, nil }
func (s *oneRowScan) Rows() int64                         { return 1 }
func (s *oneRowScan) Left() int64                         { return 1 }
func (s *oneRowScan) Prepare(context.Context) error       { return nil }
func (s *oneRowScan) Bytes() int64                        { return 0 }
func (s *oneRowScan) Memory() int64                       { return 0 }
func (s *oneRowScan) Range(int) (lo, hi int64, ok bool)   { return 0, 0, false }
func (s *oneRowScan) Distinct(int) (n, of int64, ok bool) { return 0, 0, false }
func (s *oneRowScan) Report() parquetio.ScanReport        { return parquetio.ScanReport{} }
func (s *oneRowScan) Close() error                        { return nil }

// Next gives the row once.
func (s *oneRowScan) Next(context.Context) (*vector.Batch, error) {
	if s.given.Swap(true) {
		return nil, io.EOF
	}
	return &vector.Batch{Len: 1}, nil
}
