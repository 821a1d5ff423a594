package hashagg

import (
	"bytes"
	"encoding/binary"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/colagg/colagg/vector"
)

// The two highest bits of a key are where its row stands by NULL, so that it
// need not have a place among the ranks.
const (
	nullLast  = 1 << 62 // NULL, behind all values
	hasRank   = 2 << 62
	nullFirst = 3 << 62
	rankClass = 3 << 62
)

// wordRank ranks rows by one column whose values have whole heads. A rank is the
// head, or its complement, so that what comes first has the greatest.
type wordRank struct {
	slot
	Direction
	at      int // the word of a state
	typ     arrow.DataType
	nulls   nullRank
	members members
	heads   []uint64
}

func (r *wordRank) load(by []*vector.Vector, keys []uint64) error {
	words, valid, err := r.members.load(by[0], len(keys))
	if err != nil {
		return err
	}
	toHeads(r.typ, words)
	flip := ^uint64(0)
	if r.Desc {
		flip = 0
	}
	null := uint64(nullLast)
	if r.NullsFirst {
		null = nullFirst
	}
	for i := range keys {
		switch {
		case keys[i] == 0:
		case valid.Get(i):
			words[i] ^= flip
			keys[i] |= hasRank
		case r.nulls == nullsDropped:
			keys[i] = 0
		default:
			words[i] = 0
			keys[i] |= null
		}
	}
	r.heads = words
	return nil
}

func (r *wordRank) read(ranks *vector.Vector) { r.heads = vector.Values[uint64](ranks) }

func (r *wordRank) wins(tickets []uint32, keys []uint64, out []uint32) []uint32 {
	words, stride := r.rows()
	keys, heads := keys[:len(tickets)], r.heads[:len(tickets)]
	for i, t := range tickets {
		b := int(t) * stride
		had, key := words[b], keys[i]
		if key == 0 {
			continue
		}
		if c, d := key&rankClass, had&rankClass; c == d {
			if h := words[b+r.at]; heads[i] < h || heads[i] == h && key <= had {
				continue
			}
		} else if c < d {
			continue
		}
		words[b], words[b+r.at] = key, heads[i]
		out = append(out, uint32(i))
	}
	return out
}

func (r *wordRank) ranks(lo, hi int) (*vector.Vector, error) {
	words, stride := r.rows()
	v := vector.New(arrow.PrimitiveTypes.Uint64, hi-lo)
	out := vector.Values[uint64](v)
	for i := range out {
		out[i] = words[(lo+i)*stride+r.at]
	}
	return v, nil
}

func (r *wordRank) grow(int) {}

func (r *wordRank) bytes() int64 { return r.members.bytes() }

func (r *wordRank) reset() { r.members.reset() }

func (r *wordRank) free() { r.members.close() }

// bytesRank ranks rows by any columns. A rank is a byte string: what comes first
// is the least, byte by byte.
type bytesRank struct {
	slot
	at    int
	order []Direction
	forms []rankForm
	nulls nullRank
	text  text

	data    []byte
	offsets []int32
}

func (r *bytesRank) load(by []*vector.Vector, keys []uint64) error {
	r.data, r.offsets = r.data[:0], append(r.offsets[:0], 0)
	for i := range keys {
		if keys[i] != 0 && r.nulls == nullsDropped && by[0].IsNull(i) {
			keys[i] = 0
		}
		if keys[i] != 0 {
			keys[i] |= hasRank
			for c, v := range by {
				r.data = appendRank(r.data, v, i, r.order[c], r.forms[c])
			}
			if len(r.data) > vector.MaxBytes {
				return vector.ErrTooLong
			}
		}
		r.offsets = append(r.offsets, int32(len(r.data)))
	}
	return nil
}

func (r *bytesRank) read(ranks *vector.Vector) {
	r.data, r.offsets = append(r.data[:0], ranks.Data...), append(r.offsets[:0], ranks.Offsets[:ranks.Len+1]...)
}

