package hashagg

import (
	"context"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// setReader makes sets of the values in runs, one after the other, before an
// accumulator of its own that gets each value once. A set that has no room for
// more is looked up only: the values that it does not have go to disk once more,
// split by further bits of the hashes. Each set takes at least the values of a
// batch, so that there is an end whatever the hashes are.
type setReader struct {
	from    *valueRuns
	acc     *distinct
	slab    Slab
	account *memory.Account
	room    int64
	full    bool
	tickets []uint32 // all of the one group
	missing []uint32
	rest    *vector.Builder // values that the set does not have
	behind  *valueWriter    // where they go, nil as long as there are none
}

func newSetReader(from *valueRuns, agg *Aggregate, account *memory.Account, room int64) *setReader {
	r := &setReader{from: from, account: account, room: room}
	r.slab.Stride = agg.Words
	r.acc = agg.New(&r.slab, 0).(*distinct)
	r.slab.Grow(1)
	r.acc.Grow(1)
	return r
}

func (r *setReader) close() {
	if r.behind != nil {
		r.behind.close()
	}
	r.acc.Free()
	r.slab.Free()
	r.account.Close()
}

// read adds the values of a run.
func (r *setReader) read(ctx context.Context, one valueRun) error {
	for waiting := []valueRun{one}; len(waiting) > 0; {
		last := len(waiting) - 1
		next := waiting[last]
		waiting = waiting[:last]
		rest, err := r.pass(ctx, next)
		if err != nil {
			return err
		}
		for _, w := range rest {
			if w.rows > 0 {
				waiting = append(waiting, w)
			}
		}
	}
	return nil
}

// pass adds those values of a run that a set has room for, and returns the
// others.
func (r *setReader) pass(ctx context.Context, one valueRun) ([]valueRun, error) {
	s := r.from.sink
	r.full = false
	r.acc.forget()
	r.acc.set.expect(int(min(one.rows, r.room/(2*8*int64(r.acc.set.width)))))
	err := s.each(ctx, r.from.schema, one.extents, func(b *vector.Batch) error {
		v, n := b.Cols[0], b.Len
		if !r.full {
			r.tickets = vector.Resize(r.tickets, n)
			clear(r.tickets)
			if err := r.acc.add(r.tickets, v); err != nil {
				return err
			}
			r.charge(n)
			return nil
		}
		return r.others(v, n, one)
	})
	if err != nil || r.behind == nil {
		return nil, err
	}
	err = r.behind.write(r.rest.Vector())
	r.behind.close()
	rest := r.behind.to.runs
	r.behind, r.rest = nil, nil
	return rest, err
}

// charge accounts for the set, and finds it full if as many values as the last n
// may not have room.
func (r *setReader) charge(n int) {
	held := r.acc.Bytes()
	r.account.Force(held)
	if held > r.room || r.acc.set.crowded(n, r.room) {
		r.full = true
		r.acc.members.freeze()
	}
}

// others sets the values of n rows aside that the set does not have.
func (r *setReader) others(v *vector.Vector, n int, one valueRun) (err error) {
	if r.missing, err = r.acc.missing(v, n, r.missing[:0]); err != nil || len(r.missing) == 0 {
		return err
	}
	s := r.from.sink
	block := s.valueBlock()
	if r.behind == nil {
		fan := fanOut(setShare*8*one.rows, r.room, one.shift, s.knobs.partitions)
		r.behind = newValueRuns(s, r.from.schema, fan, one.shift).writer()
		r.behind.account.Force(3 * block)
		r.rest = vector.NewBuilder(v.Type)
	}
	if err := r.rest.Append(v, r.missing); err != nil {
		return err
	}
	rest := r.rest.Vector()
	if int64(len(rest.Data)+4*len(rest.Offsets)) < block {
		return nil
	}
	err = r.behind.write(rest)
	r.rest.Reset()
	return err
}
