package hashagg

import (
	"bytes"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// extremeText keeps the least or greatest of byte strings, in the order of
// their bytes. Most comparisons need the prefixes alone.
type extremeText struct {
	text
	arg   arrow.DataType
	flip  direction
	valid vector.Bitmap
}

// Update considers the strings of the batch.
func (e *extremeText) Update(tickets []uint32, args []*vector.Vector, _ Ordinals) error {
	v := args[0]
	n := len(tickets)
	prefixes := e.codes.load(v, n)
	var valid vector.Bitmap
	valid, e.valid = rowsValid(e.valid, v, n)
	words, stride := e.rows()
	var codes []uint32
	if v.Dict != nil {
		codes, v = v.Codes, v.Dict
		if codes == nil {
			e.keepConstant(tickets, v, prefixes, valid)
			e.compact()
			return nil
		}
	}
	flip := uint64(e.flip)
	for i, t := range tickets {
		if !valid.Get(i) {
			continue
		}
		k := i
		if codes != nil {
			k = int(codes[i])
		}
		b := int(t) * stride
		if p := prefixes[k]; p^flip < words[b]^flip && words[b+1] != 0 {
			continue
		}
		e.keep(words[b:b+textWords], prefixes[k], v, k)
	}
	e.compact()
	return nil
}

// keepConstant considers one string for all tickets.
func (e *extremeText) keepConstant(tickets []uint32, dict *vector.Vector, prefixes []uint64, valid vector.Bitmap) {
	words, stride := e.rows()
	for i, t := range tickets {
		if valid.Get(i) && dict.Len > 0 {
			b := int(t) * stride
			e.keep(words[b:b+textWords], prefixes[0], dict, 0)
		}
	}
}

// keep considers row k of v, whose prefix is given.
func (e *extremeText) keep(row []uint64, prefix uint64, v *vector.Vector, k int) {
	flip := uint64(e.flip)
	if row[1] != 0 {
		if prefix^flip < row[0]^flip {
			return
		}
		if prefix == row[0] && !e.wins(row, v.Bytes(k)) {
			return
		}
	}
	e.set(row, prefix, v.Bytes(k))
}

// wins reports whether p beats the string in row, whose prefix is the same.
func (e *extremeText) wins(row []uint64, p []byte) bool {
	if row[1] < firstRef && len(p) <= inline {
		// Padding made them equal but for their lengths.
		n := int(row[1] - 1)
		return len(p) != n && (len(p) > n) == (e.flip == largest)
	}
	var buf [inline]byte
	c := bytes.Compare(p, e.get(row, &buf))
	return c != 0 && (c > 0) == (e.flip == largest)
}

// Merge considers results.
func (e *extremeText) Merge(tickets []uint32, states []*vector.Vector) error {
	return e.Update(tickets, states, Ordinals{})
}

// State returns the results.
func (e *extremeText) State(lo, hi int) ([]*vector.Vector, error) { return one(e.Final(lo, hi)) }

// Final returns the least or greatest strings, or vector.ErrTooLong.
func (e *extremeText) Final(lo, hi int) (*vector.Vector, error) {
	words, stride := e.rows()
	b := vector.NewBuilder(e.arg)
	var buf [inline]byte
	for t := lo; t < hi; t++ {
		row := words[t*stride : t*stride+textWords]
		if row[1] == 0 {
			b.AppendNull()
		} else if err := b.AppendBytes(e.get(row, &buf)); err != nil {
			return nil, err
		}
	}
	return b.Vector(), nil
}

// Bytes returns the size of the strings and of what is kept between batches.
func (e *extremeText) Bytes() int64 { return e.text.Bytes() + int64(cap(e.valid)) }
