package hashagg

import (
	"github.com/colagg/colagg/vector"
)

// keyReader is one worker's view of one key column: its rows as words, or as
// numbers of an interner.
type keyReader struct {
	interner Grouper // nil unless the column is interned
	numbers  []uint32
	words    []uint64
	entries  []uint64 // words of the entries of dictionary id
	id       uint64
}

// ids returns the interned numbers of v's rows, valid until the next call. Those
// of NULL rows are unspecified.
func (r *keyReader) ids(v *vector.Vector, n int) ([]uint32, error) {
	r.numbers = vector.Resize(r.numbers, n)
	return r.numbers, r.interner.Groups([]*vector.Vector{v}, r.numbers)
}

// wordsOf returns v's rows in the form of words, valid until the next call.
func (r *keyReader) wordsOf(v *vector.Vector, n int) []uint64 {
	r.words = vector.Resize(r.words, n)
	if v.Flat() {
		words(r.words, v)
		return r.words
	}
	if v.Dict.ID == 0 || v.Dict.ID != r.id {
		r.entries = vector.Resize(r.entries, v.Dict.Len)
		words(r.entries, v.Dict)
		r.id = v.Dict.ID
	}
	switch {
	case len(r.entries) == 0:
		clear(r.words)
	case v.Codes == nil:
		for i := range r.words {
			r.words[i] = r.entries[0]
		}
	default:
		for i, c := range v.Codes[:n] {
			r.words[i] = r.entries[c]
		}
	}
	return r.words
}

// word returns row i of the last column read.
func (r *keyReader) word(i int) uint64 {
	if r.interner != nil {
		return uint64(r.numbers[i])
	}
	return r.words[i]
}
