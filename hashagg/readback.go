package hashagg

import (
	"cmp"
	"context"
	"io"
	"math/bits"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/operators"
	"github.com/colagg/colagg/spill"
	"github.com/colagg/colagg/vector"
)

// spilled is a result of which a part is on disk: first come the groups in
// memory, then those of one run after the other, in rounds. In a round each
// worker reads some runs into a table of its own. What has no room there goes
// to disk once more, split by further bits of the hashes, and waits for a later
// round: each table takes at least one group, so that there is an end whatever
// the hashes are.
type spilled struct {
	sink    *Sink
	mu      sync.Mutex
	waiting []*run
	now     operators.Stream // the round's groups
	tables  []*backed        // the round's
	sent    uint64
}

func newSpilled(first *groups, runs []*run) *spilled {
	s := &spilled{sink: first.sink, waiting: runs}
	s.now = s.sink.windowStream(first.windows)
	return s
}

// Schema returns the columns of the result.
func (s *spilled) Schema() *arrow.Schema { return s.sink.out }

// Stream returns a stream over the groups that no other stream has taken.
func (s *spilled) Stream() (operators.Stream, error) { return spilledStream{s}, nil }

type spilledStream struct{ *spilled }

// Next returns the next groups, whose vectors are new.
func (s spilledStream) Next(ctx context.Context) (*vector.Batch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		b, err := s.now.Next(ctx)
		if err != io.EOF {
			if b != nil {
				b.Row = s.sent
				s.sent += uint64(b.Len)
			}
			return b, err
		}
		if err := s.end(); err != nil {
			return nil, err
		}
		if len(s.waiting) == 0 {
			s.now = operators.Ahead(0, 1, nil)
			return nil, io.EOF
		}
		if err := s.round(ctx); err != nil {
			return nil, err
		}
	}
}

// Close ends the round.
func (s spilledStream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end()
}

// end gives back the memory of the groups that have been read.
func (s *spilled) end() error {
	err := s.now.Close()
	for _, t := range s.tables {
		t.release()
	}
	s.tables = nil
	s.sink.agg.close()
	return err
}

// round reads runs, as many at once as there are workers.
func (s *spilled) round(ctx context.Context) error {
	s.sink.widen()
	share := s.sink.tables.Free() / int64(s.sink.Workers())
	jobs := s.jobs(share)
	s.tables = make([]*backed, len(jobs))
	works := make([]work, len(jobs))
	for i, j := range jobs {
		front := &partition{sink: s.sink, split: true, account: s.sink.tables.Part(max(1, share)).Account}
		s.tables[i] = newBacked(front, j.shift, j.fan, share)
		s.tables[i].work = &works[i]
	}
	err := operators.Parallel(ctx, len(jobs), func(ctx context.Context, i int) error {
		return s.tables[i].read(ctx, jobs[i].runs)
	})
	if err != nil {
		return err
	}
	var parts []part
	for i, t := range s.tables {
		parts = append(parts, t.front.parts()...)
		s.waiting = append(s.waiting, t.runs()...)
		works[i].group, works[i].batches = 0, 0
		s.sink.report(&works[i])
	}
	s.sink.count(parts)
	s.sink.rounds++
	s.now = s.sink.windowStream(windowsOf(parts, s.sink.cfg.BatchRows))
	return nil
}

// job is the runs that a worker reads into one table.
type job struct {
	runs  []*run
	shift uint // of the hashes by which what has no room is split
	fan   int
}

// jobs takes runs from those that wait: the largest first, and small ones
// together, by the estimate of their groups.
func (s *spilled) jobs(share int64) (jobs []job) {
	slices.SortFunc(s.waiting, func(a, b *run) int { return cmp.Compare(b.bytes, a.bytes) })
	for len(jobs) < s.sink.Workers() && len(s.waiting) > 0 {
		j := job{runs: s.waiting[:1:1], shift: s.waiting[0].shift}
		need := s.sink.tableBytes(s.waiting[0])
		s.waiting = s.waiting[1:]
		for n := len(s.waiting); n > 0; n-- {
			last := s.waiting[n-1]
			more := s.sink.tableBytes(last)
			if need+more > share/packedShare {
				break
			}
			need += more
			j.runs, j.shift = append(j.runs, last), max(j.shift, last.shift)
			s.waiting = s.waiting[:n-1]
		}
		j.fan = fanOut(need, share, j.shift, s.sink.knobs.partitions)
		jobs = append(jobs, j)
	}
	return jobs
}

