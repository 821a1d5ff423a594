package colagg

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Stats are the figures of a finished query.
type Stats struct {
	Rows       int64         // input rows; of files all, though a limit may have ended the reading
	Groups     int64         // groups, before Query.Limit and Query.Offset, of those on disk the ones that have been read so far; 0 where nothing is grouped
	RowsOut    int64         // rows of the result that have been given so far
	BytesRead  int64         // bytes of column chunks, and of what tells which of their pages are needed, that were fetched of the files; 0 for Records
	Workers    int           // goroutines that read and aggregated
	Strategy   string        // how it was aggregated
	KeyForm    string        // how keys were stored
	Elapsed    time.Duration // from the call of Query to its return
	PeakMemory int64         // most bytes of the memory limit held at once, so far
	// SpilledBytes is what was written to disk because of the memory limit, so
	// far, and UnspilledBytes what was read back of it. TempFiles are the files
	// that it took, and PeakTemp is the most bytes that they had at once.
	SpilledBytes, UnspilledBytes, PeakTemp int64
	TempFiles                              int
}

// Result is the answer of a query, as an Arrow record reader: one column for
// each distinct key, then one for each aggregate; or the columns of
// Query.Select. Without Query.OrderBy the rows of up to 10,000 groups are sorted
// by the keys: ascending, NaN after the numbers, NULL last; more groups are in no
// order, and rows that are not grouped in that of the input. One goroutine may
// read it at a time.
//
// A record belongs to the result and is valid until the next step, unless it is
// retained: then it stays valid, after the result is closed too.
type Result struct {
	refs   atomic.Int64
	ctx    context.Context
	run    *run
	stream operators.Stream
	schema *arrow.Schema
	rec    arrow.Record
	skip   int64 // rows that the offset still leaves out
	left   int64 // rows that the limit still allows
	done   bool
	err    error
	stats  Stats
	output output
}

// output is what has come out of a Result so far.
type output struct {
	rows, batches int64
	time          time.Duration
}

var _ array.RecordReader = (*Result)(nil)

const noLimit = int64(^uint64(0) >> 1)

// newResult returns the result of r, whose last operator gives stream.
func newResult(ctx context.Context, r *run, stream operators.Stream) *Result {
	res := &Result{ctx: ctx, run: r, stream: stream, schema: r.plan.schema()}
	if res.skip, res.left = r.plan.window.skip, r.plan.window.most; res.left < 0 {
		res.left = noLimit
	}
	res.refs.Store(1)
	res.stats = Stats{Workers: r.plan.node.workers()}
	if g := r.groups; g != nil {
		res.stats.Workers = g.sink.Workers()
		res.stats.Strategy, res.stats.KeyForm = string(g.report.Strategy), g.report.KeyForm
	}
	return res
}

// Schema returns the names and types of the columns.
func (r *Result) Schema() *arrow.Schema { return r.schema }

// Stats returns the figures of the query.
func (r *Result) Stats() Stats {
	s := r.stats
	s.PeakMemory, s.RowsOut = r.run.budget.Peak(), r.output.rows
	if g := r.run.groups; g != nil {
		s.Groups = g.sink.Groups()
	}
	for _, n := range r.run.scans {
		s.Rows += n.src.Rows()
		report := n.src.Report()
		s.BytesRead += report.Skipped.BytesRead
		for _, c := range report.Columns {
			s.BytesRead += c.BytesRead
		}
	}
	temp := r.run.temp.Stats()
	s.SpilledBytes, s.UnspilledBytes, s.PeakTemp, s.TempFiles = temp.Written, temp.Read, temp.Peak, temp.Files
	return s
}

// Next steps to the next record; false is the end or an error, which Err
// tells.
func (r *Result) Next() bool {
	r.dropRecord()
	b, err := r.nextBatch()
	if err != nil {
		if err != io.EOF {
			r.err = err
		}
		return false
	}
	if r.rec, err = vector.ToRecord(r.schema, b); err != nil {
		r.err = classify(err)
		return false
	}
	return true
}

// Record returns the current record, or nil.
func (r *Result) Record() arrow.Record { return r.rec }

// Err returns the error that ended Next, if one did: an *Error or the
// context's.
func (r *Result) Err() error { return r.err }

// Retain adds a reference.
func (r *Result) Retain() { r.refs.Add(1) }

// Release drops a reference; the last one closes the result.
func (r *Result) Release() {
	if r.refs.Add(-1) == 0 {
		_ = r.Close()
	}
}

// Close ends the result, gives its memory back and removes what it has on disk.
// It may be called again.
func (r *Result) Close() error {
	r.dropRecord()
	r.done = true
	if r.stream == nil {
		return nil
	}
	err := r.stream.Close()
	r.run.progress.finish(r.run.bytes.Load())
	r.stream = nil
	if e := r.run.close(); err == nil {
		err = e
	}
	return classify(err)
}

// Batches returns the records that are left, each valid until the next step of
// the loop unless retained, and closes the result when the loop ends. An error,
// that of closing too if all records have been given, is the last step, with a nil
// record.
func (r *Result) Batches() iter.Seq2[arrow.Record, error] {
	return func(yield func(arrow.Record, error) bool) {
		defer func() { _ = r.Close() }()
		for r.Next() {
			if !yield(r.Record(), nil) {
				return
			}
		}
		err := r.Err()
		if e := r.Close(); err == nil {
			err = e
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func (r *Result) dropRecord() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// nextBatch returns the next batch as zero-based flat vectors, or io.EOF, or a
// classified error, after which it returns io.EOF.
func (r *Result) nextBatch() (*vector.Batch, error) {
	if r.done || r.left <= 0 {
		return nil, io.EOF
	}
	start := operators.Now()
	defer func() { r.output.time += operators.Now() - start }()
	for {
		err := r.ctx.Err()
		var b *vector.Batch
		if err == nil {
			b, err = r.stream.Next(r.ctx)
		}
		if err == nil && b.Rows() == 0 {
			continue
		}
		if err == nil && r.skip >= int64(b.Rows()) {
			r.skip -= int64(b.Rows())
			continue
		}
		if err == nil {
			b, err = plainBatch(b, r.skip, r.left)
		}
		if err != nil {
			r.done = true
			if errors.Is(err, io.EOF) {
				return nil, io.EOF
			}
			return nil, failure(r.ctx, err)
		}
		b.Cols = r.run.plan.project(b.Cols)
		r.skip = 0
		r.left -= int64(b.Len)
		r.output.rows += int64(b.Len)
		r.output.batches++
		return b, nil
	}
}

// plainBatch returns b's rows behind the first skip, limit at most, as flat
// vectors whose offsets begin at 0.
func plainBatch(b *vector.Batch, skip, limit int64) (*vector.Batch, error) {
	lo := int(skip)
	n := int(min(int64(b.Rows()-lo), limit))
	out := &vector.Batch{Cols: make([]*vector.Vector, len(b.Cols)), Len: n}
	for i, v := range b.Cols {
		if b.Sel == nil {
			v = slice(v, lo, lo+n)
		} else {
			var err error
			if v, err = vector.Gather(nil, v, b.Sel[lo:lo+n]); err != nil {
				return nil, err
			}
		}
		v, err := vector.Flatten(v)
		if err != nil {
			return nil, err
		}
		out.Cols[i] = zeroBased(v)
	}
	return out, nil
}
