package hashagg

import (
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// textKeys is the form for one key column of byte strings: the strings
// themselves are hashed and stored.
type textKeys struct {
	typ   arrow.DataType
	space *ticketSpace
	table *bytesTable
	null  nullTicket
}

// nullTicket is the group of the NULL of a single key column, made when first
// met.
type nullTicket struct {
	once   sync.Once
	made   atomic.Bool
	ticket uint32
	err    error
}

func (n *nullTicket) get(is *issuer) (uint32, error) {
	if is.frozen && !n.made.Load() {
		return noTicket, nil
	}
	n.once.Do(func() {
		if n.ticket, n.err = is.next(); n.err == nil {
			is.use()
			*row(*is.space.dir.Load(), n.ticket) = [keyWords]uint64{0, tagNull}
			n.made.Store(true)
		}
	})
	return n.ticket, n.err
}

// fill sets the tickets of v's NULL rows.
func (n *nullTicket) fill(v *vector.Vector, is *issuer, tickets []uint32) error {
	if !v.MayHaveNulls() {
		return nil
	}
	for i := range tickets {
		if v.IsNull(i) {
			t, err := n.get(is)
			if err != nil {
				return err
			}
			tickets[i] = t
		}
	}
	return nil
}

func (k *textKeys) form() string { return "bytes" }

func (k *textKeys) reset() {
	k.space.reset()
	k.table.reset()
	k.null = nullTicket{}
}

func (k *textKeys) close() {
	k.space.close()
	k.table.region.Free()
}

func (k *textKeys) grouper() Grouper {
	is := &issuer{space: k.space}
	return newDictionaryGrouper(&textGrouper{keys: k, probe: bytesProbe{table: k.table, issuer: is}})
}

type textGrouper struct {
	keys    *textKeys
	probe   bytesProbe
	offsets []int32
}

func (g *textGrouper) Freeze() { g.probe.issuer.frozen = true }

func (g *textGrouper) Close() { g.probe.issuer.close() }

func (g *textGrouper) Groups(cols []*vector.Vector, tickets []uint32) error {
	v, err := vector.Flatten(cols[0])
	if err != nil {
		return err
	}
	offsets := v.Offsets
	if offsets == nil {
		w := vector.Width(v.Type)
		g.offsets = vector.Resize(g.offsets, v.Len+1)
		for i := range g.offsets {
			g.offsets[i] = int32(i * w)
		}
		offsets = g.offsets
	}
	if err := g.probe.find(v.Data, offsets, v.Valid, tickets); err != nil {
		return err
	}
	return g.keys.null.fill(v, g.probe.issuer, tickets)
}

func (k *textKeys) keys(tickets []uint32) ([]*vector.Vector, error) {
	dir, arena := *k.space.dir.Load(), *k.space.arena.Load()
	v := vector.New(k.typ, len(tickets))
	if v.Offsets == nil {
		k.fixed(v, tickets)
		return []*vector.Vector{v}, nil
	}
	size := 0
	for _, t := range tickets {
		size += keySize(arena, row(dir, t))
	}
	v.Data = make([]byte, 0, size)
	for i, t := range tickets {
		r := row(dir, t)
		if r[1] == tagNull {
			setNull(v, i)
		} else {
			v.Data = appendKey(v.Data, arena, r)
		}
		if len(v.Data) > vector.MaxBytes {
			return nil, vector.ErrTooLong
		}
		v.Offsets[i+1] = int32(len(v.Data))
	}
	return []*vector.Vector{v}, nil
}

// fixed sets v, of fixed width, to the keys. A ticket may have none: rows that
// are NULL ask for ticket 0, which a worker may have taken and not used.
func (k *textKeys) fixed(v *vector.Vector, tickets []uint32) {
	dir, arena := *k.space.dir.Load(), *k.space.arena.Load()
	var key []byte
	width := vector.Width(k.typ)
	for i, t := range tickets {
		if r := row(dir, t); r[1] == tagNull {
			setNull(v, i)
		} else {
			key = appendKey(key[:0], arena, r)
			copy(v.Data[i*width:(i+1)*width], key)
		}
	}
}