const (
	// packedShare is the part of a worker's memory, one in so many, up to which
	// small runs are read together: their estimates may all be too low.
	packedShare = 2
	// hashBits is how many bits a hash has.
	hashBits = 64
)

// fanOut returns by how many the groups are split for which a table of share
// bytes has no room, where all take need bytes: so many that each part is likely
// to have room, and no more, since each takes memory for what waits to be
// written.
func fanOut(need, share int64, shift uint, most int) int {
	want := uint64(2*need/max(share, 1)) + 1
	n := min(1<<bits.Len64(want), most)
	for n > 1 && shift+uint(bits.TrailingZeros(uint(n))) > hashBits {
		n /= 2
	}
	return max(n, 1)
}

// groupBytes is what a group takes beside its states and key: two words of key
// and its slot in a table that may be half empty.
const groupBytes = 64

// setShare is how many times its bytes in a run a set of values takes in a
// table: 16 bytes for each value and as many that are empty, of 8 of a set or
// some 32 of a row.
const setShare = 3

// tableBytes estimates the size of a table of the groups of r.
func (s *Sink) tableBytes(r *run) int64 {
	groups := int64(min(r.sketch.Estimate(), uint64(r.count)))
	need := groups * (groupBytes + 8*int64(s.facts().words) + r.bytes/max(r.count, 1))
	if haveSets(s.cfg.Calls) {
		need += setShare * r.bytes
	}
	return need
}

// read adds what is in runs.
func (b *backed) read(ctx context.Context, runs []*run) error {
	for _, r := range runs {
		if err := b.readGroups(ctx, r.groups); err != nil {
			return err
		}
		if err := b.readRows(ctx, r.rows); err != nil {
			return err
		}
	}
	if err := b.close(); err != nil {
		return err
	}
	return b.complete(ctx)
}

// each calls f for the batches of extents, and then gives their space back.
func (s *Sink) each(ctx context.Context, schema *arrow.Schema, extents []spill.Extent, f func(*vector.Batch) error) (err error) {
	r := s.cfg.Spill.Reader(schema, extents)
	defer func() {
		if e := r.Close(); err == nil {
			err = e
		}
		s.cfg.Spill.Release(extents...)
	}()
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(b)
		}
		if err != nil {
			return err
		}
	}
}

func (b *backed) readGroups(ctx context.Context, extents []spill.Extent) error {
	s := b.front.sink
	keys := len(s.cfg.Keys)
	var at []uint32
	return s.each(ctx, s.schemas.groups, extents, func(batch *vector.Batch) error {
		at = vector.Resize(at, batch.Len)
		for i := range at {
			at[i] = uint32(i)
		}
		g := exported{keys: batch.Cols[1 : 1+keys], hashes: vector.Values[uint64](batch.Cols[0]), at: at}
		cols := batch.Cols[1+keys:]
		for _, c := range s.cfg.Calls {
			n := len(c.Agg.State)
			g.states = append(g.states, cols[:n])
			cols = cols[n:]
		}
		return b.merge(g)
	})
}

func (b *backed) readRows(ctx context.Context, extents []spill.Extent) error {
	s := b.front.sink
	columns := s.rowColumns()
	in := input{cols: make([]*vector.Vector, s.in.NumFields())}
	return s.each(ctx, s.schemas.rows, extents, func(batch *vector.Batch) error {
		in.n = batch.Len
		in.hashes, in.rows = vector.Values[uint64](batch.Cols[0]), Ordinals{Rows: vector.Values[uint64](batch.Cols[1])}
		for i, c := range columns {
			in.cols[c] = batch.Cols[2+i]
		}
		in.keys = in.keys[:0]
		for _, k := range s.cfg.Keys {
			in.keys = append(in.keys, in.cols[k])
		}
		return b.add(&in)
	})
}
