package hashagg

import "github.com/colagg/colagg/vector"

// positionText keeps byte strings, as text does, in the words after the key.
type positionText struct {
	position
	text text
}

// Grow notes the number of tickets.
func (p *positionText) Grow(n int) { p.text.Grow(n) }

// Update considers the rows of the batch.
func (p *positionText) Update(tickets []uint32, args []*vector.Vector, rows Ordinals) error {
	p.consider(tickets, p.keysOf(len(tickets), args[0], rows), args[0])
	return nil
}

// Merge considers the rows that other states have kept.
func (p *positionText) Merge(tickets []uint32, states []*vector.Vector) error {
	p.consider(tickets, vector.Values[uint64](states[0]), states[1])
	return nil
}

// consider goes backwards for last, so that it copies one string per group and
// batch at most.
func (p *positionText) consider(tickets []uint32, keys []uint64, v *vector.Vector) {
	words, stride := p.rows()
	i, end, step := 0, len(tickets), 1
	if p.order == lastRow {
		i, end, step = len(tickets)-1, -1, -1
	}
	for ; i != end; i += step {
		b := int(tickets[i]) * stride
		if keys[i] <= words[b] {
			continue
		}
		words[b] = keys[i]
		if keys[i]&1 != 0 {
			s := v.Bytes(i)
			p.text.set(words[b+1:b+1+textWords], prefix(s, 0, len(s)), s)
		}
	}
	p.text.compact()
}

// State returns the keys and the strings.
func (p *positionText) State(lo, hi int) ([]*vector.Vector, error) {
	v, err := p.Final(lo, hi)
	return []*vector.Vector{p.stateKeys(lo, hi), v}, err
}

// Final returns the strings, or vector.ErrTooLong.
func (p *positionText) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := p.rows()
	b := vector.NewBuilder(p.arg)
	var buf [inline]byte
	for t := lo; t < hi; t++ {
		row := words[t*stride : t*stride+1+textWords]
		if row[0]&1 == 0 {
			b.AppendNull()
		} else if err := b.AppendBytes(p.text.get(row[1:], &buf)); err != nil {
			return nil, err
		}
	}
	return b.Vector(), nil
}

// Bytes returns the size of the strings and the memory kept between batches.
func (p *positionText) Bytes() int64 { return p.position.bytes() + p.text.Bytes() }

// Reset drops all strings.
func (p *positionText) Reset() { p.text.Reset() }
