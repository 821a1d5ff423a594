package hashagg

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// overflow is where the values of sets go that outgrow the memory when there is
// one group only, so that no other can make room. They wait on disk by their
// hashes, whoever found them; in the end those of one range of hashes after the
// other become a set, which tells what has been there twice. Sets of different
// ranges have no value in common, so what the functions behind them make of each
// is merged as any two states are.
type overflow struct {
	sink  *Sink
	calls []*valueRuns // by call; nil where the state is no set of values
}

// newOverflow returns nil if no call has a set of values.
func newOverflow(s *Sink) *overflow {
	o := &overflow{sink: s, calls: make([]*valueRuns, len(s.cfg.Calls))}
	some := false
	for i, c := range s.cfg.Calls {
		if c.Agg.values != nil {
			some = true
			schema := arrow.NewSchema([]arrow.Field{{Name: c.Name, Type: c.Agg.values}}, nil)
			o.calls[i] = newValueRuns(s, schema, s.knobs.partitions, 0)
		}
	}
	if !some {
		return nil
	}
	return o
}

// shed moves those sets of st to disk that take more than least bytes. Of one
// group only st has values.
func (o *overflow) shed(st *states, least int64) error {
	for i, to := range o.calls {
		if to == nil || st.accs[i].Bytes() <= least {
			continue
		}
		if err := to.shed(st.accs[i].(*distinct)); err != nil {
			return st.calls[i].wrap(err)
		}
	}
	return nil
}

// sets returns what the states take that shed can move.
func (o *overflow) sets(st *states) (bytes int64) {
	for i, to := range o.calls {
		if to != nil {
			bytes += st.accs[i].Bytes()
		}
	}
	return bytes
}

// complete makes the states of the only group, whose number in st is ticket,
// from what is in st and what is on disk. Each worker may take room bytes for a
// set.
func (o *overflow) complete(ctx context.Context, st *states, ticket uint32, workers int, room int64) error {
	for i, from := range o.calls {
		if from == nil || !from.some() {
			continue
		}
		acc := st.accs[i].(*distinct)
		if err := from.shed(acc); err != nil {
			return st.calls[i].wrap(err)
		}
		if err := st.charge(); err != nil {
			return err
		}
		var mu sync.Mutex
		var next atomic.Int64
		err := operators.Parallel(ctx, workers, func(ctx context.Context, _ int) error {
			r := newSetReader(from, o.sink.cfg.Calls[i].Agg, st.account.Beside(statesAccount), room)
			defer r.close()
			for k := int(next.Add(1)) - 1; k < len(from.runs); k = int(next.Add(1)) - 1 {
				if err := r.read(ctx, from.runs[k]); err != nil {
					return err
				}
			}
			state, err := r.acc.inner.State(0, 1)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			return acc.inner.Merge([]uint32{ticket}, state)
		})
		if err != nil {
			return st.calls[i].wrap(err)
		}
	}
	return st.charge()
}

// valueRuns are values on disk, by bits of their hashes.
type valueRuns struct {
	sink   *Sink
	schema *arrow.Schema // of one column
	shift  uint          // low bits of hashes that do not choose

	mu   sync.Mutex
	runs []valueRun
}

// valueRun is the values of a range of hashes, of which any may be there many
// times.
type valueRun struct {
	shift   uint // bits of hashes that chose it
	extents []spill.Extent
	rows    int64
}

func newValueRuns(s *Sink, schema *arrow.Schema, n int, shift uint) *valueRuns {
	r := &valueRuns{sink: s, schema: schema, shift: shift, runs: make([]valueRun, n)}
	for k := range r.runs {
		r.runs[k].shift = shift + uint(bits.TrailingZeros(uint(n)))
	}
	return r
}

// some reports whether there is a value.
func (r *valueRuns) some() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.runs {
		if r.runs[k].rows > 0 {
			return true
		}
	}
	return false
}

// valueBlock is how many bytes of values are sorted by their hashes at once, as
// far as the memory allows: with 64 partitions, extents of 64 KiB.
const (
	valueBlock  = 4 << 20
	leastValues = 64 << 10
	// blockShare is the part of the memory for groups that a block takes at
	// most, one in so many.
	blockShare = 32
)

func (s *Sink) valueBlock() int64 {
	return max(leastValues, min(valueBlock, s.tablesLimit/blockShare))
}

// shed writes all values of d, which has those of one group only, and leaves it
// empty.
func (r *valueRuns) shed(d *distinct) error {
	w := r.writer()
	defer w.close()
	block := r.sink.valueBlock()
	w.account.Force(3 * block) // the words or numbers, the values, and those of a partition
	each := int(block / max(8, d.members.bytes()/int64(max(1, d.set.used))))
	words := make([]uint64, 0, max(1, each))
	d.set.ready()
	for at := 0; at < len(d.set.words); {
		if words, at = d.set.seconds(words[:0], at); len(words) == 0 {
			break
		}
		values, err := d.members.values(words)
		if err != nil {
			return err
		}
		if err := w.write(values); err != nil {
			return err
		}
	}
	d.empty()
	return nil
}

// valueWriter is one goroutine's way to the runs.
type valueWriter struct {
	to      *valueRuns
	file    *spill.File
	account *memory.Account
	hasher  valueHasher
	starts  []int
	order   []uint32
	piece   *vector.Vector
}

func (r *valueRuns) writer() *valueWriter {
	return &valueWriter{
		to: r, file: r.sink.files.take(r.sink.cfg.Spill), account: r.sink.cfg.Budget.Account("values on their way to disk"),
		starts: make([]int, len(r.runs)+1),
	}
}

// write appends the rows of a flat vector to the runs of their hashes.
func (w *valueWriter) write(v *vector.Vector) error {
	if v.Len == 0 {
		return nil
	}
	hashes, err := w.hasher.hash(v, v.Len)
	if err != nil {
		return err
	}
	r, starts := w.to, w.starts
	keep, mask := r.sink.knobs.hashMask, uint64(len(r.runs)-1)
	clear(starts)
	for i, h := range hashes {
		hashes[i] = h & keep >> r.shift & mask
		starts[hashes[i]+1]++
	}
	for k := range r.runs {
		starts[k+1] += starts[k]
	}
	w.order = vector.Resize(w.order, v.Len)
	for i, k := range hashes {
		w.order[starts[k]] = uint32(i)
		starts[k]++
	}
	lo := 0
	for k := range r.runs {
		rows := w.order[lo:starts[k]]
		if lo = starts[k]; len(rows) == 0 {
			continue
		}
		if w.piece, err = vector.Gather(w.piece, v, rows); err != nil {
			return err
		}
		e, err := w.file.Append(r.schema, &vector.Batch{Cols: []*vector.Vector{w.piece}, Len: len(rows)})
		if err != nil {
			return err
		}
		r.mu.Lock()
		r.runs[k].extents = append(r.runs[k].extents, e)
		r.runs[k].rows += e.Rows
		r.mu.Unlock()
	}
	return nil
}

func (w *valueWriter) close() {
	w.account.Close()
	w.file.Trim()
	w.to.sink.files.give(w.file)
}
