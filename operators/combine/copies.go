package combine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/vector"
)

// Rule says how often a row comes out that is so often on the left and on the
// right.
type Rule func(left, right int64) int64

// Copies is a source of rows that come out of another as often as a rule says.
// The source's last two columns, int64 without NULLs, say how often a row is on
// either side; they are not given.
type Copies struct {
	src       operators.Source
	rule      Rule
	schema    *arrow.Schema
	batchRows int
	budget    *memory.Budget
	sent      atomic.Int64 // rows
	in, time  atomic.Int64
	batches   atomic.Int64
}

// NewCopies returns the rows of src as often as rule says, in batches of
// batchRows at most where some row comes out several times.
func NewCopies(src operators.Source, rule Rule, batchRows int, budget *memory.Budget) *Copies {
	fields := src.Schema().Fields()
	n := len(fields) - 2
	return &Copies{src: src, rule: rule, schema: arrow.NewSchema(fields[:n:n], nil), batchRows: batchRows, budget: budget}
}

// Schema returns the columns without the counts.
func (c *Copies) Schema() *arrow.Schema { return c.schema }

// CopiesReport is what Copies have done so far: the rows and batches that came,
// the rows that were given, and the time that took without that of the source.
type CopiesReport struct {
	In, Out, Batches int64
	Time             time.Duration
}

// Report returns the figures so far.
func (c *Copies) Report() CopiesReport {
	return CopiesReport{In: c.in.Load(), Out: c.sent.Load(), Batches: c.batches.Load(), Time: time.Duration(c.time.Load())}
}

// Stream opens a stream of the source's.
func (c *Copies) Stream() (operators.Stream, error) {
	src, err := c.src.Stream()
	if err != nil {
		return nil, err
	}
	return &copyStream{of: c, src: src, account: c.budget.SmallAccount("set operations")}, nil
}

type copyStream struct {
	of      *Copies
	src     operators.Stream
	account *memory.Account
	batch   *vector.Batch // that is given out
	at      int           // its row
	left    int64         // copies of that row that are not given yet
	ended   bool          // nothing of the batch is left
	rows    []uint32      // of the next batch
	dense   []*vector.Vector
	out     vector.Batch
}

// Next returns the next rows.
func (s *copyStream) Next(ctx context.Context) (*vector.Batch, error) {
	for {
		if s.batch == nil || s.ended {
			b, err := s.src.Next(ctx)
			if err != nil {
				return nil, err
			}
			s.batch, s.at, s.left, s.ended = b, -1, 0, false
			s.of.in.Add(int64(b.Rows()))
			s.of.batches.Add(1)
		}
		start := operators.Now()
		err := s.fill()
		if err == nil && len(s.rows) > 0 {
			err = s.gather()
		}
		s.of.time.Add(int64(operators.Now() - start))
		if err != nil {
			return nil, err
		}
		if len(s.rows) > 0 {
			return &s.out, nil
		}
	}
}

// fill lists the rows of the batch for the next one that goes out, and drops it
// at its end.
func (s *copyStream) fill() error {
	n := len(s.batch.Cols) - 2
	var counts [2][]int64
	for i := range counts {
		v, err := vector.Flatten(s.batch.Cols[n+i])
		if err != nil {
			return err
		}
		counts[i] = vector.Values[int64](v)
	}
	s.rows = s.rows[:0]
	for len(s.rows) < s.of.batchRows {
		if s.left <= 0 {
			if s.at++; s.at == s.batch.Rows() {
				s.ended = true
				return nil
			}
			i := s.row()
			s.left = s.of.rule(counts[0][i], counts[1][i])
			continue
		}
		s.left--
		s.rows = append(s.rows, s.row())
	}
	return nil
}

// row is the number in the batch of the row that is given out.
func (s *copyStream) row() uint32 {
	if s.batch.Sel != nil {
		return s.batch.Sel[s.at]
	}
	return uint32(s.at)
}

// gather copies the rows.
func (s *copyStream) gather() error {
	n := len(s.batch.Cols) - 2
	s.dense = vector.Resize(s.dense, n)
	var held int64
	for i, c := range s.batch.Cols[:n] {
		var err error
		if s.dense[i], err = vector.Gather(s.dense[i], c, s.rows); err != nil {
			return err
		}
		held += int64(cap(s.dense[i].Data) + 4*cap(s.dense[i].Offsets) + 4*cap(s.dense[i].Codes))
	}
	if held > s.account.Size() {
		s.account.Force(held) // the size of a batch bounds it
	}
	k := int64(len(s.rows))
	s.out = vector.Batch{Cols: s.dense, Len: len(s.rows), Row: uint64(s.of.sent.Add(k) - k)}
	return nil
}

// Close closes the source's stream.
func (s *copyStream) Close() error {
	s.account.Close()
	return s.src.Close()
}
