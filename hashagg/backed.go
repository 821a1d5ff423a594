package hashagg

import (
	"context"
	"fmt"
	"strings"

	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// backed is a partition that has, once memory is short, partitions on disk
// behind it: for the rows and groups whose key it does not have. What it has it
// has alone: its groups are complete when all has been added.
type backed struct {
	front *partition
	shift uint // of the hashes by which those on disk are chosen
	fan   int  // how many there are
	work  *work
	room  int64   // for its groups
	below *router // nil until memory is short
	begun bool
	over  *overflow // of the only group that is left in front, nil until its sets have no room
	alone uint32    // its ticket
}

func newBacked(front *partition, shift uint, fan int, room int64) *backed {
	return &backed{front: front, shift: shift, fan: fan, room: room}
}

// behind returns the way to the partitions on disk.
func (b *backed) behind() *router {
	if b.below == nil {
		b.work.change("all groups in memory", "other groups on disk", "memory is short")
		b.below = newDiskPartitions(b.front.sink, b.fan, b.shift).router(b.work)
	}
	return b.below
}

const (
	// leastGroups is how many groups a table has before it yields: as many tickets
	// as are handed out at once, which fit the memory that it begins with. With one
	// group only, 700 of them in 48 KiB took 23,000 extents instead of some hundred.
	leastGroups = blockTickets
	// leastStates is what states may take beside the slab before groups go to disk
	// for them: as much as the keys of a small table.
	leastStates = chunkBytes
)

// begin lets the first rows be added whatever memory there is, so that there are
// always some groups that are done.
func (b *backed) begin(keys exported) {
	if b.begun || !b.front.sink.spills() {
		return
	}
	b.begun = true
	b.front.open(keys.keys)
	b.front.space.forced = true
}

// begunWith ends what begin has begun, once there are enough groups.
func (b *backed) begunWith() {
	if b.front.space.forced && b.front.groups() > b.front.sink.knobs.leastGroups {
		b.front.space.forced = false
	}
}

func (b *backed) add(in *input) error {
	b.begin(exported{keys: in.keys})
	rest, err := b.front.add(in, b.work)
	if err != nil {
		return err
	}
	b.begunWith()
	if len(rest) > 0 {
		if err := b.behind().stage(in, rest); err != nil {
			return err
		}
	}
	return b.relieve()
}

// merge adds groups.
func (b *backed) merge(g exported) error {
	b.begin(g)
	rest, err := b.front.merge(g.keys, g.states, g.at, b.work)
	if err != nil {
		return err
	}
	b.begunWith()
	if len(rest) > 0 {
		others, err := g.pick(rest)
		if err != nil {
			return err
		}
		if err := b.behind().mergeGroups(others); err != nil {
			return err
		}
	}
	return b.relieve()
}

// close writes what waits for the disk.
func (b *backed) close() error {
	if b.below == nil {
		return nil
	}
	return b.below.close()
}

func (b *backed) release() {
	b.front.close()
	if b.below != nil {
		b.below.release()
	}
}

func (b *backed) runs() []*run {
	if b.below == nil {
		return nil
	}
	return b.below.to.runs()
}

// keptShare is the part of the groups that stay in memory, one in so many, when
// their states have become too large.
const keptShare = 4

// relieve moves groups whose states have grown too large for the memory to
// disk, all but those that came first, which are looked up as before.
func (b *backed) relieve() error {
	for b.front.states.swollen {
		old := b.front
		if old.states.elsewhere() <= old.sink.knobs.leastStates {
			old.states.swollen = false
			return nil
		}
		all := old.part()
		kept := ticketSet{}
		kept.grow(all.hi)
		groups := all.used.len()
		if groups < 2 {
			return b.relieveOne(all)
		}
		left := max(1, groups/keptShare)
		for t := range uint32(all.hi) {
			if left > 0 && all.used.has(t) {
				kept.set(t)
				left--
			}
		}
		rest := all
		rest.used = ticketSet{}
		rest.used.grow(all.hi)
		for i := range all.used {
			rest.used[i] = all.used[i] &^ kept[i]
		}
		if err := b.behind().handOver(rest); err != nil {
			return err
		}
		if err := b.keep(all, kept); err != nil {
			return err
		}
	}
	return nil
}

// keep leaves those groups in memory that are kept, as far as there is memory:
// at least the first of them.
func (b *backed) keep(all part, kept ticketSet) error {
	old := b.front
	next := &partition{sink: old.sink, split: old.split, account: old.account}
	all.used = kept
	err := all.each(func(g exported) error {
		if next.table == nil {
			next.open(g.keys)
			next.space.forced = true
		}
		rest, err := next.merge(g.keys, g.states, g.at, b.work)
		if err != nil || len(rest) == 0 {
			return err
		}
		// It was short of memory meanwhile.
		others, err := g.pick(rest)
		if err != nil {
			return err
		}
		return b.behind().mergeGroups(others)
	})
	old.close()
	b.front = next
	if err != nil {
		return err
	}
	next.freeze()
	next.states.swollen = next.space.account.Free() == 0
	return nil
}

// leastGroup is what the states of one group may take whatever the limit is.
const leastGroup = 1 << 20

// relieveOne is relieve for the only group that there is. Its sets of values go to
// disk, and from then on there is no other in front; else it may stay as long as it is not
// what takes the memory.
func (b *backed) relieveOne(all part) error {
	st, s := b.front.states, b.front.sink
	st.swollen = false
	if b.over == nil {
		b.over = newOverflow(s)
	}
	if b.over != nil && b.over.sets(st) > max(s.knobs.leastStates, b.room/fairShare) {
		b.front.freeze()
		for b.alone = 0; !all.used.has(b.alone); {
			b.alone++
		}
		if err := b.over.shed(st, s.knobs.leastStates); err != nil {
			return err
		}
		st.account.Force(st.bytes())
	}
	if held := st.bytes(); held > max(s.tablesLimit, leastGroup) {
		return s.tooLarge(all, held)
	}
	return nil
}

// complete makes the states of the group whose sets are on disk.
func (b *backed) complete(ctx context.Context) error {
	if b.over == nil {
		return nil
	}
	room := max(b.front.sink.knobs.leastStates, b.room-b.front.states.bytes())
	return b.over.complete(ctx, b.front.states, b.alone, 1, room)
}

// tooLarge is the error of a group whose states the memory has no room for.
func (s *Sink) tooLarge(one part, held int64) error {
	e := &GroupSizeError{Bytes: held, Limit: s.tablesLimit}
	for t := range uint32(one.hi) {
		if !one.used.has(t) {
			continue
		}
		keys, err := one.table.keys([]uint32{t})
		if err != nil {
			return err
		}
		for i, k := range keys {
			a, err := vector.ToArrow(k)
			if err != nil {
				return err
			}
			e.Keys = append(e.Keys, s.out.Field(i).Name+" = "+a.ValueStr(0))
			a.Release()
		}
	}
	return e
}

// GroupSizeError says that the states of one group are larger than the memory
// that a query has for groups.
type GroupSizeError struct {
	Keys  []string // "name = value" of each key column
	Bytes int64    // that its states take, so far
	Limit int64    // of the memory for groups
}

// Error names the group, and both sizes.
func (e *GroupSizeError) Error() string {
	group := "the only group"
	if len(e.Keys) > 0 {
		group = "the group " + strings.Join(e.Keys, ", ")
	}
	return fmt.Sprintf("memory limit exceeded: the states of %s take %s so far, and there are %s for groups", group,
		memory.FormatSize(e.Bytes), memory.FormatSize(e.Limit))
}

// Unwrap returns memory.ErrLimit.
func (e *GroupSizeError) Unwrap() error { return memory.ErrLimit }
