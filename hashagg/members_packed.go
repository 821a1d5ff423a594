package hashagg

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// Sets of values travel as byte strings, one for each group: the words of the
// values in eight bytes each, lowest first, or for types that are interned the
// bytes of each value after their number as a varint.

var errPacked = errors.New("hashagg: a set of values in exchange form is damaged")

// pack returns sets in exchange form: that of row i has the words from starts[i]
// up to starts[i+1]. Words of interned types must be numbers of m's interner.
// The result may share the memory of words. vector.ErrTooLong is returned when
// one vector cannot hold them.
func (m *members) pack(words []uint64, starts []int) (*vector.Vector, error) {
	out := vector.New(arrow.BinaryTypes.Binary, len(starts)-1)
	if !interned(m.typ) {
		if len(words) > vector.MaxBytes/8 {
			return nil, vector.ErrTooLong
		}
		out.Data = vector.AsBytes(words)
		for i, n := range starts {
			out.Offsets[i] = int32(8 * n)
		}
		return out, nil
	}
	for i := range len(starts) - 1 {
		for lo := starts[i]; lo < starts[i+1]; lo += packedRows {
			values, err := m.values(words[lo:min(lo+packedRows, starts[i+1])])
			if err != nil {
				return nil, err
			}
			for k := range values.Len {
				p := values.Bytes(k)
				if len(out.Data)+len(p)+binary.MaxVarintLen32 > vector.MaxBytes {
					return nil, vector.ErrTooLong
				}
				out.Data = binary.AppendUvarint(out.Data, uint64(len(p)))
				out.Data = append(out.Data, p...)
			}
		}
		out.Offsets[i+1] = int32(len(out.Data))
	}
	return out, nil
}

// packedRows is how many values are looked up at once to be packed.
const packedRows = 4096

// values returns the values of words as a flat vector.
func (m *members) values(words []uint64) (*vector.Vector, error) {
	if interned(m.typ) {
		numbers := make([]uint32, len(words))
		for i, w := range words {
			numbers[i] = uint32(w)
		}
		cols, err := m.texts.keys(numbers)
		if err != nil {
			return nil, err
		}
		return cols[0], nil
	}
	v := vector.New(m.typ, len(words))
	if isDecimal(m.typ) {
		for i, out := 0, vector.Values[[2]uint64](v); i < len(out); i++ {
			out[i] = [2]uint64{words[i], uint64(int64(words[i]) >> 63)}
		}
		return v, nil
	}
	for i, w := range words {
		putWord(v, i, w)
	}
	return v, nil
}

// unpack reads sets in exchange form. It returns the words of all values, and
// the ticket of each; row i of v is the set of tickets[i]. They are valid until
// the next call of unpack or load.
func (m *members) unpack(v *vector.Vector, tickets []uint32) ([]uint64, []uint32, error) {
	m.owners = m.owners[:0]
	if interned(m.typ) {
		return m.unpackBytes(v, tickets)
	}
	m.out = m.out[:0]
	for i, t := range tickets {
		p := v.Bytes(i)
		if len(p)%8 != 0 {
			return nil, nil, errPacked
		}
		for ; len(p) > 0; p = p[8:] {
			m.out = append(m.out, binary.LittleEndian.Uint64(p))
			m.owners = append(m.owners, t)
		}
	}
	return m.out, m.owners, nil
}

// unpackBytes is unpack for types that are interned.
func (m *members) unpackBytes(v *vector.Vector, tickets []uint32) ([]uint64, []uint32, error) {
	m.offsets = append(m.offsets[:0], 0)
	m.packed = m.packed[:0]
	for i, t := range tickets {
		for p := v.Bytes(i); len(p) > 0; {
			n, k := binary.Uvarint(p)
			if k <= 0 || n > uint64(len(p)-k) {
				return nil, nil, errPacked
			}
			m.packed = append(m.packed, p[k:k+int(n)]...)
			m.offsets = append(m.offsets, int32(len(m.packed)))
			m.owners = append(m.owners, t)
			p = p[k+int(n):]
		}
	}
	m.numbers = vector.Resize(m.numbers, len(m.owners))
	if err := m.probe.find(m.packed, m.offsets, nil, m.numbers); err != nil {
		return nil, nil, err
	}
	m.out = vector.Resize(m.out, len(m.owners))
	for i, t := range m.numbers {
		m.out[i] = uint64(t)
	}
	return m.out, m.owners, nil
}