func (r *bytesRank) wins(tickets []uint32, keys []uint64, out []uint32) []uint32 {
	words, stride := r.rows()
	var buf [inline]byte
	for i, t := range tickets {
		b := int(t) * stride
		had, key := words[b], keys[i]
		if key == 0 {
			continue
		}
		lo, hi := int(r.offsets[i]), int(r.offsets[i+1])
		head, rank := prefix(r.data, lo, hi), words[b+r.at:b+r.at+textWords]
		if had != 0 {
			if head > rank[0] {
				continue
			}
			if head == rank[0] {
				if c := bytes.Compare(r.data[lo:hi], r.text.get(rank, &buf)); c > 0 || c == 0 && key <= had {
					continue
				}
			}
		}
		words[b] = key
		r.text.set(rank, head, r.data[lo:hi])
		out = append(out, uint32(i))
	}
	r.text.compact()
	return out
}

func (r *bytesRank) ranks(lo, hi int) (*vector.Vector, error) {
	words, stride := r.rows()
	b := vector.NewBuilder(arrow.BinaryTypes.Binary)
	var buf [inline]byte
	for t := lo; t < hi; t++ {
		var p []byte
		if words[t*stride] != 0 {
			p = r.text.get(words[t*stride+r.at:t*stride+r.at+textWords], &buf)
		}
		if err := b.AppendBytes(p); err != nil {
			return nil, err
		}
	}
	return b.Vector(), nil
}

func (r *bytesRank) grow(n int) { r.text.Grow(n) }

func (r *bytesRank) bytes() int64 {
	return r.text.Bytes() + int64(cap(r.data)) + 4*int64(cap(r.offsets))
}

func (r *bytesRank) reset() { r.text.Reset() }

func (r *bytesRank) free() {}

// rankForm is how the values of a column become bytes that are in their order.
type rankForm int

const (
	rankBytes   rankForm = iota // of fixed width, as they are
	rankText                    // 0 as 0 255, and 0 0 at the end
	rankWord                    // their heads
	rankDecimal                 // highest byte first, the sign inverted
)

func rankFormOf(t arrow.DataType) rankForm {
	switch {
	case vector.IsBytes(t):
		return rankText
	case isDecimal(t):
		return rankDecimal
	case isWord(t):
		return rankWord
	}
	return rankBytes
}

// appendRank appends row i of v as bytes in whose order rows come in direction
// d, and of which none begins with another.
func appendRank(dst []byte, v *vector.Vector, i int, d Direction, form rankForm) []byte {
	switch null := v.IsNull(i); {
	case null && d.NullsFirst:
		return append(dst, 0)
	case null:
		return append(dst, 2)
	}
	dst = append(dst, 1)
	from := len(dst)
	p := v.Bytes(i)
	switch form {
	case rankText:
		for at := bytes.IndexByte(p, 0); at >= 0; at = bytes.IndexByte(p, 0) {
			dst = append(append(dst, p[:at+1]...), 0xff)
			p = p[at+1:]
		}
		dst = append(append(dst, p...), 0, 0)
	case rankDecimal:
		for k := len(p) - 1; k >= 0; k-- {
			dst = append(dst, p[k])
		}
		dst[from] ^= 0x80
	case rankWord:
		var w [1]uint64
		words(w[:], &vector.Vector{Type: v.Type, Len: 1, Data: p})
		toHeads(v.Type, w[:])
		dst = binary.BigEndian.AppendUint64(dst, w[0])
	default:
		dst = append(dst, p...)
	}
	if !d.Desc {
		return dst
	}
	for ; from+8 <= len(dst); from += 8 {
		binary.LittleEndian.PutUint64(dst[from:], ^binary.LittleEndian.Uint64(dst[from:]))
	}
	for ; from < len(dst); from++ {
		dst[from] = ^dst[from]
	}
	return dst
}
