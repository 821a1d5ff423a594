package colagg

import (
	"context"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/hashagg"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// node is a step of a query: a scan, or what is done to the rows of others. Some
// keep all rows before they give any: they end a pipeline.
type node interface {
	schema() *arrow.Schema
	// rows estimates how many rows it gives, or is notKnown.
	rows() int64
	// given is how many it has given or, where it keeps rows, has to give.
	given() int64
	// workers is most that its size pays for.
	workers() int
	// hint is what is known of the values of column k.
	hint(k int) (hashagg.Range, hashagg.Distinct)
	// streams reports whether several streams share its rows, which have positions
	// to put them in order again; otherwise one stream gives all that matters.
	streams() bool
	// open runs what must come before its first row and returns the source of its
	// rows. It is called once.
	open(context.Context) (operators.Source, error)
	// explain adds the pipelines that end before it to p, and returns the operators
	// of the one that it is in up to itself, out of which so much came.
	explain(p *Plan, out traffic) []Operator
	// release gives the memory of its rows back.
	release()
}

// traffic is what came out of an operator, and how long that took with all that
// is before it in its pipeline. Nothing did yet if it has not run.
type traffic struct {
	ran           bool
	rows, batches int64
	time          time.Duration
}

// figures are e estimated and what was counted.
func (t traffic) figure(estimate int64) Figure {
	if !t.ran {
		return expected(estimate)
	}
	return Figure{Estimate: estimate, Actual: t.rows}
}

// moved is the traffic of a drain.
func trafficOf(flow operators.Flow) traffic {
	sum := flow.Sum()
	return traffic{flow.Workers != nil, sum.Rows, sum.Batches, sum.Source}
}

// told is a source whose errors are told better.
type told struct {
	operators.Source
	tell func(error) error
}

// Stream opens a stream.
func (t told) Stream() (operators.Stream, error) {
	s, err := t.Source.Stream()
	if err != nil {
		return nil, t.tell(err)
	}
	return toldStream{s, t.tell}, nil
}

type toldStream struct {
	operators.Stream
	tell func(error) error
}

// Next returns the next batch.
func (t toldStream) Next(ctx context.Context) (*vector.Batch, error) {
	b, err := t.Stream.Next(ctx)
	if err != nil {
		return nil, t.tell(err)
	}
	return b, nil
}

// forRows is how many workers so many rows pay for; workers where that is not
// known.
func forRows(workers int, rows int64) int {
	if rows < 0 {
		return workers
	}
	return int(min(int64(workers), 1+rows/rowsPerWorker))
}
