package colagg

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
)

// scanNode reads columns of a table.
type scanNode struct {
	run     *run
	table   table
	src     scan
	where   *where // nil: all rows
	threads int
}

// scanColumns are columns of a table: their numbers and names, and how many of
// them come out, the first ones; the others are the filter's.
type scanColumns struct {
	at    []int
	names []string
	kept  int
}

// readingShare is the part of the memory, one in so many, that reading with
// several workers may take. One worker may take all but aloneShare. readingError
// is by how much of it, one in so many, the estimate may be too low.
const (
	readingShare = 2
	aloneShare   = 4
	readingError = 4
)

// reading is the memory of all scans of a query: they read one after the other, so
// that each may have what the largest one needs.
type reading struct {
	budget *memory.Budget
	held   int64
	scans  int // that are not done
}

// hold sets memory apart for one more scan.
func (m *reading) hold(bytes int64) {
	if m.scans++; bytes > m.held {
		m.held = bytes
		m.budget.Hold(bytes)
	}
}

// release is called when a scan is done.
func (m *reading) release() {
	if m.scans--; m.scans == 0 {
		m.budget.Close()
		m.held = 0
	}
}

// scanNode makes a scan of cols, of the rows that w chooses, for as many workers as
// there is memory for and the rows that have to be looked at pay for: wanted, or all
// if that is negative.
func (r *run) scanNode(t table, cols scanColumns, w *where, wanted int64) (*scanNode, error) {
	n := &scanNode{run: r, table: t, where: w, threads: forRows(forRows(r.engine.workers, t.rows()), wanted)}
	if r.reading.budget == nil {
		r.reading.budget = r.budget.Part(0)
	}
	free := r.budget.Free() + r.reading.held
	for {
		var err error
		n.src, err = t.scan(cols.at, cols.names, scanOptions{
			batchRows: r.engine.batchRows,
			workers:   n.threads,
			unchecked: r.engine.unchecked,
			budget:    r.reading.budget,
			progress:  func(delta int64) { r.progress.add(r.bytes.Add(delta)) },
			where:     w,
			kept:      cols.kept,
		})
		if err != nil {
			return nil, err
		}
		need := n.src.Memory() / readingError * (readingError + 1)
		fit := min(forRows(n.threads, n.src.Left()), max(1, int(free/readingShare/max(need, 1))))
		if fit < n.threads {
			n.threads = fit
			continue
		}
		r.reading.hold(min(int64(n.threads)*need, free/aloneShare*(aloneShare-1)))
		r.scans = append(r.scans, n)
		r.progress.total += n.src.Bytes()
		return n, nil
	}
}

func (n *scanNode) schema() *arrow.Schema { return n.src.Schema() }
func (n *scanNode) given() int64          { return n.src.Left() }
func (n *scanNode) workers() int          { return n.threads }
func (n *scanNode) streams() bool         { return true }
func (n *scanNode) release()              { n.run.reading.release() }

func (n *scanNode) rows() int64 {
	if n.where != nil {
		return notKnown
	}
	return n.table.rows()
}

func (n *scanNode) hint(k int) (hashagg.Range, hashagg.Distinct) {
	lo, hi, ok := n.src.Range(k)
	values, of, known := n.src.Distinct(k)
	return hashagg.Range{Lo: lo, Hi: hi, OK: ok}, hashagg.Distinct{Values: values, Of: of, OK: known}
}

func (n *scanNode) open(ctx context.Context) (operators.Source, error) {
	if err := n.src.Prepare(ctx); err != nil {
		return nil, err
	}
	if n.where != nil {
		return told{n.src, n.where.tell}, nil
	}
	return n.src, nil
}

func (n *scanNode) explain(_ *Plan, out traffic) []Operator {
	rows := n.table.rows()
	after := []Operator{}
	if n.where != nil {
		op, before := n.where.explain(rows, out)
		after, out = append(after, op), before
	}
	op := Operator{Name: "scan", Detail: n.table.title(), RowsIn: expected(rows), RowsOut: out.figure(rows), Batches: out.batches, Time: out.time, Scan: n.use()}
	if out.ran {
		op.RowsIn.Actual = n.src.Rows()
		op.Scan.done(n.src.Report())
	}
	return append([]Operator{op}, after...)
}

// use is what is known of the scan before the run.
func (n *scanNode) use() *ScanUse {
	report := n.src.Report()
	s := &ScanUse{Files: report.Files, RowGroups: expected(int64(report.RowGroups)), Morsels: expected(int64(report.Morsels)), Columns: []ColumnUse{}}
	s.Bytes, s.Skips = expected(0), skipsOf(report.Skipped)
	for _, c := range report.Columns {
		s.Bytes.Estimate += c.ChunkBytes
		s.Columns = append(s.Columns, ColumnUse{
			Name: c.Name, Type: c.Type.String(), Bytes: expected(c.ChunkBytes), Uncompressed: c.ValueBytes,
			Encodings: append([]string{}, c.Encodings...), Codecs: append([]string{}, c.Codecs...),
		})
	}
	return s
}
