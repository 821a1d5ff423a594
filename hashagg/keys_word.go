package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// wordKeys is the form for one key column of 64 bits: the word itself is the
// key, and NULL has a ticket of its own.
type wordKeys struct {
	typ   arrow.DataType
	space *ticketSpace
	table *packedTable
	null  nullTicket
}

func (k *wordKeys) form() string { return "packed" }

func (k *wordKeys) reset() {
	k.space.reset()
	k.table.reset()
	k.null = nullTicket{}
}

func (k *wordKeys) close() {
	k.space.close()
	k.table.region.Free()
}

func (k *wordKeys) grouper() Grouper {
	return newDictionaryGrouper(&wordGrouper{keys: k, probe: packedProbe{table: k.table, issuer: &issuer{space: k.space}}})
}

type wordGrouper struct {
	keys  *wordKeys
	probe packedProbe
	words []uint64
	skip  []uint32
}

func (g *wordGrouper) Freeze() { g.probe.issuer.frozen = true }

func (g *wordGrouper) Close() { g.probe.issuer.close() }

func (g *wordGrouper) Groups(cols []*vector.Vector, tickets []uint32) error {
	v, err := vector.Flatten(cols[0])
	if err != nil {
		return err
	}
	keys := vector.Values[uint64](v)
	if v.Type.ID() == arrow.FLOAT64 {
		g.words = vector.Resize(g.words, v.Len)
		words(g.words, v)
		keys = g.words
	}
	g.skip = g.skip[:0]
	if v.Valid != nil {
		for i := range v.Len {
			if !v.Valid.Get(i) {
				g.skip = append(g.skip, uint32(i))
			}
		}
	}
	if err := eachRun(len(tickets), g.skip, func(lo, hi int) error {
		return g.probe.find(keys[lo:hi], tickets[lo:hi])
	}); err != nil {
		return err
	}
	return g.keys.null.fill(v, g.probe.issuer, tickets)
}

func (k *wordKeys) keys(tickets []uint32) ([]*vector.Vector, error) {
	dir := *k.space.dir.Load()
	v := vector.New(k.typ, len(tickets))
	w := vector.View[uint64](v.Data)
	for i, t := range tickets {
		r := row(dir, t)
		w[i] = r[0]
		if r[1] == tagNull {
			setNull(v, i)
		}
	}
	return []*vector.Vector{v}, nil
}
