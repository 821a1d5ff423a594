package hashagg

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/memory"
	"github.com/colagg/colagg/vector"
)

// members turns values into words that are equal where the values are: those of
// words, the low word of decimals of up to 18 digits, and for byte strings and
// longer decimals the number that an interner gives each of them.
type members struct {
	function string
	typ      arrow.DataType
	texts    *textKeys // the interner, nil where there is none
	probe    bytesProbe

	dict    uint64   // dictionary that entries are about, 0 for none
	entries []uint64 // words of its entries, or unknownMember
	wanted  []uint32 // entries whose words are not known yet
	numbers []uint32 // of rows that are interned
	offsets []int32
	gather  *vector.Vector
	out     []uint64
	owners  []uint32 // tickets of values that unpack has read
	packed  []byte   // their bytes
	valid   vector.Bitmap
}

// unknownMember is the word of an entry that no row had so far; numbers of an
// interner are below.
const unknownMember = ^uint64(0)

func newMembers(function string, t arrow.DataType) members {
	return members{function: function, typ: t}
}

// interned reports whether values of type t have numbers in place of words of
// their own.
func interned(t arrow.DataType) bool {
	return isString(t) && (t.ID() != arrow.DECIMAL128 || t.(arrow.DecimalType).GetPrecision() > narrowDigits)
}

// open makes the interner, if one is needed and there is none.
func (m *members) open(blind uint64) {
	if m.texts != nil || !interned(m.typ) {
		return
	}
	space := newTicketSpace(1, memory.NewBudget(0).Account("values"), new(growing)) // bytes counts them
	m.texts = &textKeys{typ: m.typ, space: space, table: newBytesTable(space, knobs{hashMask: ^blind, slots: firstInterned})}
	m.probe = bytesProbe{table: m.texts.table, issuer: &issuer{space: space}}
}

// firstInterned is the number of slots of a new interner.
const firstInterned = 64

// load returns the words of the first n rows of v, and which of them count, nil
// if all do. Both are valid until the next call.
func (m *members) load(v *vector.Vector, n int) ([]uint64, vector.Bitmap, error) {
	m.out = vector.Resize(m.out, n)
	if v.Type.ID() == arrow.NULL {
		m.valid = vector.Resize(m.valid, (n+7)/8)
		clear(m.valid)
		return m.out, m.valid, nil
	}
	var valid vector.Bitmap
	valid, m.valid = rowsValid(m.valid, v, n)
	if v.Dict == nil {
		return m.out, valid, m.flat(m.out, v, valid)
	}
	if v.Dict.Len == 0 {
		m.valid = vector.Resize(m.valid, (n+7)/8)
		clear(m.valid)
		return m.out, m.valid, nil
	}
	if v.Codes != nil && v.Dict.Len > n && !interned(m.typ) {
		var err error
		if m.gather, err = vector.Gather(m.gather, v.Dict, v.Codes[:n]); err != nil {
			return nil, nil, err
		}
		return m.out, valid, m.flat(m.out, m.gather, valid)
	}
	if err := m.lookUp(v, n, valid); err != nil {
		return nil, nil, err
	}
	if v.Codes == nil {
		for i := range m.out {
			m.out[i] = m.entries[0]
		}
		return m.out, valid, nil
	}
	for i, c := range v.Codes[:n] {
		m.out[i] = m.entries[c]
	}
	return m.out, valid, nil
}

// lookUp makes the words of the entries that rows of v have known.
func (m *members) lookUp(v *vector.Vector, n int, valid vector.Bitmap) error {
	if known := v.Dict.ID != 0 && v.Dict.ID == m.dict; !known {
		m.dict = v.Dict.ID
		m.entries = vector.Resize(m.entries, v.Dict.Len)
		if !interned(m.typ) {
			return m.flat(m.entries, v.Dict, v.Dict.Valid)
		}
		for i := range m.entries {
			m.entries[i] = unknownMember
		}
	} else if !interned(m.typ) {
		return nil
	}
	// Only entries that occur: each part of the groups has an interner of its
	// own, and a dictionary may be large.
	m.wanted = m.wanted[:0]
	for i := range n {
		if c := v.Code(i); m.entries[c] == unknownMember && valid.Get(i) {
			m.entries[c] = 0
			m.wanted = append(m.wanted, uint32(c))
		}
	}
	if len(m.wanted) == 0 {
		return nil
	}
	var err error
	if m.gather, err = vector.Gather(m.gather, v.Dict, m.wanted); err != nil {
		return err
	}
	m.numbers = vector.Resize(m.numbers, len(m.wanted))
	if err := m.intern(m.numbers, m.gather, nil); err != nil {
		return err
	}
	for i, c := range m.wanted {
		m.entries[c] = uint64(m.numbers[i])
	}
	return nil
}

// flat sets dst to the words of a flat vector's rows; those of rows that do not
// count are unspecified.
func (m *members) flat(dst []uint64, v *vector.Vector, valid vector.Bitmap) error {
	switch {
	case interned(m.typ):
		m.numbers = vector.Resize(m.numbers, len(dst))
		if err := m.intern(m.numbers, v, valid); err != nil {
			return err
		}
		for i, t := range m.numbers {
			dst[i] = uint64(t)
		}
	case isDecimal(m.typ):
		for i, x := range vector.Values[[2]uint64](v)[:len(dst)] {
			if x[1] != uint64(int64(x[0])>>63) && valid.Get(i) {
				return rangeError(m.function, m.typ)
			}
			dst[i] = x[0]
		}
	default:
		words(dst, v)
	}
	return nil
}

// intern sets dst to the numbers of a flat vector's rows that count.
func (m *members) intern(dst []uint32, v *vector.Vector, valid vector.Bitmap) error {
	offsets := v.Offsets
	if offsets == nil {
		w := vector.Width(v.Type)
		m.offsets = vector.Resize(m.offsets, len(dst)+1)
		for i := range m.offsets {
			m.offsets[i] = int32(i * w)
		}
		offsets = m.offsets
	}
	return m.probe.find(v.Data, offsets, valid, dst)
}

// freeze ends the giving of numbers: values that have none get words that are no
// member's.
func (m *members) freeze() {
	if m.texts != nil {
		m.probe.issuer.frozen = true
	}
}

// bytes is the memory held.
func (m *members) bytes() int64 {
	n := 8*int64(cap(m.entries)+cap(m.out)+cap(m.probe.hashes)+2*cap(m.probe.words)) + int64(cap(m.valid)+cap(m.packed)) +
		4*int64(cap(m.owners)+cap(m.wanted)+cap(m.numbers)+cap(m.offsets)+cap(m.probe.missed))
	if m.texts != nil {
		n += m.texts.space.bytes + 8*int64(len(m.texts.table.slots))
	}
	return n
}

// reset forgets all values.
func (m *members) reset() {
	m.dict = 0
	if m.texts != nil {
		m.texts.reset()
		m.probe.issuer = &issuer{space: m.texts.space}
	}
}

// close gives the memory of the interner back.
func (m *members) close() {
	if m.texts != nil {
		m.texts.close()
	}
	m.texts, m.dict = nil, 0
}
