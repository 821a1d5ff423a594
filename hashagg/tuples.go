package hashagg

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// tuples are rows of several columns as byte strings that are equal where the
// values are: words in eight bytes, other values of fixed width as they are, and
// byte strings behind their length.
type tuples struct {
	types []arrow.DataType
	words []members // of columns of words
	read  [][]uint64
	valid []vector.Bitmap
	v     vector.Vector
}

var errTuple = errors.New("hashagg: a row of a set in exchange form is damaged")

func newTuples(function string, types []arrow.DataType) *tuples {
	t := &tuples{types: types, read: make([][]uint64, len(types)), valid: make([]vector.Bitmap, len(types))}
	for _, typ := range types {
		t.words = append(t.words, newMembers(function, typ))
	}
	return t
}

// encode returns the first n rows as byte strings, valid until the next call. A
// row with a NULL is NULL.
func (t *tuples) encode(cols []*vector.Vector, n int) (*vector.Vector, error) {
	for c, v := range cols {
		if isWord(t.types[c]) {
			var err error
			if t.read[c], t.valid[c], err = t.words[c].load(v, n); err != nil {
				return nil, err
			}
		}
	}
	out := &t.v
	*out = vector.Vector{Type: arrow.BinaryTypes.Binary, Len: n, Data: out.Data[:0], Offsets: append(out.Offsets[:0], 0)}
	for i := range n {
		from := len(out.Data)
		for c, v := range cols {
			word := isWord(t.types[c])
			if word && !t.valid[c].Get(i) || !word && v.IsNull(i) {
				out.Data = out.Data[:from]
				setNull(out, i)
				break
			}
			if word {
				out.Data = binary.LittleEndian.AppendUint64(out.Data, t.read[c][i])
				continue
			}
			p := v.Bytes(i)
			if vector.IsBytes(v.Type) {
				out.Data = binary.AppendUvarint(out.Data, uint64(len(p)))
			}
			out.Data = append(out.Data, p...)
		}
		if len(out.Data) > vector.MaxBytes {
			return nil, vector.ErrTooLong
		}
		out.Offsets = append(out.Offsets, int32(len(out.Data)))
	}
	return out, nil
}

// decode returns the columns of byte strings that encode has made.
func (t *tuples) decode(v *vector.Vector) ([]*vector.Vector, error) {
	var builders []*vector.Builder
	for _, typ := range t.types {
		builders = append(builders, vector.NewBuilder(typ))
	}
	for i := range v.Len {
		p := v.Bytes(i)
		for c, typ := range t.types {
			n, w := vector.Width(typ), vector.Width(typ)
			switch {
			case isWord(typ):
				w = 8
			case vector.IsBytes(typ):
				size, k := binary.Uvarint(p)
				if k <= 0 || size > uint64(len(p)-k) {
					return nil, errTuple
				}
				p = p[k:]
				n, w = int(size), int(size)
			}
			if len(p) < w {
				return nil, errTuple
			}
			if typ.ID() == arrow.BOOL {
				n = 1
			}
			if err := builders[c].AppendBytes(p[:n]); err != nil {
				return nil, err
			}
			p = p[w:]
		}
	}
	var out []*vector.Vector
	for _, b := range builders {
		out = append(out, b.Vector())
	}
	return out, nil
}

func (t *tuples) bytes() int64 {
	n := int64(cap(t.v.Data) + 4*cap(t.v.Offsets))
	for c := range t.words {
		n += t.words[c].bytes()
	}
	return n
}
