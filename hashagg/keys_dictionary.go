package hashagg

import (
	"github.com/colagg/colagg/vector"
)

// dictionaryGrouper stands before the grouper of a single key column and looks
// each dictionary entry up once: a row then costs one array read. An entry is
// looked up when a row has it, so that entries no row uses make no group.
type dictionaryGrouper struct {
	flat  Grouper
	id    uint64   // dictionary that cache is about; 0 for none
	cache []uint32 // entry → ticket, noTicket while unknown
	null  uint32   // ticket of rows that are NULL by Valid
	want  []uint32 // entries to look up
	found []uint32
	part  *vector.Vector
}

func newDictionaryGrouper(flat Grouper) *dictionaryGrouper { return &dictionaryGrouper{flat: flat} }

// Freeze forgets nothing: entries not known are looked up once more.
func (g *dictionaryGrouper) Freeze() {
	g.flat.Freeze()
}

func (g *dictionaryGrouper) Close() { g.flat.Close() }

func (g *dictionaryGrouper) Groups(cols []*vector.Vector, tickets []uint32) error {
	v := cols[0]
	// A dictionary without an identity cannot be cached, and a large one
	// costs more than the rows.
	if v.Codes == nil || v.Dict.ID == 0 || v.Dict.Len > maxCached {
		return g.flat.Groups(cols, tickets)
	}
	if v.Dict.ID != g.id {
		g.id, g.null = v.Dict.ID, noTicket
		g.cache = vector.Resize(g.cache, v.Dict.Len)
		for i := range g.cache {
			g.cache[i] = noTicket
		}
	}
	codes := v.Codes[:len(tickets)]
	if !lookup(g.cache, codes, tickets) {
		if err := g.resolve(v, tickets); err != nil {
			return err
		}
		lookup(g.cache, codes, tickets)
	}
	if v.Valid == nil {
		return nil
	}
	return g.nulls(v, tickets)
}

// maxCached bounds the entries of a dictionary that is worth a cache: 1M
// entries take 4 MiB.
const maxCached = 1 << 20

// lookup maps codes by cache and reports whether all were known.
func lookup(cache, codes, tickets []uint32) bool {
	if len(cache) == 0 {
		return true
	}
	unknown := uint32(0)
	for i, c := range codes {
		t := cache[c]
		tickets[i] = t
		unknown = max(unknown, t)
	}
	return unknown != noTicket
}

// resolve looks up the entries that rows have and the cache lacks.
func (g *dictionaryGrouper) resolve(v *vector.Vector, tickets []uint32) (err error) {
	g.want = g.want[:0]
	for i, t := range tickets {
		if c := v.Codes[i]; t == noTicket && v.Valid.Get(i) && g.cache[c] == noTicket {
			g.cache[c] = 0 // listed
			g.want = append(g.want, c)
		}
	}
	for _, c := range g.want {
		g.cache[c] = noTicket
	}
	if len(g.want) == 0 {
		return nil
	}
	if g.part, err = vector.Gather(g.part, v.Dict, g.want); err != nil {
		return err
	}
	g.found = vector.Resize(g.found, len(g.want))
	if err := g.flat.Groups([]*vector.Vector{g.part}, g.found); err != nil {
		return err
	}
	for i, c := range g.want {
		g.cache[c] = min(g.found[i], absentTicket)
	}
	return nil
}

// nulls sets the tickets of the rows that Valid excludes.
func (g *dictionaryGrouper) nulls(v *vector.Vector, tickets []uint32) error {
	for i := range tickets {
		if v.Valid.Get(i) {
			continue
		}
		if g.null == noTicket {
			one := []uint32{0}
			if err := g.flat.Groups([]*vector.Vector{vector.NewNull(v.Type, 1)}, one); err != nil {
				return err
			}
			g.null = min(one[0], absentTicket)
		}
		tickets[i] = g.null
	}
	return nil
}
